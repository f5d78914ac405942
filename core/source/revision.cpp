// Three commands of git suffice: merge-base, ls-tree and cat-file. They only read objects and refs:
// nothing is checked out, so that neither filters nor hooks run, and what git does not even open
// (attributes, the index) cannot decide anything.
//
// A tree comes from whom the manifests come from, and git permits in it what a working tree cannot
// have: names such as "..", a name that is both a link and a directory. So all directories are made
// before all files, and all files before all links, no existing file is opened for writing, and a
// link is made only if its target stays inside, whatever other links it leads through.
#include "core/source/revision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string_view>

#include "core/base/process.h"
#include "core/base/text.h"
#include "core/source/path.h"
#include "core/source/read_file.h"
#include "core/source/save.h"

namespace cnsched {

namespace fs = std::filesystem;

namespace {

/// Of the list of a commit's files; about half a million.
constexpr std::size_t kMaxList = std::size_t{64} << 20U;
/// Of all extracted files.
constexpr std::size_t kMaxTotal = std::size_t{1} << 30U;
/// Of the files that one call of git prints.
constexpr std::size_t kBatch = std::size_t{32} << 20U;
/// What git prints around each.
constexpr std::size_t kHeader = 128;
/// Of the target of a link.
constexpr std::size_t kMaxTarget = 4096;
/// Of a message of git, in code points.
constexpr std::size_t kMaxMessage = 300;
constexpr std::size_t kMaxId = 64;  // SHA-256 in hexadecimal digits

/// Nothing of the user's environment: a hook sets GIT_DIR and GIT_INDEX_FILE, for example.
std::vector<std::string> git_environment(const Git& git) {
  return {"PATH=/usr/bin:/bin", "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
          "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1",
          // A partial clone would fetch what it lacks. Older releases of git do not know the first;
          // the repository's configuration cannot override the second.
          "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none",
          // If .git is none, a repository above must not stand in.
          "GIT_CEILING_DIRECTORIES=" + directory_of(git.repository)};
}

Error failure_of_git(const Git& git, const ProgramEnd& end) {
  switch (end.by) {
    case ProgramEnd::By::timeout:
      return {fmt::format("git has not ended after {} s", git.timeout.count())};
    case ProgramEnd::By::output_limit:
      return {"git prints more than cnsched reads: the commit has too many files"};
    case ProgramEnd::By::signal:
      return {fmt::format("git ended by signal {}", end.status)};
    case ProgramEnd::By::exit:
      break;
  }
  return {fmt::format("git: {}", printable(first_line(end.errors, kMaxMessage)))};
}

Result<ProgramEnd> run_git(const Git& git, const std::vector<std::string>& arguments,
                           std::size_t max_output, std::string input = {}) {
  ProgramCall call{
      .program = git.program,
      // Nothing is started, so the owner may be another user, as in a container.
      .arguments = {"--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
                    "-c", "protocol.allow=never", "-c", "safe.directory=" + git.repository},
      .environment = git_environment(git),
      .input = std::move(input),
      .directory = git.repository,
      .timeout = git.timeout,
      .max_output = max_output};
  call.arguments.insert(call.arguments.end(), arguments.begin(), arguments.end());
  return run_process(call);
}

bool is_object_id(std::string_view text) {
  constexpr std::size_t kShortest = 40;  // SHA-1
  return text.size() >= kShortest && text.size() <= kMaxId &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// A file, link or submodule of a commit.
struct TreeEntry {
  std::string_view mode;
  std::string id;
  std::optional<std::size_t> size{};  ///< nothing: the object is missing, or is no file
  std::string path;

  bool is_link() const { return mode == "120000"; }
  bool is_submodule() const { return mode == "160000"; }
};

/// "100644 blob ID    SIZE\tPATH", as `ls-tree -l` prints it.
std::optional<TreeEntry> entry_in(std::string_view text) {
  const std::size_t tab = text.find('\t');
  if (tab == std::string_view::npos) return std::nullopt;
  std::vector<std::string_view> words;
  for (const std::string_view word : split(text.substr(0, tab), ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  constexpr std::size_t kWords = 4;
  if (words.size() != kWords || !is_object_id(words[2])) return std::nullopt;
  TreeEntry entry{
      .mode = words[0], .id = std::string(words[2]), .path = std::string(text.substr(tab + 1))};
  if (const auto size = whole_number(words[3])) entry.size = *size;
  return entry;
}

/// Whether a working tree can have the path, and git would check it out.
bool is_safe_path(std::string_view path) {
  constexpr std::size_t kMaxPath = 3000;
  constexpr std::size_t kMaxName = 255;
  if (path.size() > kMaxPath) return false;
  return std::ranges::none_of(split(path, '/'), [](std::string_view name) {
    return name.empty() || name.size() > kMaxName || name == "." || name == ".." ||
           lower(name) == ".git";
  });
}

/// Whether the target of a link at `path` is inside, without a look at other links: it leads up
/// only at its beginning, and no further than to the root.
bool stays_inside(std::string_view path, std::string_view target) {
  if (target.empty() || target.starts_with('/') || target.size() > kMaxTarget) return false;
  if (target.find('\0') != std::string_view::npos) return false;
  auto depth = std::ranges::count(path, '/');
  bool is_beginning = true;
  for (const std::string_view name : split(target, '/')) {
    if (name == "..") {
      if (!is_beginning || --depth < 0) return false;
    } else if (!name.empty() && name != ".") {
      is_beginning = false;
    }
  }
  return true;
}

/// Whether discovery, a chart or a kustomization may read a file of that name.
bool is_of_interest(std::string_view path) {
  const std::string name = lower(file_name_of(path));
  return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json") ||
         name == ".gitignore" || name == ".helmignore" || name == "kustomization";
}

/// Extracts one commit.
class Extraction {
 public:
  Extraction(const Git& git, const WantedFiles& wanted, const std::string& directory)
      : git_(git), wanted_(wanted), directory_(directory) {}

  Result<std::vector<std::string>> run(const std::string& commit) {
    const auto listed = run_git(
        git_, {"ls-tree", "-r", "-z", "-l", "--full-tree", "--end-of-options", commit}, kMaxList);
    if (!listed) return listed.error();
    if (!listed->is_success()) return failure_of_git(git_, *listed);
    for (const std::string_view text : split(listed->output, '\0')) {
      if (!text.empty()) take(text);
    }
    if (total_ > kMaxTotal) {
      return Error{fmt::format("the files to read are larger than {}", text_of_size(kMaxTotal))};
    }
    if (auto failure = make_directories()) return *failure;
    if (auto failure = write_files()) return *failure;
    make_links();
    return std::move(left_out_);
  }

 private:
  void leave_out(std::string_view path, std::string_view why) {
    left_out_.push_back(fmt::format("{}: {}", printable(path), why));
  }

  void take(std::string_view text) {
    auto entry = entry_in(text);
    if (!entry) return leave_out(text, "not understood");
    const bool is_wanted = wanted_.all || entry->is_link() || is_of_interest(entry->path) ||
                           wanted_.named.contains(entry->path);
    if (entry->is_submodule()) return leave_out(entry->path, "a submodule, not read");
    if (!is_wanted) return;
    if (!is_safe_path(entry->path)) return leave_out(entry->path, "not a valid path, not read");
    if (!entry->size)
      return leave_out(entry->path, "not in this clone of the repository, not read");
    const bool is_large = *entry->size > wanted_.limits.file_size;
    if (is_large && entry->is_link()) return leave_out(entry->path, "not a valid link, not read");
    if (is_large) return large_.push_back(*std::move(entry));
    total_ += *entry->size;
    auto& of_object = by_id_[entry->id];
    of_object.push_back(*std::move(entry));
  }

  std::string place_of(const TreeEntry& entry) const { return joined(directory_, entry.path); }

  std::optional<Error> make_directories() {
    std::set<std::string> directories = {joined(directory_, ".git/info")};
    for (const TreeEntry& entry : large_) directories.insert(directory_of(place_of(entry)));
    for (const auto& [id, entries] : by_id_) {
      for (const TreeEntry& entry : entries) directories.insert(directory_of(place_of(entry)));
    }
    std::error_code error;
    for (const std::string& directory : directories) {
      fs::create_directories(directory, error);
      if (error) return Error{fmt::format("{}: {}", directory, error.message())};
    }
    const auto exclude = read_file(joined(git_.repository, ".git/info/exclude"), kFileSizeLimit);
    if (exclude) write_new(joined(directory_, ".git/info/exclude"), *exclude, exclude->size());
    return std::nullopt;
  }

  std::optional<Error> write_files() {
    for (const TreeEntry& entry : large_) {
      // Whoever reads it looks at its size first.
      if (auto failure = write(entry, "", wanted_.limits.file_size + 1)) return failure;
    }
    std::string ids;
    std::size_t bytes = 0;
    for (auto each = by_id_.begin(); each != by_id_.end(); ++each) {
      ids += each->first + '\n';
      bytes += *each->second.front().size + kHeader;
      if (bytes < kBatch && std::next(each) != by_id_.end()) continue;
      if (auto failure = write_batch(std::exchange(ids, {}), std::exchange(bytes, 0))) {
        return failure;
      }
    }
    return std::nullopt;
  }

  std::optional<Error> write_batch(std::string ids, std::size_t most) {
    const auto printed = run_git(git_, {"cat-file", "--batch"}, most, std::move(ids));
    if (!printed) return printed.error();
    if (!printed->is_success()) return failure_of_git(git_, *printed);
    std::string_view left = printed->output;
    while (!left.empty()) {
      const std::size_t end = left.find('\n');
      if (end == std::string_view::npos) return Error{"git: unexpected output of cat-file"};
      const std::string_view head = left.substr(0, end);
      left.remove_prefix(end + 1);
      const auto entries = by_id_.find(std::string(head.substr(0, head.find(' '))));
      if (entries == by_id_.end()) return Error{"git: unexpected output of cat-file"};
      const std::size_t size = *entries->second.front().size;
      if (head != fmt::format("{} blob {}", entries->first, size) || left.size() < size + 1) {
        return Error{fmt::format("git cannot read {}: {}", entries->second.front().path,
                                 printable(first_line(head, kMaxMessage)))};
      }
      const std::string_view bytes = left.substr(0, size);
      left.remove_prefix(size + 1);
      for (const TreeEntry& entry : entries->second) {
        if (entry.is_link()) {
          links_.emplace_back(entry.path, bytes);
        } else if (auto failure = write(entry, bytes, size)) {
          return failure;
        }
      }
    }
    return std::nullopt;
  }

  std::optional<Error> write(const TreeEntry& entry, std::string_view bytes, std::size_t size) {
    if (write_new(place_of(entry), bytes, size)) return std::nullopt;
    const int reason = errno;
    if (reason != EEXIST) {
      return Error{fmt::format("{}: {}", place_of(entry), lower(std::strerror(reason)))};
    }
    leave_out(entry.path, "another entry has this path, not read");
    return std::nullopt;
  }

  void make_links() {
    for (const auto& [path, target] : links_) {
      std::error_code error;
      if (!stays_inside(path, target)) {
        if (wanted_.all || is_of_interest(path)) {
          leave_out(path, "a link that leads out of the repository, not read");
        }
        continue;
      }
      fs::create_symlink(target, joined(directory_, path), error);
      if (error) leave_out(path, lower(error.message()) + ", not read");
    }
  }

  const Git& git_;
  const WantedFiles& wanted_;
  const std::string& directory_;
  std::size_t total_ = 0;
  std::vector<TreeEntry> large_;
  std::map<std::string, std::vector<TreeEntry>> by_id_;
  std::vector<std::pair<std::string, std::string>> links_;  ///< paths and targets
  std::vector<std::string> left_out_;
};

/// What merge-base prints.
Result<std::string> common_commit(const Git& git, const std::string& a, const std::string& b) {
  const auto ended = run_git(git, {"merge-base", "--end-of-options", a, b}, kMaxTarget);
  if (!ended) return ended.error();
  const std::string id(trim(ended->output));
  if (ended->is_success() && is_object_id(id)) return id;
  return failure_of_git(git, *ended);
}

}  // namespace

Result<std::string> commit_of(const Git& git, const std::string& revision) {
  if (revision.empty() || revision.starts_with('-')) {
    return Error{fmt::format("'{}' is not a revision", printable(revision))};
  }
  const auto id = common_commit(git, revision, revision);
  if (id || id.error().message.find("Not a valid") == std::string::npos) return id;
  if (revision == "HEAD") return Error{"the repository has no commit yet (HEAD names none)"};
  return Error{
      fmt::format("no commit is named '{}' in this clone of the repository: check the name, or "
                  "fetch it (git fetch origin)",
                  printable(revision))};
}

Result<std::string> merge_base(const Git& git, const std::string& a, const std::string& b) {
  const auto one = commit_of(git, a);
  if (!one) return one;
  const auto other = commit_of(git, b);
  if (!other) return other;
  const auto base = common_commit(git, *one, *other);
  // It prints nothing if there is none.
  if (base || base.error().message != "git: ") return base;
  return Error{
      fmt::format("'{}' and '{}' have no common commit in this clone of the repository: a shallow "
                  "clone lacks it (git fetch --unshallow)",
                  printable(a), printable(b))};
}

Result<std::vector<std::string>> extract(const Git& git, const std::string& commit,
                                         const WantedFiles& wanted, const std::string& directory) {
  return Extraction(git, wanted, directory).run(commit);
}

}  // namespace cnsched

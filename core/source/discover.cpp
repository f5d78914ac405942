#include "core/source/discover.h"

#include <fmt/format.h>

#include <dirent.h>
#include <sys/types.h>
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <unordered_set>

#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/source/git_index.h"
#include "core/source/ignore_patterns.h"
#include "core/source/path.h"
#include "core/source/read_file.h"

namespace cnsched {

namespace fs = std::filesystem;

namespace {

bool is_manifest_name(std::string_view name) {
  if (name == "Kustomization") return true;  // of kustomize, without an ending
  const std::string low = lower(name);
  return low.ends_with(".yaml") || low.ends_with(".yml") || low.ends_with(".json");
}

/// The language of a file that may hold manifests, but is not read.
std::optional<Unfollowed::Kind> language_of(std::string_view name) {
  using enum Unfollowed::Kind;
  if (name.ends_with(".jsonnet") || name.ends_with(".libsonnet")) return jsonnet;
  if (name.ends_with(".cue")) return cue;
  if (name.ends_with(".tf")) return terraform;
  return std::nullopt;
}

bool is_found(std::string_view name) { return is_manifest_name(name) || language_of(name); }

constexpr const char* kGitignore = ".gitignore";

/// The patterns of a .gitignore; none if there is no such file.
IgnorePatterns patterns_in(const fs::path& path) {
  const Result<std::string> text = read_regular_file(path.string(), kFileSizeLimit);
  return text ? IgnorePatterns::from_lines(*text) : IgnorePatterns();
}

/// The maximum depth below a named directory: the cost of a path grows with its depth.
constexpr std::size_t kMaxDepth = 100;

/// An entry of a directory.
struct DirectoryEntry {
  std::string name;
  bool is_link = false;
  fs::file_type type = fs::file_type::none;  ///< of a link, the type of its target
  ino_t inode = 0;                           ///< 0 for a link

  bool is_directory() const { return type == fs::file_type::directory; }
  bool is_regular_file() const { return type == fs::file_type::regular; }
};

struct CloseDirectory {
  void operator()(DIR* stream) const { ::closedir(stream); }
};

/// The entries of a directory, sorted; on an error those read so far. std::filesystem's iterator
/// parses the path of each entry, which takes most of the time.
std::vector<DirectoryEntry> entries_of(const std::string& directory, std::error_code& error) {
  std::vector<DirectoryEntry> entries;
  const std::unique_ptr<DIR, CloseDirectory> stream(::opendir(directory.c_str()));
  if (stream == nullptr) {
    error.assign(errno, std::generic_category());
    return entries;
  }
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());  // NOLINT: no other thread uses the stream
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    DirectoryEntry& found = entries.emplace_back(DirectoryEntry{.name = std::string(name)});
    if (entry->d_type == DT_DIR) {
      found.type = fs::file_type::directory;
    } else if (entry->d_type == DT_REG) {
      found.type = fs::file_type::regular;
      found.inode = entry->d_ino;
    } else {  // a link, or a type that the file system does not report
      std::error_code unknown;
      const std::string path = joined(directory, found.name);
      found.is_link = fs::is_symlink(path, unknown);
      found.type = fs::status(path, unknown).type();
    }
  }
  if (errno != 0) error.assign(errno, std::generic_category());
  std::ranges::sort(entries, {}, &DirectoryEntry::name);
  return entries;
}

constexpr const char* kByFlag = "excluded by --exclude";

class Walker {
 public:
  explicit Walker(const DiscoverOptions& options) : options_(options) {
    std::error_code error;
    working_directory_ = fs::current_path(error);
    for (const std::string& pattern : options.exclude) exclude_.add(pattern);
  }

  void add(const std::string& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
      const bool is_missing = !error || error == std::errc::no_such_file_or_directory;
      found_.unreadable.push_back({path, is_missing ? no_such_file(path) : lower(error.message())});
    } else if (const auto reason = exclusion_of_named(path, fs::is_directory(status))) {
      found_.skipped.push_back({path, *reason});
    } else {
      add_existing(path, resolved_path(path), fs::is_directory(status));
    }
  }

  void add_stdin() { files_.push_back({"-", false, 1, "-"}); }

  Discovered result() && {
    std::ranges::sort(files_);
    std::vector<const FoundFile*> files;  // each with the first of its names
    for (const FoundFile& file : files_) {
      if (files.empty() || files.back()->real != file.real) {
        files.push_back(&file);
      } else if (files.back()->shown != file.shown) {
        skip_duplicate(file.shown, files.back()->shown);
      }
    }
    std::ranges::sort(files, {}, &FoundFile::shown);
    add_without_hard_links(files);
    std::ranges::sort(found_.skipped, {}, &Skipped::path);
    std::ranges::sort(found_.unreadable, {}, &Unreadable::path);
    std::ranges::sort(found_.unfollowed);
    const auto repeated = std::ranges::unique(found_.unfollowed);
    found_.unfollowed.erase(repeated.begin(), repeated.end());
    return std::move(found_);
  }

 private:
  /// A file with one of its names; the file's own name sorts before those of links to it.
  struct FoundFile {
    std::string real;
    bool is_link = false;
    std::size_t length = 0;  ///< of the name: the shortest is preferred
    std::string shown;
    ino_t inode = 0;  ///< 0 if not known

    friend auto operator<=>(const FoundFile&, const FoundFile&) = default;
  };

  void add_existing(const std::string& path, const std::string& real, bool is_directory) {
    const std::string problem = problem_with_real(path, real);
    if (!problem.empty()) {
      found_.unreadable.push_back({path, "is " + problem});
    } else if (is_directory) {
      walk_from(path, real);
    } else {
      std::error_code error;
      files_.push_back({real, fs::is_symlink(path, error), path.size(), path});
    }
  }

  void skip_duplicate(const std::string& file, const std::string& first) {
    found_.skipped.push_back({file, fmt::format("the same file as {}", first)});
  }

  /// Adds one name of each file. If all inode numbers differ, this needs no system call.
  void add_without_hard_links(const std::vector<const FoundFile*>& files) {
    std::unordered_set<ino_t> inodes;
    const bool are_distinct = std::ranges::all_of(files, [&](const FoundFile* file) {
      return file->inode != 0 && inodes.insert(file->inode).second;
    });
    std::unordered_map<std::string, const std::string*> seen;
    found_.files.reserve(files.size());
    for (const FoundFile* file : files) {
      const auto [first, is_new] =
          seen.try_emplace(are_distinct ? file->shown : file_identity(file->shown), &file->shown);
      if (is_new) {
        found_.files.push_back(file->shown);
      } else {
        skip_duplicate(file->shown, *first->second);
      }
    }
  }

  /// One .gitignore and its directory.
  struct Level {
    fs::path directory;
    IgnorePatterns patterns;
  };

  std::string relative_to_working_directory(const std::string& path) const {
    const fs::path& here = working_directory_;
    const fs::path relative = (here / path).lexically_normal().lexically_relative(here);
    const std::string text = relative.generic_string();
    return text.ends_with('/') ? text.substr(0, text.size() - 1) : text;
  }

  /// Why a named path is skipped; nothing without force_exclude.
  std::optional<std::string> exclusion_of_named(const std::string& path, bool is_directory) const {
    if (!options_.force_exclude) return std::nullopt;
    const std::string below = relative_to_working_directory(path);
    if (exclude_.ignores(is_directory ? below + "/x" : below)) return kByFlag;
    if (!options_.excluded) return std::nullopt;
    std::error_code error;
    const fs::path real =
        is_directory ? fs::weakly_canonical(path, error) : fs::path(real_path(path));
    const std::string root = repository_root((is_directory ? real : real.parent_path()).string());
    fs::path at = root.empty() ? real.root_path() : fs::path(root);
    for (const fs::path& name : real.lexically_relative(at)) {
      if (name == ".") break;
      at /= name;
      if (const auto reason = options_.excluded(at.string(), is_directory || at != real)) {
        return reason;
      }
    }
    return std::nullopt;
  }

  /// Why a path below a named directory is skipped.
  std::optional<std::string> exclusion_of(const std::string& shown, const std::string& real,
                                          bool is_directory, const std::vector<Level>& levels) {
    if (!options_.exclude.empty() &&
        exclude_.verdict(relative_to_working_directory(shown), is_directory) ==
            IgnorePatterns::Verdict::ignored) {
      return kByFlag;
    }
    if ((is_in_ignored_ || ignored(levels, real, is_directory)) && !is_tracked(real, is_directory))
      return kByGitignore;
    return options_.excluded ? options_.excluded(real, is_directory) : std::nullopt;
  }

  void walk_from(const std::string& path, const std::string& real) {
    std::vector<Level> levels;
    const fs::path directory = real;
    root_ = source_root(real);
    found_.walked.push_back(real);
    const std::string root = options_.gitignore ? repository_root(real) : "";
    if (root != repository_) tracked_.reset();
    repository_ = root;
    if (!root.empty()) {
      fs::path above = root;
      levels.push_back({above, patterns_in(above / ".git/info/exclude")});
      levels.push_back({above, patterns_in(above / kGitignore)});
      for (const fs::path& name : directory.lexically_relative(root)) {
        if (name == ".") break;
        above /= name;
        if (above != directory) levels.push_back({above, patterns_in(above / kGitignore)});
      }
    }
    walk(path, real, levels);
  }

  bool ignored(const std::vector<Level>& levels, std::string_view path, bool is_directory) const {
    for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
      // Called for every entry and level, so this does not parse paths.
      const std::string_view above = level->directory.native();
      const std::string_view name = path.substr(above.size() + (above.ends_with('/') ? 0 : 1));
      const auto verdict = level->patterns.verdict(name, is_directory);
      if (verdict != IgnorePatterns::Verdict::unmatched) {
        return verdict == IgnorePatterns::Verdict::ignored;
      }
    }
    return false;
  }

  /// Whether git tracks the file, or a file in the directory that may be read: git ignores neither.
  bool is_tracked(const std::string& real, bool is_directory) {
    if (!tracked_) tracked_ = tracked_files(repository_, is_found);
    if (tracked_->empty()) return false;
    const std::string path = path_below(repository_, real) + (is_directory ? "/" : "");
    const auto at = std::ranges::lower_bound(*tracked_, path);
    return at != tracked_->end() && (is_directory ? at->starts_with(path) : *at == path);
  }

  /// `shown` is the directory as the user names it, `real` its real path.
  void walk(const std::string& shown, const std::string& real, std::vector<Level>& levels) {
    if (depth_ > kMaxDepth) {
      found_.unreadable.push_back(
          {shown, fmt::format("nested too deeply: the limit is {} directories below a named one; "
                              "name a deeper directory",
                              kMaxDepth)});
      return;
    }
    ++depth_;
    walk_entries(shown, real, levels);
    --depth_;
  }

  void walk_entries(const std::string& shown, const std::string& real, std::vector<Level>& levels) {
    std::error_code error;
    const std::vector<DirectoryEntry> entries = entries_of(shown, error);
    if (error) found_.unreadable.push_back({shown, error.message()});
    const bool has_gitignore =
        options_.gitignore && std::ranges::any_of(entries, [](const DirectoryEntry& entry) {
          return entry.name == kGitignore;
        });
    if (has_gitignore) levels.push_back({real, patterns_in(joined(shown, kGitignore))});
    for (const DirectoryEntry& entry : entries) visit(entry, shown, real, levels);
    if (has_gitignore) levels.pop_back();
  }

  /// Reports a broken link, a pipe or a device.
  void report_special(const DirectoryEntry& entry, const std::string& shown) {
    if (entry.is_link && !fs::exists(fs::file_status(entry.type))) {
      found_.unreadable.push_back({shown, "broken symbolic link"});
    } else {
      found_.skipped.push_back({shown, "not a regular file"});
    }
  }

  void visit(const DirectoryEntry& entry, const std::string& directory,
             const std::string& real_directory, std::vector<Level>& levels) {
    const std::string& name = entry.name;
    const std::string shown = joined(directory, name);
    const std::string real = joined(real_directory, name);
    const bool is_directory = entry.is_directory();
    if (is_directory && entry.is_link) {
      found_.skipped.push_back({shown, "a link to a directory, not followed"});
      return;
    }
    if (is_directory && lower(name) == ".git") return;
    const auto language = is_directory ? std::nullopt : language_of(name);
    if (language && entry.is_regular_file() && !entry.is_link &&
        !exclusion_of(shown, real, false, levels)) {
      found_.unfollowed.push_back({.kind = *language, .path = shown});
    }
    if (!is_directory && !is_manifest_name(name)) return;
    if (!is_directory && !entry.is_regular_file()) {
      report_special(entry, shown);
      return;
    }
    const std::string problem = entry.is_link ? problem_with_input(real, root_) : std::string();
    if (const auto reason = exclusion_of(shown, real, is_directory, levels)) {
      found_.skipped.push_back({is_directory ? shown + "/" : shown, *reason});
    } else if (!problem.empty()) {
      found_.skipped.push_back({shown, problem});
    } else if (is_directory) {
      const bool is_in_ignored = is_in_ignored_;
      is_in_ignored_ = is_in_ignored || ignored(levels, real, true);
      walk(shown, real, levels);
      is_in_ignored_ = is_in_ignored;
    } else {
      std::error_code error;
      files_.push_back({entry.is_link ? fs::weakly_canonical(shown, error).string() : real,
                        entry.is_link, shown.size(), shown, entry.inode});
      progress().count();
    }
  }

  const DiscoverOptions& options_;
  std::size_t depth_ = 0;  ///< of the current directory below the named one
  std::vector<FoundFile> files_;
  std::string root_;        ///< where links may lead to from the current named directory
  std::string repository_;  ///< of the current named directory
  std::optional<std::vector<std::string>> tracked_;  ///< in it; read when something is ignored
  bool is_in_ignored_ = false;  ///< the current directory is ignored, but has tracked files
  fs::path working_directory_;
  IgnorePatterns exclude_;
  Discovered found_;
};

}  // namespace

Discovered discover(const std::vector<std::string>& paths, const DiscoverOptions& options) {
  progress().begin(Step::discovering, 0);
  Walker walker(options);
  for (const std::string& path : paths) {
    if (path == "-") {
      walker.add_stdin();
    } else {
      walker.add(path);
    }
  }
  return std::move(walker).result();
}

IgnoredPaths Discovered::ignored() const {
  IgnoredPaths counts;
  for (const Skipped& each : skipped) {
    if (each.reason == kByGitignore)
      ++(each.path.ends_with('/') ? counts.directories : counts.files);
  }
  return counts;
}

std::string_view name_of(Unfollowed::Kind kind) {
  using enum Unfollowed::Kind;
  switch (kind) {
    case chart:
      return "helm-chart";
    case template_file:
      return "helm-template";
    case kustomization:
      return "kustomization";
    case application:
      return "argo-cd-application";
    case application_set:
      return "argo-cd-application-set";
    case helm_release:
      return "flux-helm-release";
    case flux_kustomization:
      return "flux-kustomization";
    case jsonnet:
      return "jsonnet";
    case cue:
      return "cue";
    case terraform:
      break;
  }
  return "terraform";
}

}  // namespace cnsched

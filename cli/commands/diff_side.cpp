// A revision is read where its files are extracted to, below a temporary directory as below the
// root of the file system, and with the working directory there that corresponds to the present
// one. So every path that the user, a configuration, a chart or a kustomization names means the
// same in both sides, messages show the paths of the repository, and fingerprints are equal.
#include "cli/commands/diff_side.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/source/path.h"
#include "core/source/read_file.h"
#include "core/source/revision.h"
#include "core/source/trusted_program.h"

namespace cnsched::cli {

namespace fs = std::filesystem;

namespace {

/// Changes the working directory until the end of the scope.
class WithDirectory {
 public:
  explicit WithDirectory(const std::string& directory) {
    if (directory.empty()) return;
    std::error_code error;
    before_ = fs::current_path(error).string();
    fs::current_path(directory, error);
    if (error) failure_ = error.message();
  }
  WithDirectory(const WithDirectory&) = delete;
  WithDirectory& operator=(const WithDirectory&) = delete;
  ~WithDirectory() {
    std::error_code error;
    if (!before_.empty()) fs::current_path(before_, error);
  }

  const std::string& failure() const { return failure_; }

 private:
  std::string before_;
  std::string failure_;
};

/// A path that the user names, and its place in the repository.
struct NamedPath {
  std::string absolute;
  std::string shown;  ///< from the working directory
};

/// Reads revisions of the repository of the named paths.
class Repository {
 public:
  static Result<Repository> of(const std::vector<std::string>& paths) {
    Repository result;
    std::error_code error;
    result.here_ = fs::current_path(error).string();
    const std::string first = paths.empty() ? "." : paths.front();
    result.git_.repository = repository_root((fs::path(result.here_) / first).lexically_normal());
    if (result.git_.repository.empty()) {
      return Error{
          fmt::format("'{}' is in no git repository with a working tree: --base compares "
                      "revisions of one",
                      printable(first))};
    }
    return result;
  }

  bool find_git() {
    git_.program = find_program("git", environment_variable("PATH"), checked_files());
    return !git_.program.empty();
  }

  const Git& git() const { return git_; }
  /// Any file of the repository and of the working directory.
  std::vector<std::string> checked_files() const { return {git_.repository + "/x", "./x"}; }

  /// Nothing if the path is outside.
  std::optional<NamedPath> find(const std::string& path) const {
    fs::path absolute = (fs::path(here_) / path).lexically_normal();
    if (!holds(absolute)) {
      std::error_code error;
      absolute = fs::weakly_canonical(absolute, error);
    }
    if (!holds(absolute)) return std::nullopt;
    std::string text = absolute.string();
    if (text.ends_with('/')) text.pop_back();
    return NamedPath{text, fs::path(text).lexically_relative(here_).string()};
  }

  std::string path_in_repository(const NamedPath& path) const {
    return path_below(git_.repository, path.absolute);
  }

  /// Extracts the files of a commit for a side.
  std::optional<Error> extract_for(DiffSide& side, const std::string& commit,
                                   const WantedFiles& wanted) const {
    side.files = std::make_unique<ScratchDirectory>();
    const std::string& root = side.files->path();
    if (root.empty()) return Error{"no temporary directory can be made"};
    // First: the revision may have a file where the working directory is now.
    side.directory = root + here_;
    std::error_code error;
    fs::create_directories(side.directory, error);
    if (error) return Error{fmt::format("{}: {}", side.directory, error.message())};
    auto left_out = extract(git_, commit, wanted, root + git_.repository);
    if (!left_out) return left_out.error();
    side.left_out = *std::move(left_out);
    return std::nullopt;
  }

 private:
  bool holds(const fs::path& path) const {
    std::string text = path.string();
    if (text.ends_with('/')) text.pop_back();
    return is_at_or_below(git_.repository, text);
  }

  std::string here_;
  Git git_;
};

/// The files that the user names besides the manifests, for one side. In a revision a file of the
/// repository is that of the revision, if it has the file; others are those on the disk.
class NamedFiles {
 public:
  NamedFiles(const Repository* repository, const Limits& limits)
      : repository_(repository), limits_(limits) {}

  std::optional<Error> adapt(DiffSide& side) {
    InputOptions& input = side.input;
    std::vector<std::string> cluster;
    for (const std::string& path : input.facts.cluster) {
      if (auto name = in_side(path, side)) {
        cluster.push_back(*std::move(name));
      } else if (auto failure = read(path, input.facts.read)) {
        return failure;
      }
    }
    input.facts.cluster = std::move(cluster);
    if (side.files == nullptr) return std::nullopt;
    const auto adapt_one = [&](std::string& path) {
      std::error_code error;
      if (!path.empty()) path = in_side(path, side).value_or(fs::absolute(path, error).string());
    };
    adapt_one(input.facts.config);
    for (std::string& path : input.packages.values) adapt_one(path);
    for (std::string* program : {&input.packages.helm, &input.packages.kustomize}) {
      std::error_code error;
      if (!program->empty()) *program = fs::absolute(*program, error).string();
    }
    return std::nullopt;
  }

 private:
  /// The path by which the side can read the file itself; nothing if it cannot.
  std::optional<std::string> in_side(const std::string& path, const DiffSide& side) const {
    std::error_code error;
    if (side.files == nullptr) {
      // A pipe can be read for one side only. What is missing is reported as always.
      const bool is_once = path == "-" || (fs::exists(path, error) && !fs::is_regular_file(path));
      return is_once ? std::nullopt : std::optional(path);
    }
    const auto named = repository_->find(path);
    if (path == "-" || !named) return std::nullopt;
    const bool is_there = fs::exists(side.files->path() + named->absolute, error);
    return is_there ? std::optional(named->shown) : std::nullopt;
  }

  std::optional<Error> read(const std::string& path, std::vector<MemoryFile>& to) {
    auto known = bytes_.find(path);
    if (known == bytes_.end()) {
      auto bytes = read_named_file(path, limits_.file_size, kFileSizeFlag);
      if (!bytes) return bytes.error();
      known = bytes_.emplace(path, *std::move(bytes)).first;
    }
    to.push_back({.path = path, .bytes = known->second, .linted = false, .fact = true});
    return std::nullopt;
  }

  const Repository* repository_;
  const Limits& limits_;
  std::map<std::string, std::string> bytes_;
};

/// OLD and NEW.
std::optional<Exit> plan_paths(const ComparedOptions& options, DiffSides& sides, Console& console) {
  const std::vector<std::string>& paths = options.input.paths;
  if (paths.size() != 2) {
    return fail(console,
                "diff compares two files or directories, OLD and NEW; to compare with a revision "
                "of the repository, name it with --base");
  }
  for (const std::string& path : paths) {
    std::error_code error;
    if (path == "-" || fs::exists(path, error) || error) continue;
    return fail(console,
                fmt::format("{}: {}; a revision of the repository is named with --base",
                            printable(path), no_such_file(path)),
                Exit::failure);
  }
  sides.before.input.paths = {paths.front()};
  sides.after.input.paths = {paths.back()};
  return std::nullopt;
}

/// Lets each side have the paths that exist in it. One that exists in neither stays in the new
/// side, which reports it.
void share_paths(const std::vector<NamedPath>& paths, DiffSides& sides) {
  const auto has = [](const DiffSide& side, const NamedPath& path) {
    std::error_code error;
    const std::string root = side.files == nullptr ? "" : side.files->path();
    return fs::exists(root + path.absolute, error);
  };
  for (const NamedPath& path : paths) {
    const bool is_old = has(sides.before, path);
    if (is_old) sides.before.input.paths.push_back(path.shown);
    if (!is_old || has(sides.after, path)) sides.after.input.paths.push_back(path.shown);
  }
  for (DiffSide* side : {&sides.before, &sides.after}) {
    side->is_missing = side->input.paths.empty();
  }
}

/// The files of the repository that flags name.
WantedFiles wanted_files(const ComparedOptions& options, const std::vector<NamedPath>& paths,
                         const Repository& repository) {
  const InputOptions& input = options.input;
  WantedFiles wanted{.all = !input.packages.render.empty() || !input.facts.config.empty(),
                     .limits = input.facts.limits};
  for (const NamedPath& path : paths) wanted.named.insert(repository.path_in_repository(path));
  for (const auto* files : {&input.facts.cluster, &options.old_cluster}) {
    for (const std::string& file : *files) {
      if (const auto path = repository.find(file)) {
        wanted.named.insert(repository.path_in_repository(*path));
      }
    }
  }
  return wanted;
}

/// Extracts the merge base, and the head if it is named.
std::optional<Exit> extract_revisions(const ComparedOptions& options, const WantedFiles& wanted,
                                      const Repository& repository, DiffSides& sides,
                                      Console& console) {
  const std::string head = options.head.empty() ? "HEAD" : options.head;
  const auto base = merge_base(repository.git(), options.base, head);
  if (!base) return fail(console, base.error().message);
  sides.before.revision = options.base;
  if (const auto failure = repository.extract_for(sides.before, *base, wanted)) {
    return fail(console, failure->message, Exit::failure);
  }
  if (options.head.empty()) return std::nullopt;
  const auto commit = commit_of(repository.git(), head);
  if (!commit) return fail(console, commit.error().message);
  sides.after.revision = options.head;
  if (const auto failure = repository.extract_for(sides.after, *commit, wanted)) {
    return fail(console, failure->message, Exit::failure);
  }
  return std::nullopt;
}

/// The paths, in the merge base and in the head or the working tree.
std::optional<Exit> plan_revisions(const ComparedOptions& options, Repository& repository,
                                   DiffSides& sides, Console& console) {
  if (!repository.find_git()) {
    return fail(console, "there is no 'git' on PATH outside of the repository", Exit::failure);
  }
  std::vector<NamedPath> paths;
  const std::vector<std::string> here = {"."};
  for (const std::string& path : options.input.paths.empty() ? here : options.input.paths) {
    const auto named = path == "-" ? std::nullopt : repository.find(path);
    if (!named) {
      return fail(console, fmt::format("'{}' is not in the repository '{}', which --base compares",
                                       printable(path), printable(repository.git().repository)));
    }
    paths.push_back(*named);
  }
  const WantedFiles wanted = wanted_files(options, paths, repository);
  if (const auto failed = extract_revisions(options, wanted, repository, sides, console)) {
    return failed;
  }
  share_paths(paths, sides);
  for (DiffSide* side : {&sides.before, &sides.after}) {
    // What is checked must not choose the engine; the extracted files are no part of it.
    side->input.packages.checked = repository.checked_files();
  }
  return std::nullopt;
}

}  // namespace

std::string DiffSide::suffix() const {
  return revision.empty() ? std::string() : fmt::format(" (in {})", printable(revision));
}

std::optional<Exit> plan_sides(const ComparedOptions& options, DiffSides& sides, Console& console) {
  const FactOptions& facts = options.input.facts;
  std::vector<std::string> read = options.input.paths;
  read.insert(read.end(), options.old_cluster.begin(), options.old_cluster.end());
  if (const auto failed = reject_shared_stdin(read, facts, false, console)) return failed;
  std::error_code error;
  if (fs::exists(facts.config, error) && !fs::is_regular_file(facts.config, error)) {
    return fail(console, fmt::format("{}: is read for both sides, but is not a regular file",
                                     printable(facts.config)));
  }
  for (DiffSide* side : {&sides.before, &sides.after}) {
    side->input = options.input;
    side->input.paths.clear();
  }
  if (!options.old_cluster.empty()) sides.before.input.facts.cluster = options.old_cluster;
  std::optional<Repository> repository;
  if (options.base.empty()) {
    if (const auto failed = plan_paths(options, sides, console)) return failed;
  } else {
    auto found = Repository::of(options.input.paths);
    if (!found) return fail(console, found.error().message);
    repository = *std::move(found);
    if (const auto failed = plan_revisions(options, *repository, sides, console)) return failed;
  }
  NamedFiles files(repository ? &*repository : nullptr, facts.limits);
  for (DiffSide* side : {&sides.before, &sides.after}) {
    if (const auto failure = files.adapt(*side)) {
      return fail(console, failure->message, Exit::failure);
    }
  }
  return std::nullopt;
}

std::optional<Exit> open_side(const SideOptions& options, DiffSide& side, Console& console) {
  const WithDirectory there(side.directory);
  if (!there.failure().empty()) return fail(console, there.failure(), Exit::failure);
  if (!side.is_missing) discover_files(side.input, side.project);
  const OutOfScope out_of_scope = options.verbose ? OutOfScope::kept : OutOfScope::counted;
  const auto failed =
      open_workspace({side.input, out_of_scope, true, side.parsed}, {}, side.project, console);
  if (failed && !side.revision.empty()) {
    console.err << fmt::format("this is in the revision '{}'\n", printable(side.revision));
  }
  return failed;
}

std::optional<Exit> check_side(const SideOptions& options, const DiffSide& other, DiffSide& side,
                               Console& console) {
  const WithDirectory there(side.directory);
  if (!there.failure().empty()) return fail(console, there.failure(), Exit::failure);
  rules::SelectionOptions chosen = options.selection;
  chosen.elsewhere = &other.project.rules();
  if (const auto failed = select_rules(chosen, side.project, console)) return failed;
  side.simulation.emplace(side.workspace(), sim::SimulationOptions{.steps = options.steps});
  if (options.replicas) {
    sim::Autoscalers autoscalers(*side.simulation);
    side.placements = sim::place_all(*side.simulation, autoscalers);
  }
  side.linted = rules::run(side.workspace(), side.project.selection, side.project.rules().all(),
                           options.suppression);
  std::erase_if(side.linted.findings,
                [](const Diagnostic& d) { return d.suppression.has_value(); });
  return std::nullopt;
}

}  // namespace cnsched::cli

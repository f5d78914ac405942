#pragma once

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/source/read_file.h"

namespace cnsched {

/// How revisions of a git repository are read: by the user's own git, which changes nothing. Its
/// environment has no configuration of the user or the system, and nothing that the repository's
/// configuration names is started: no hook, filter, textconv, monitor or transport.
struct Git {
  std::string program;     ///< its path
  std::string repository;  ///< the directory that contains .git, as repository_root() returns it
  std::chrono::seconds timeout{60};  ///< of one call
};

/// The id of the commit that a revision ("main", "HEAD~2", "v1.2") names.
Result<std::string> commit_of(const Git& git, const std::string& revision);

/// The id of the best common ancestor of two commits.
Result<std::string> merge_base(const Git& git, const std::string& a, const std::string& b);

/// Which files of a commit to extract.
struct WantedFiles {
  bool all = false;               ///< otherwise only those that discovery reads and obeys
  std::set<std::string> named{};  ///< paths in the repository of further ones
  Limits limits{};
};

/// Writes files of a commit into `directory`, which is made: what is `models/a.yaml` in the
/// repository is `DIRECTORY/models/a.yaml`. Nothing is written elsewhere, and no link leads
/// elsewhere, whatever names the commit has. A file over the limit is as large, but empty. It also
/// gets an empty `.git`, with the patterns of the repository's info/exclude, where searches
/// upwards end. Returns what was left out that a working tree has: "x.yaml: a link that leads out
/// of the repository".
Result<std::vector<std::string>> extract(const Git& git, const std::string& commit,
                                         const WantedFiles& wanted, const std::string& directory);

}  // namespace cnsched

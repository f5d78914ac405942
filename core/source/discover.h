#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/source/read_file.h"

namespace cnsched {

/// Something of which another tool makes manifests that are not read.
struct Unfollowed {
  enum class Kind : std::uint8_t {
    chart,          ///< of Helm, not rendered
    template_file,  ///< of Helm, outside of a chart
    kustomization,  ///< not built
    application,    ///< of Argo CD
    application_set,
    helm_release,  ///< of Flux
    flux_kustomization,
    jsonnet,  ///< a file
    cue,
    terraform,
  };
  Kind kind = Kind::chart;
  std::string path{};         ///< of the file, or of the directory, as the user named it
  std::size_t line = 0;       ///< of an object
  std::string name{};         ///< of an object
  std::size_t templates = 0;  ///< documents of a chart or a template file
  bool asked_for = false;     ///< an engine should have rendered it, and did not

  friend auto operator<=>(const Unfollowed&, const Unfollowed&) = default;
};

/// "helm-chart": the kind in reports.
std::string_view name_of(Unfollowed::Kind kind);

/// Which files below the named paths to read.
struct DiscoverOptions {
  std::vector<std::string> exclude;  ///< gitignore(5) patterns, relative to the working directory
  /// Another reason to skip a path, for Skipped::reason. Called for each directory from the top
  /// down to the path, until one is skipped.
  std::function<std::optional<std::string>(const std::string& real, bool is_directory)> excluded;
  bool force_exclude = false;  ///< `exclude` and `excluded` also apply to named files
  /// Skip files that .gitignore files of the repository ignore, unless git tracks them.
  bool gitignore = true;
};

/// The reason for what .gitignore ignores.
inline constexpr const char* kByGitignore = "excluded by .gitignore";

/// A path that is not read: below a named directory, or named and excluded.
struct Skipped {
  std::string path;
  std::string reason;  ///< "excluded by --exclude", …
};

/// How many paths .gitignore excludes.
struct IgnoredPaths {
  std::size_t files = 0;        ///< that would be read
  std::size_t directories = 0;  ///< with whatever is in them
};

struct Discovered {
  std::vector<std::string> files;      ///< sorted, each once under one of its names
  std::vector<Skipped> skipped;        ///< sorted; a directory includes everything below it
  std::vector<Unreadable> unreadable;  ///< paths that do not exist or cannot be listed
  /// Files in other languages for manifests below the named directories: Jsonnet, CUE, Terraform.
  std::vector<Unfollowed> unfollowed{};
  std::vector<std::string> walked{};  ///< the named directories, real paths

  IgnoredPaths ignored() const;
};

/// The named files, and the .yaml, .yml and .json files below the named directories. Symbolic links
/// to files in the same repository (source_root) are followed; links to directories are not (they
/// may form cycles), unless named. "-" is returned unchanged.
Discovered discover(const std::vector<std::string>& paths, const DiscoverOptions& options);

}  // namespace cnsched

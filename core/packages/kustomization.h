#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/source/source_file.h"

namespace cnsched::packages {

/// The names that kustomize gives a kustomization, in its order.
inline constexpr std::string_view kKustomizationNames[] = {"kustomization.yaml",
                                                           "kustomization.yml", "Kustomization"};

/// Whether kustomize reads a file of that name as a kustomization.
bool is_kustomization(std::string_view path);

/// A file, a directory or an address that a kustomization names.
struct KustomizeEntry {
  std::string name;   ///< as written
  std::string field;  ///< "resources", "patches", …
  Span where;
};

/// What a kustomization writes into objects: a patch, a replacement, a transformer.
struct KustomizeChange {
  std::string file{};  ///< that describes it, as written; empty: `text` does
  std::string text{};
  /// Whether it says by itself which objects it is for: those of `kind` and `name`, which may be
  /// empty or regular expressions. Otherwise its text names the object.
  bool has_target = false;
  std::string kind{};
  std::string name{};
};

/// What a kustomization names and does. Source: kustomize api/types/kustomization.go, fix.go,
/// labels.go.
struct Kustomization {
  bool is_component = false;
  std::string ns{};                         ///< that its objects get
  std::vector<KustomizeEntry> resources{};  ///< also bases and components: files or directories
  std::vector<KustomizeEntry> patches{};    ///< files
  /// Files of other fields: generators, transformers, replacements, configurations, …; also
  /// directories.
  std::vector<KustomizeEntry> others{};
  /// Directories where kustomize looks for Helm charts. It fetches those that are not there.
  std::vector<KustomizeEntry> charts{};
  std::vector<KustomizeChange> changes{};
  std::set<std::string> vars{};  ///< their names
  bool renames = false;          ///< by a prefix or suffix
  bool adds_selectors = false;   ///< by `commonLabels`, or `labels` with `includeSelectors`
};

/// Reads the documents of a kustomization. Invalid YAML names nothing.
Kustomization read_kustomization(const SourceFile& file);

}  // namespace cnsched::packages

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/packages/overlay/merge.h"
#include "core/packages/overlay/texts.h"
#include "core/packages/overlay/transformers.h"
#include "core/packages/overlay/value.h"
#include "core/yaml/node.h"

namespace cnsched::overlay {

/// What kustomize makes of an overlay, with the place of each key and value. The order is that of
/// kustomize (api/internal/target/kusttarget.go): resources, generators and components, then the
/// transformers of the kustomization; a base is complete before the overlay begins. References to
/// objects with new names and `vars` are not followed: their values differ from what is rendered.
/// Anything else that is not simulated makes objects, values or the whole build unknown.
class Build {
 public:
  /// `texts` must outlive this.
  Build(Texts& texts, const std::string& root);

  /// Whether nothing of the build is certain.
  bool is_unknown() const { return is_unknown_ || maker_.is_exhausted(); }
  const Objects& objects() const { return objects_; }
  /// See Maker::repeated.
  std::vector<Span> repeated() const { return maker_.repeated(); }

 private:
  void add_kustomization(const std::string& directory, Objects& objects);
  void add_resources(const std::string& directory, const yaml::Node& names, Objects& objects);
  void add_directory(const std::string& directory, Objects& objects);
  void add_file(FileId text, Objects& objects);
  void run_generators(const std::string& directory, const yaml::Node& root, Objects& objects);
  void run_transformers(const std::string& directory, const yaml::Node& root, Objects& objects);
  void run_replacements(const std::string& directory, const yaml::Node& root, Objects& objects);
  void check_fields(const std::string& directory, const yaml::Node& root);

  /// `patches` and `patchesJson6902`.
  void apply_patches(const std::string& directory, const yaml::Node& patches, Objects& objects);
  void apply_patch(FileId text, const yaml::Node& patch, Objects& objects);
  void apply_to_named(const yaml::Document& patch, Objects& objects, const MergeOptions& options);
  void apply_to_selected(const yaml::Document& patch, const yaml::Node& target, Objects& objects,
                         const MergeOptions& options);
  /// The text of `patch` or `path`; nothing if it cannot be read.
  std::optional<FileId> patch_text(const std::string& directory, const yaml::Node& patch);

  Texts& texts_;
  Maker maker_;
  Objects objects_;
  std::size_t depth_ = 0;
  std::size_t kustomizations_ = 0;
  TransformerOptions options_;
  bool has_own_schema_ = false;
  bool is_unknown_ = false;
};

}  // namespace cnsched::overlay

#pragma once

#include <span>
#include <vector>

#include "core/packages/overlay/select.h"
#include "core/packages/overlay/value.h"
#include "core/yaml/node.h"

namespace cnsched::overlay {

// The fields of a kustomization that set fields of many objects. Each takes the node of the field
// and the objects of the kustomization. A value that a field sets comes from the field. Source:
// kustomize api/internal/builtins, api/internal/konfig/builtinpluginconsts.

using Objects = std::vector<Object>;

struct TransformerOptions {
  /// `configurations` add fields that transformers set. What has the text that they would set
  /// becomes unknown, because they may have set it.
  bool has_more_fields = false;
};

void apply_namespace(Maker& maker, Objects& objects, const TransformerOptions& options,
                     const yaml::Node& ns);
void apply_name_prefix(Maker& maker, Objects& objects, const yaml::Node& prefix);
void apply_name_suffix(Maker& maker, Objects& objects, const yaml::Node& suffix);
/// `labels`.
void apply_labels(Maker& maker, Objects& objects, const TransformerOptions& options,
                  const yaml::Node& labels);
void apply_common_labels(Maker& maker, Objects& objects, const TransformerOptions& options,
                         const yaml::Node& pairs);
void apply_common_annotations(Maker& maker, Objects& objects, const TransformerOptions& options,
                              const yaml::Node& pairs);
void apply_replicas(Maker& maker, Objects& objects, const TransformerOptions& options,
                    const yaml::Node& replicas);
void apply_images(Maker& maker, Objects& objects, const TransformerOptions& options,
                  const yaml::Node& images);

}  // namespace cnsched::overlay

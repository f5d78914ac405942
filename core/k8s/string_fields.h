#pragma once

#include <vector>

#include "core/yaml/node.h"

namespace cnsched::k8s {

/// A place of an object where Kubernetes wants a string.
struct StringField {
  enum class Where : unsigned char {
    node_selector,  ///< a value of nodeSelector
    label,          ///< a value of labels or matchLabels
    annotation,     ///< a value of annotations
    requirement,    ///< an item of matchExpressions[].values (or Karpenter's requirements)
    preference,     ///< the same within a preferred term, which the API checks less
    toleration,     ///< tolerations[].value
    taint,          ///< taints[].value
    environment,    ///< env[].value
  };
  Where where;
  const yaml::Node* value;  ///< its `key`, where it has one, is the label's key
};

/// Whether the API has no schema for what stands below the node, so that no field of it is one that
/// we know: the inline configuration of an LLMInferenceService's scheduler.
bool is_free_form(const yaml::Node& node);

/// Every such place below `root`, in file order.
std::vector<StringField> string_fields(const yaml::Node& root);

}  // namespace cnsched::k8s

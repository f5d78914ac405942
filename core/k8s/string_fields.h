#pragma once

#include <vector>

#include "core/yaml/node.h"

namespace cnsched::k8s {

/// A field of an object that must be a string.
struct StringField {
  enum class Where : unsigned char {
    node_selector,  ///< a value of nodeSelector
    label,          ///< a value of labels or matchLabels
    annotation,     ///< a value of annotations
    requirement,    ///< an item of matchExpressions[].values (or Karpenter's requirements)
    preference,     ///< the same in a preferred term, which the API server checks less
    toleration,     ///< tolerations[].value
    taint,          ///< taints[].value
    environment,    ///< env[].value
  };
  Where where;
  const yaml::Node* value;  ///< its `key`, if it has one, is the label's key
};

/// Whether the API has no schema for the subtree: the inline configuration of an
/// LLMInferenceService's scheduler.
bool is_free_form(const yaml::Node& node);

/// Every such field below `root`, in file order.
std::vector<StringField> string_fields(const yaml::Node& root);

}  // namespace cnsched::k8s

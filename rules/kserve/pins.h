#pragma once

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "core/accelerators/catalogue.h"
#include "core/k8s/pod_spec.h"

namespace cnsched::rules {

/// Whether every node, or every node with the accelerator, has the label, so that requesting the
/// device selects the same nodes.
inline bool is_implied(std::string_view key) {
  const accelerators::NodeLabel* label = accelerators::find_label(key);
  return (label != nullptr && label->meaning == accelerators::LabelMeaning::present) ||
         key == "kubernetes.io/os" || key == "beta.kubernetes.io/os";
}

/// The key of a label that restricts the pod to certain nodes, or null.
inline const yaml::Node* pin_of(const k8s::PodSpec& pod) {
  for (const k8s::Label& label : pod.node_selector()) {
    if (!is_implied(label.key)) return label.node->key();
  }
  for (const k8s::NodeSelectorTerm& term : pod.required_terms()) {
    for (const k8s::Requirement& r : term.expressions) {
      if (r.requires_label() && !is_implied(r.key)) return &(*r.node)["key"];
    }
  }
  return nullptr;
}

/// Whether the worker's node selector has all labels of the head's, so that both select the same
/// nodes.
inline bool selects_same_nodes(const k8s::PodSpec& head, const k8s::PodSpec& worker) {
  std::set<std::pair<std::string_view, std::string_view>> labels;
  for (const k8s::Label& label : worker.node_selector()) labels.insert({label.key, label.value});
  const auto selector = head.node_selector();
  return !selector.empty() && std::ranges::all_of(selector, [&](const k8s::Label& label) {
    return labels.contains({label.key, label.value});
  });
}

/// An accelerator that both request, or "".
inline std::string_view shared_accelerator(const k8s::PodSpec& head, const k8s::PodSpec& worker) {
  std::set<std::string_view> requested;
  const auto gather = [&](std::string_view name) {
    if (accelerators::is_accelerator(name)) requested.insert(name);
    return false;
  };
  (void)head.requests_resource(gather);
  std::string_view shared;
  (void)worker.requests_resource([&](std::string_view name) {
    if (!requested.contains(name)) return false;
    shared = name;
    return true;
  });
  return shared;
}

}  // namespace cnsched::rules

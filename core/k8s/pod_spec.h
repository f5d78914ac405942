#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/base/truth.h"
#include "core/k8s/selector.h"
#include "core/k8s/taint.h"
#include "core/yaml/node.h"

namespace cnsched::k8s {

/// The item of a list (of containers, volumes, variables, …) with that name, or a missing node.
const yaml::Node& item_named(const yaml::Node& list, std::string_view name);

/// One entry of a container's requests or limits.
struct ResourceAmount {
  std::string_view name;
  const yaml::Node* node = nullptr;  ///< the amount; its `key` is the name

  /// Whether the amount is not zero, or cannot be parsed (a placeholder).
  bool is_requested() const;
  /// Whether the amount is certainly not zero: false for a placeholder.
  bool is_known_positive() const;
};

/// The amounts of a mapping such as `limits`; of duplicate keys the last.
std::vector<ResourceAmount> amounts_in(const yaml::Node& mapping);

/// A view on a container.
struct Container {
  const yaml::Node* node = nullptr;

  std::string_view name() const { return (*node)["name"].text(); }
  /// Of an init container: whether it runs as long as the pod.
  bool is_sidecar() const { return (*node)["restartPolicy"].text() == "Always"; }
  std::vector<ResourceAmount> requests() const;
  std::vector<ResourceAmount> limits() const;
  /// Limits, then requests.
  std::vector<ResourceAmount> amounts() const;
  /// Whether a request or limit is for a resource that `matches`, and not zero.
  template <typename Matches>
  bool requests_resource(Matches matches) const {
    const yaml::Node& resources = (*node)["resources"];
    const auto is_wanted = [&](const yaml::Entry& entry) {
      return !entry.overridden && matches(entry.key->text()) &&
             ResourceAmount{entry.key->text(), entry.value}.is_requested();
    };
    return std::ranges::any_of(resources["limits"].entries(), is_wanted) ||
           std::ranges::any_of(resources["requests"].entries(), is_wanted);
  }
};

/// Whether Kubernetes treats `name` as an extended resource, which is counted in whole units and
/// advertised by device plugins. Source: pkg/apis/core/v1/helper/helpers.go,
/// IsExtendedResourceName.
bool is_extended_resource(std::string_view name);

/// A term of required (ORed) or preferred node affinity.
struct NodeSelectorTerm {
  const yaml::Node* node = nullptr;
  std::vector<Requirement> expressions;
  std::vector<Requirement> fields;

  /// Whether it has no requirements, and so matches no node.
  bool is_empty() const { return expressions.empty() && fields.empty(); }
};

/// The terms of a NodeSelector, of which a node must satisfy one.
std::vector<NodeSelectorTerm> terms_in(const yaml::Node& node_selector);

/// A small copyable view on a pod spec, with Kubernetes' names and defaults.
class PodSpec {
 public:
  explicit PodSpec(const yaml::Node& node) : node_(&node) {}

  const yaml::Node& node() const { return *node_; }
  const yaml::Node& operator[](yaml::FieldName field) const { return (*node_)[field]; }

  std::vector<Toleration> tolerations() const { return tolerations_in((*this)["tolerations"]); }
  std::vector<Label> node_selector() const { return labels_in((*this)["nodeSelector"]); }
  const yaml::Node& node_affinity() const { return (*this)["affinity"]["nodeAffinity"]; }
  /// The terms of which a node must satisfy one.
  std::vector<NodeSelectorTerm> required_terms() const;
  /// The requirements of nodeSelector and, of those terms, on labels.
  std::vector<Requirement> required_labels() const;
  /// The terms of the preferences, without their weights.
  std::vector<NodeSelectorTerm> preferred_terms() const;

  std::vector<Container> containers() const;
  std::vector<Container> init_containers() const;
  /// Init containers, then containers.
  std::vector<Container> all_containers() const;

  /// Whether any container requests a resource that `matches`.
  template <typename Matches>
  bool requests_resource(Matches matches) const {
    const auto requests = [&](const yaml::Node* item) {
      return item->is_mapping() && Container{item}.requests_resource(matches);
    };
    return std::ranges::any_of((*this)["initContainers"].items(), requests) ||
           std::ranges::any_of((*this)["containers"].items(), requests);
  }

  /// Whether nodeSelector, required node affinity or nodeName restrict the pod to certain nodes.
  bool is_pinned() const;

 private:
  const yaml::Node* node_;
};

/// What nodeSelector and required node affinity demand of a node.
struct NodeRequirements {
  NodeRequirements() = default;
  explicit NodeRequirements(const PodSpec& pod);

  /// Whether a node with these labels meets them. `complete`: it has no other labels. Takes
  /// matchFields as met, because the name of the node is not known here.
  Truth matches(const std::vector<Label>& labels, bool complete) const;

  std::vector<Requirement> selector;  ///< a node must meet all
  /// A node must also meet one of these, unless there is no required affinity: an empty list
  /// matches no node.
  std::optional<std::vector<NodeSelectorTerm>> terms;
};

}  // namespace cnsched::k8s

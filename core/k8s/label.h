#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cnsched::k8s {

/// Why `key` is not a label key (also the syntax of taint keys and resource names), or nothing: an
/// optional lowercase DNS prefix and '/', then at most 63 letters, digits, '-', '_' or '.'.
/// Source: k8s.io/apimachinery pkg/api/validate/content/kube.go.
std::optional<std::string> label_key_problem(std::string_view key);

/// Why `value` is not a label value, or nothing: empty, or at most 63 letters, digits, '-', '_' or
/// '.' that begin and end with a letter or digit.
std::optional<std::string> label_value_problem(std::string_view value);

/// Whether the text has a placeholder that is substituted before it reaches a cluster: {{ .x }},
/// ${X}, $(X), $X, <x>, __X__, ... Its final value, and so its syntax, is unknown.
bool is_placeholder(std::string_view text);

/// A deprecated label of nodes.
struct DeprecatedNodeLabel {
  enum class Owner : unsigned char {
    kubernetes,  ///< the API server warns about it
    aks,         ///< other clusters may use the name for their own labels
  };
  std::string_view key;
  std::string_view current;  ///< its replacement; empty if there is none
  Owner owner = Owner::kubernetes;
  /// Whether nodes have both labels, with the same value; false: only old nodes have this one.
  bool beside_current = true;
};

/// The deprecated label of this name, or null [P19, A43]. Sources: k8s.io/kubernetes
/// pkg/api/node/util.go, pkg/kubelet/kubelet_node_status.go; AKS's documentation on node labels.
const DeprecatedNodeLabel* find_deprecated_node_label(std::string_view key);

/// All deprecated labels.
std::span<const DeprecatedNodeLabel> deprecated_node_labels();

/// The replacement of a label that Kubernetes deprecates (beta.kubernetes.io/arch), if nodes have
/// both with the same value; otherwise `key`.
std::string_view current_node_label(std::string_view key);

/// The labels by which nodes name their pool: first Karpenter's, then those of providers.
inline constexpr auto kPoolLabels = std::to_array<std::string_view>(
    {"karpenter.sh/nodepool", "karpenter.sh/provisioner-name", "cloud.google.com/gke-nodepool",
     "eks.amazonaws.com/nodegroup", "alpha.eksctl.io/nodegroup-name",
     "kubernetes.azure.com/agentpool", "agentpool"});
inline constexpr auto kKarpenterPoolLabels = std::span(kPoolLabels).first(2);
inline constexpr auto kProviderPoolLabels = std::span(kPoolLabels).subspan(2);

/// Whether the label is the instance type, by its current or its deprecated name.
bool is_instance_type_label(std::string_view key);
/// Whether it is the family of AWS's instance types (g5), for Karpenter or EKS Auto Mode. Other
/// providers have labels of that name with other families.
bool is_instance_family_label(std::string_view key);
/// Whether it is the instance type, or AWS's family or category (g).
bool is_instance_label(std::string_view key);

}  // namespace cnsched::k8s

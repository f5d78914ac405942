#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace cnsched::rules {

/// A kind that policies may check, and where it describes pods.
struct AdmittedKind {
  std::string_view name;
  std::string_view group;
  std::string_view versions;  ///< separated by spaces
  std::string_view resource;
  /// The pod specs in the object `o` in CEL with fragments, by the name of the component: a list of
  /// lists of maps, because CEL cannot flatten lists. Empty: the kind describes no pods.
  std::string_view parts{};
  /// Whether only `--pods` adds it: objects that controllers make, and those of users.
  bool made = false;
};

/// The kinds of the names, separated by spaces; for no names, all that describe pods. Those of
/// `--pods` only if `made`.
std::vector<const AdmittedKind*> kinds_named(std::string_view names, bool made);

/// Labels of objects that KServe and Seldon make.
std::span<const std::string_view> labels_of_made_objects();
/// The namespaces whose objects no policy checks, as a regular expression.
inline constexpr std::string_view kSystemNamespaces =
    "^(cert-manager|gpu-operator|istio-system|knative-eventing|knative-serving|kserve|"
    "kube-node-lease|kube-public|kube-system|seldon-system)$|^(amd|nvidia|openshift|redhat-ods)-";

}  // namespace cnsched::rules

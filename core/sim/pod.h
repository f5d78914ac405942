#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/arena.h"
#include "core/base/truth.h"
#include "core/k8s/object.h"
#include "core/k8s/objects.h"
#include "core/k8s/pod_resources.h"
#include "core/k8s/pod_spec.h"
#include "core/k8s/selector.h"
#include "core/k8s/taint.h"
#include "core/sim/attachments.h"
#include "core/workspace/admission.h"
#include "core/workspace/workload.h"

namespace cnsched::sim {

/// A port of the node that a pod uses exclusively.
struct HostPort {
  std::string_view ip;  ///< empty: every address
  std::string_view protocol = "TCP";
  std::int64_t number = 0;
  const yaml::Node* written = nullptr;
};

/// A preferred term and the weight that it adds to a matching node's score.
struct PreferredTerm {
  std::int64_t weight = 0;
  k8s::NodeSelectorTerm term;
};

/// A pod as the scheduler reads it: created by its controller from the manifest, and admitted by
/// the API server.
struct Pod {
  k8s::Namespace ns;
  std::string_view name;           ///< the name, or its prefix for a pod that is not created yet
  std::vector<k8s::Label> labels;  ///< by key
  /// False if its controller adds labels (is_added_to_pods).
  bool has_all_labels = true;
  k8s::PodSpec spec{yaml::missing_node()};
  /// Whether a controller creates the pod, with a name that is not known.
  bool has_controller = false;

  std::string_view uid;  ///< empty if the API server did not set it yet
  /// The status of a Pod that was printed from a cluster.
  const yaml::Node* status = &yaml::missing_node();

  std::string_view node_name;  ///< empty unless the pod bypasses the scheduler
  /// With the labels that RuntimeClass admission and Kueue add to nodeSelector. `Exists` is
  /// required of the labels of the topology of Kueue's flavor.
  k8s::NodeRequirements requirements;
  std::vector<PreferredTerm> preferred_terms;

  std::vector<k8s::Toleration> tolerations;
  /// The tolerations that the plugin ExtendedResourceToleration adds if it is enabled.
  std::vector<k8s::Toleration> resource_tolerations;
  Truth has_resource_tolerations = Truth::unknown;  ///< whether it is enabled

  std::vector<k8s::Request> requests;
  std::vector<HostPort> host_ports;
  std::vector<PodVolume> volumes;  ///< those that a filter evaluates

  /// An object that the manifest names, that is not in the workspace, and that may add fields:
  /// "ServingRuntime 'vllm'". Empty if there is none.
  std::string unknown_base;
  /// A HardwareProfile that is not in the workspace and that may replace labels of nodeSelector
  /// [K93]: "HardwareProfile 'gpu'". Empty if there is none.
  std::string unknown_profile;
  /// Why it is unknown whether the pod is created, or created with these fields: "whether Knative
  /// accepts 'nodeSelector' … is not known".
  std::vector<std::string> creation_unknown;
  /// Requirements that no filter evaluates: "whether the node can mount volume 'data' … is not
  /// known".
  std::vector<std::string> unfiltered;
  /// What the simulation assumes: "the runtime that KServe chooses … adds nothing".
  std::vector<std::string> assumptions;
  /// The scheduler that places the pod; empty for the default scheduler.
  std::string_view scheduler;
  /// Why Kueue never removes the pod's scheduling gate; empty if it may, or if no queue manages the
  /// pod.
  std::string never_admitted;
  bool is_gated = false;  ///< not scheduled until its scheduling gates are removed

  PodPriority priority;
  /// The node for which the scheduler already evicted other pods; empty if there is none.
  std::string_view nominated_node;
  const yaml::Node* overhead = &yaml::missing_node();  ///< of its RuntimeClass
  NamespacePolicy policy{};                            ///< of a pod that is not created yet
  NotCreated not_created{};

  const k8s::Request* request(std::string_view resource) const;
  std::optional<std::string_view> label(std::string_view key) const;
};

/// A pod of the workload after admission, except by ResourceQuotas. `objects` are those of the
/// workspace; `arena` must outlive the pod.
Pod admitted(const Workload& workload, const Admission& admission, const k8s::Objects& objects,
             Arena& arena);
/// A running pod, which is already admitted.
Pod running(const k8s::Object& pod, const Admission& admission);

}  // namespace cnsched::sim

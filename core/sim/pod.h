#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/k8s/object.h"
#include "core/k8s/objects.h"
#include "core/k8s/pod_spec.h"
#include "core/k8s/selector.h"
#include "core/k8s/taint.h"
#include "core/sim/request.h"
#include "core/workloads/workload.h"

namespace cnsched::sim {

/// A port of the node that a pod takes for itself.
struct HostPort {
  std::string_view ip;  ///< empty: every address
  std::string_view protocol = "TCP";
  std::int64_t number = 0;
  const yaml::Node* written = nullptr;
};

/// What a preference is worth on a node that satisfies it.
struct PreferredTerm {
  std::int64_t weight = 0;
  k8s::NodeSelectorTerm term;
};

/// A pod as it reaches the scheduler: what its controller made of the manifest, once the API server
/// has admitted it.
struct Pod {
  std::string_view ns;             ///< empty where it is not known
  std::string_view name;           ///< of one that is to come, how it begins
  std::vector<k8s::Label> labels;  ///< by key
  /// False: its controller gives it more (is_added_to_pods).
  bool has_all_labels = true;
  k8s::PodSpec spec{yaml::missing_node()};

  std::string_view node_name;  ///< empty unless the pod bypasses the scheduler
  std::vector<k8s::Label> node_selector;
  /// What RuntimeClass admission adds to nodeSelector.
  std::vector<k8s::Label> class_selector;
  std::vector<k8s::NodeSelectorTerm> required_terms;
  bool has_required_terms = false;  ///< a list without any admits no node
  std::vector<PreferredTerm> preferred_terms;

  std::vector<k8s::Toleration> tolerations;
  /// Those that ExtendedResourceToleration adds, whether or not it runs.
  std::vector<k8s::Toleration> resource_tolerations;
  std::optional<bool> has_resource_tolerations;  ///< whether it runs, if that is known

  std::vector<Request> requests;
  std::vector<HostPort> host_ports;

  /// What may still be added to it, as something that the manifest names is not in the run:
  /// "ServingRuntime 'vllm'". Empty if all is known.
  std::string lacks;
  /// Why it is unknown whether the pod is created, or with these fields: "whether Knative accepts
  /// 'nodeSelector' … is not known".
  std::vector<std::string> creation_unknown;
  /// What no filter here evaluates: "whether the node can mount volume 'data' … is not known".
  std::vector<std::string> unfiltered;
  /// What the simulation assumes: "the runtime that KServe chooses … adds nothing".
  std::vector<std::string> assumptions;
  /// Another scheduler places it; empty: the default one.
  std::string_view scheduler;
  bool is_gated = false;  ///< kept back until its scheduling gates are removed

  const Request* request(std::string_view resource) const;
  std::optional<std::string_view> label(std::string_view key) const;
};

/// What the API server is known to do to pods.
struct Admission {
  /// Whether the plugin ExtendedResourceToleration runs, if that is known.
  std::optional<bool> extended_resource_toleration;
  /// RuntimeClasses of the cluster.
  std::vector<const k8s::Object*> runtime_classes;
};

/// The pods that a workload of a run with these objects asks for.
Pod admitted(const Workload& workload, const Admission& admission, const k8s::Objects& objects);
/// One that runs already: admission is behind it.
Pod running(const k8s::Object& pod);

}  // namespace cnsched::sim

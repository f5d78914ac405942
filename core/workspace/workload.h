#pragma once

#include <vector>

#include "core/k8s/object.h"
#include "core/k8s/pod_template.h"
#include "core/kserve/deployment_mode.h"
#include "core/kserve/knative_features.h"

namespace cnsched {

class ClusterScope;

/// One pod of the workspace, or a part of one, and the object that asks for it. The workspace
/// completes it with what the facts of the cluster decide; everything else only reads it.
struct Workload : k8s::PodTemplate {
  const ClusterScope* scope = nullptr;  ///< of the cluster that the pod is for
  const k8s::Object* object = nullptr;

  /// Only for what KServe runs either way; otherwise `standard`.
  kserve::ModeOf mode{kserve::DeploymentMode::standard, nullptr};

  /// The fields of `created` that Knative rejects, or whose flags are unknown; of a pod that
  /// Knative does not run, none.
  std::vector<kserve::UnacceptedField> unaccepted_by_knative{};

  /// Whether Knative runs the pod, for certain or because no input states the deployment mode. A
  /// mode that the object states unreadably is not the default.
  bool may_be_serverless() const;
  /// Whether the pod is that of a model server, or of a part of one.
  bool is_serving() const;
  /// Whether the pod is tied to certain nodes or claims a device.
  bool has_placement_constraint() const;
  /// Whether rules advise on its placement: it is a model server, or a pod that requests, selects
  /// or tolerates an accelerator.
  bool takes_placement_advice() const;
};

}  // namespace cnsched

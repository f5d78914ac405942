#pragma once

#include <vector>

#include "core/k8s/object.h"
#include "core/k8s/template_problems.h"
#include "core/k8s/workloads.h"
#include "core/kserve/deployment_mode.h"
#include "core/kserve/knative_features.h"

namespace cnsched {

class ClusterScope;

/// One pod of the workspace, or a part of one, and the object that describes it. The workspace
/// completes it with what the facts of the cluster decide; everything else only reads it.
struct Workload : k8s::PodTemplate {
  const ClusterScope* scope = nullptr;  ///< of the cluster that the pod is for
  const k8s::Object* object = nullptr;
  /// The same pod in an earlier scope, which nothing that its controllers read distinguishes; null
  /// if there is none.
  const Workload* like = nullptr;
  const Workload* first_like() const { return like != nullptr ? like : this; }

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

/// Whether the pod is incomplete before it is applied: a kustomize patch, or a base of one. Besides
/// Workspace::is_patch, these are signs of it: the object lacks a required field (`serverConfig` of
/// a Server, `seldonConfig` of a SeldonRuntime), or the pod lacks a model server and the workspace
/// has another version of the object.
bool is_patch(const Workload& workload, const ClusterScope& scope);

/// Whether something unknown adds tolerations and node selectors to the pod: a
/// RuntimeClass (its `scheduling`), a hardware profile of Open Data Hub, a queue of Kueue's (the
/// flavours of its resources).
bool gets_placement_from_others(const Workload& workload);

/// Why the API server rejects the Deployment, or the like, that KServe makes of several objects.
/// Nothing for pods of other controllers, and for those that are not completely known.
std::vector<k8s::TemplateProblem> template_problems(const Workload& workload);

}  // namespace cnsched

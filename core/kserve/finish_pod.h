#pragma once

#include <string>
#include <string_view>

#include "core/k8s/workloads.h"
#include "core/kserve/controller_context.h"
#include "core/kserve/pod_webhook.h"
#include "core/kserve/runtime.h"
#include "core/kserve/storage_initializer.h"

namespace cnsched::kserve {

/// One component of an InferenceService.
struct Component {
  std::string name;                       ///< "predictor", "worker", "canary[0]", …
  std::string_view label;                 ///< the value of the label `component`
  std::string pod_name;                   ///< of its Deployment or Knative Service
  const yaml::Node* spec = nullptr;       ///< its fields; a canary's over the stable predictor's
  const yaml::Node* written = nullptr;    ///< its fields in the manifest
  const yaml::Node* canary = nullptr;     ///< of a canary, the item of `spec.canary`
  const yaml::Node* predictor = nullptr;  ///< of a worker, the predictor, whose labels it shares
  std::string app{};                      ///< of a worker, its label `app`

  bool is_worker() const { return predictor != nullptr; }
};

/// What KServe adds to a pod after the merge.
struct Additions {
  StorageRequest storage;
  AgentRequest agent;
  const k8s::Object* runtime = nullptr;
  bool multi_node = false;
};

/// The InferenceService of the component, its mode and the context.
struct Origin {
  const k8s::Object& object;
  DeploymentMode mode;
  const ControllerContext& context;
  ServerLabel server_label{};
};

/// Completes `pod`, whose fields are `merged`: sets name, labels and annotations, adds what the
/// controller adds to its Deployment or Knative Service, removes what Knative drops, and applies
/// the changes of KServe's webhook.
void finish_pod(k8s::PodTemplate& pod, const Component& component, const yaml::Node& merged,
                Additions additions, const Origin& origin);

}  // namespace cnsched::kserve

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/workspace/cluster_scope.h"
#include "templates/path.h"

namespace cnsched::templates {

/// The pods of the linted files that `components` name: "predictor", or "llama/predictor" of one
/// object, in every object that has it. Without any, the pods that request an accelerator. Parts
/// that others are based on (runtimes, ServerConfigs) come first. Fails with one line for each
/// unknown name, and if no pod requests an accelerator.
Result<std::vector<const Workload*>> pods_to_pin(const Workspace& workspace,
                                                 const std::vector<std::string>& components);

/// The position of a pod's fields in its manifest, present or not.
struct PodPlace {
  Path path;
  const yaml::Node* node = nullptr;  ///< the mapping, or a missing node
};

/// The error follows the pod's name: "has no …".
Result<PodPlace> place_of(const Workload& pod);

/// A container of the manifest, or one to add as an override of a runtime's or preset's.
struct ContainerPlace {
  Path path;
  const yaml::Node* node = nullptr;  ///< a missing node: to be added as `name`
  std::string name;
};

/// The containers that the pod's own manifest describes.
std::vector<ContainerPlace> containers_of(const Workload& pod, const PodPlace& place);

/// The container of the model server, or the one called `name` unless that is empty. The error
/// follows the pod's name.
Result<ContainerPlace> model_server_of(const Workload& pod, const PodPlace& place,
                                       std::string_view name);

/// "InferenceService 'llama', predictor".
std::string description_of(const Workload& pod);

}  // namespace cnsched::templates

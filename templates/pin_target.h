#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/workloads/workspace.h"
#include "templates/change.h"

namespace cnsched::templates {

/// The pods of the linted files that `components` name: "predictor", or "llama/predictor" of one
/// object, in every object that has it. Without any, the pods that ask for an accelerator, or the
/// only one. The parts that others are built on (runtimes, ServerConfigs) come first. Fails, one
/// line each, for names that no pod has, and where it is not clear which is meant.
Result<std::vector<const Workload*>> pods_to_pin(const Workspace& run,
                                                 const std::vector<std::string>& components);

/// Where the fields of a pod stand in its manifest, or would.
struct PodPlace {
  Path path;
  const yaml::Node* node = nullptr;  ///< the mapping, or a missing node
};

/// Fails with what goes on after the pod's name: "has no …".
Result<PodPlace> place_of(const Workload& pod);

/// A container in the manifest, or one to be added to override that of a runtime or preset.
struct ContainerPlace {
  Path path;
  const yaml::Node* node = nullptr;  ///< a missing node: to be added, under `name`
  std::string name;
};

/// The containers that the pod's own manifest describes.
std::vector<ContainerPlace> containers_of(const Workload& pod, const PodPlace& place);

/// The container of the model server, or the one called `name` unless that is empty. Fails with
/// what goes on after the pod's name.
Result<ContainerPlace> model_server_of(const Workload& pod, const PodPlace& place,
                                       std::string_view name);

/// "InferenceService 'llama', predictor".
std::string description_of(const Workload& pod);

}  // namespace cnsched::templates

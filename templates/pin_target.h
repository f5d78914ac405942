#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/workspace/cluster_scope.h"
#include "core/yaml/node.h"

namespace cnsched::templates {

/// One step down a document: to the value of a key, or to an item of a list.
struct PathStep {
  std::string key;
  std::optional<std::size_t> index{};  ///< of an item; the key is then empty
};

/// Leads from the root of a document to a value, which may not exist yet.
using Path = std::vector<PathStep>;

/// The index of an item that is still to be added to a list.
inline constexpr std::size_t kNewItem = SIZE_MAX;

/// The path of a node of a document.
Path path_to(const yaml::Node& node);
/// The path with keys appended.
Path below(Path path, const std::vector<std::string>& keys);
/// The path of an item of the list at `path`.
Path item_of(Path path, std::size_t index);

/// `document`, the text of one, with the value at the path, or without it if `value` is null.
/// Creates what the path lacks. Fails if an alias is on the path, or a value has the wrong kind,
/// and where yaml::edits_for does.
Result<std::string> with_value(const std::string& document, const Path& path,
                               const yaml::Node* value);

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

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/k8s/workloads.h"
#include "core/kserve/controller_context.h"

namespace cnsched::kserve {

/// Whether the object is a ServingRuntime or ClusterServingRuntime of KServe.
bool is_runtime(const k8s::Object& object);

/// The block that describes the model server as a container (`model`, `triton`, …), or a missing
/// node: a custom predictor lists containers instead.
const yaml::Node& framework_block(const yaml::Node& predictor);

/// The runtime that a predictor names in `model.runtime`; empty if KServe chooses one.
std::string_view runtime_name(const yaml::Node& predictor);

/// What a predictor with a model requires of its runtime [K24, K25, K26]. The nodes are those of
/// the predictor, or missing.
struct RuntimeRequirements {
  const yaml::Node* format = &yaml::missing_node();    ///< its name, or the framework key
  const yaml::Node* version = &yaml::missing_node();   ///< of the format
  const yaml::Node* protocol = &yaml::missing_node();  ///< as written
  const yaml::Node* workers = &yaml::missing_node();   ///< `workerSpec`
  /// The protocols that KServe looks for: one, or two if the release decides and is not known.
  std::vector<std::string_view> protocols;
  bool named = false;  ///< whether the predictor names its runtime
};
/// `predictor` has a framework block.
RuntimeRequirements runtime_requirements(const yaml::Node& predictor,
                                         const std::optional<Version>& release);

/// Why KServe does not use a runtime for a predictor.
struct RuntimeObstacle {
  enum class Kind : unsigned char {
    disabled,
    several_models,  ///< only for ModelMesh
    protocol,
    format,
    version,      ///< of the format
    auto_select,  ///< the format is only for predictors that name the runtime
    no_workers,   ///< a runtime for one node, but the predictor has workers
    has_workers,  ///< the reverse
  };
  Kind kind;
  const yaml::Node* where;  ///< in the runtime; missing if nothing is written there
};
/// In the order in which KServe finds them; empty if it uses the runtime [K24, K25, K80].
std::vector<RuntimeObstacle> runtime_obstacles(const yaml::Node& runtime,
                                               const RuntimeRequirements& required);
/// "does not support the model format 'onnx'", for a sentence about the runtime.
std::string obstacle_text(RuntimeObstacle::Kind obstacle, const RuntimeRequirements& required);

/// The ServingRuntime of the object's namespace, else the ClusterServingRuntime, of that name
/// [K24]; null if there is none or if it is ambiguous.
const k8s::Object* find_runtime(std::string_view name, const k8s::Object& object,
                                const k8s::ObjectIndex& objects);

/// The runtime of a predictor with a model, if it is known.
struct RuntimeChoice {
  const k8s::Object* runtime = nullptr;
  std::vector<k8s::Unknown> unknown;  ///< why there is none, or why it may be a different one
  std::string error;                  ///< why KServe creates no pod with it; empty if it does
};

/// The ServingRuntime or ClusterServingRuntime that KServe uses for `predictor` of `object`: the
/// named one, or the first by namespace, then priority, that supports its format, version and
/// protocol [K24, K25, K26, K27]. Source: kserve pkg/apis/serving/v1beta1/predictor_model.go,
/// GetSupportingRuntimes.
RuntimeChoice choose_runtime(const k8s::Object& object, const yaml::Node& predictor,
                             const ControllerContext& context);

/// A label that KServe sets on the service, and so on all of its pods, for the model server of the
/// predictor's runtime [K85].
struct ServerLabel {
  std::string_view key;  ///< empty: none
  std::string_view value;
};
/// `predictor` has a framework block.
ServerLabel server_label(const k8s::Object& runtime, const yaml::Node& predictor,
                         const std::optional<Version>& release);

/// The pod specs of a (Cluster)ServingRuntime: its spec, and "worker".
std::vector<k8s::PodTemplate> runtime_fragments(const k8s::Object& object, Arena& arena);

/// The pod fields of `patch` (a predictor or its workerSpec) merged over those of `spec` (a
/// runtime's or its workerSpec), without containers. Which fields a runtime passes on depends on
/// the release [K9, K10, K11, K12, K13]. Source: kserve
/// pkg/controller/v1beta1/inferenceservice/utils/utils.go, MergePodSpec.
const yaml::Node& merge_pod_fields(const yaml::Node& spec, const yaml::Node& patch,
                                   const ControllerContext& context);

/// The container of an InferenceService merged over a runtime's: a strategic merge, but `args` are
/// concatenated and the runtime's name stays [K14, K15]. Source: the same, MergeRuntimeContainers,
/// and pkg/utils/container_merge.go.
const yaml::Node& merge_container(const yaml::Node& base, const yaml::Node& patch, Arena& arena);

}  // namespace cnsched::kserve

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/arena.h"
#include "core/k8s/controller_config.h"
#include "core/k8s/objects.h"
#include "core/k8s/workloads.h"
#include "core/yaml/node.h"
#include "core/yaml/tree.h"

namespace cnsched::seldon {

/// The effective pods of Seldon's kinds (Server, SeldonRuntime, SeldonDeployment), and the
/// fragments that a ServerConfig or SeldonConfig contributes. Nothing for other objects. `objects`
/// are those of the workspace, `config` is the ConfigMap of Seldon Core 1's operator. New nodes are
/// created in `arena`.
std::vector<k8s::PodTemplate> pod_templates(const k8s::Object& object,
                                            const k8s::ObjectIndex& objects,
                                            const k8s::ControllerConfig& config, Arena& arena);

// For each kind:

/// The pod of a Server: its podSpec merged over that of its ServerConfig, and what the operator and
/// the StatefulSet controller add. If the ServerConfig is unknown, its own podSpec only [S6, S33,
/// S35]. Source: seldon-core v2 operator/controllers/reconcilers/server.
std::vector<k8s::PodTemplate> server_pods(const k8s::Object& server,
                                          const k8s::ObjectIndex& objects, Arena& arena);

/// The pod specs that the components of a SeldonConfig contribute to the pods of SeldonRuntimes.
std::vector<k8s::PodTemplate> seldon_config_fragments(const k8s::Object& config);

/// The pods of a SeldonRuntime: one for each component of its SeldonConfig, with the override of
/// that name merged over it. If the SeldonConfig is unknown, the overrides only. An override
/// without a component is a pod that is never created [S38, S39, S40, S66]. Source: seldon-core v2
/// operator/controllers/reconcilers/seldon/*_reconciler.go.
std::vector<k8s::PodTemplate> seldon_runtime_pods(const k8s::Object& runtime,
                                                  const k8s::ObjectIndex& objects, Arena& arena);

/// The pods of a SeldonDeployment (Core v1): for each predictor, one for each of componentSpecs,
/// with the containers that the operator adds (prepackaged servers, the orchestrator, downloads),
/// and one for a separate orchestrator and for an explainer. Omits what does not affect placement:
/// probes, ports, variables, arguments [S51, S52, S57]. Source: seldon-core v1
/// operator/apis/machinelearning.seldon.io/v1/{defaults, seldondeployment_webhook}.go,
/// operator/controllers/seldondeployment_*.go.
std::vector<k8s::PodTemplate> seldon_deployment_pods(const k8s::Object& object,
                                                     const k8s::ControllerConfig& settings,
                                                     Arena& arena);

/// What is unknown of a SeldonDeployment's pod if the operator's configuration has the container's
/// image and is not known.
k8s::Unknown unknown_image(std::string_view container);

/// Builds labels or annotations: later values win.
class MetadataMap {
 public:
  explicit MetadataMap(Arena& arena) : arena_(arena), all_(arena) {}

  /// Every entry of `mapping`, which may be missing.
  void add(const yaml::Node& mapping) { all_.add_all(mapping); }
  /// The same without the annotations that kubectl and Helm add for themselves [S34]. Source:
  /// seldon-core v2 operator/pkg/utils/utils.go, MergeMaps.
  void add_without_bookkeeping(const yaml::Node& mapping);
  /// Does nothing if `value` is missing.
  void set(yaml::Key key, const yaml::Node& value);
  /// A value that is not in a manifest, with the span of `like`, its cause.
  void set(yaml::Key key, std::string_view value, const yaml::Node& like);
  /// A value that the controller sets.
  void set_constant(yaml::Key key, std::string_view value);

  /// A missing node if there are no entries.
  const yaml::Node& result() const { return all_.mapping(yaml::nowhere()); }

 private:
  Arena& arena_;
  yaml::Overlay all_;
};

/// The name of a list item in messages: `label` and its name, or its index if it has none.
std::string item_name(std::string_view label, const yaml::Node& item, std::size_t index);

/// The main container of a ServerConfig or of a SeldonConfig's component: the only one that is not
/// one of Seldon's helpers. Empty if there is not exactly one.
std::string_view main_container(const std::vector<std::string_view>& containers);

/// The probably intended container for an unknown name: one whose name differs in case or
/// separators; or the model server, for its name in other systems or the name of the ServerConfig
/// or component, `config`. Empty if there is none.
std::string_view intended_container(std::string_view name, std::string_view config,
                                    const std::vector<std::string_view>& containers);

}  // namespace cnsched::seldon

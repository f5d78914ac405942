#pragma once

#include <string>

#include "core/base/arena.h"
#include "core/k8s/object.h"
#include "core/seldon/pods.h"
#include "core/seldon/predictor.h"

namespace cnsched::seldon {

/// Names, labels and annotations of the pods of one predictor of a SeldonDeployment. `deployment`
/// is always the name of the pod's Deployment [S59]. Source: seldon-core v1
/// operator/controllers/{seldondeployment_controller,labels,
/// seldondeployment_engine,seldondeployment_explainers}.go.
class DeploymentMetadata {
 public:
  DeploymentMetadata(const k8s::Object& object, const Predictor& predictor, Arena& arena)
      : object_(object), predictor_(predictor), node_(*predictor.node), arena_(arena) {}

  /// The name of an object of the predictor: "-svc-orch", "-explainer".
  std::string name(std::string_view suffix) const;
  /// The name of the Deployment of componentSpecs[`index`].
  std::string name(const Component& component, std::size_t index) const;

  const yaml::Node& labels(const Component& component, const std::string& deployment) const;
  const yaml::Node& annotations(const Component& component) const;

  const yaml::Node& orchestrator_labels(const std::string& deployment) const;
  const yaml::Node& orchestrator_annotations() const;

  bool has_explainer() const { return !node_["explainer"]["type"].text().empty(); }
  const yaml::Node& explainer_labels(const std::string& deployment) const;

 private:
  MetadataMap common_labels(const std::string& deployment) const;
  void add_predictor_labels(MetadataMap& labels) const;
  bool add_labels_of(std::string_view container, MetadataMap& labels) const;
  void add_forced_labels(MetadataMap& labels) const;
  MetadataMap prometheus_annotations() const;
  std::string service() const;
  const yaml::Node& name_node() const { return object_["metadata"]["name"]; }

  const k8s::Object& object_;
  const Predictor& predictor_;
  const yaml::Node& node_;
  Arena& arena_;
};

}  // namespace cnsched::seldon

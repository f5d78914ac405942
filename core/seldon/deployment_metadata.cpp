#include "core/seldon/deployment_metadata.h"

#include <fmt/format.h>

#include "core/base/md5.h"
#include "core/yaml/scalar.h"

namespace cnsched::seldon {

using yaml::Node;

namespace {

// A name of more than 63 characters becomes "seldon-" and its MD5 digest [S58]. Source: seldon-core
// v1 operator/apis/machinelearning.seldon.io/v1/seldondeployment_types.go.
std::string shortened(const std::string& name) {
  constexpr std::size_t kMaxLength = 63;
  return name.size() > kMaxLength ? "seldon-" + md5_hex(name) : name;
}

std::string deployment_id(std::string_view seldon_deployment) {
  return shortened(std::string(seldon_deployment));
}

std::string component_deployment(std::string_view seldon_deployment, std::string_view predictor,
                                 std::size_t index, std::string_view metadata_name,
                                 const std::vector<const yaml::Node*>& containers) {
  std::string name = fmt::format("{}-{}-{}-", seldon_deployment, predictor, index);
  if (!metadata_name.empty()) return shortened(name.append(metadata_name));
  for (std::size_t i = 0; i < containers.size(); ++i) {
    if (i > 0) name += '-';
    name += (*containers[i])["name"].text();
  }
  return shortened(name);
}

std::string predictor_name(std::string_view seldon_deployment, std::string_view predictor,
                           std::string_view suffix) {
  return shortened(fmt::format("{}-{}{}", seldon_deployment, predictor, suffix));
}

}  // namespace

std::string DeploymentMetadata::name(std::string_view suffix) const {
  return predictor_name(object_.name, node_["name"].text(), suffix);
}

std::string DeploymentMetadata::name(const Component& component, std::size_t index) const {
  return component_deployment(object_.name, node_["name"].text(), index,
                              (*component.node)["metadata"]["name"].text(), component.containers);
}

std::string DeploymentMetadata::service() const {
  const std::string_view chosen = node_["annotations"]["seldon.io/svc-name"].text();
  return chosen.empty() ? name("") : std::string(chosen);
}

const Node& DeploymentMetadata::labels(const Component& component,
                                       const std::string& deployment) const {
  MetadataMap labels = common_labels(deployment);
  labels.add((*component.node)["metadata"]["labels"]);
  bool is_service = component.takes_orchestrator;
  for (const Node* container : component.containers) {
    const bool has_service = add_labels_of((*container)["name"].text(), labels);
    if (has_service && !predictor_.has_orchestrator) is_service = true;
  }
  add_forced_labels(labels);
  if (is_service) labels.set("seldon-app"_key, service(), name_node());
  return labels.result();
}

/// The labels of every pod except the separate orchestrator's.
MetadataMap DeploymentMetadata::common_labels(const std::string& deployment) const {
  MetadataMap labels(arena_);
  labels.set("seldon-deployment-id"_key, deployment_id(object_.name), name_node());
  labels.set("app"_key, deployment, name_node());
  labels.set_constant("fluentd"_key, "true");
  add_predictor_labels(labels);
  return labels;
}

void DeploymentMetadata::add_predictor_labels(MetadataMap& labels) const {
  labels.set("version"_key, node_["name"]);
  labels.add(node_["labels"]);
}

/// Adds the labels for a container's unit in the graph. False if it gets no Service.
bool DeploymentMetadata::add_labels_of(std::string_view container, MetadataMap& labels) const {
  const auto found = predictor_.unit_of_name.find(container);
  const Unit* unit = found == predictor_.unit_of_name.end() ? nullptr : found->second;
  if (unit != nullptr && unit->has_type()) {
    if (!unit->label().empty()) labels.set_constant(unit->label(), "true");
  } else if (has_explainer()) {
    labels.set_constant("seldon.io/explainer"_key, "true");
  }
  if (unit == nullptr) return false;
  if (container == kOrchestrator || container == kTensorflowServing) return false;
  labels.set(fmt::format("seldon-app-svc-{}", container), name(fmt::format("-{}", container)),
             (*unit->node)["name"]);
  return true;
}

/// The labels that the manifest cannot override.
void DeploymentMetadata::add_forced_labels(MetadataMap& labels) const {
  if (yaml::boolean_of(node_["shadow"].text()) == true) {
    labels.set_constant("seldon.io/shadow"_key, "true");
  }
  labels.set_constant("app.kubernetes.io/managed-by"_key, "seldon-core");
}

MetadataMap DeploymentMetadata::prometheus_annotations() const {
  MetadataMap annotations(arena_);
  annotations.set_constant("prometheus.io/path"_key, "/prometheus");
  annotations.set_constant("prometheus.io/scrape"_key, "true");
  return annotations;
}

const Node& DeploymentMetadata::annotations(const Component& component) const {
  MetadataMap annotations = prometheus_annotations();
  annotations.add(object_.spec()["annotations"]);
  annotations.add(node_["annotations"]);
  annotations.add((*component.node)["metadata"]["annotations"]);
  return annotations.result();
}

const Node& DeploymentMetadata::orchestrator_labels(const std::string& deployment) const {
  MetadataMap labels(arena_);
  labels.set("seldon-app"_key, service(), name_node());
  labels.set("seldon-deployment-id"_key, service(), name_node());
  labels.set("app"_key, deployment, name_node());
  add_predictor_labels(labels);
  return labels.result();
}

const Node& DeploymentMetadata::orchestrator_annotations() const {
  return prometheus_annotations().result();
}

const Node& DeploymentMetadata::explainer_labels(const std::string& deployment) const {
  MetadataMap labels = common_labels(deployment);
  add_forced_labels(labels);
  labels.set_constant("seldon.io/explainer"_key, "true");
  labels.set("seldon-app"_key, deployment, name_node());
  return labels.result();
}

}  // namespace cnsched::seldon

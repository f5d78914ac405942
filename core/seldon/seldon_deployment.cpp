#include "core/seldon/pods.h"

#include <fmt/format.h>

#include <optional>

#include "core/seldon/deployment_metadata.h"
#include "core/seldon/names.h"
#include "core/seldon/predictor.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"

namespace cnsched::seldon {

namespace {

using k8s::PodTemplate;
using yaml::Node;

/// The first number that is set, or 1.
std::int64_t replicas_of(std::initializer_list<const Node*> places) {
  for (const Node* place : places) {
    if (const auto number = yaml::integer_of(*place)) return *number;
  }
  return 1;
}

/// The minimum of a component's autoscaler, if it has one.
std::optional<std::int64_t> scaler_minimum(const Node& component) {
  if (component["kedaSpec"].is_mapping()) {
    return yaml::integer_of(component["kedaSpec"]["minReplicaCount"]).value_or(0);
  }
  if (!component["hpaSpec"].is_mapping()) return std::nullopt;
  return yaml::integer_of(component["hpaSpec"]["minReplicas"]).value_or(1);
}

class PredictorPods {
 public:
  PredictorPods(const k8s::Object& object, const Predictor& predictor, std::size_t index,
                Arena& arena)
      : spec_(object.spec()),
        predictor_(predictor),
        node_(*predictor.node),
        label_(item_name("predictor", node_, index)),
        metadata_(object, predictor, arena),
        arena_(arena) {}

  std::vector<PodTemplate> make() {
    if (predictor_.separate_orchestrator) add_orchestrator();
    for (std::size_t j = 0; j < predictor_.components.size(); ++j) {
      add_component(predictor_.components[j], j);
    }
    if (metadata_.has_explainer()) add_explainer();
    return std::move(pods_);
  }

 private:
  void add_component(const Component& component, std::size_t index) {
    const Node& node = *component.node;
    const Node& own = node["spec"];
    if (!own.is_mapping() && component.containers.empty()) return;
    const bool only = predictor_.components.size() == 1;
    PodTemplate& pod = pods_.emplace_back(
        k8s::plain_pod(only ? label_ : fmt::format("{}, componentSpecs[{}]", label_, index),
                       pod_spec(component), own.is_mapping() ? own : node_));
    pod.own = k8s::PodSpec(own);
    pod.name = metadata_.name(component, index);
    pod.labels = &metadata_.labels(component, pod.name);
    pod.annotations = &metadata_.annotations(component);
    pod.replicas = scaler_minimum(node);
    if (!pod.replicas) {
      pod.replicas = replicas_of({&node["replicas"], &node_["replicas"], &spec_["replicas"]});
    }
    for (const std::string_view container : component.images_unknown) {
      add_unknown_image(pod, container);
    }
    if (component.containers.empty()) {
      pod.never_created =
          k8s::NeverCreated{fmt::format("componentSpecs[{}] has no containers", index)};
    }
  }

  const Node& pod_spec(const Component& component) const {
    const Node& own = (*component.node)["spec"];
    const Node& written = own["containers"];
    std::vector<const Node*> containers = component.containers;
    containers.insert(containers.end(), component.added.begin(), component.added.end());
    if (containers.size() == written.items().size()) return own;
    const Node& like = written ? written : node_["graph"];
    return yaml::with(arena_, own, "containers"_key, yaml::sequence_like(arena_, like, containers));
  }

  void add_orchestrator() {
    const Node& written = node_["svcOrchSpec"];
    PodTemplate& pod = add_single_container_pod("svc-orch", orchestrator(arena_, node_), written);
    pod.labels = &metadata_.orchestrator_labels(pod.name);
    pod.annotations = &metadata_.orchestrator_annotations();
    pod.replicas = replicas_of({&written["replicas"], &node_["replicas"], &spec_["replicas"]});
    add_unknown_image(pod, kOrchestrator);
  }

  void add_explainer() {
    const Node& explainer = node_["explainer"];
    const Node& written = explainer["containerSpec"];
    const Node& container = written["name"].text().empty() ? with_name(written) : written;
    PodTemplate& pod = add_single_container_pod("explainer", container, explainer);
    pod.labels = &metadata_.explainer_labels(pod.name);
    pod.annotations = &metadata_.annotations({.node = &yaml::missing_node()});
    const bool off = replicas_of({&node_["replicas"], &spec_["replicas"]}) == 0;
    pod.replicas = off ? 0 : replicas_of({&explainer["replicas"]});
    if (!written["image"]) add_unknown_image(pod, container["name"].text());
  }

  const Node& with_name(const Node& explainer_container) const {
    return yaml::with(arena_, explainer_container, "name"_key,
                      yaml::string_like(arena_, node_["explainer"], metadata_.name("-explainer")));
  }

  /// A pod with one container, which `written` may configure.
  PodTemplate& add_single_container_pod(std::string_view what, const Node& container,
                                        const Node& written) {
    const Node& containers = yaml::sequence_like(arena_, container, {&container});
    const Node& spec = yaml::mapping_like(arena_, container,
                                          {yaml::entry_of(arena_, "containers"_key, containers)});
    PodTemplate& pod = pods_.emplace_back(k8s::plain_pod(fmt::format("{}, {}", label_, what), spec,
                                                         written.is_mapping() ? written : node_));
    pod.name = metadata_.name(fmt::format("-{}", what));
    return pod;
  }

  static void add_unknown_image(PodTemplate& pod, std::string_view container) {
    pod.unknown.push_back(
        {fmt::format("the image of container '{}'", container), k8s::Unknown::Kind::image});
  }

  const Node& spec_;
  const Predictor& predictor_;
  const Node& node_;
  std::string label_;
  DeploymentMetadata metadata_;
  Arena& arena_;
  std::vector<PodTemplate> pods_;
};

}  // namespace

std::vector<PodTemplate> seldon_deployment_pods(const k8s::Object& object, Arena& arena) {
  std::vector<PodTemplate> pods;
  std::string error;
  const Node& predictors = object.spec()["predictors"];
  for (std::size_t i = 0; i < predictors.items().size(); ++i) {
    const Predictor predictor = complete_predictor(arena, *predictors.items()[i], object.spec());
    for (PodTemplate& pod : PredictorPods(object, predictor, i, arena).make()) {
      pods.push_back(std::move(pod));
    }
    if (error.empty()) error = predictor.error;
  }
  if (error.empty()) return pods;
  for (PodTemplate& pod : pods) {
    if (!pod.never_created) {
      pod.never_created = k8s::NeverCreated{error, k8s::NeverCreated::By::object_webhook};
    }
  }
  return pods;
}

}  // namespace cnsched::seldon

#include "core/k8s/pod_spec.h"
#include "core/k8s/volume_mount.h"
#include "core/seldon/pods.h"

#include <fmt/format.h>

#include <optional>

#include "core/base/md5.h"
#include "core/seldon/operator_config.h"
#include "core/seldon/predictor.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"

namespace cnsched::seldon {

namespace {

using k8s::PodTemplate;
using yaml::Node;

/// The name; of more than 63 characters "seldon-" and its MD5 digest [S58]. Source: seldon-core
/// v1 operator/apis/machinelearning.seldon.io/v1/seldondeployment_types.go.
std::string within_label_limit(const std::string& name) {
  constexpr std::size_t kMaxLength = 63;
  return name.size() > kMaxLength ? "seldon-" + md5_hex(name) : name;
}

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

  const Node& labels(const Component& component, const std::string& deployment) const;
  const Node& annotations(const Component& component) const;

  const Node& orchestrator_labels(const std::string& deployment) const;
  const Node& orchestrator_annotations() const;

  bool has_explainer() const { return !node_["explainer"]["type"].text().empty(); }
  const Node& explainer_labels(const std::string& deployment) const;

 private:
  MetadataMap common_labels(const std::string& deployment) const;
  void add_predictor_labels(MetadataMap& labels) const;
  bool add_labels_of(std::string_view container, MetadataMap& labels) const;
  void add_forced_labels(MetadataMap& labels) const;
  MetadataMap prometheus_annotations() const;
  std::string service() const;
  const Node& name_node() const { return object_["metadata"]["name"]; }

  const k8s::Object& object_;
  const Predictor& predictor_;
  const Node& node_;
  Arena& arena_;
};

std::string DeploymentMetadata::name(std::string_view suffix) const {
  return within_label_limit(fmt::format("{}-{}{}", object_.name, node_["name"].text(), suffix));
}

std::string DeploymentMetadata::name(const Component& component, std::size_t index) const {
  std::string name = fmt::format("{}-{}-{}-", object_.name, node_["name"].text(), index);
  const std::string_view chosen = (*component.node)["metadata"]["name"].text();
  if (!chosen.empty()) return within_label_limit(name.append(chosen));
  for (std::size_t i = 0; i < component.containers.size(); ++i) {
    if (i > 0) name += '-';
    name += (*component.containers[i])["name"].text();
  }
  return within_label_limit(name);
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
  labels.set("seldon-deployment-id"_key, within_label_limit(std::string(object_.name)),
             name_node());
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

// Volumes that the operator of Seldon Core 1 adds to the pods of a SeldonDeployment [S65]. Source:
// seldon-core v1 operator/controllers/{seldondeployment_controller,seldondeployment_engine}.go,
// operator/utils/utils.go.

constexpr std::string_view kPodInfo = "seldon-podinfo";

const Node& pod_info_volume(Arena& arena) {
  const auto text = [&](yaml::Key key, std::string_view value) {
    return yaml::entry_of(arena, key, yaml::string_like(arena, yaml::nowhere(), value));
  };
  const auto mapping = [&](const std::vector<yaml::Entry>& entries) -> const Node& {
    return yaml::mapping_like(arena, yaml::nowhere(), entries);
  };
  const Node& field = mapping({text("fieldPath"_key, "metadata.annotations")});
  const Node& file =
      mapping({text("path"_key, "annotations"), yaml::entry_of(arena, "fieldRef"_key, field)});
  const Node& files = yaml::sequence_like(arena, yaml::nowhere(), {&file});
  const Node& source = mapping({yaml::entry_of(arena, "items"_key, files)});
  return mapping({text("name"_key, kPodInfo), yaml::entry_of(arena, "downwardAPI"_key, source)});
}

const Node& with_volume(const Node& pod, const Node& volume, Arena& arena) {
  return yaml::with(arena, pod, "volumes"_key, yaml::with_item(arena, pod["volumes"], volume));
}

/// `pod` with the volume `seldon-podinfo`, the pod's annotations as a file, unless it has one.
const Node& with_pod_info(const Node& pod, Arena& arena) {
  if (k8s::item_named(pod["volumes"], kPodInfo)) return pod;
  return with_volume(pod, pod_info_volume(arena), arena);
}

/// `container` with the mount of that volume.
const Node& with_pod_info_mount(const Node& container, Arena& arena) {
  const k8s::VolumeMount mount{
      .cause = &yaml::nowhere(), .volume = std::string(kPodInfo), .path = "/etc/podinfo"};
  return k8s::with_mounts(container, {&mount, 1}, arena);
}

/// `pod` with the volume of the certificate in the Secret named `secret` (may be missing), which
/// all containers but init containers mount.
const Node& with_certificate(const Node& pod, const Node& secret, Arena& arena) {
  if (secret.text().empty()) return pod;
  const k8s::VolumeMount mount{
      .cause = &secret, .volume = "seldon-cert-volume", .path = "/cert/", .read_only = true};
  const Node& source =
      yaml::mapping_like(arena, secret, {yaml::entry_of(arena, "secretName"_key, secret)});
  const Node& volume = yaml::mapping_like(
      arena, secret,
      {yaml::entry_of(arena, "name"_key, yaml::string_like(arena, secret, mount.volume)),
       yaml::entry_of(arena, "secret"_key, source)});
  std::vector<const Node*> containers;
  for (const Node* container : pod["containers"].items()) {
    containers.push_back(&k8s::with_mounts(*container, {&mount, 1}, arena));
  }
  const Node& mounted = yaml::with(arena, pod, "containers"_key,
                                   yaml::sequence_like(arena, pod["containers"], containers));
  return with_volume(mounted, volume, arena);
}

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
                const OperatorConfig& config, Arena& arena)
      : spec_(object.spec()),
        config_(config),
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
    for (const std::string& container : component.images_unknown) {
      add_unknown_image(pod, container);
    }
    if (component.containers.empty()) {
      pod.never_created =
          k8s::NeverCreated{fmt::format("componentSpecs[{}] has no containers", index)};
    } else if (component.claims > 1) {
      pod.never_created = k8s::NeverCreated{
          "the operator adds the volume 'kfserving-pvc-source' for each unit with a modelUri that "
          "starts with 'pvc://', and the API server rejects the second"};
    }
  }

  const Node& pod_spec(const Component& component) const {
    const Node& own = (*component.node)["spec"];
    if (component.containers.empty()) return own;
    const Node& written = own["containers"];
    std::vector<const Node*> containers = component.containers;
    containers.insert(containers.end(), component.added.begin(), component.added.end());
    for (const Node*& container : containers) {
      if (mounts_pod_info(*container)) container = &with_pod_info_mount(*container, arena_);
    }
    const Node& like = written ? written : node_["graph"];
    const Node* pod = &with_pod_info(
        yaml::with(arena_, own, "containers"_key, yaml::sequence_like(arena_, like, containers)),
        arena_);
    pod = &with_account(*pod, *component.service_account);
    pod = &with_models(*pod, component.models, config_, arena_);
    return component.has_certificate ? with_certificate(*pod, certificate(), arena_) : *pod;
  }

  bool mounts_pod_info(const Node& container) const {
    const std::string_view name = container["name"].text();
    return name == kOrchestrator || predictor_.unit_of_name.contains(name);
  }

  const Node& with_account(const Node& pod, const Node& account) const {
    if (account.text().empty()) return pod;
    return yaml::with(arena_, pod, "serviceAccountName"_key, account);
  }

  const Node& certificate() const { return node_["ssl"]["certSecretName"]; }

  void add_orchestrator() {
    const Node& written = node_["svcOrchSpec"];
    const Node& container = with_pod_info_mount(orchestrator(arena_, node_, config_), arena_);
    const Node& spec = with_certificate(single_container(container), certificate(), arena_);
    PodTemplate& pod = add_pod("svc-orch", spec, written);
    pod.labels = &metadata_.orchestrator_labels(pod.name);
    pod.annotations = &metadata_.orchestrator_annotations();
    pod.replicas = replicas_of({&written["replicas"], &node_["replicas"], &spec_["replicas"]});
    if (!container["image"]) add_unknown_image(pod, kOrchestrator);
  }

  void add_explainer() {
    const Node& explainer = node_["explainer"];
    const Node& container = explainer_container(explainer);
    const ModelSource model{.uri = &explainer["modelUri"],
                            .image = &explainer["storageInitializerImage"],
                            .container = container["name"].text()};
    const std::size_t models = model.uri->text().empty() ? 0 : 1;
    const Node& spec = with_models(single_container(container), {&model, models}, config_, arena_);
    PodTemplate& pod =
        add_pod("explainer", with_account(spec, explainer["serviceAccountName"]), explainer);
    pod.labels = &metadata_.explainer_labels(pod.name);
    pod.annotations = &metadata_.annotations({.node = &yaml::missing_node()});
    const bool off = replicas_of({&node_["replicas"], &spec_["replicas"]}) == 0;
    pod.replicas = off ? 0 : replicas_of({&explainer["replicas"]});
    if (container["image"].text().empty() && !config_.has_explainers()) {
      add_unknown_image(pod, model.container);
    }
    if (models > 0 && model.image->text().empty() && !config_.initializer_image()) {
      add_unknown_image(pod, initializer_name(model.container));
    }
  }

  const Node& explainer_container(const Node& explainer) const {
    std::vector<yaml::Entry> entries = yaml::entries_of(explainer["containerSpec"]);
    const Node& written = explainer["containerSpec"];
    if (written["name"].text().empty()) {
      yaml::set(arena_, entries, "name"_key,
                yaml::string_like(arena_, explainer, metadata_.name("-explainer")));
    }
    const Node& image = config_.explainer_image(spec_["protocol"].text());
    if (image && written["image"].text().empty()) yaml::set(arena_, entries, "image"_key, image);
    return yaml::mapping_like(arena_, written ? written : explainer, entries);
  }

  /// A pod spec with only that container.
  const Node& single_container(const Node& container) const {
    const Node& containers = yaml::sequence_like(arena_, container, {&container});
    return with_pod_info(yaml::mapping_like(arena_, container,
                                            {yaml::entry_of(arena_, "containers"_key, containers)}),
                         arena_);
  }

  /// A pod of its own, with one container that `written` may configure.
  PodTemplate& add_pod(std::string_view what, const Node& spec, const Node& written) {
    PodTemplate& pod = pods_.emplace_back(k8s::plain_pod(fmt::format("{}, {}", label_, what), spec,
                                                         written.is_mapping() ? written : node_));
    pod.name = metadata_.name(fmt::format("-{}", what));
    return pod;
  }

  static void add_unknown_image(PodTemplate& pod, std::string_view container) {
    pod.unknown.push_back(unknown_image(container));
  }

  const Node& spec_;
  const OperatorConfig& config_;
  const Predictor& predictor_;
  const Node& node_;
  std::string label_;
  DeploymentMetadata metadata_;
  Arena& arena_;
  std::vector<PodTemplate> pods_;
};

}  // namespace

k8s::Unknown unknown_image(std::string_view container) {
  return {fmt::format("the image of container '{}'", container), k8s::Unknown::Kind::image,
          k8s::Unknown::Fact::seldon_config};
}

std::vector<PodTemplate> seldon_deployment_pods(const k8s::Object& object,
                                                const k8s::ControllerConfig& settings,
                                                Arena& arena) {
  const OperatorConfig config(settings, arena);
  std::vector<PodTemplate> pods;
  std::string error;
  const Node& predictors = object.spec()["predictors"];
  for (std::size_t i = 0; i < predictors.items().size(); ++i) {
    const Predictor predictor =
        complete_predictor(arena, *predictors.items()[i], object.spec(), config);
    for (PodTemplate& pod : PredictorPods(object, predictor, i, config, arena).make()) {
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

// Each component goes the same way: its own pod, the runtime beneath it (predictors and workers
// only), default resources, what Knative drops, what KServe's pod webhook injects, metadata.
#include "core/kserve/inference_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "core/k8s/mergo.h"
#include "core/kserve/containers.h"
#include "core/kserve/fields.h"
#include "core/kserve/knative_pod.h"
#include "core/kserve/multi_node.h"
#include "core/kserve/pod_metadata.h"
#include "core/kserve/runtime.h"
#include "core/kserve/runtime_merge.h"
#include "core/kserve/scale.h"
#include "core/kserve/storage_initializer.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

namespace {

using k8s::PodTemplate;
using yaml::Entry;
using yaml::Node;

/// One component of the object on its way to being a pod.
struct Component {
  std::string name;               ///< "predictor", "worker", "canary[0]", …
  std::string_view label;         ///< the value of the label `component`
  std::string pod_name;           ///< of its Deployment or Knative Service
  const Node* spec = nullptr;     ///< its fields; of a canary, over those of the stable predictor
  const Node* written = nullptr;  ///< its fields as the manifest has them
};

class Builder {
 public:
  Builder(const k8s::Object& object, const Surroundings& around)
      : object_(object),
        around_(around),
        arena_(around.arena),
        mode_(deployment_mode_of(object, around.default_mode, around.version).mode) {}

  std::vector<PodTemplate> result() && {
    const Node& spec = object_.spec();
    if (const Node& predictor = spec["predictor"]; predictor.is_mapping()) {
      add_predictor({"predictor", "predictor", predictor_name(predictor), &predictor, &predictor});
    }
    add_other("transformer", spec["transformer"], yaml::missing_node());
    add_other("explainer", spec["explainer"], spec["explainer"]["art"]);
    for (std::size_t i = 0; i < spec["canary"].items.size(); ++i) {
      add_canary(fmt::format("canary[{}]", i), (*spec["canary"].items[i])["predictor"]);
    }
    return std::move(pods_);
  }

 private:
  const Node& text(const Node& like, std::string_view value) {
    return yaml::string_like(arena_, like, value);
  }

  std::string predictor_name(const Node& predictor) const {
    const std::string_view suffix = predictor["name"].scalar();
    return fmt::format("{}-predictor{}{}", object_.name, suffix.empty() ? "" : "-", suffix);
  }

  // What the object alone says.

  /// A component's pod fields, with `block` (if it exists) as the first of its containers.
  const Node& pod_spec_of(const Node& component, const Node& block) {
    const Node& spec = yaml::mapping_like(arena_, component, yaml::pick(component, pod_fields()));
    if (!block.is_mapping()) return spec;
    const Node& listed = component["containers"];
    std::vector<const Node*> containers = {&as_container(block, arena_)};
    containers.insert(containers.end(), listed.items.begin(), listed.items.end());
    return with_containers(spec, containers, listed ? listed : block);
  }

  const Node& with_containers(const Node& pod, const std::vector<const Node*>& containers,
                              const Node& place) {
    return yaml::with(arena_, pod, "containers", yaml::sequence_like(arena_, place, containers));
  }

  PodTemplate begin(const Component& component, const Node& own_block) {
    PodTemplate pod = k8s::plain_pod(component.name, pod_spec_of(*component.written, own_block),
                                     *component.written);
    pod.replicas = least_replicas(object_, (*component.spec)["minReplicas"], mode_);
    return pod;
  }

  // Predictors.

  void add_predictor(const Component& component) {
    const Node& block = framework_block(*component.spec);
    PodTemplate pod = begin(component, framework_block(*component.written));
    const k8s::Object* runtime = nullptr;
    const Node* spec = &pod_spec_of(*component.spec, block);
    if (mode_ == DeploymentMode::model_mesh) {
      pod.never_created = "ModelMesh serves the model from pods of its own";
    } else if (block) {
      runtime = add_runtime(pod, *component.spec);
      spec = &model_pod(*component.spec, block, runtime, *spec, pod);
    } else {
      spec = &custom_pod(*spec, "predictor", pod);
    }
    const Node& worker = (*component.written)["workerSpec"];
    const bool multi_node = worker.is_mapping() && mode_ != DeploymentMode::model_mesh;
    PodTemplate worker_pod = multi_node ? worker_template(component, worker, runtime, spec, pod)
                                        : k8s::plain_pod("worker", worker, worker);
    finish(pod, component, *spec, storage_of(*component.spec, block, kServingContainer), runtime,
           multi_node);
    pods_.push_back(std::move(pod));
    if (multi_node) pods_.push_back(std::move(worker_pod));
  }

  /// Notes which runtime is merged beneath the pod, and what is unknown of it.
  const k8s::Object* add_runtime(PodTemplate& pod, const Node& predictor) {
    RuntimeChoice choice = choose_runtime(object_, predictor, around_);
    pod.unknown = std::move(choice.unknown);
    pod.never_created = std::move(choice.refused);
    if (choice.runtime == nullptr) return nullptr;
    const Node& spec = choice.runtime->spec();
    pod.bases.push_back(
        {choice.runtime,
         k8s::PodSpec(yaml::mapping_like(arena_, spec, yaml::pick(spec, runtime_pod_fields())))});
    return choice.runtime;
  }

  /// The pod of a predictor with a model: the runtime's, with the predictor's on top. Without the
  /// runtime, what is known of it.
  const Node& model_pod(const Node& predictor, const Node& block, const k8s::Object* runtime,
                        const Node& own, PodTemplate& pod) {
    if (runtime == nullptr) return own;
    const Node& fields = merge_pod_fields(runtime->spec(), predictor, around_);
    return with_containers(fields, model_containers(*runtime, predictor, block, object_, arena_),
                           block, pod);
  }

  /// The pod with these containers; where KServe creates none, that is noted.
  const Node& with_containers(const Node& fields, Containers containers, const Node& place,
                              PodTemplate& pod) {
    if (pod.never_created.empty()) pod.never_created = std::move(containers.refused);
    return containers.items.empty() ? fields : with_containers(fields, containers.items, place);
  }

  /// A canary is a copy of the stable predictor with its own fields on top.
  void add_canary(const std::string& name, const Node& canary) {
    if (!canary.is_mapping()) return;
    const Node& stable = object_.spec()["predictor"];
    const Node& merged = yaml::without(
        arena_, k8s::mergo_merge(arena_, stable, canary, k8s::Lists::replace), "workerSpec");
    add_predictor({name, "predictor", predictor_name(canary), &merged, &canary});
    PodTemplate& pod = pods_.back();
    pod.bases.push_back({&object_, k8s::PodSpec(pod_spec_of(stable, framework_block(stable)))});
    if (mode_ == DeploymentMode::knative) {
      pod.never_created = "canaries exist in Standard deployment mode only";
    }
  }

  // Workers.

  PodTemplate worker_template(const Component& predictor, const Node& worker,
                              const k8s::Object* runtime, const Node*& head, PodTemplate& pod) {
    const Component component{predictor.name == "predictor" ? "worker" : predictor.name + " worker",
                              "predictor", predictor.pod_name + "-worker", &worker, &worker};
    PodTemplate result = begin(component, yaml::missing_node());
    result.unknown = pod.unknown;
    result.never_created = pod.never_created;
    const Node* spec = &result.own.node();
    if (runtime != nullptr) spec = &merged_worker(worker, *runtime, head, pod, result);
    if (mode_ == DeploymentMode::knative) {
      result.never_created = "Knative mode ignores workerSpec";
    }
    finish(result, component, *spec,
           storage_of(*predictor.spec, framework_block(*predictor.spec), kWorkerContainer), runtime,
           true);
    return result;
  }

  const Node& merged_worker(const Node& worker, const k8s::Object& runtime, const Node*& head,
                            PodTemplate& pod, PodTemplate& result) {
    const Node& base = runtime.spec()["workerSpec"];
    result.bases.push_back({&runtime, k8s::PodSpec(yaml::mapping_like(
                                          arena_, base, yaml::pick(base, runtime_pod_fields())))});
    const Node& spec =
        with_containers(merge_pod_fields(base, worker, around_),
                        worker_containers(runtime, worker, object_, arena_), base, result);
    if (!result.never_created.empty()) {
      if (pod.never_created.empty()) pod.never_created = result.never_created;
      return spec;
    }
    if (mode_ == DeploymentMode::knative) return spec;
    const MultiNode counted = count_out_gpus(*head, spec, worker, object_, runtime, around_);
    head = counted.head;
    result.replicas = is_stopped(object_) ? 0 : counted.worker_replicas;
    if (!counted.refused.empty()) {
      result.never_created = counted.refused;
      pod.never_created = counted.refused;
    }
    return *counted.worker;
  }

  // Transformers, explainers and predictors without a model.

  void add_other(std::string_view name, const Node& written, const Node& block) {
    if (!written.is_mapping()) return;
    const Component component{std::string(name), name, fmt::format("{}-{}", object_.name, name),
                              &written, &written};
    PodTemplate pod = begin(component, block);
    const Node& spec = custom_pod(pod.own.node(), name, pod);
    const Node& serving = spec["containers"].at(0);
    StorageRequest storage{.container = kServingContainer};
    storage.uris = &written["storageUris"];
    storage.uri = block.is_mapping() ? &block["storageUri"] : &environment(serving, "STORAGE_URI");
    finish(pod, component, spec, storage, nullptr, false);
    pods_.push_back(std::move(pod));
  }

  const Node& custom_pod(const Node& own, std::string_view component, PodTemplate& pod) {
    const Node& listed = own["containers"];
    return with_containers(own, custom_containers(listed, component, around_), listed, pod);
  }

  // What every pod gets.

  static const Node& environment(const Node& container, std::string_view name) {
    for (const Node* variable : container["env"].items) {
      if ((*variable)["name"].scalar() == name) return (*variable)["value"];
    }
    return yaml::missing_node();
  }

  StorageRequest storage_of(const Node& predictor, const Node& block, std::string_view container) {
    StorageRequest request{.container = container};
    request.uris = &predictor["storageUris"];
    if (!block) {
      request.uri =
          &environment(k8s::item_called(predictor["containers"], kServingContainer), "STORAGE_URI");
    } else {
      const Node& uri = block["storageUri"];
      request.uri = uri ? &uri : &block["storage"]["path"];
    }
    return request;
  }

  void finish(PodTemplate& pod, const Component& component, const Node& merged,
              const StorageRequest& storage, const k8s::Object* runtime, bool multi_node) {
    const Node* spec = &merged;
    if (mode_ == DeploymentMode::knative) {
      spec = &kept_by_knative(*spec, arena_);
    } else if (mode_ == DeploymentMode::unknown) {
      note_what_knative_drops(*spec, pod);
    }
    const Node& runtime_spec = runtime == nullptr                   ? yaml::missing_node()
                               : component.name.ends_with("worker") ? runtime->spec()["workerSpec"]
                                                                    : runtime->spec();
    set_metadata(pod,
                 {object_, component.label, *component.spec, runtime_spec, component.pod_name,
                  mode_, multi_node},
                 arena_);
    pod.in_template = k8s::PodSpec(*spec);
    spec = &with_accelerator_annotation(*spec, *pod.annotations);
    pod.pod = k8s::PodSpec(with_storage_initializer(*spec, storage, around_));
  }

  static void note_what_knative_drops(const Node& spec, PodTemplate& pod) {
    std::vector<std::string> names;
    for (const Node* field : fields_dropped_by_knative(spec)) {
      names.push_back(fmt::format("'{}'", field->key->text));
    }
    if (names.empty() && !pod.component.ends_with("worker")) return;
    pod.unknown.push_back({names.empty() ? "the deployment mode: Knative creates no workers"
                                         : "the deployment mode: Knative drops " +
                                               fmt::format("{}", fmt::join(names, ", ")),
                           false});
  }

  /// The pod webhook turns the annotation into a selector, over whatever is written, if a container
  /// is limited to some nvidia.com/gpu. Source: kserve
  /// pkg/webhook/admission/pod/accelerator_injector.go.
  const Node& with_accelerator_annotation(const Node& spec, const Node& annotations) {
    const Node& type = annotations["serving.kserve.io/gke-accelerator"];
    const auto is_limited = [](const k8s::Container& container) {
      return bool((*container.node)["resources"]["limits"]["nvidia.com/gpu"]);
    };
    if (!type || !std::ranges::any_of(k8s::PodSpec(spec).containers(), is_limited)) return spec;
    return yaml::with(
        arena_, spec, "nodeSelector",
        yaml::with(arena_, spec["nodeSelector"], "cloud.google.com/gke-accelerator", type));
  }

  const k8s::Object& object_;
  const Surroundings& around_;
  Arena& arena_;
  DeploymentMode mode_;
  std::vector<PodTemplate> pods_;
};

}  // namespace

std::vector<PodTemplate> inference_service_pods(const k8s::Object& object,
                                                const Surroundings& around) {
  return Builder(object, around).result();
}

}  // namespace cnsched::kserve

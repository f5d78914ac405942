// Every component has the same steps: its own pod spec, the runtime as base layer (predictors and
// workers only), default resources, and finish_pod.
#include "core/kserve/pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/k8s/struct_merge.h"
#include "core/kserve/containers.h"
#include "core/kserve/fields.h"
#include "core/kserve/finish_pod.h"
#include "core/kserve/replicas.h"
#include "core/kserve/runtime.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

namespace {

using k8s::PodTemplate;
using yaml::Node;

class ComponentPods {
 public:
  ComponentPods(const AdmittedService& service, const ControllerContext& context)
      : service_(service),
        object_(service.object),
        context_(context),
        arena_(context.arena),
        mode_(deployment_mode_of(object_, context.default_mode, context.version).mode) {}

  std::vector<PodTemplate> result() && {
    const Node& spec = object_.spec();
    if (const Node& predictor = spec["predictor"]; predictor.is_mapping()) {
      add_predictor({"predictor", "predictor", predictor_name(predictor), &predictor,
                     &service_.written.spec()["predictor"]});
    }
    add_other("transformer", spec["transformer"], yaml::missing_node());
    add_other("explainer", spec["explainer"], spec["explainer"]["art"]);
    for (std::size_t i = 0; i < spec["canary"].items().size(); ++i) {
      add_canary(fmt::format("canary[{}]", i), *spec["canary"].items()[i]);
    }
    return std::move(pods_);
  }

 private:
  std::string predictor_name(const Node& predictor) const {
    const std::string_view name = predictor["name"].text();
    return fmt::format("{}{}{}-predictor", object_.name, name.empty() ? "" : "-", name);
  }

  // Pod specs from the object only.

  /// A component's pod fields, with `block` (if it exists) as the first of its containers.
  const Node& pod_spec_of(const Node& component, const Node& block) {
    std::vector<yaml::Entry> fields = yaml::pick(component, pod_fields());
    if (block.is_mapping()) {
      const Node& listed = component["containers"];
      const bool is_explainer = block.key()->text() == "art";
      std::vector<const Node*> containers = {is_explainer ? &explainer_container(block, context_)
                                                          : &as_container(block, arena_)};
      containers.insert(containers.end(), listed.items().begin(), listed.items().end());
      yaml::set(arena_, fields, "containers"_key,
                yaml::sequence_like(arena_, listed ? listed : block, containers));
    }
    return yaml::mapping_like(arena_, component, fields);
  }

  const Node& with_containers(const Node& pod, const std::vector<const Node*>& containers,
                              const Node& place) {
    return yaml::with(arena_, pod, "containers"_key,
                      yaml::sequence_like(arena_, place, containers));
  }

  PodTemplate begin(const Component& component, const Node& own_block) {
    PodTemplate pod = k8s::plain_pod(component.name, pod_spec_of(*component.written, own_block),
                                     *component.written);
    pod.replicas = component.canary == nullptr
                       ? replicas_of(object_, *component.spec, mode_, context_.version)
                       : canary_replicas(object_, *component.canary, mode_);
    return pod;
  }

  // Predictors.

  void add_predictor(const Component& component) {
    const Node& block = framework_block(*component.spec);
    PodTemplate pod = begin(component, framework_block(*component.written));
    const k8s::Object* runtime = nullptr;
    const bool is_written = component.spec == component.written;
    const Node* spec = is_written ? &pod.own.node() : &pod_spec_of(*component.spec, block);
    if (mode_ == DeploymentMode::model_mesh) {
      pod.never_created = k8s::NeverCreated{"ModelMesh serves the model from pods of its own",
                                            k8s::NeverCreated::By::intent};
    } else if (block) {
      runtime = add_runtime(pod, *component.spec);
      server_label_ = runtime == nullptr
                          ? ServerLabel()
                          : server_label(*runtime, *component.spec, context_.version);
      spec = &model_pod(*component.spec, block, runtime, *spec, pod);
    } else {
      spec = &custom_pod(*spec, "predictor", pod);
    }
    const Node& worker = (*component.written)["workerSpec"];
    const bool multi_node = worker.is_mapping() && mode_ != DeploymentMode::model_mesh;
    PodTemplate worker_pod = multi_node ? worker_template(component, worker, runtime, spec, pod)
                                        : k8s::plain_pod("worker", worker, worker);
    add_profile(service_, pod);
    finish(pod, component, *spec,
           {storage_of(component, *component.spec, kServingContainer),
            agent_for_predictor(*component.spec, block, object_), runtime, multi_node});
    pods_.push_back(std::move(pod));
    if (multi_node) pods_.push_back(std::move(worker_pod));
  }

  /// Adds the runtime to the bases of the pod, and notes what is unknown about it.
  const k8s::Object* add_runtime(PodTemplate& pod, const Node& predictor) {
    RuntimeChoice choice = choose_runtime(object_, predictor, context_);
    pod.unknown = std::move(choice.unknown);
    if (!choice.error.empty()) {
      using By = k8s::NeverCreated::By;
      const bool is_known = choice.runtime != nullptr;
      pod.never_created = k8s::NeverCreated{std::move(choice.error),
                                            is_known ? By::controller_check : By::controller};
    }
    if (choice.runtime == nullptr) return nullptr;
    const Node& spec = choice.runtime->spec();
    pod.bases.push_back(
        {choice.runtime,
         k8s::PodSpec(yaml::mapping_like(arena_, spec, yaml::pick(spec, runtime_pod_fields())))});
    return choice.runtime;
  }

  /// The pod of a predictor with a model: the predictor's fields merged over the runtime's; without
  /// the runtime, the predictor's own.
  const Node& model_pod(const Node& predictor, const Node& block, const k8s::Object* runtime,
                        const Node& own, PodTemplate& pod) {
    if (runtime == nullptr) return own;
    const Node& fields = merge_pod_fields(runtime->spec(), predictor, context_);
    return with_containers(fields, model_containers(*runtime, predictor, block, object_, context_),
                           block, pod);
  }

  /// The pod with these containers; notes if KServe creates none.
  const Node& with_containers(const Node& fields, Containers containers, const Node& place,
                              PodTemplate& pod) {
    if (!pod.never_created && !containers.error.empty()) {
      pod.never_created = k8s::NeverCreated{
          std::move(containers.error), k8s::NeverCreated::By::controller, &fields["containers"]};
    }
    return containers.items.empty() ? fields : with_containers(fields, containers.items, place);
  }

  void add_canary(const std::string& name, const Node& item) {
    const Node& canary = item["predictor"];
    if (!canary.is_mapping()) return;
    const Node& stable = service_.written.spec()["predictor"];
    const Node& merged = canary_predictor(arena_, object_.spec()["predictor"], canary);
    add_predictor({name, "predictor", predictor_name(merged), &merged, &canary, &item});
    PodTemplate& pod = pods_.back();
    pod.bases.push_back(
        {&service_.written, k8s::PodSpec(pod_spec_of(stable, framework_block(stable)))});
  }

  // Workers.

  PodTemplate worker_template(const Component& predictor, const Node& worker,
                              const k8s::Object* runtime, const Node*& head, PodTemplate& pod) {
    const Component component{.name = "worker",
                              .label = "predictor",
                              .pod_name = fmt::format("{}-predictor-worker", object_.name),
                              .spec = &worker,
                              .written = &worker,
                              .predictor = predictor.spec,
                              .app = predictor.pod_name + "-worker"};
    PodTemplate result = begin(component, yaml::missing_node());
    result.unknown = pod.unknown;
    result.never_created = pod.never_created;
    result.replicas = std::nullopt;  // the runtime's fields decide; see merged_worker
    const Node* spec = &result.own.node();
    if (runtime != nullptr) spec = &merged_worker(worker, *runtime, head, pod, result);
    if (mode_ == DeploymentMode::knative) {
      result.never_created = k8s::NeverCreated{"KServe ignores workerSpec in Knative mode"};
    }
    finish(result, component, *spec,
           {storage_of(predictor, *predictor.spec, kWorkerContainer), agent_for(*predictor.spec),
            runtime, true});
    return result;
  }

  const Node& merged_worker(const Node& worker, const k8s::Object& runtime, const Node*& head,
                            PodTemplate& pod, PodTemplate& result) {
    const Node& base = runtime.spec()["workerSpec"];
    result.bases.push_back({&runtime, k8s::PodSpec(yaml::mapping_like(
                                          arena_, base, yaml::pick(base, runtime_pod_fields())))});
    const Node& spec = with_containers(merge_pod_fields(base, worker, context_),
                                       worker_containers(runtime, worker, arena_), base, result);
    if (result.never_created) {
      if (!pod.never_created) pod.never_created = result.never_created;
      return spec;
    }
    if (mode_ == DeploymentMode::knative) return spec;
    const MultiNode counted =
        distribute_gpus(*head, spec, worker, runtime, gpu_types_annotation(runtime), context_);
    head = counted.head;
    result.replicas = counted.worker_replicas;
    if (!counted.error.empty()) {
      result.never_created = k8s::NeverCreated{counted.error};
      pod.never_created = result.never_created;
    }
    return *counted.worker;
  }

  /// The value that KServe copies to the pods.
  const Node& gpu_types_annotation(const k8s::Object& runtime) const {
    constexpr std::string_view kKey = "serving.kserve.io/gpu-resource-types";
    for (const Node* annotations : {&object_.spec()["predictor"]["annotations"],
                                    &object_.annotations(), &runtime.spec()["annotations"]}) {
      if (const Node& types = annotations->under(kKey)) return types;
    }
    return yaml::missing_node();
  }

  // Transformers, explainers and predictors without a model.

  void add_other(std::string_view name, const Node& written, const Node& block) {
    if (!written.is_mapping()) return;
    const Component component{std::string(name), name, fmt::format("{}-{}", object_.name, name),
                              &written, &written};
    PodTemplate pod = begin(component, block);
    const Node& spec = custom_pod(pod.own.node(), name, pod);
    const Node& serving = spec["containers"].at(0);
    StorageRequest storage{.object = &object_, .container = kServingContainer};
    storage.uris = &written["storageUris"];
    storage.uri = block.is_mapping() ? &block["storageUri"] : &environment(serving, "STORAGE_URI");
    finish(pod, component, spec, {storage, agent_for(written)});
    pods_.push_back(std::move(pod));
  }

  const Node& custom_pod(const Node& own, std::string_view component, PodTemplate& pod) {
    const Node& listed = own["containers"];
    return with_containers(own, custom_containers(listed, component, context_), listed, pod);
  }

  // All pods.

  StorageRequest storage_of(const Component& component, const Node& predictor,
                            std::string_view container) const {
    StorageRequest request{.object = &object_, .container = container};
    // KServe ignores the storageUris of canaries.
    if (component.canary == nullptr) request.uris = &predictor["storageUris"];
    if (const Node& block = framework_block(predictor)) {
      const Node& uri = block["storageUri"];
      request.uri = uri ? &uri : &block["storage"]["path"];
    } else {
      request.uri =
          &environment(k8s::item_named(predictor["containers"], kServingContainer), "STORAGE_URI");
    }
    return request;
  }

  void finish(PodTemplate& pod, const Component& component, const Node& merged,
              const Additions& additions) {
    finish_pod(pod, component, merged, additions, {object_, mode_, context_, server_label_});
  }

  const AdmittedService& service_;
  const k8s::Object& object_;  ///< as KServe reads it
  const ControllerContext& context_;
  Arena& arena_;
  DeploymentMode mode_;
  ServerLabel server_label_;  ///< of the predictor, which KServe reconciles first
  std::vector<PodTemplate> pods_;
};

}  // namespace

const Node& canary_predictor(Arena& arena, const Node& stable, const Node& canary) {
  return yaml::without(
      arena, k8s::mergo_merge(arena, stable, canary, "PredictorSpec", k8s::Lists::replace),
      "workerSpec");
}

std::vector<PodTemplate> inference_service_pods(const AdmittedService& service,
                                                const ControllerContext& context) {
  return ComponentPods(service, context).result();
}

}  // namespace cnsched::kserve

#include "rules/yaml/misplaced_field.h"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_set>

#include "core/base/text.h"
#include "core/k8s/schema/whereabouts.h"
#include "core/k8s/scope.h"
#include "core/k8s/workloads.h"
#include "core/kserve/fields.h"
#include "core/yaml/walk.h"

namespace cnsched::rules {

static void check(const k8s::Object& object, Deviations deviations, Report& report);

extern constinit const Rule yaml_misplaced_field = {
    .id = "misplaced-field",
    .severity = Severity::error,
    .summary = "a field of the pod at a level that does not have it",
    .why =
        "kubectl's strict validation refuses the object. GitOps controllers, Helm and most "
        "clients do not ask for it: the API server then silently drops the field, and the "
        "pods run anywhere, or are never created. With KServe's minimal CRDs kubectl accepts "
        "the field too, and KServe ignores it.\n\n"
        "The pod's fields belong beside the container (the model or framework block, "
        "containers), never inside it; Seldon's belong in podSpec; an LLMInferenceService has "
        "pod specs, not pod templates, so there is no spec, and no metadata, labels or "
        "annotations, under template. KFServing's 'custom' is an item of 'containers' in "
        "KServe. A spec that has lost its indentation leaves its fields at the top level.",
    .bad = R"(
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: example
  annotations:
    serving.kserve.io/deploymentMode: RawDeployment
spec:
  predictor:
    deploymentStrategy: {type: Recreate}
    model:
      modelFormat: {name: onnx}
      nodeSelector:
        cloud.google.com/gke-accelerator: nvidia-l4
      resources:
        limits: {nvidia.com/gpu: 1}
)",
    .good = R"(
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: example
  annotations:
    serving.kserve.io/deploymentMode: RawDeployment
spec:
  predictor:
    deploymentStrategy: {type: Recreate}
    nodeSelector:
      cloud.google.com/gke-accelerator: nvidia-l4
    model:
      modelFormat: {name: onnx}
      resources:
        limits: {nvidia.com/gpu: 1}
)",
    .source = "https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation",
    .check = check,
    .fix = Safety::unsafe,
};

using yaml::Node;

namespace {

/// The fields of an object's spec that describe its pods, and that only a lost indentation brings
/// to the top level.
std::vector<std::string_view> fields_of_spec(const k8s::Object& object) {
  if (kserve::is_kserve_group(object.group())) {
    if (object.kind == "InferenceService") return {"predictor", "transformer", "explainer"};
    if (object.kind.starts_with("LLMInferenceService")) {
      return {"model", "template", "worker", "prefill", "router"};
    }
    if (object.kind.ends_with("ServingRuntime")) return {"containers", "supportedModelFormats"};
    if (object.kind == "InferenceGraph") return {"nodes"};
  }
  if (object.group() == "machinelearning.seldon.io") return {"predictors"};
  if (object.group() == "mlops.seldon.io" && object.kind.starts_with("Server")) {
    return {"podSpec", "serverConfig"};
  }
  return {};
}

constexpr auto kPlacement = std::to_array<std::string_view>(
    {"nodeSelector", "affinity", "tolerations", "nodeName", "topologySpreadConstraints",
     "schedulerName", "priorityClassName", "runtimeClassName"});

/// The only container that is not one of those that Seldon has beside a model server, or null.
const Node* only_server_of(const Node& containers) {
  const Node* only = nullptr;
  for (const Node* container : containers.items()) {
    const std::string_view name = (*container)["name"].text();
    if (name == "rclone" || name == "agent") continue;
    if (only != nullptr) return nullptr;
    only = container;
  }
  return only;
}

/// The list's only item, or null.
const Node* only_item_of(const Node& list) {
  return list.items().size() == 1 ? list.items().front() : nullptr;
}

class Checker {
 public:
  explicit Checker(const k8s::Object& object) : object_(object), spec_(object.spec()) {}

  void top_level();
  void inference_service();
  void inference_graph();
  void llm_inference_service();
  void serving_runtime();
  void seldon_core_2();
  void seldon_deployment();
  void knative_serving();
  void core_workload();
  /// Fields of scheduling that are unknown where they are, and that nothing above has found.
  void unknown(Deviations deviations);

  std::vector<Misplaced> take() { return std::move(found_); }

 private:
  /// Reports the scheduling fields directly under `holder`, which has none but those `allowed`;
  /// `help` says what to do instead. `resources` too, unless `resources_help` is empty: some
  /// holders have them.
  void fields(const Node& holder, std::string_view here, std::string_view help,
              std::string_view resources_help = {}, const Home& home = {},
              const Home& resources_home = {}, std::span<const std::string_view> allowed = {}) {
    for (const yaml::Entry& entry : holder.entries()) {
      const std::string_view name = entry.key->text();
      const bool placement = std::ranges::find(kPlacement, name) != kPlacement.end();
      const bool resources = name == "resources" && !resources_help.empty();
      if ((!placement && !resources) || entry.merged || is_harmless(*entry.value)) continue;
      if (std::ranges::find(allowed, name) != allowed.end()) continue;
      does_not_exist(*entry.value, here, resources ? resources_help : help,
                     resources ? resources_home : home);
    }
  }

  void does_not_exist(const Node& value, std::string_view here, std::string_view help,
                      const Home& home = {}) {
    found_.push_back({&value,
                      fmt::format("'{}' does not exist {}: kubectl refuses it, other clients drop "
                                  "it silently",
                                  value.key()->text(), here),
                      std::string(help), home,
                      home.way + "/" + yaml::pointer_step(value.key()->text())});
  }

  /// Dashboards write `affinity: {}` into containers; nothing is lost with it.
  static bool is_harmless(const Node& value) { return value.is_empty(); }

  /// What can go wrong within a pod spec: fields of the pod in a container, kinds of affinity
  /// outside `affinity`, and a second `spec`.
  void pod_spec(const Node& spec, std::string_view path) {
    const std::string help = fmt::format("move it to {}, beside the containers", path);
    for (const std::string_view list : {"containers", "initContainers"}) {
      for (const Node* container : spec[list].items()) in_container(*container, spec, help);
    }
    for (const std::string_view kind : {"nodeAffinity", "podAffinity", "podAntiAffinity"}) {
      if (const Node& value = spec[kind]; !is_harmless(value)) {
        does_not_exist(value, "directly in a pod spec", "indent it under 'affinity'",
                       {&spec, "/affinity"});
      }
    }
    if (const Node& inner = spec["spec"]; inner.is_mapping()) second_spec(inner, spec, path);
  }

  void in_container(const Node& container, const Node& pod, std::string_view help) {
    const bool is_runtime = object_.kind.ends_with("ServingRuntime");
    for (const yaml::Entry& entry : container.entries()) {
      const std::string_view name = entry.key->text();
      if (std::ranges::find(kPlacement, name) == kPlacement.end()) continue;
      if (entry.merged || is_harmless(*entry.value)) continue;
      const auto allowed = kserve::runtime_pod_fields();
      const bool exists = !is_runtime || std::ranges::find(allowed, name) != allowed.end();
      does_not_exist(*entry.value, "in a container", help, exists ? Home{&pod} : Home{});
    }
  }

  void second_spec(const Node& inner, const Node& spec, std::string_view path) {
    const std::string help =
        path == "spec" ? "remove this inner 'spec:' line, and indent what is under it by one level "
                         "less"
                       : fmt::format("move what is under this 'spec' up into '{}'", path);
    found_.push_back({&inner,
                      fmt::format("'{}' is a pod spec already: kubectl refuses the 'spec' in it, "
                                  "other clients silently drop it with everything in it",
                                  path),
                      help,
                      {&spec},
                      ""});
  }

  /// Where the fields of a pod belong that stand above all pods, if there is only one.
  Home only_pod() const;
  Home only_container() const;
  static Home resources_of(const Node& pod, std::string_view path);
  std::string_view path_of_pod() const;
  const Node* only_component() const;
  static const Node* only_component_spec(const Node& predictor);

  void predictor(const Node& component, const std::string& path);
  void v1alpha2(const Node& components);
  void only_in_configs(const Node& pod, std::string_view config);
  void custom(const Node& block, const std::string& path);
  void labels_of_pods(const Node& spec, const Node& owner, std::string_view path);
  void graph_unit(const Node& unit, const Node& predictor);
  static Home resources_of_unit(const Node& unit, const Node& predictor);

  const k8s::Object& object_;
  const Node& spec_;
  std::vector<Misplaced> found_;
};

/// Beside 'spec': all that is there was meant to be indented.
void Checker::top_level() {
  constexpr std::string_view kHere = "at the top level";
  constexpr std::string_view kHome = "indent it to its place under 'spec'";
  fields(*object_.root, kHere, kHome, kHome, only_pod(), only_container());
  for (const std::string_view key : fields_of_spec(object_)) {
    if (const Node& value = (*object_.root)[key]; !is_harmless(value)) {
      does_not_exist(value, kHere, "indent it under 'spec'", {object_.root, "/spec"});
    }
  }
}

/// The only component that an InferenceService has, or null.
const Node* Checker::only_component() const {
  const Node* only = nullptr;
  for (const std::string_view name : {"predictor", "transformer", "explainer", "canary"}) {
    const Node& component = spec_[name];
    if (component.is_missing()) continue;
    if (only != nullptr || !component.is_mapping()) return nullptr;
    only = &component;
  }
  return only;
}

/// The item of componentSpecs, if the pods of a predictor are of one kind; else null.
const Node* Checker::only_component_spec(const Node& predictor) {
  const Node* component = only_item_of(predictor["componentSpecs"]);
  return component != nullptr && (*component)["spec"].is_mapping() ? component : nullptr;
}

Home Checker::only_pod() const {
  if (object_.is("serving.kserve.io", "InferenceService")) {
    const Node* component = only_component();
    if (component == nullptr || (*component)["workerSpec"]) return {};
    return {component, "", fmt::format("move it to spec.{}", component->key()->text())};
  }
  if (object_.kind.starts_with("LLMInferenceService")) {
    if (spec_["worker"] || spec_["prefill"] || !spec_.is_mapping()) return {};
    return {&spec_, "/template", "move it to spec.template"};
  }
  if (object_.is("mlops.seldon.io", "Server") || object_.is("mlops.seldon.io", "ServerConfig")) {
    if (!spec_["podSpec"].is_mapping() && object_.kind != "Server") return {};
    return {&spec_, "/podSpec", "move it to spec.podSpec"};
  }
  if (object_.group() == "machinelearning.seldon.io") {
    const Node* predictor = only_item_of(spec_["predictors"]);
    const Node* component = predictor == nullptr ? nullptr : only_component_spec(*predictor);
    if (component == nullptr) return {};
    return {component, "/spec", "move it to predictors[].componentSpecs[].spec"};
  }
  const auto pods = k8s::pod_templates(object_);
  const bool is_core = !k8s::is_serving_group(object_.group());
  if (!is_core || pods.size() != 1 || !pods.front().own.node().is_mapping()) return {};
  return {&pods.front().own.node(), "", fmt::format("move it to {}", path_of_pod())};
}

/// Where the resources belong that stand somewhere above.
Home Checker::only_container() const {
  const Home pod = only_pod();
  if (pod.mapping == nullptr) return {};
  const Node& spec = pod.way.empty() ? *pod.mapping : (*pod.mapping)[pod.way.substr(1)];
  const std::string path = pod.title.substr(std::string_view("move it to ").size());
  return resources_of(spec, path);
}

/// The resources of the pod's one model server.
Home Checker::resources_of(const Node& pod, std::string_view path) {
  const Node* only = nullptr;
  for (const std::string_view key : kserve::framework_keys()) {
    if (!pod[key].is_mapping()) continue;
    if (only != nullptr) return {};
    only = &pod[key];
  }
  if (only != nullptr)
    return {only, "", fmt::format("move it to {}.{}", path, only->key()->text())};
  const Node* container = only_server_of(pod["containers"]);
  if (container == nullptr || !container->is_mapping()) return {};
  return {container, "", fmt::format("move it to the container in {}", path)};
}

/// What a pod spec is called in an object of Kubernetes.
std::string_view Checker::path_of_pod() const {
  if (object_.kind == "Pod") return "spec";
  return object_.kind == "CronJob" ? "spec.jobTemplate.spec.template.spec" : "spec.template.spec";
}

/// A predictor, transformer or explainer: pod fields, and blocks that are containers.
void Checker::predictor(const Node& component, const std::string& path) {
  pod_spec(component, path);
  constexpr auto kOldBlocks = std::to_array<std::string_view>({"art", "alibi", "aix"});
  const auto block = [&](std::string_view key) {
    fields(component[key], fmt::format("inside '{}', which is a container", key),
           fmt::format("move it to {}, beside '{}'", path, key), {}, {&component});
  };
  std::ranges::for_each(kserve::framework_keys(), block);
  std::ranges::for_each(kOldBlocks, block);
  // KFServing's releases differ: deprecated-api.
  if (object_.group() == "serving.kserve.io") custom(component["custom"], path);
  pod_spec(component["workerSpec"], path + ".workerSpec");
}

/// The components one level too deep, as KFServing first had them.
void Checker::v1alpha2(const Node& components) {
  constexpr std::string_view kHelp = "move what is under 'default' up to 'spec'";
  // A canary would be dropped silently.
  const Home home = spec_["canary"] ? Home{} : Home{&spec_};
  found_.push_back({&components,
                    "'default' does not exist in the spec of an InferenceService in v1beta1: the "
                    "API server refuses the object, which has no 'predictor'",
                    std::string(kHelp), home, ""});
}

/// KFServing's way to write a container.
void Checker::custom(const Node& block, const std::string& path) {
  if (!block.is_mapping() || is_harmless(block)) return;
  does_not_exist(block, fmt::format("in {}", path),
                 block["container"] ? "turn 'custom.container' into an item of 'containers'"
                                    : "turn it into an item of 'containers'");
}

void Checker::inference_service() {
  if (const Node& old = spec_["default"]) {  // the v1alpha2 shape, which has levels of its own
    if (object_.api_version == "serving.kserve.io/v1beta1" && old.is_mapping()) v1alpha2(old);
    return;
  }
  fields(spec_, "in the spec of an InferenceService",
         "move it to spec.predictor (or transformer, explainer)",
         "move it to the model block or containers[] of spec.predictor", only_pod(),
         only_container());
  for (const std::string component : {"predictor", "transformer", "explainer"}) {
    predictor(spec_[component], "spec." + component);
  }
  for (const Node* canary : spec_["canary"].items()) {
    predictor((*canary)["predictor"], "canary[].predictor");
  }
}

void Checker::inference_graph() {
  constexpr std::string_view kHome = "move it to spec, for the router's pod";
  for (const yaml::Entry& entry : spec_["nodes"].entries()) {
    fields(*entry.value, "in a node of an InferenceGraph", kHome, kHome);
  }
}

void Checker::llm_inference_service() {
  constexpr std::string_view kHome = "move it to spec.template (and worker, prefill.template)";
  constexpr std::string_view kResources = "move it to spec.template.containers[]";
  const Node& scheduler = spec_["router"]["scheduler"];
  const Node& prefill = spec_["prefill"];
  fields(spec_, "in the spec of an LLMInferenceService", kHome, kResources, only_pod(),
         only_container());
  fields(spec_["model"], "inside 'model'", kHome, kResources, only_pod(), only_container());
  fields(prefill, "inside 'prefill'", "move it to spec.prefill.template",
         "move it to spec.prefill.template.containers[]",
         prefill["worker"] ? Home{} : Home{&prefill, "/template"},
         resources_of(prefill["template"], "spec.prefill.template"));
  for (const auto& [node, name] :
       {std::pair<const Node&, std::string_view>{spec_["router"], "inside 'router'"},
        {scheduler, "inside 'scheduler'"}}) {
    fields(node, name, "move it to spec.router.scheduler.template",
           "move it to spec.router.scheduler.template.containers[]",
           scheduler.is_mapping() ? Home{&scheduler, "/template"} : Home{},
           resources_of(scheduler["template"], "spec.router.scheduler.template"));
  }
  if (const Node& pod = spec_["router"]["template"]; pod.is_mapping()) {
    does_not_exist(pod, "inside 'router'",
                   "move it to spec.template if it is the model server's pod, to "
                   "spec.router.scheduler.template if it is the scheduler's");
  }
  for (const auto& [owner, path] : {std::pair<const Node&, std::string_view>{spec_, "spec"},
                                    {prefill, "spec.prefill"},
                                    {scheduler, "spec.router.scheduler"}}) {
    for (const std::string_view pod : {"template", "worker"}) {
      labels_of_pods(owner[pod], owner, path);
    }
  }
  for (const auto& [node, path] :
       {std::pair<const Node&, std::string_view>{spec_["template"], "spec.template"},
        {spec_["worker"], "spec.worker"},
        {spec_["prefill"]["template"], "spec.prefill.template"},
        {spec_["prefill"]["worker"], "spec.prefill.worker"},
        {scheduler["template"], "spec.router.scheduler.template"},
        {scheduler["tokenizer"]["template"], "spec.router.scheduler.tokenizer.template"}}) {
    pod_spec(node, path);
  }
}

/// What a pod template would have beside its spec.
void Checker::labels_of_pods(const Node& spec, const Node& owner, std::string_view path) {
  // What stands in the owner is for its workers as well.
  const bool is_certain = !owner["worker"];
  for (const std::string_view key : {"labels", "annotations", "metadata"}) {
    const Node& value = spec[key];
    if (!value.is_mapping() || is_harmless(value)) continue;
    const std::string help = key == "metadata"
                                 ? fmt::format(
                                       "move its labels to {0}.labels, its annotations to "
                                       "{0}.annotations",
                                       path)
                                 : fmt::format("move it to {}.{}", path, key);
    does_not_exist(value, "in a pod spec", help,
                   is_certain && key != "metadata" ? Home{&owner} : Home{});
  }
}

void Checker::serving_runtime() {
  constexpr std::string_view kHere = "in a serving runtime";
  const auto allowed = kserve::runtime_pod_fields();
  const Node& worker = spec_["workerSpec"];
  fields(spec_, kHere, "move it to spec.predictor of the InferenceService",
         "move it to spec.containers[]", {}, resources_of(spec_, "spec"), allowed);
  fields(worker, kHere, "move it to spec.predictor.workerSpec of the InferenceService",
         "move it to spec.workerSpec.containers[]", {}, resources_of(worker, "spec.workerSpec"),
         allowed);
  pod_spec(spec_, "spec");
  pod_spec(worker, "spec.workerSpec");
}

/// Seldon's own pod spec lacks fields that its configs, which have Kubernetes' own, do have.
void Checker::only_in_configs(const Node& pod, std::string_view config) {
  const std::string here = fmt::format("in the podSpec of a {}", object_.kind);
  for (const std::string_view key : {"resourceClaims", "resources", "schedulingGates"}) {
    const Node& value = pod[key];
    if (is_harmless(value)) continue;
    const bool resources = key == "resources";
    does_not_exist(value, here,
                   resources ? std::string("move it to the 'resources' of a container")
                             : fmt::format("move it to the podSpec of a {}", config),
                   resources ? resources_of(pod, "podSpec") : Home{});
  }
}

void Checker::seldon_core_2() {
  const std::string_view kind = object_.kind;
  if (kind == "Server" || kind == "ServerConfig") {
    fields(spec_, fmt::format("in the spec of a {}", kind), "move it to spec.podSpec",
           "move it to spec.podSpec.containers[]", only_pod(), only_container());
    pod_spec(spec_["podSpec"], "spec.podSpec");
    if (kind == "Server") only_in_configs(spec_["podSpec"], "ServerConfig");
  } else if (kind == "SeldonConfig" || kind == "SeldonRuntime") {
    const std::string_view list = kind == "SeldonConfig" ? "components" : "overrides";
    for (const Node* item : spec_[list].items()) {
      const std::string path = fmt::format("{}[].podSpec", list);
      fields(*item, fmt::format("directly in {}[]", list), "move it to " + path,
             fmt::format("move it to {}.containers[]", path), {item, "/podSpec"},
             resources_of((*item)["podSpec"], path));
      pod_spec((*item)["podSpec"], path);
      if (kind == "SeldonRuntime") only_in_configs((*item)["podSpec"], "SeldonConfig");
    }
  } else if (kind == "Model" || kind == "Pipeline" || kind == "Experiment") {
    constexpr std::string_view kHome =
        "move it to the podSpec of a Server, and choose that Server with the Model's requirements";
    fields(spec_, fmt::format("in a {}, which has no pod of its own", kind), kHome, kHome);
  }
}

/// The resources of the container that is called like the unit.
Home Checker::resources_of_unit(const Node& unit, const Node& predictor) {
  constexpr std::size_t kMost = 100;  // each unit asks for all
  const Node* only = nullptr;
  const auto components = predictor["componentSpecs"].items();
  if (components.size() > kMost) return {};
  for (const Node* component : components) {
    const auto containers = (*component)["spec"]["containers"].items();
    if (containers.size() > kMost) return {};
    for (const Node* container : containers) {
      const std::string_view name = (*container)["name"].text();
      if (name.empty() || name != unit["name"].text()) continue;
      if (only != nullptr) return {};
      only = container;
    }
  }
  return {only};
}

void Checker::graph_unit(const Node& unit, const Node& predictor) {
  const Node* component = only_component_spec(predictor);
  fields(unit, "in 'graph'", "move it to predictors[].componentSpecs[].spec",
         predictor["componentSpecs"].items().empty()
             ? "move it to a container of that name, which componentSpecs[].spec needs for it"
             : "move it to the container of that name in componentSpecs[].spec",
         component == nullptr ? Home{} : Home{component, "/spec"},
         resources_of_unit(unit, predictor));
  for (const Node* child : unit["children"].items()) graph_unit(*child, predictor);
}

void Checker::seldon_deployment() {
  constexpr std::string_view kPath = "predictors[].componentSpecs[].spec";
  const std::string home = fmt::format("move it to {}", kPath);
  const std::string resources = fmt::format(
      "move it to {}.containers[], to an item that is called like the graph's unit", kPath);
  fields(spec_, "in the spec of a SeldonDeployment", home, resources, only_pod(), only_container());
  for (const Node* predictor : spec_["predictors"].items()) {
    const Node* only = only_component_spec(*predictor);
    fields(*predictor, "directly in a predictor", home, resources,
           only == nullptr ? Home{} : Home{only, "/spec"},
           only == nullptr ? Home{} : resources_of((*only)["spec"], kPath));
    graph_unit((*predictor)["graph"], *predictor);
    for (const std::string_view own_pod : {"explainer", "svcOrchSpec"}) {
      fields((*predictor)[own_pod], fmt::format("in '{}', whose pod cannot be placed", own_pod),
             "remove it: only the pods of componentSpecs[] can be placed");
    }
    fields((*predictor)["explainer"]["containerSpec"], "in a container",
           "remove it: the explainer's pod cannot be placed");
    for (const Node* component : (*predictor)["componentSpecs"].items()) {
      constexpr std::string_view kIndent = "indent it under the 'spec' beside it";
      const Home spec = (*component)["spec"] ? Home{component, "/spec"} : Home{};
      fields(*component, "directly in componentSpecs[]", kIndent, kIndent, spec);
      if (const Node& containers = (*component)["containers"]) {
        does_not_exist(containers, "directly in componentSpecs[]", kIndent, spec);
      }
      pod_spec((*component)["spec"], kPath);
    }
  }
}

void Checker::knative_serving() {
  // v1alpha1 has `resources` here.
  fields(spec_, "in the spec of a KnativeServing",
         "move it to an entry of spec.workloads[], which names one of its Deployments");
}

void Checker::core_workload() {
  const bool cron = object_.kind == "CronJob";
  const std::string_view path = path_of_pod();
  for (const k8s::PodTemplate& pod : k8s::pod_templates(object_)) {
    pod_spec(pod.own.node(), path);
  }
  if (object_.kind == "Pod") return;

  const std::string home = fmt::format("move it to {}", path);
  const std::string resources = fmt::format("move it to {}.containers[]", path);
  const auto above = [&](const Node& holder, std::string_view here) {
    fields(holder, here, home, resources, only_pod(), only_container());
  };
  above(spec_, fmt::format("in the spec of a {}", object_.kind));
  above(spec_["jobTemplate"], "in a job template");
  const Node& job = cron ? spec_["jobTemplate"]["spec"] : spec_;
  if (cron) above(job, "in the spec of a job");
  above(job["template"], "in a pod template");
}

void Checker::unknown(Deviations deviations) {
  std::unordered_set<const Node*> known;
  for (const Misplaced& field : found_) known.insert(field.value);
  for (const k8s::schema::Deviation& deviation : deviations) {
    if (deviation.kind != k8s::schema::Deviation::Kind::unknown_field) continue;
    const Node& value = *deviation.node;
    if (std::ranges::find(kPlacement, value.key()->text()) == kPlacement.end()) continue;
    if (known.contains(&value) || is_harmless(value)) continue;
    const auto place = k8s::schema::whereabouts(object_, deviation);
    if (!place) continue;
    const std::string path = k8s::schema::path_to(*value.parent(), object_);
    does_not_exist(value, path.empty() ? "at the top level" : fmt::format("in '{}'", path),
                   fmt::format("move it to {}", place->path), {place->mapping});
    found_.back().way = place->way;
  }
}

}  // namespace

std::vector<Misplaced> misplaced_fields(const k8s::Object& object, Deviations deviations) {
  Checker checker(object);
  const std::string_view group = object.group();
  const bool core =
      group == "apps" || group == "extensions" || group == "batch" || object.is("", "Pod");
  if (core || k8s::is_serving_group(group)) checker.top_level();
  if (kserve::is_kserve_group(group)) {
    if (object.kind == "InferenceService") checker.inference_service();
    if (object.kind == "InferenceGraph") checker.inference_graph();
    if (object.kind.starts_with("LLMInferenceService")) checker.llm_inference_service();
    if (object.kind.ends_with("ServingRuntime")) checker.serving_runtime();
  } else if (group == "mlops.seldon.io") {
    checker.seldon_core_2();
  } else if (group == "machinelearning.seldon.io") {
    checker.seldon_deployment();
  } else if (object.is("operator.knative.dev", "KnativeServing")) {
    checker.knative_serving();
  } else if (core) {
    checker.core_workload();
  }
  checker.unknown(deviations);
  return checker.take();
}

void note_losses(const Node& value, Report::Finding& finding) {
  const auto is_weighty = [](std::string_view name) {
    return std::ranges::find(kPlacement, name) != kPlacement.end() || name == "containers" ||
           name == "resources" || name == "resourceClaims";
  };
  const Node* first = nullptr;
  std::vector<std::string> names;
  yaml::walk(value, [&](const Node& node) {
    if (&node == &value || node.key() == nullptr || node.is_empty()) return;
    const std::string_view name = node.key()->text();
    if (!is_weighty(name)) return;
    if (first == nullptr) first = &node;
    const std::string quoted = fmt::format("'{}'", name);
    if (std::ranges::find(names, quoted) == names.end()) names.push_back(quoted);
  });
  if (first != nullptr) finding.note(*first->key(), "lost with it: {}", join_words(names));
}

static void check(const k8s::Object& object, Deviations deviations, Report& report) {
  for (const Misplaced& misplaced : misplaced_fields(object, deviations)) {
    const Node& value = *misplaced.value;
    auto finding = report.add_at_key(value, "{}", misplaced.message);
    finding.help("{}", misplaced.help);
    note_losses(value, finding);
    const Home& home = misplaced.home;
    if (home.mapping == nullptr || !yaml::has_room_for(value, *home.mapping, misplaced.way)) {
      continue;
    }
    finding.fix(Safety::unsafe, home.title.empty() ? misplaced.help : home.title,
                {yaml::to_move(value, *home.mapping, misplaced.way)});
  }
}

}  // namespace cnsched::rules

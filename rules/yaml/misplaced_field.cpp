#include <algorithm>
#include <array>

#include "core/k8s/workloads.h"
#include "core/kserve/fields.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const k8s::Object& object, Report& report);

extern constinit const Rule yaml_misplaced_field = {
    .id = "misplaced-field",
    .severity = Severity::error,
    .summary = "a scheduling field at a level that does not have it",
    .why = "kubectl's strict validation refuses the object. GitOps controllers, Helm and most clients "
           "do not ask for it: the API server then drops the field, and the pods run anywhere. The "
           "pod's fields belong beside the container (the model or framework block, containers), "
           "never inside it; Seldon's belong into podSpec; an LLMInferenceService has pod specs, "
           "not pod templates, so there is no spec below template.",
    .bad = R"(
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: example
  annotations:
    serving.kserve.io/deploymentMode: RawDeployment
spec:
  predictor:
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
    nodeSelector:
      cloud.google.com/gke-accelerator: nvidia-l4
    model:
      modelFormat: {name: onnx}
      resources:
        limits: {nvidia.com/gpu: 1}
)",
    .source = "https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation",
    .check = check,
};

using yaml::Node;

namespace {

constexpr auto kPlacement = std::to_array<std::string_view>(
    {"nodeSelector", "affinity", "tolerations", "nodeName", "topologySpreadConstraints",
     "schedulerName", "priorityClassName", "runtimeClassName"});

/// Whether `resources` is misplaced as well; containers have resources of their own.
enum class Resources : unsigned char { belong_here, misplaced };

class Checker {
 public:
  Checker(const k8s::Object& object, Report& report)
      : object_(object), spec_(object.spec()), report_(report) {}

  void inference_service();
  void inference_graph();
  void llm_inference_service();
  void serving_runtime();
  void seldon_core_2();
  void seldon_deployment();
  void knative_serving();
  void core_workload();

 private:
  /// Reports the scheduling fields directly below `holder`, which does not have them.
  void fields(const Node& holder, std::string_view here, std::string_view belongs,
              Resources resources = Resources::misplaced) {
    for (const yaml::Entry& entry : holder.entries) {
      const std::string_view name = entry.key->text;
      const bool placement = std::ranges::find(kPlacement, name) != kPlacement.end();
      const bool resource = name == "resources" && resources == Resources::misplaced;
      if ((!placement && !resource) || entry.merged || is_harmless(*entry.value)) continue;
      report_
          .add_at_key(*entry.value, "'{}' does not exist {}: it is refused, or dropped in silence "
                      "and {}", name, here,
                      resource ? "the container gets none of it" : "the pod runs anywhere")
          .help("move it to {}", resource_home(resource, belongs));
    }
  }

  static std::string_view resource_home(bool resource, std::string_view belongs) {
    return resource ? "the container that serves the model (the model block, or containers[])"
                    : belongs;
  }

  /// Dashboards write `affinity: {}` into containers; nothing is lost with it.
  static bool is_harmless(const Node& value) { return value.is_empty(); }

  /// `template.spec`: a pod template where a pod spec is wanted.
  void pod_template(const Node& pod_spec, std::string_view path) {
    const Node& spec = pod_spec["spec"];
    if (!spec.is_mapping()) return;
    report_
        .add_at_key(spec, "'{}' is a pod spec already, so the 'spec' below it is refused, or dropped "
                    "in silence with everything in it", path)
        .help("move what stands below 'spec' up into '{}'", path);
  }

  void containers(const Node& pod_spec, std::string_view belongs) {
    for (const std::string_view list : {"containers", "initContainers"}) {
      for (const Node* container : pod_spec[list].items) {
        fields(*container, "in a container", belongs, Resources::belong_here);
      }
    }
  }

  const k8s::Object& object_;
  const Node& spec_;
  Report& report_;
};

void Checker::inference_service() {
  if (spec_["default"]) return;  // the v1alpha2 shape, which has levels of its own
  fields(spec_, "at the spec of an InferenceService", "spec.predictor (or transformer, explainer)");
  for (const std::string_view component : {"predictor", "transformer", "explainer"}) {
    const Node& node = spec_[component];
    const std::string belongs = fmt::format("spec.{}, beside the container", component);
    containers(node, belongs);
    for (const std::string_view key : kserve::framework_keys()) {
      fields(node[key], fmt::format("inside '{}', which is a container", key), belongs,
             Resources::belong_here);
    }
    for (const std::string_view key : {"custom", "art"}) {
      fields(node[key], fmt::format("inside '{}'", key), belongs, Resources::belong_here);
    }
    containers(node["workerSpec"], "workerSpec, beside the container");
    pod_template(node["workerSpec"], "workerSpec");
  }
}

void Checker::inference_graph() {
  for (const yaml::Entry& entry : spec_["nodes"].entries) {
    fields(*entry.value, "in a node of an InferenceGraph", "spec: it is the router's");
  }
}

void Checker::llm_inference_service() {
  fields(spec_, "at the spec of an LLMInferenceService", "spec.template (and worker, prefill.template)");
  fields(spec_["model"], "inside 'model'", "spec.template");
  fields(spec_["prefill"], "inside 'prefill'", "spec.prefill.template");
  const Node& scheduler = spec_["router"]["scheduler"];
  fields(scheduler, "inside 'scheduler'", "spec.router.scheduler.template");
  for (const auto& [node, path] :
       {std::pair<const Node&, std::string_view>{spec_["template"], "template"},
        {spec_["worker"], "worker"},
        {spec_["prefill"]["template"], "prefill.template"},
        {spec_["prefill"]["worker"], "prefill.worker"},
        {scheduler["template"], "router.scheduler.template"}}) {
    pod_template(node, path);
    containers(node, fmt::format("spec.{}, beside the containers", path));
  }
}

void Checker::serving_runtime() {
  constexpr std::string_view kHome = "the predictor of the InferenceService";
  for (const Node* spec : {&spec_, &spec_["workerSpec"]}) {
    for (const yaml::Entry& entry : spec->entries) {
      const std::string_view name = entry.key->text;
      const auto runtime_fields = kserve::runtime_pod_fields();
      const bool allowed = std::ranges::find(runtime_fields, name) != runtime_fields.end();
      const bool placement = std::ranges::find(kPlacement, name) != kPlacement.end();
      if (allowed || !placement || entry.merged || is_harmless(*entry.value)) continue;
      report_
          .add_at_key(*entry.value, "'{}' does not exist in a serving runtime: it is refused, or "
                      "dropped in silence", name)
          .help("move it to {}", kHome);
    }
    containers(*spec, "spec, beside the containers");
  }
  pod_template(spec_, "spec");
}

void Checker::seldon_core_2() {
  const std::string_view kind = object_.kind;
  if (kind == "Server" || kind == "ServerConfig") {
    fields(spec_, fmt::format("at the spec of a {}", kind), "spec.podSpec");
    containers(spec_["podSpec"], "spec.podSpec, beside the containers");
    pod_template(spec_["podSpec"], "podSpec");
  } else if (kind == "SeldonConfig" || kind == "SeldonRuntime") {
    const std::string_view list = kind == "SeldonConfig" ? "components" : "overrides";
    for (const Node* item : spec_[list].items) {
      fields(*item, fmt::format("directly in {}[]", list), fmt::format("{}[].podSpec", list));
      containers((*item)["podSpec"], "podSpec, beside the containers");
    }
  } else if (kind == "Model" || kind == "Pipeline" || kind == "Experiment") {
    fields(spec_, fmt::format("in a {}, which has no pod of its own", kind),
           "the podSpec of a Server, and choose that Server with requirements");
  }
}

void Checker::seldon_deployment() {
  constexpr std::string_view kHome = "predictors[].componentSpecs[].spec";
  fields(spec_, "at the spec of a SeldonDeployment", kHome);
  for (const Node* predictor : spec_["predictors"].items) {
    fields(*predictor, "directly in a predictor", kHome);
    fields((*predictor)["graph"], "in 'graph'", kHome);
    fields((*predictor)["explainer"], "in 'explainer', whose pod cannot be placed", kHome,
           Resources::belong_here);
    fields((*predictor)["svcOrchSpec"], "in 'svcOrchSpec', whose pod cannot be placed", kHome,
           Resources::belong_here);
    for (const Node* component : (*predictor)["componentSpecs"].items) {
      fields(*component, "directly in componentSpecs[]", "the 'spec' beside it");
      if (const Node& containers = (*component)["containers"]) {
        report_
            .add_at_key(containers, "'containers' does not exist directly in componentSpecs[]: it is "
                        "refused, or dropped in silence with all that it holds")
            .help("indent it below 'spec'");
      }
      containers((*component)["spec"], "componentSpecs[].spec, beside the containers");
    }
  }
}

void Checker::knative_serving() {
  // v1alpha1 has `resources` here.
  fields(spec_, "at the spec of a KnativeServing", "spec.workloads[], for one of its deployments",
         Resources::belong_here);
}

void Checker::core_workload() {
  for (const k8s::PodTemplate& pod : k8s::pod_templates(object_)) {
    containers(*pod.spec, "the pod spec, beside the containers");
  }
  if (object_.kind == "Pod" || object_.kind == "CronJob") return;
  fields(spec_, fmt::format("at the spec of a {}", object_.kind), "spec.template.spec");
  fields(spec_["template"], "in a pod template", "spec.template.spec");
}

}  // namespace

static void check(const k8s::Object& object, Report& report) {
  Checker checker(object, report);
  const std::string_view group = object.group();
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
  } else if (group == "apps" || group == "extensions" || group == "batch" ||
             object.is("", "Pod")) {
    checker.core_workload();
  }
}

}  // namespace cnsched::rules

#include "core/k8s/schema/schema.h"
#include "core/base/text.h"
#include "core/k8s/scope.h"
#include "testdata/support.h"

namespace cnsched::k8s::schema::schema_test {

struct KindOf {
  std::string api_version;
  std::string kind;
};

/// Every kind that has a table, in each of its versions.
std::vector<KindOf> kinds_with_a_table() {
  return {
      {"v1", "Pod"},
      {"v1", "Node"},
      {"v1", "ConfigMap"},
      {"apps/v1", "Deployment"},
      {"apps/v1", "StatefulSet"},
      {"apps/v1", "DaemonSet"},
      {"apps/v1", "ReplicaSet"},
      {"batch/v1", "Job"},
      {"batch/v1", "CronJob"},
      {"serving.kserve.io/v1beta1", "InferenceService"},
      {"serving.kserve.io/v1alpha1", "InferenceGraph"},
      {"serving.kserve.io/v1alpha1", "ServingRuntime"},
      {"serving.kserve.io/v1alpha1", "ClusterServingRuntime"},
      {"serving.kserve.io/v1alpha1", "LLMInferenceService"},
      {"serving.kserve.io/v1alpha2", "LLMInferenceService"},
      {"serving.kserve.io/v1alpha1", "LLMInferenceServiceConfig"},
      {"serving.kserve.io/v1alpha2", "LLMInferenceServiceConfig"},
      {"serving.kserve.io/v1alpha1", "TrainedModel"},
      {"serving.kserve.io/v1alpha1", "LocalModelCache"},
      {"serving.kserve.io/v1alpha1", "LocalModelNamespaceCache"},
      {"serving.kserve.io/v1alpha1", "LocalModelNode"},
      {"serving.kserve.io/v1alpha1", "LocalModelNodeGroup"},
      {"mlops.seldon.io/v1alpha1", "Model"},
      {"mlops.seldon.io/v1alpha1", "Server"},
      {"mlops.seldon.io/v1alpha1", "ServerConfig"},
      {"mlops.seldon.io/v1alpha1", "Pipeline"},
      {"mlops.seldon.io/v1alpha1", "Experiment"},
      {"mlops.seldon.io/v1alpha1", "SeldonConfig"},
      {"mlops.seldon.io/v1alpha1", "SeldonRuntime"},
      {"machinelearning.seldon.io/v1", "SeldonDeployment"},
      {"machinelearning.seldon.io/v1alpha2", "SeldonDeployment"},
      {"machinelearning.seldon.io/v1alpha3", "SeldonDeployment"},
      {"operator.knative.dev/v1beta1", "KnativeServing"},
      {"operator.knative.dev/v1alpha1", "KnativeServing"},
  };
}

/// The field at a path such as "spec.containers.name", through lists and maps; null if there is
/// none.
const Field* field_at(const std::string& api_version, const std::string& kind,
                      const std::string& path, const Schemas& schemas = {}) {
  const Type* type = schemas.type_of(api_version, kind);
  const Field* field = nullptr;
  REQUIRE(type != nullptr);
  for (const std::string_view step : split(path, '.')) {
    while (type->element != nullptr) type = type->element;
    field = type->find(step);
    if (field == nullptr) return nullptr;
    type = field->type;
  }
  return field;
}

bool has(const std::string& api_version, const std::string& kind, const std::string& path) {
  return field_at(api_version, kind, path) != nullptr;
}

bool is_required(const std::string& api_version, const std::string& kind, const std::string& path) {
  const Field* field = field_at(api_version, kind, path);
  REQUIRE(field != nullptr);
  return field->required;
}

/// All types reachable from the kinds.
std::set<const Type*> all_types() {
  std::set<const Type*> types;
  std::vector<const Type*> open;
  for (const KindOf& row : kinds_with_a_table()) {
    open.push_back(Schemas().type_of(row.api_version, row.kind));
  }
  while (!open.empty()) {
    const Type* type = open.back();
    open.pop_back();
    if (type == nullptr || !types.insert(type).second) continue;
    open.push_back(type->element);
    for (const Field& field : type->fields()) open.push_back(field.type);
  }
  return types;
}

const std::string kKServe = "serving.kserve.io/v1beta1";
const std::string kAlpha1 = "serving.kserve.io/v1alpha1";
const std::string kAlpha2 = "serving.kserve.io/v1alpha2";
const std::string kSeldon = "mlops.seldon.io/v1alpha1";

TEST_CASE("each kind has its table in each of its versions") {
  for (const KindOf& row : kinds_with_a_table()) {
    CAPTURE(row.api_version);
    CAPTURE(row.kind);
    const Type* type = Schemas().type_of(row.api_version, row.kind);
    REQUIRE(type != nullptr);
    CHECK(type->name == row.kind);
    for (const std::string field : {"apiVersion", "kind", "metadata"}) {
      CHECK(type->find(field) != nullptr);
    }
  }
}

TEST_CASE("each kind that has a table is in scope") {
  for (const KindOf& row : kinds_with_a_table()) {
    CAPTURE(row.kind);
    const Parsed parsed("apiVersion: " + row.api_version + "\nkind: " + row.kind +
                        "\nmetadata: {name: config-features}\n");
    CHECK(in_scope(parsed.object()));
    CHECK(Schemas().type_of(parsed.object()) == Schemas().type_of(row.api_version, row.kind));
  }
}

TEST_CASE("a kind of another group or version has no table") {
  for (const KindOf& row : std::vector<KindOf>{
           {"serving.kserve.io/v1", "InferenceService"},
           {"serving.kserve.io/v1alpha1", "InferenceService"},
           {"serving.kserve.io/v1alpha2", "InferenceService"},
           {"serving.kserve.io", "InferenceService"},
           {"serving.kubeflow.org/v1beta1", "InferenceService"},
           {"serving.example.com/v1beta1", "InferenceService"},
           {"serving.kserve.io/v1beta1", "ServingRuntime"},
           {"serving.kserve.io/v1alpha2", "TrainedModel"},
           {"serving.kserve.io/v1beta1", "Inferenceservice"},
           {"mlops.seldon.io/v1", "Model"},
           {"machinelearning.seldon.io/v1beta1", "SeldonDeployment"},
           {"mlops.seldon.io/v1alpha1", "SeldonDeployment"},
           {"serving.knative.dev/v1", "Service"},
           {"operator.knative.dev/v1beta1", "KnativeEventing"},
           {"v1", "Deployment"},
           {"apps/v1", "Pod"},
           {"apps/v1beta1", "Deployment"},
           {"extensions/v1beta1", "Deployment"},
           {"batch/v1beta1", "CronJob"},
           {"karpenter.sh/v1", "NodePool"},
           {"v1", "pod"},
           {"V1", "Pod"},
           {"", "Pod"},
           {"v1", ""},
           {"", ""},
       }) {
    CAPTURE(row.api_version);
    CAPTURE(row.kind);
    CHECK(Schemas().type_of(row.api_version, row.kind) == nullptr);
  }
}

TEST_CASE("only kinds of Kubernetes are native") {
  const auto is_own = [](const std::string& api_version) {
    const Parsed parsed("apiVersion: " + api_version + "\nkind: Any\n");
    return is_native(parsed.object());
  };
  CHECK(is_own("v1"));
  CHECK(is_own("apps/v1"));
  CHECK(is_own("batch/v1"));
  CHECK_FALSE(is_own("serving.kserve.io/v1beta1"));
  CHECK_FALSE(is_own("mlops.seldon.io/v1alpha1"));
  CHECK_FALSE(is_own("karpenter.sh/v1"));
}

TEST_CASE("a type is found by its name in the tables, a kind is not") {
  REQUIRE(type_named("PodSpec") != nullptr);
  CHECK(type_named("PodSpec")->name == "PodSpec");
  CHECK(type_named("NodeSpec") == Schemas().type_of("v1", "Node")->find("spec")->type);
  CHECK(type_named("InferenceService") == nullptr);
  CHECK(type_named("podspec") == nullptr);
  CHECK(type_named("") == nullptr);
}

TEST_CASE("the common fields of two types are sorted") {
  CHECK(field_names("Toleration", "Taint") ==
        std::vector<std::string_view>{"effect", "key", "value"});
  CHECK(field_names("Taint", "Affinity").empty());
}

TEST_CASE("every field of every type can be checked") {
  for (const Type* type : all_types()) {
    CAPTURE(type->name);
    CHECK(std::ranges::is_sorted(type->fields(), {}, &Field::name));
    for (const Field& field : type->fields()) {
      CAPTURE(field.name);
      CHECK_FALSE(field.name.empty());
      REQUIRE(field.type != nullptr);
      // Constraints of a list of scalars are those of its items.
      const bool is_list = field.type->form == Form::list;
      const Form form = is_list ? field.type->element->form : field.type->form;
      if (!field.format.empty()) {
        CHECK(find_format(field.format) != nullptr);
        CHECK(form == Form::string);
      }
      const Bounds any;
      const bool has_range = field.range.least != any.least || field.range.most != any.most;
      if (has_range) CHECK(form == Form::integer);
      const bool has_length = field.length.least != any.least || field.length.most != any.most;
      if (has_length) CHECK(form == Form::string);
      const bool has_count = field.items.least != any.least || field.items.most != any.most;
      if (has_count) CHECK(is_list);
      if (!field.allowed.empty()) CHECK((form == Form::string || form == Form::integer));
    }
  }
}

TEST_CASE("the keys of a list are fields of its items") {
  for (const Type* type : all_types()) {
    for (const Field& field : type->fields()) {
      CAPTURE(type->name);
      CAPTURE(field.name);
      CHECK((field.uniqueness == Uniqueness::none) == field.keys.empty());
      if (field.keys.empty()) continue;
      REQUIRE(field.type->form == Form::list);
      for (const std::string_view key : field.keys) {
        CHECK(field.type->element->find(key) != nullptr);
      }
    }
  }
}

TEST_CASE("lists and maps have elements, and only objects have fields") {
  for (const Type* type : all_types()) {
    CAPTURE(type->name);
    const bool holds = type->form == Form::list || type->form == Form::map;
    CHECK(holds == (type->element != nullptr));
    if (type->form != Form::object) CHECK(type->fields().empty());
    if (type->form == Form::object) {
      const bool may_be_empty = type->open || type->name == "EmptyObject";
      CHECK((may_be_empty || !type->fields().empty()));
    }
  }
}

TEST_CASE("required fields are marked") {
  CHECK(is_required("v1", "Pod", "spec"));
  CHECK(is_required("v1", "Pod", "spec.containers"));
  CHECK(is_required("v1", "Pod", "spec.containers.name"));
  CHECK(is_required("apps/v1", "Deployment", "spec.selector"));
  CHECK(is_required("apps/v1", "Deployment", "spec.template"));
  CHECK(is_required("batch/v1", "CronJob", "spec.schedule"));
  CHECK(is_required("v1", "Node", "spec.taints.key"));
  CHECK(is_required("v1", "Node", "spec.taints.effect"));
  CHECK(is_required(kKServe, "InferenceService", "spec.predictor"));
  CHECK(is_required(kAlpha1, "InferenceGraph", "spec.nodes"));
  CHECK(is_required(kAlpha1, "InferenceGraph", "spec.nodes.routerType"));
  CHECK(is_required(kAlpha1, "ServingRuntime", "spec.containers"));
  CHECK(is_required(kAlpha1, "ClusterServingRuntime", "spec.containers"));
  CHECK(is_required(kAlpha1, "ServingRuntime", "spec.supportedModelFormats.name"));
  CHECK(is_required(kAlpha1, "TrainedModel", "spec.inferenceService"));
  CHECK(is_required(kAlpha1, "TrainedModel", "spec.model.memory"));
  CHECK(is_required(kAlpha1, "LocalModelCache", "spec.nodeGroups"));
  CHECK(is_required(kAlpha2, "LLMInferenceService", "spec.model.uri"));
  CHECK(is_required(kSeldon, "Model", "spec.storageUri"));
  CHECK(is_required(kSeldon, "Server", "spec.serverConfig"));
  CHECK(is_required(kSeldon, "ServerConfig", "spec.podSpec"));
  CHECK(is_required(kSeldon, "ServerConfig", "spec.podSpec.containers"));
  CHECK(is_required(kSeldon, "SeldonRuntime", "spec.seldonConfig"));
  CHECK(is_required("machinelearning.seldon.io/v1", "SeldonDeployment", "spec.predictors"));
  CHECK(is_required("machinelearning.seldon.io/v1", "SeldonDeployment", "spec.predictors.graph"));
}

TEST_CASE("a pod requires images, and a job a restart policy") {
  CHECK(is_required("v1", "Pod", "spec.containers.image"));
  CHECK(is_required("batch/v1", "Job", "spec.template.spec.restartPolicy"));
  CHECK(is_required("batch/v1", "CronJob", "spec.jobTemplate.spec.template.spec.restartPolicy"));
  CHECK_FALSE(is_required("apps/v1", "Deployment", "spec.template.spec.restartPolicy"));
}

TEST_CASE("optional fields are not marked as required") {
  CHECK_FALSE(is_required("v1", "Pod", "metadata"));
  CHECK_FALSE(is_required("serving.kserve.io/v1alpha1", "ServingRuntime", "spec.containers.image"));
  CHECK_FALSE(is_required("v1", "Node", "spec"));
  CHECK_FALSE(is_required("apps/v1", "Deployment", "spec.replicas"));
  CHECK_FALSE(is_required("batch/v1", "Job", "spec.selector"));
  CHECK_FALSE(is_required(kKServe, "InferenceService", "spec"));
  CHECK_FALSE(is_required(kKServe, "InferenceService", "spec.predictor.model"));
  CHECK_FALSE(is_required(kKServe, "InferenceService", "spec.predictor.model.name"));
  CHECK_FALSE(is_required(kKServe, "InferenceService", "spec.predictor.containers"));
  CHECK_FALSE(is_required(kAlpha2, "LLMInferenceService", "spec.model"));
  CHECK_FALSE(is_required(kSeldon, "Server", "spec.podSpec.containers"));
}

TEST_CASE("a pod spec has the fields that scheduling depends on") {
  for (const std::string field :
       {"nodeSelector", "nodeName", "affinity", "tolerations", "topologySpreadConstraints",
        "priorityClassName", "schedulerName", "runtimeClassName", "resourceClaims"}) {
    CAPTURE(field);
    CHECK(has("v1", "Pod", "spec." + field));
    CHECK(has("apps/v1", "Deployment", "spec.template.spec." + field));
    CHECK(has("batch/v1", "CronJob", "spec.jobTemplate.spec.template.spec." + field));
    CHECK(has(kKServe, "InferenceService", "spec.predictor." + field));
    CHECK(has(kKServe, "InferenceService", "spec.transformer." + field));
    CHECK(has(kKServe, "InferenceService", "spec.predictor.workerSpec." + field));
    CHECK(has(kAlpha2, "LLMInferenceService", "spec.template." + field));
    CHECK(has(kAlpha2, "LLMInferenceService", "spec.prefill.worker." + field));
    CHECK(has(kAlpha1, "LLMInferenceService", "spec.worker." + field));
    CHECK_FALSE(has("apps/v1", "Deployment", "spec." + field));
    CHECK_FALSE(has("apps/v1", "Deployment", "spec.template." + field));
    CHECK_FALSE(has(kKServe, "InferenceService", "spec." + field));
    CHECK_FALSE(has(kKServe, "InferenceService", "spec.predictor.model." + field));
    CHECK_FALSE(has(kAlpha2, "LLMInferenceService", "spec." + field));
    CHECK_FALSE(has(kAlpha2, "LLMInferenceService", "spec.template.spec." + field));
    CHECK_FALSE(has(kSeldon, "Model", "spec." + field));
  }
}

TEST_CASE("a runtime has some of the fields of a pod") {
  for (const std::string kind : {"ServingRuntime", "ClusterServingRuntime"}) {
    CAPTURE(kind);
    for (const std::string field : {"nodeSelector", "affinity", "tolerations", "schedulerName"}) {
      CAPTURE(field);
      CHECK(has(kAlpha1, kind, "spec." + field));
      CHECK(has(kAlpha1, kind, "spec.workerSpec." + field));
    }
    for (const std::string field :
         {"nodeName", "priorityClassName", "topologySpreadConstraints", "runtimeClassName",
          "initContainers", "serviceAccountName", "resourceClaims"}) {
      CAPTURE(field);
      CHECK_FALSE(has(kAlpha1, kind, "spec." + field));
      CHECK_FALSE(has(kAlpha1, kind, "spec.workerSpec." + field));
    }
  }
}

TEST_CASE("an InferenceGraph has its own fields") {
  for (const std::string field : {"nodeSelector", "nodeName", "affinity", "tolerations"}) {
    CHECK(has(kAlpha1, "InferenceGraph", "spec." + field));
  }
  CHECK_FALSE(has(kAlpha1, "InferenceGraph", "spec.schedulerName"));
  CHECK_FALSE(has(kAlpha1, "InferenceGraph", "spec.nodes.tolerations"));
}

TEST_CASE("KServe's predictor, transformer and explainer differ") {
  CHECK(has(kKServe, "InferenceService", "spec.predictor.triton.storageUri"));
  CHECK(has(kKServe, "InferenceService", "spec.predictor.model.runtime"));
  CHECK_FALSE(has(kKServe, "InferenceService", "spec.predictor.triton.runtime"));
  CHECK_FALSE(has(kKServe, "InferenceService", "spec.transformer.model"));
  CHECK(has(kKServe, "InferenceService", "spec.explainer.art.type"));
  CHECK_FALSE(has(kKServe, "InferenceService", "spec.explainer.alibi"));
  CHECK_FALSE(has(kKServe, "InferenceService", "spec.transformer.workerSpec"));
}

TEST_CASE("versions of LLMInferenceService differ") {
  CHECK(has(kAlpha1, "LLMInferenceService", "spec.model.criticality"));
  CHECK_FALSE(has(kAlpha2, "LLMInferenceService", "spec.model.criticality"));
  CHECK(has(kAlpha2, "LLMInferenceService", "spec.kvCacheOffloading"));
  CHECK_FALSE(has(kAlpha1, "LLMInferenceService", "spec.kvCacheOffloading"));
  CHECK_FALSE(has(kAlpha1, "LLMInferenceService", "spec.prefill.kvCacheOffloading"));
  CHECK(has(kAlpha1, "LLMInferenceServiceConfig", "spec.model.criticality"));
  CHECK_FALSE(has(kAlpha2, "LLMInferenceServiceConfig", "spec.model.criticality"));
  const std::string pool = "spec.router.scheduler.pool.spec.";
  CHECK(has(kAlpha1, "LLMInferenceService", pool + "targetPortNumber"));
  CHECK_FALSE(has(kAlpha2, "LLMInferenceService", pool + "targetPortNumber"));
  CHECK(has(kAlpha2, "LLMInferenceService", pool + "targetPorts"));
}

TEST_CASE("only the Config of an LLMInferenceService may contain templates") {
  Releases releases;
  releases.of(Project::kserve) = kHeadRelease;
  const Schemas head(releases);
  for (const std::string& version : {kAlpha1, kAlpha2}) {
    CHECK(field_at(version, "LLMInferenceServiceConfig", "spec.router", head)->templated);
    CHECK_FALSE(field_at(version, "LLMInferenceServiceConfig", "spec.router")->templated);
    CHECK_FALSE(field_at(version, "LLMInferenceServiceConfig", "spec.scaling", head)->templated);
    CHECK_FALSE(field_at(version, "LLMInferenceService", "spec.router", head)->templated);
  }
}

TEST_CASE("a Server's pods have fewer fields than a ServerConfig's") {
  for (const std::string field :
       {"resourceClaims", "ephemeralContainers", "os", "serviceAccount", "schedulingGates"}) {
    CAPTURE(field);
    CHECK_FALSE(has(kSeldon, "Server", "spec.podSpec." + field));
    CHECK(has(kSeldon, "ServerConfig", "spec.podSpec." + field));
  }
  for (const std::string field : {"nodeSelector", "affinity", "tolerations", "nodeName"}) {
    CAPTURE(field);
    CHECK(has(kSeldon, "Server", "spec.podSpec." + field));
    CHECK(has(kSeldon, "ServerConfig", "spec.podSpec." + field));
    CHECK(has(kSeldon, "SeldonConfig", "spec.components.podSpec." + field));
    CHECK(has(kSeldon, "SeldonRuntime", "spec.overrides.podSpec." + field));
    CHECK_FALSE(has(kSeldon, "Server", "spec." + field));
  }
}

TEST_CASE("a SeldonDeployment has pods in componentSpecs and a graph of any depth") {
  const std::string v1 = "machinelearning.seldon.io/v1";
  CHECK(has(v1, "SeldonDeployment", "spec.predictors.componentSpecs.spec.tolerations"));
  CHECK_FALSE(has(v1, "SeldonDeployment", "spec.predictors.componentSpecs.tolerations"));
  CHECK(has(v1, "SeldonDeployment", "spec.predictors.graph.children.children.children.modelUri"));
}

TEST_CASE("a KnativeServing's configuration maps names to strings, and the rest is open") {
  const Field* config = field_at("operator.knative.dev/v1beta1", "KnativeServing", "spec.config");
  REQUIRE(config != nullptr);
  CHECK(config->type->form == Form::map);
  CHECK(config->type->element->form == Form::map);
  CHECK(config->type->element->element->form == Form::string);
  CHECK(type_named("KnativeServingSpec")->open);
}

TEST_CASE("a ConfigMap contains strings and has no spec or status") {
  CHECK(field_at("v1", "ConfigMap", "data")->type->element->form == Form::string);
  CHECK_FALSE(has("v1", "ConfigMap", "spec"));
  CHECK_FALSE(has("v1", "ConfigMap", "status"));
}

TEST_CASE("status may be anything in a custom resource only") {
  CHECK(field_at(kKServe, "InferenceService", "status")->type->form == Form::any);
  CHECK(has("v1", "Pod", "status.phase"));
  CHECK_FALSE(has("v1", "Pod", "status.anything"));
}

}  // namespace cnsched::k8s::schema::schema_test

#include "core/kserve/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/k8s/object.h"
#include "core/k8s/pod_spec.h"
#include "core/kserve/containers.h"
#include "core/kserve/fields.h"
#include "core/kserve/llm_configs.h"
#include "core/kserve/replicas.h"
#include "core/kserve/runtime.h"
#include "core/kserve/storage_initializer.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

namespace {

using yaml::Node;

/// A value and the first release that accepts it.
struct Accepted {
  std::string_view name;
  Version since;
};
constexpr auto kAutoscalerClasses = std::to_array<Accepted>({
    {"hpa", {0, 0, 0}},
    {"external", {0, 0, 0}},
    {"keda", {0, 15, 0}},
    {"none", {0, 16, 0}},
});

/// Schemes of a model's address.
constexpr auto kSchemes = std::to_array<Accepted>({
    {"gs://", {0, 0, 0}},
    {"s3://", {0, 0, 0}},
    {"pvc://", {0, 0, 0}},
    {"file://", {0, 0, 0}},
    {"https://", {0, 0, 0}},
    {"http://", {0, 0, 0}},
    {"hdfs://", {0, 0, 0}},
    {"webhdfs://", {0, 0, 0}},
    {"oci://", {0, 12, 0}},
    {"hf://", {0, 15, 0}},
    {"oci+native://", {0, 20, 0}},
    {"oci+fetch://", kHeadRelease},
});
/// Those of an LLMInferenceService.
constexpr auto kLlmSchemes = std::to_array<Accepted>({
    {"pvc://", {0, 0, 0}},
    {"oci://", {0, 0, 0}},
    {"hf://", {0, 0, 0}},
    {"s3://", {0, 0, 0}},
    {"oci+native://", {0, 20, 0}},
});

/// Whether one of the schemes is that of the address, in this release.
bool is_supported(std::string_view uri, std::span<const Accepted> schemes,
                  const std::optional<Version>& release) {
  return std::ranges::any_of(schemes, [&](const Accepted& scheme) {
    return uri.starts_with(scheme.name) && is_at_least(release, scheme.since);
  });
}

/// "model-registry://" of "model-registry://iris/v1"; empty for a path.
std::string scheme_of(std::string_view uri) {
  const std::size_t end = uri.find("://");
  return end == std::string_view::npos ? std::string() : printable(uri.substr(0, end + 3));
}

constexpr auto kMetrics = std::to_array<std::string_view>({"cpu", "memory", "concurrency", "rps"});

/// Matches `[a-z]([-a-z0-9]*[a-z0-9])?`.
bool is_service_name(std::string_view name) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_permitted = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '-';
  };
  return !name.empty() && is_letter(name.front()) && name.back() != '-' &&
         std::ranges::all_of(name, is_permitted);
}

bool is_open(const Node& node) { return k8s::is_placeholder(node.text()); }

/// The key of an entry, or the value itself.
const Node& key_or_value(const Node& node) { return node.key() != nullptr ? *node.key() : node; }

class Validation {
 public:
  Validation(const k8s::Object& object, const ControllerContext& context)
      : object_(object), spec_(object.spec()), context_(context), release_(context.version) {}

  std::vector<Rejection> result() && {
    if (object_.api_version != "serving.kserve.io/v1beta1") {
      found_.push_back(
          {.where = &object_["apiVersion"],
           .what = fmt::format("no release of KServe serves '{}'", printable(object_.api_version)),
           .stage = Rejection::Stage::crd,
           .has_rule = true});
      return std::move(found_);
    }
    check_mode();
    check_name();
    check_autoscaler_class();
    const Node& predictor = spec_["predictor"];
    check_component("predictor", predictor);
    check_name_of_server(predictor);
    check_component("transformer", spec_["transformer"]);
    check_component("explainer", spec_["explainer"]);
    if (since({0, 15, 0}) && predictor["workerSpec"].is_mapping()) check_workers(predictor);
    check_canaries();
    return std::move(found_);
  }

 private:
  bool since(const Version& release) const { return is_at_least(release_, release); }

  void add(const Node& where, std::string what, std::string help) {
    found_.push_back({&where, std::move(what), std::move(help)});
  }

  void check_name() {
    const Node& name = object_["metadata"]["name"];
    // The API server rejects what no object may be named before the webhook sees it.
    if (!k8s::is_object_name(name.text()) || is_open(name) || is_service_name(name.text())) return;
    add(name, fmt::format("'{}' is not a name of an InferenceService", printable(name.text())),
        "write lower-case letters, digits and '-', with a letter first");
  }

  /// The reconciler of Standard, KServe's choice here, reads the annotation again.
  void check_mode() {
    const Node& mode = object_.annotations().under(kDeploymentModeAnnotation);
    const bool is_standard = context_.default_mode.mode == DeploymentMode::standard;
    if (!mode || is_open(mode) || !is_standard || !since({0, 17, 0})) return;
    if (find_mode_name(mode.text()) != nullptr) return;
    found_.push_back({.where = &mode,
                      .what = fmt::format("unsupported deployment mode for workload: {}",
                                          printable(mode.text())),
                      .stage = Rejection::Stage::controller,
                      .has_rule = true});
  }

  void check_autoscaler_class() {
    const Node& written = object_.annotations().under(kAutoscalerClass);
    if (!written || is_open(written)) return;
    std::vector<std::string_view> names;
    for (const Accepted& known : kAutoscalerClasses) {
      if (since(known.since)) names.push_back(known.name);
    }
    if (is_one_of(written.text(), names)) return;
    add(written, fmt::format("'{}' is not an autoscaler class", printable(written.text())),
        fmt::format("write {}", join_words({names.begin(), names.end()}, "or")));
  }

  // Components.

  void check_component(std::string_view name, const Node& component) {
    if (!component.is_mapping()) return;
    check_implementations(name, component);
    check_numbers(component);
    check_storage(component);
    check_scaling(component);
  }

  /// The blocks and container lists that describe the component's server.
  std::vector<const Node*> implementations(std::string_view name, const Node& component) const {
    std::vector<const Node*> found;
    const auto add_block = [&](std::string_view key) {
      if (component.under(key).is_mapping()) found.push_back(&component.under(key));
    };
    if (name == "explainer") add_block("art");
    if (name == "predictor") std::ranges::for_each(framework_keys(), add_block);
    const Node& containers = component["containers"];
    if (name != "predictor") {
      if (!containers.items().empty()) found.push_back(&containers);
      return found;
    }
    for (const Node* container : containers.items()) {
      if ((*container)["name"].text() == kServingContainer) found.push_back(container);
    }
    if (found.empty() && !containers.items().empty()) found.push_back(&containers);
    return found;
  }

  void check_implementations(std::string_view name, const Node& component) {
    const std::vector<const Node*> found = implementations(name, component);
    if (found.empty()) {
      const bool is_predictor = name == "predictor";
      add(key_or_value(component),
          fmt::format("the {} has no {}", name, is_predictor ? "model server" : "containers"),
          is_predictor
              ? "add 'model' or 'containers'; if this is a patch, list it in a kustomization.yaml"
              : fmt::format("add 'containers' to the {}, or remove the {}", name, name));
      found_.back().is_doubtful = &component == &spec_["predictor"];
    } else if (found.size() > 1) {
      add(key_or_value(*found[1]), fmt::format("the {} has more than one model server", name),
          "keep one of them");
    }
  }

  /// KServe names the container itself.
  void check_name_of_server(const Node& predictor) {
    if (!since({0, 16, 0})) return;
    for (const std::string_view key : framework_keys()) {
      const Node& name = predictor.under(key)["name"];
      if (name.text().empty()) continue;
      add(key_or_value(name), fmt::format("'{}' of a predictor must not have a 'name'", key),
          fmt::format("remove 'name': KServe names the container '{}'", kServingContainer));
    }
  }

  void check_numbers(const Node& component) {
    const Node& least = component["minReplicas"];
    const Node& most = component["maxReplicas"];
    for (const Node* count : {&least, &most, &component["containerConcurrency"]}) {
      if (yaml::integer_of(*count).value_or(0) >= 0) continue;
      add(*count, fmt::format("'{}' is negative", count->key()->text()), "write 0 or more");
    }
    const std::int64_t limit = yaml::integer_of(most).value_or(0);
    const std::int64_t lowest = yaml::integer_of(least).value_or(1);
    if (lowest >= 0 && limit > 0 && lowest > limit) {
      add(most, fmt::format("'maxReplicas: {}' is less than 'minReplicas: {}'", limit, lowest),
          fmt::format("write 'maxReplicas: {}' or more", lowest));
    }
  }

  void check_storage(const Node& component) {
    const Node& uris = component["storageUris"];
    const Node& block = framework_block(component);
    const Node& uri = block
                          ? block["storageUri"]
                          : environment(k8s::item_named(component["containers"], kServingContainer),
                                        "STORAGE_URI");
    if (since({0, 16, 0}) && uri && !uris.is_empty()) {
      add(key_or_value(uris), "'storageUri' and 'storageUris' are both set", "keep one of them");
    }
    check_scheme(uri);
    check_downloads(uris);
    if (!since({0, 13, 0})) return;
    const Node& beside = k8s::item_named(component["containers"], kTransformerContainer);
    if (const Node& variable = k8s::item_named(beside["env"], "STORAGE_URI")) {
      add(variable["name"],
          fmt::format("container '{}' must not have STORAGE_URI", kTransformerContainer),
          "set it in 'kserve-container'");
    }
  }

  /// KServe 0.16 mounts the volume of a single address, which the pod does not have [K100].
  void check_downloads(const Node& uris) {
    if (!release_ || !since({0, 16, 0}) || since({0, 17, 0})) return;
    const auto is_downloaded = [](const Node* entry) {
      const std::string_view uri = (*entry)["uri"].text();
      return !uri.empty() && !uri.starts_with("pvc://") && !uri.starts_with("oci");
    };
    if (std::ranges::none_of(uris.items(), is_downloaded)) return;
    found_.push_back({&key_or_value(uris),
                      "with 'storageUris', KServe 0.16 mounts a volume that does not exist, so the "
                      "API server rejects the pod template",
                      "upgrade to KServe 0.17, or write a single 'storageUri'",
                      Rejection::Stage::controller});
  }

  /// Any ClusterStorageContainer may support further schemes.
  void check_scheme(const Node& uri) {
    const std::string scheme = scheme_of(uri.text());
    if (scheme.empty() || is_open(uri) || is_supported(uri.text(), kSchemes, release_)) return;
    if (storage_container(context_.objects, object_, uri.text())) return;
    found_.push_back({&uri,
                      fmt::format("'{}' is not a known scheme of a 'storageUri', unless a "
                                  "ClusterStorageContainer supports it",
                                  scheme),
                      "write a scheme such as 'gs://', 's3://', 'pvc://', 'hf://' or 'oci://'",
                      Rejection::Stage::controller, true});
  }

  // Scaling.

  /// The mode as the webhook sees it: KServe 0.16 does not map 'RawDeployment' to 'Standard' [K84].
  DeploymentMode validated_mode() const {
    constexpr Version kRenamed{0, 16, 0};
    constexpr Version kMapped{0, 17, 0};
    const Node& written = object_.annotations().under(kDeploymentModeAnnotation);
    if (!written) return context_.default_mode.mode;
    if (is_open(written)) return DeploymentMode::unknown;
    const ModeName* mode = find_mode_name(written.text());
    if (mode == nullptr || !since(mode->since)) return DeploymentMode::knative;
    const bool unmapped = release_ && *release_ >= kRenamed && *release_ < kMapped;
    if (unmapped && written.text() == "RawDeployment") return DeploymentMode::knative;
    // Its pods are validated like Knative's.
    return mode->mode == DeploymentMode::model_mesh ? DeploymentMode::knative : mode->mode;
  }

  void check_scaling(const Node& component) {
    const DeploymentMode mode = validated_mode();
    const std::string_view autoscaler = object_.annotations().under(kAutoscalerClass).text();
    const Node& metric = component["scaleMetric"];
    if (mode == DeploymentMode::standard) {
      if (autoscaler == "hpa") check_metric(metric, {"cpu", "memory"}, "the class 'hpa'");
      if (autoscaler == "keda" && since({0, 15, 0}) && metric) {
        add(key_or_value(metric), "the class 'keda' has no 'scaleMetric'",
            "write 'autoScaling' instead");
      }
    } else if (mode == DeploymentMode::knative) {
      if (hpa_class_of(object_, yaml::missing_node())) {
        check_metric(metric, {"cpu", "memory"}, "Knative's HPA class");
        return;
      }
      check_strategy(component["deploymentStrategy"]);
      check_metric(metric, {"concurrency", "rps"}, "Knative's default autoscaler");
    }
  }

  void check_metric(const Node& metric, const std::vector<std::string>& known,
                    std::string_view autoscaler) {
    // The schema rejects any other value.
    const bool is_metric = is_one_of(metric.text(), kMetrics);
    if (!is_metric || is_one_of(metric.text(), known)) return;
    add(metric,
        fmt::format("{} does not support 'scaleMetric: {}'", autoscaler, printable(metric.text())),
        fmt::format("write {}", join_words(known, "or")));
  }

  void check_strategy(const Node& strategy) {
    if (!since({0, 13, 0}) || !strategy.is_mapping()) return;
    const Node& mode = object_.annotations().under(kDeploymentModeAnnotation);
    const bool is_raw = mode.text() == "RawDeployment";
    add(key_or_value(strategy),
        is_raw ? "KServe 0.16 takes 'RawDeployment' for Knative mode here, which has no "
                 "'deploymentStrategy'"
               : "Knative mode has no 'deploymentStrategy'",
        is_raw ? "write 'serving.kserve.io/deploymentMode: Standard'"
               : "remove it, or set a deployment mode that has Deployments");
  }

  // Workers.

  void check_workers(const Node& predictor) {
    const Node& worker = predictor["workerSpec"];
    if (worker["containers"].items().size() > 1) {
      add(key_or_value(worker["containers"]), "'workerSpec' has more than one container",
          "keep the container 'worker-container'");
    }
    for (const std::string_view size : {"pipelineParallelSize", "tensorParallelSize"}) {
      if (yaml::integer_of(worker.under(size)).value_or(1) >= 1) continue;
      add(worker.under(size), fmt::format("'{}' is less than 1", size), "write 1 or more");
    }
    if (predictor["model"].is_mapping()) check_model_of_workers(predictor["model"], worker);
  }

  void check_model_of_workers(const Node& model, const Node& worker) {
    for (const std::string_view name : {"PIPELINE_PARALLEL_SIZE", "TENSOR_PARALLEL_SIZE"}) {
      if (const Node& variable = k8s::item_named(model["env"], name)) {
        add(variable["name"], fmt::format("a model with 'workerSpec' must not set {}", name),
            "set the size in 'workerSpec'");
      }
    }
    const bool takes_oci = since({0, 16, 0});
    const Node& uri = model["storageUri"];
    const std::string_view scheme = uri.text().substr(0, uri.text().find("://"));
    if (!uri) {
      add(key_or_value(worker), "a model with 'workerSpec' needs a 'storageUri'",
          "add 'storageUri: pvc://CLAIM/PATH' to 'model'");
    } else if (!is_open(uri) && scheme != "pvc" && !(takes_oci && scheme == "oci")) {
      add(uri,
          fmt::format("a model with 'workerSpec' must be in a volume{}",
                      takes_oci ? " or an OCI image" : ""),
          fmt::format("write a URI that starts with 'pvc://'{}", takes_oci ? " or 'oci://'" : ""));
    }
    const std::string_view needed = takes_oci ? "none" : "external";
    const Node& autoscaler = object_.annotations().under(kAutoscalerClass);
    if (autoscaler.text() == needed || is_open(autoscaler)) return;
    add(autoscaler ? autoscaler : key_or_value(worker),
        fmt::format("'workerSpec' needs the autoscaler class '{}'", needed),
        fmt::format("set the annotation '{}: {}'", kAutoscalerClass, needed));
  }

  // Canaries.

  void check_canaries() {
    const auto canaries = spec_["canary"].items();
    if (canaries.empty()) return;
    const DeploymentMode mode = validated_mode();
    if (mode == DeploymentMode::knative) {
      add(key_or_value(spec_["canary"]), "a canary needs the deployment mode Standard",
          fmt::format("set the annotation '{}: Standard'", kDeploymentModeAnnotation));
    }
    std::set<std::string_view> names = {spec_["predictor"]["name"].text()};
    std::int64_t traffic = 0;
    for (const Node* canary : canaries) {
      check_canary(*canary, names);
      traffic += yaml::integer_of((*canary)["trafficPercent"]).value_or(0);
    }
    if (traffic > 100) {
      add(key_or_value(spec_["canary"]),
          fmt::format("the canaries get {} % of the traffic", traffic), "share out at most 100 %");
    }
  }

  void check_canary(const Node& canary, std::set<std::string_view>& names) {
    const Node& predictor = canary["predictor"];
    if (!predictor.is_mapping()) return;
    const Node& name = predictor["name"];
    if (name.text().empty()) {
      add(key_or_value(predictor), "the predictor of a canary needs a 'name'", "add 'name'");
    } else if (!is_open(name) && !names.insert(name.text()).second) {
      add(name, fmt::format("another predictor has the name '{}'", printable(name.text())),
          "write another name");
    }
    check_implementations("predictor", predictor);
    check_name_of_canary(predictor);
    for (const std::string_view field :
         {"workerSpec", "maxReplicas", "scaleTarget", "scaleMetric", "autoScaling"}) {
      const Node& value = predictor.under(field);
      if (!value || value.is_null() || (field == "maxReplicas" && value.text() == "0")) continue;
      add(key_or_value(value), fmt::format("a canary must not have '{}'", field), "remove it");
    }
    const std::int64_t least = yaml::integer_of(predictor["minReplicas"]).value_or(0);
    const std::int64_t stable = yaml::integer_of(spec_["predictor"]["minReplicas"]).value_or(1);
    if (least <= stable) return;
    add(predictor["minReplicas"],
        fmt::format("a canary has more replicas ({}) than the stable predictor ({})", least,
                    stable),
        fmt::format("write {} or less", stable));
  }

  /// The name becomes that of the container, in which KServe's pod webhook then finds no server.
  void check_name_of_canary(const Node& predictor) {
    const Node& name = framework_block(predictor)["name"];
    if (name.text().empty() || name.text() == kServingContainer || is_open(name)) return;
    found_.push_back({&name, fmt::format("its container is named '{}'", printable(name.text())),
                      fmt::format("remove 'name', or write '{}'", kServingContainer),
                      Rejection::Stage::pod_webhook});
  }

  const k8s::Object& object_;
  const Node& spec_;
  const ControllerContext& context_;
  const std::optional<Version>& release_;
  std::vector<Rejection> found_;
};

/// What KServe rejects in an LLMInferenceService.
class LlmValidation {
 public:
  LlmValidation(const k8s::Object& object, const ControllerContext& context)
      : object_(object), spec_(object.spec()), context_(context) {}

  std::vector<Rejection> result() && {
    check_scaling();
    for (const Node* reference : spec_["baseRefs"].items()) check_base((*reference)["name"]);
    check_model(spec_["model"]["uri"]);
    check_presets();
    return std::move(found_);
  }

 private:
  using Stage = Rejection::Stage;

  void check_presets() {
    if (!spec_["worker"].is_mapping() && !spec_["prefill"]["worker"].is_mapping()) return;
    const LlmSpec spec = llm_spec(object_, context_);
    const auto missing = std::ranges::find_if(
        spec.missing, [](const MissingConfig& each) { return !each.unshipped.empty(); });
    if (missing == spec.missing.end()) return;
    const Node& part = missing->part == LlmPart::prefill ? spec_["prefill"] : spec_;
    const Node& pipeline = part["parallelism"]["pipeline"];
    found_.push_back(
        {&key_or_value(pipeline ? pipeline : part["worker"]),
         fmt::format("workers with 'pipeline' need the preset '{}', which no release of KServe "
                     "ships, unless the cluster has an LLMInferenceServiceConfig of that name",
                     printable(missing->unshipped)),
         "set 'data' and 'dataLocal' instead, or create that LLMInferenceServiceConfig",
         Stage::controller, true});
  }

  void check_scaling() {
    const bool takes_keda = is_at_least(context_.version, kHeadRelease);
    const Node& scaling = spec_["scaling"];
    if (!scaling.is_mapping() || !scaling["wva"].is_empty()) return;
    if (takes_keda && !scaling["keda"].is_empty()) return;
    found_.push_back(
        {&key_or_value(scaling),
         takes_keda ? "'scaling' has neither 'wva' nor 'keda'" : "'scaling' has no 'wva'",
         takes_keda ? "add one of them, or write 'replicas'" : "add 'wva', or write 'replicas'",
         Stage::crd});
  }

  /// Reported only if the files have other configs, and never for a preset of KServe.
  void check_base(const Node& name) {
    constexpr std::string_view kObjectKind = "LLMInferenceServiceConfig";
    constexpr std::size_t kMaxNames = 100;
    const std::string_view text = name.text();
    if (text.empty() || is_open(name) || text.starts_with("kserve-config-llm-")) return;
    const auto known =
        context_.objects.names(object_.group(), kObjectKind, std::nullopt, kMaxNames);
    if (known.empty() ||
        context_.objects.contains(object_.group(), kObjectKind, std::nullopt, text))
      return;
    const auto like = nearest(text, known);
    found_.push_back(
        {&name,
         fmt::format("no known {} is named '{}', unless the cluster has one", kObjectKind,
                     printable(text)),
         like ? fmt::format("did you mean '{}'?", printable(*like))
              : "pass the cluster's with --cluster (kubectl get llminferenceserviceconfigs -A -o "
                "yaml)",
         Stage::controller, true});
  }

  void check_model(const Node& uri) {
    const Node& initializer = spec_["storageInitializer"]["enabled"];
    const bool loads_itself =
        initializer.is_scalar() && yaml::boolean_of(initializer.text()) == false;
    if (loads_itself || is_open(uri) || !spec_.is_mapping()) return;
    if (uri.text().empty()) {
      // An object with a template is more likely a patch or an example.
      if (!spec_["baseRefs"].is_empty() || !spec_["template"].is_empty()) return;
      found_.push_back(
          {&key_or_value(spec_["model"] ? spec_["model"] : spec_), "the object has no 'model.uri'",
           "add 'model: {uri: …}'; if this is a patch, list it in a kustomization.yaml",
           Stage::controller, true});
      return;
    }
    if (is_supported(uri.text(), kLlmSchemes, context_.version)) return;
    const std::string scheme = scheme_of(uri.text());
    found_.push_back({&uri,
                      scheme.empty() ? "the model's address has no scheme"
                                     : fmt::format("'{}' is not a scheme of a model", scheme),
                      "write a scheme such as 'hf://', 's3://', 'pvc://' or 'oci://'",
                      Stage::controller});
  }

  const k8s::Object& object_;
  const Node& spec_;
  const ControllerContext& context_;
  std::vector<Rejection> found_;
};

/// Up to 0.11, KServe runs InferenceGraphs on Knative only [K99].
std::vector<Rejection> rejections_of_graph(const k8s::Object& object,
                                           const ControllerContext& context) {
  const ModeOf mode = deployment_mode_of(object, context.default_mode, context.version);
  if (mode.mode != DeploymentMode::standard || is_at_least(context.version, {0, 12, 0})) return {};
  const Node& written = object.annotations().under(kDeploymentModeAnnotation);
  return {{written ? &written : &object["kind"],
           "KServe up to 0.11 does not support RawDeployment mode for InferenceGraph",
           "upgrade to KServe 0.12, or set the annotation to 'Serverless'",
           Rejection::Stage::controller}};
}

}  // namespace

std::string message_of(const Rejection& rejection) {
  const auto with = [&](std::string_view who) {
    return fmt::format("{}: {}", who, rejection.what);
  };
  switch (rejection.stage) {
    case Rejection::Stage::crd:
      return with("the API server rejects the object");
    case Rejection::Stage::webhook:
      return with("KServe's webhook rejects the object");
    case Rejection::Stage::controller:
      return with("KServe creates no pods");
    case Rejection::Stage::pod_webhook:
      return with("KServe's webhook rejects each pod");
  }
  return {};
}

std::vector<Rejection> rejections(const k8s::Object& object, const ControllerContext& context,
                                  bool webhooks_run) {
  std::vector<Rejection> found;
  if (object.is("serving.kserve.io", "InferenceService")) {
    found = Validation(object, context).result();
  } else if (object.is("serving.kserve.io", "LLMInferenceService")) {
    found = LlmValidation(object, context).result();
  } else if (object.is("serving.kserve.io", "InferenceGraph")) {
    found = rejections_of_graph(object, context);
  }
  using Stage = Rejection::Stage;
  std::erase_if(found, [&](const Rejection& rejection) {
    return !webhooks_run &&
           (rejection.stage == Stage::webhook || rejection.stage == Stage::pod_webhook);
  });
  return found;
}

}  // namespace cnsched::kserve

#include "core/kserve/pods.h"

#include <algorithm>
#include <array>

#include "core/kserve/child_name.h"
#include "core/kserve/go_template.h"
#include "core/kserve/llm_configs.h"
#include "core/kserve/storage_initializer.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

namespace {

using k8s::PodTemplate;
using yaml::Node;

/// One of the six fields of a spec that contain a core pod spec.
struct Section {
  std::string_view component;
  LlmRole role;
  std::array<std::string_view, 4> path;
};

constexpr auto kSections = std::to_array<Section>({
    {"template", LlmRole::serving, {"template"}},
    {"worker", LlmRole::worker, {"worker"}},
    {"prefill", LlmRole::prefill, {"prefill", "template"}},
    {"prefill worker", LlmRole::prefill_worker, {"prefill", "worker"}},
    {"scheduler", LlmRole::scheduler, {"router", "scheduler", "template"}},
    {"tokenizer", LlmRole::tokenizer, {"router", "scheduler", "tokenizer", "template"}},
});

const Node& section_of(const Node& spec, const Section& section) {
  const Node* node = &spec;
  for (const std::string_view step : section.path) {
    if (!step.empty()) node = &node->under(step);
  }
  return *node;
}

/// Whether KServe creates the pod from a preset that is not known.
bool comes_from_unknown_preset(const Section& section, const LlmService& service) {
  if (is_worker(section.role) || !service.spec.lacks_preset_of(part_of(section.role))) return false;
  return section.role != LlmRole::serving || service.merged["model"].is_mapping();
}

class Finisher {
 public:
  Finisher(const Node& pod, LlmRole role, const LlmService& service,
           const ControllerContext& context)
      : pod_(&pod), role_(role), service_(service), context_(context), arena_(context.arena) {}

  const Node& result() && {
    if (is_workload(role_)) add_managed_device();
    add_service_account();
    add_model();
    return *pod_;
  }

 private:
  void set(yaml::Key field, const Node& value) { pod_ = &yaml::with(arena_, *pod_, field, value); }

  /// The claim for the device class in an annotation [K42]. Source: managed_dra.go,
  /// injectManagedDRA.
  void add_managed_device() {
    constexpr std::string_view kClaim = "managed-device";
    const Node& device_class =
        service_.object.annotations()["serving.kserve.io/exp-dra-device-class"];
    if (device_class.is_missing()) return;
    const yaml::Entry name =
        yaml::entry_of(arena_, "name"_key, yaml::string_like(arena_, device_class, kClaim));
    const Node& claims = (*pod_)["resourceClaims"];
    if (!k8s::item_named(claims, kClaim)) {
      const Node& claim_template =
          yaml::string_like(arena_, device_class, child_name(service_.object.name, "-managed-dra"));
      const Node& claim = yaml::mapping_like(
          arena_, device_class,
          {name, yaml::entry_of(arena_, "resourceClaimTemplateName"_key, claim_template)});
      set("resourceClaims"_key, yaml::with_item(arena_, claims, claim));
    }
    add_to_container(yaml::mapping_like(arena_, device_class, {name}));
  }

  /// Adds the claim to the container that an annotation names, else to the first. Does nothing if
  /// no container has that name.
  void add_to_container(const Node& claim) {
    const Node& containers = (*pod_)["containers"];
    const std::string_view container_name =
        service_.object.annotations()["serving.kserve.io/exp-dra-container-name"].text();
    const Node& target =
        container_name.empty() ? containers.at(0) : k8s::item_named(containers, container_name);
    if (!target.is_mapping()) return;
    const Node& resources = target["resources"];
    if (k8s::item_named(resources["claims"], claim["name"].text())) return;
    const Node& with_claim =
        yaml::with(arena_, target, "resources"_key,
                   yaml::with(arena_, resources, "claims"_key,
                              yaml::with_item(arena_, resources["claims"], claim)));
    std::vector<const Node*> items(containers.items().begin(), containers.items().end());
    *std::ranges::find(items, &target) = &with_claim;
    set("containers"_key, yaml::sequence_like(arena_, containers, items));
  }

  void add_service_account() {
    if (const Node& account = service_account()) set("serviceAccountName"_key, account);
  }

  const Node& account_called(std::string_view suffix) {
    return yaml::string_like(arena_, service_.object["metadata"]["name"],
                             child_name(service_.object.name, suffix));
  }

  /// The service account that KServe sets, even if it is the spec's; a missing node if it sets
  /// none.
  const Node& service_account() {
    const Node& own = (*pod_)["serviceAccountName"];
    if (is_in_group(role_, service_)) return account_of_group();
    if (!own.text().empty()) return yaml::missing_node();
    if (role_ == LlmRole::scheduler) return account_called("-epp-sa");
    const bool routes = bool(k8s::item_named((*pod_)["initContainers"], "llm-d-routing-sidecar"));
    if (role_ == LlmRole::serving && routes) return account_called("-kserve");
    return yaml::missing_node();
  }

  /// The account that leader and workers share: the leader's, else the worker's, else one that
  /// KServe creates.
  const Node& account_of_group() {
    const Node& settings = settings_of(role_, service_);
    for (const std::string_view section : {"template", "worker"}) {
      const Node& account = settings.under(section)["serviceAccountName"];
      if (!account.text().empty()) return account;
    }
    return account_called(part_of(role_) == LlmPart::prefill ? "-kserve-mn-prefill" : "-kserve-mn");
  }

  /// Source: workload_storage.go, attachModelArtifacts [K70].
  void add_model() {
    const Node& enabled = service_.merged["storageInitializer"]["enabled"];
    if (enabled.is_scalar() && yaml::boolean_of(enabled.text()) == false) return;
    // A scheduler reads the model only in a tokenizer sidecar.
    const bool schedules = role_ == LlmRole::scheduler;
    const std::string_view container = schedules ? "tokenizer" : "main";
    if (schedules && !k8s::item_named((*pod_)["containers"], container)) return;
    StorageRequest storage{.object = &service_.object, .container = container};
    storage.uri = &service_.merged["model"]["uri"];
    if (is_workload(role_)) storage.adapters = &service_.merged["model"]["lora"]["adapters"];
    pod_ = &with_one_model(*pod_, storage, context_);
  }

  const Node* pod_;
  LlmRole role_;
  const LlmService& service_;
  const ControllerContext& context_;
  Arena& arena_;
};

/// `pod`, the merged spec of that role, with what KServe adds: the claim of a managed device, the
/// service account, the model.
const Node& finished_llm_pod(const Node& pod, LlmRole role, const LlmService& service,
                             const ControllerContext& context) {
  return Finisher(pod, role, service, context).result();
}

constexpr std::string_view kNotCopied = "serving.kserve.io/model-based-routing-enabled";

std::string_view name_suffix(LlmRole role, bool in_group) {
  switch (role) {
    case LlmRole::scheduler:
      return "-kserve-router-scheduler";
    case LlmRole::tokenizer:
      return "-tokenizer";
    case LlmRole::prefill:
    case LlmRole::prefill_worker:
      return in_group ? "-kserve-mn-prefill" : "-kserve-prefill";
    case LlmRole::serving:
    case LlmRole::worker:
      break;
  }
  return in_group ? "-kserve-mn" : "-kserve";
}

std::string_view component_label(LlmRole role, bool in_group) {
  switch (role) {
    case LlmRole::serving:
      return in_group ? "llminferenceservice-workload-leader" : "llminferenceservice-workload";
    case LlmRole::worker:
      return "llminferenceservice-workload-worker";
    case LlmRole::prefill:
      return in_group ? "llminferenceservice-workload-leader-prefill"
                      : "llminferenceservice-workload-prefill";
    case LlmRole::prefill_worker:
      return "llminferenceservice-workload-worker-prefill";
    case LlmRole::scheduler:
      return "llminferenceservice-router-scheduler";
    case LlmRole::tokenizer:
      break;
  }
  return "tokenizer";
}

std::string_view role_label(LlmRole role, const LlmService& service) {
  if (part_of(role) == LlmPart::prefill) return "prefill";
  const bool alone = role == LlmRole::serving && !service.merged["prefill"].is_mapping();
  return alone ? "both" : "decode";
}

/// The entries of `mapping` whose keys begin with one of `prefixes`: KServe copies only these from
/// the service's metadata to pods.
template <std::size_t N>
void add_with_prefix(yaml::Overlay& overlay, const Node& mapping,
                     const std::array<std::string_view, N>& prefixes) {
  for (const yaml::Entry& entry : yaml::entries_of(mapping)) {
    const bool passes = std::ranges::any_of(prefixes, [&](std::string_view prefix) {
      return !prefix.empty() && entry.key->text().starts_with(prefix);
    });
    if (passes) overlay.add(entry);
  }
}

const Node& labels_of(LlmRole role, const LlmService& service, Arena& arena) {
  constexpr auto kPrefixes =
      std::to_array<std::string_view>({"kueue.x-k8s.io", "internal.serving.kserve.io/localmodel"});
  const auto constant = [&](std::string_view text) -> const Node& {
    return yaml::string_like(arena, yaml::nowhere(), text);
  };
  yaml::Overlay labels(arena);
  labels.add("app.kubernetes.io/component"_key,
             constant(component_label(role, is_in_group(role, service))));
  labels.add("app.kubernetes.io/name"_key,
             yaml::string_like(arena, service.object["metadata"]["name"], service.object.name));
  labels.add("app.kubernetes.io/part-of"_key, constant("llminferenceservice"));
  if (is_workload(role)) {
    if (!is_worker(role) || !has_leader(role, service)) {
      labels.add("kserve.io/component"_key, constant("workload"));
      labels.add("llm-d.ai/role"_key, constant(role_label(role, service)));
    }
    add_with_prefix(labels, service.object.labels(), kPrefixes);
  }
  if (role != LlmRole::tokenizer) labels.add_all(settings_of(role, service)["labels"]);
  return labels.mapping(yaml::nowhere());
}

const Node& annotations_of(LlmRole role, const LlmService& service, Arena& arena) {
  const std::string_view group_only =
      is_in_group(role, service) ? "leaderworkerset.sigs.k8s.io" : "";
  const std::array<std::string_view, 5> prefixes = {
      "k8s.v1.cni.cncf.io", "kueue.x-k8s.io", "prometheus.io",
      "internal.serving.kserve.io/localmodel", group_only};
  yaml::Overlay annotations(arena);
  if (is_workload(role)) {
    add_with_prefix(annotations, service.object.annotations(), prefixes);
  }
  if (role != LlmRole::tokenizer) {
    for (const yaml::Entry& entry : yaml::entries_of(settings_of(role, service)["annotations"])) {
      if (entry.key->text() != kNotCopied) annotations.add(entry);
    }
  }
  return annotations.mapping(yaml::nowhere());
}

/// A number of pods, limited to what Kubernetes can store.
std::optional<std::int64_t> count_in(const Node& number) {
  constexpr std::int64_t kMaxInt32 = 2'147'483'647;
  const std::optional<std::int64_t> count = yaml::integer_of(number);
  if (!count) return std::nullopt;
  return std::clamp<std::int64_t>(*count, 0, kMaxInt32);
}

/// The number of pods of a group, its leader included.
std::int64_t group_size(const Node& parallelism) {
  const std::int64_t data = count_in(parallelism["data"]).value_or(0);
  const std::int64_t local = count_in(parallelism["dataLocal"]).value_or(0);
  if (data > 0 || local > 0) {
    return std::max<std::int64_t>(
        std::max<std::int64_t>(data, 1) / std::max<std::int64_t>(local, 1), 1);
  }
  return std::max<std::int64_t>(count_in(parallelism["pipeline"]).value_or(1), 1);
}

std::int64_t workers_in_group(LlmRole role, const LlmService& service) {
  const std::int64_t size = group_size(settings_of(role, service)["parallelism"]);
  return has_leader(role, service) ? size - 1 : size;
}

std::int64_t replicas_of(LlmRole role, const LlmService& service) {
  const Node& settings = settings_of(role, service);
  std::optional<std::int64_t> count = count_in(settings["replicas"]);
  if (!count && is_workload(role)) count = count_in(settings["scaling"]["minReplicas"]);
  return count.value_or(1) * (is_worker(role) ? workers_in_group(role, service) : 1);
}

std::optional<k8s::NeverCreated> never_created(LlmRole role, const LlmService& service) {
  if (!is_workload(role) && has_own_pool(service.merged["router"]["scheduler"])) {
    return k8s::NeverCreated{
        "router.scheduler.pool.ref names an InferencePool, so KServe runs no scheduler",
        k8s::NeverCreated::By::intent};
  }
  if (is_worker(role) && workers_in_group(role, service) == 0) {
    return k8s::NeverCreated{"parallelism leaves each group with one pod, the leader"};
  }
  return std::nullopt;
}

/// Sets the pod's name, labels, annotations and replicas as KServe and its controllers do [K69,
/// K75]. Source: kserve pkg/controller/v1alpha2/llmisvc/{workload_single_node,
/// workload_multi_node,scheduler,tokenizer}.go.
void set_llm_metadata(PodTemplate& pod, LlmRole role, const LlmService& service, Arena& arena) {
  pod.name = child_name(service.object.name, name_suffix(role, is_in_group(role, service)));
  pod.labels = &labels_of(role, service, arena);
  pod.annotations = &annotations_of(role, service, arena);
  pod.replicas = replicas_of(role, service);
  pod.never_created = never_created(role, service);
}

PodTemplate pod_of(const Section& section, const Node& merged, const LlmService& service,
                   const AdmittedService& admitted, const ControllerContext& context) {
  const Node& spec = admitted.written.spec();
  const Node& own = section_of(spec, section);
  PodTemplate pod = k8s::plain_pod(std::string(section.component),
                                   finished_llm_pod(merged, section.role, service, context),
                                   own.is_mapping() ? own : spec);
  pod.own = k8s::PodSpec(own);
  for (const k8s::Object* config : service.spec.configs) {
    const Node& base = section_of(config->spec(), section);
    if (base.is_mapping()) pod.bases.push_back({config, k8s::PodSpec(base)});
  }
  for (const MissingConfig& config : service.spec.missing) {
    if (config.part == LlmPart::any || config.part == part_of(section.role)) {
      pod.unknown.push_back(config.unknown);
    }
  }
  if (section.role == LlmRole::serving) add_profile(admitted, pod);
  set_llm_metadata(pod, section.role, service, context.arena);
  return pod;
}

/// By default, KServe does not use TLS between its own pods.
bool uses_tls(const ControllerContext& context) {
  return context.config.find("ingress/enableLLMInferenceServiceTLS", context.arena).text() ==
         "true";
}

}  // namespace

std::vector<PodTemplate> llm_inference_service_pods(const AdmittedService& admitted,
                                                    const ControllerContext& context) {
  const k8s::Object& object = admitted.object;
  if (!object.spec().is_mapping()) return {};
  LlmSpec spec = llm_spec(object, context);
  const Node& merged = filled(*spec.merged, {object, uses_tls(context)}, context.arena);
  const LlmService service{object, std::move(spec), merged};
  std::vector<PodTemplate> pods;
  for (const Section& section : kSections) {
    if (section.role == LlmRole::tokenizer && !is_at_least(context.version, kHeadRelease)) continue;
    if (const Node& pod = section_of(merged, section); pod.is_mapping()) {
      pods.push_back(pod_of(section, pod, service, admitted, context));
    } else if (comes_from_unknown_preset(section, service)) {
      const Node& empty = yaml::mapping_like(context.arena, object.spec(), {});
      pods.push_back(pod_of(section, empty, service, admitted, context));
    }
  }
  return pods;
}

std::vector<PodTemplate> llm_inference_service_fragments(const k8s::Object& object) {
  std::vector<PodTemplate> pods;
  for (const Section& section : kSections) {
    const Node& spec = section_of(object.spec(), section);
    if (!spec.is_mapping()) continue;
    pods.push_back(k8s::pod_fragment(std::string(section.component), spec, spec));
  }
  return pods;
}

}  // namespace cnsched::kserve

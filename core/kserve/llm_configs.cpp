#include "core/kserve/llm_configs.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/k8s/struct_merge.h"
#include "core/yaml/scalar.h"

namespace cnsched::kserve {

namespace {

using k8s::Object;
using yaml::Node;

/// A config that KServe's controller looks up by name.
struct Preset {
  std::string name;  ///< without KServe's prefix
  LlmPart part;
  bool shipped = true;  ///< by KServe; otherwise the user must create it
};

/// Whether the scheduler's inline configuration lists a plugin.
bool has_plugin(const Node& scheduler, std::string_view type) {
  const auto plugins = scheduler["config"]["inline"]["plugins"].items();
  return std::ranges::any_of(plugins,
                             [&](const Node* plugin) { return (*plugin)["type"].text() == type; });
}

bool is_positive(const Node& number) { return yaml::integer_of(number).value_or(0) > 0; }

void add_scheduler_presets(const Node& scheduler, const std::optional<Version>& release,
                           std::vector<Preset>& presets) {
  if (!scheduler.is_mapping()) return;
  if (!has_own_pool(scheduler)) presets.push_back({"config-llm-scheduler", LlmPart::scheduler});
  const bool tokenizes = scheduler["tokenizer"].is_mapping() ||
                         has_plugin(scheduler, "token-producer") ||
                         has_plugin(scheduler, "precise-prefix-cache-scorer");
  if (tokenizes && is_at_least(release, kHeadRelease)) {
    presets.push_back({"config-llm-tokenizer", LlmPart::tokenizer});
  }
  if (has_plugin(scheduler, "predicted-latency-producer")) {
    presets.push_back({"config-llm-scheduler-latency-predictor", LlmPart::scheduler});
  }
}

/// The preset for the `template` and `worker` in `workload`.
void add_workload_preset(const Node& workload, std::string_view role, LlmPart part,
                         std::vector<Preset>& presets) {
  const std::string prefix = fmt::format("config-llm-{}", role);
  const Node& parallelism = workload["parallelism"];
  if (!workload["worker"].is_mapping()) {
    presets.push_back({prefix + "template", part});
  } else if (is_positive(parallelism["data"]) || is_positive(parallelism["dataLocal"])) {
    presets.push_back({prefix + "worker-data-parallel", part});
  } else if (is_positive(parallelism["pipeline"])) {
    presets.push_back({prefix + "worker-pipeline-parallel", part, false});
  }
}

std::vector<Preset> presets_for(const Node& spec, const std::optional<Version>& release) {
  std::vector<Preset> presets;
  add_scheduler_presets(spec["router"]["scheduler"], release, presets);
  const Node& prefill = spec["prefill"];
  if (prefill.is_mapping()) add_workload_preset(prefill, "prefill-", LlmPart::prefill, presets);
  add_workload_preset(spec, prefill.is_mapping() ? "decode-" : "", LlmPart::decode, presets);
  return presets;
}

/// The name under which KServe looks up the preset. KServe records it in the status when it first
/// reconciles the service.
std::string name_of(const Preset& preset, const Object& service) {
  const Node& pinned =
      service["status"]["annotations"].under(fmt::format("serving.kserve.io/{}", preset.name));
  return pinned.text().empty() ? "kserve-" + preset.name : std::string(pinned.text());
}

class Combiner {
 public:
  Combiner(const Object& service, const ControllerContext& context)
      : service_(service), context_(context) {}

  LlmSpec result() && {
    find_base_refs();
    // The service's fields select the presets. KServe checks the spec with the configs merged over
    // it, not under it; the set of fields is the same.
    const Node* requested = &service_.spec();
    for (const Object* config : base_refs_) requested = &merge(*requested, config->spec());
    for (const Preset& preset : presets_for(*requested, context_.version)) add_preset(preset);
    spec_.configs.insert(spec_.configs.end(), base_refs_.begin(), base_refs_.end());
    const Node* merged = &yaml::missing_node();
    for (const Object* config : spec_.configs) merged = &merge(*merged, config->spec());
    spec_.merged = &merge(*merged, service_.spec());
    return std::move(spec_);
  }

 private:
  const Object* find(std::string_view name) const {
    const k8s::ObjectIndex& objects = context_.objects;
    const auto found_in = [&](const k8s::Namespace& ns) {
      return objects.find(service_.group(), "LLMInferenceServiceConfig", ns, name, service_);
    };
    if (const Object* own = found_in(service_.ns)) return own;
    // Where KServe is installed, its ConfigMap is.
    const Object* settings =
        objects.find("", "ConfigMap", std::nullopt, "inferenceservice-config", service_);
    if (settings != nullptr && settings->ns.is_known()) return found_in(settings->ns);
    const Object* found = nullptr;
    for (const std::string_view ns : {"kserve", "opendatahub", "redhat-ods-applications"}) {
      if (found == nullptr) found = found_in({ns});
    }
    return found;
  }

  const Node& merge(const Node& base, const Node& patch) const {
    if (!patch.is_mapping()) return base;
    if (base.is_missing()) return patch;
    return k8s::strategic_merge(context_.arena, base, patch, "LLMInferenceServiceSpec");
  }

  void find_base_refs() {
    // Each one costs a merge, and a config may be large.
    constexpr std::size_t kMaxBaseRefs = 16;
    const auto refs = service_.spec()["baseRefs"].items();
    for (std::size_t i = 0; i < std::min(refs.size(), kMaxBaseRefs); ++i) {
      const std::string_view name = (*refs[i])["name"].text();
      if (name.empty()) continue;
      if (const Object* config = find(name)) {
        base_refs_.push_back(config);
      } else {
        add_missing(LlmPart::any, fmt::format("LLMInferenceServiceConfig '{}'", name),
                    k8s::Unknown::Kind::named);
      }
    }
    if (refs.size() > kMaxBaseRefs) {
      add_missing(LlmPart::any, fmt::format("what baseRefs beyond the first {} add", kMaxBaseRefs),
                  k8s::Unknown::Kind::named);
    }
  }

  void add_preset(const Preset& preset) {
    const std::string name = name_of(preset, service_);
    if (const Object* config = find(name)) {
      spec_.configs.push_back(config);
    } else if (preset.shipped) {
      add_missing(preset.part, fmt::format("KServe's preset '{}'", name),
                  k8s::Unknown::Kind::chosen);
    } else {
      add_missing(
          preset.part,
          fmt::format("LLMInferenceServiceConfig '{}' (KServe ships none of that name)", name),
          k8s::Unknown::Kind::chosen);
      spec_.missing.back().unshipped = name;
    }
  }

  void add_missing(LlmPart part, std::string what, k8s::Unknown::Kind kind) {
    spec_.missing.push_back(
        {part, {.what = std::move(what), .kind = kind, .fact = k8s::Unknown::Fact::llm_configs}});
  }

  const Object& service_;
  const ControllerContext& context_;
  std::vector<const Object*> base_refs_;
  LlmSpec spec_;
};

/// A degree of parallelism: 1 if it is not set, nothing if it is not valid.
std::optional<std::int64_t> degree_in(const yaml::Node& value) {
  constexpr std::int64_t kMaxSize = 100'000;  // products cannot overflow
  if (!value) return 1;
  const auto number = yaml::integer_of(value);
  if (!number || *number < 1 || *number > kMaxSize) return std::nullopt;
  return number;
}

}  // namespace

bool LlmSpec::lacks_preset_of(LlmPart part) const {
  return std::ranges::any_of(missing,
                             [&](const MissingConfig& config) { return config.part == part; });
}

LlmSpec llm_spec(const Object& service, const ControllerContext& context) {
  return Combiner(service, context).result();
}

bool has_own_pool(const Node& scheduler) {
  return !scheduler["pool"]["ref"]["name"].text().empty();
}

LlmPart part_of(LlmRole role) {
  switch (role) {
    case LlmRole::serving:
    case LlmRole::worker:
      return LlmPart::decode;
    case LlmRole::prefill:
    case LlmRole::prefill_worker:
      return LlmPart::prefill;
    case LlmRole::scheduler:
      return LlmPart::scheduler;
    case LlmRole::tokenizer:
      return LlmPart::tokenizer;
  }
  return LlmPart::any;
}

bool is_workload(LlmRole role) {
  return part_of(role) == LlmPart::decode || part_of(role) == LlmPart::prefill;
}

bool is_worker(LlmRole role) { return role == LlmRole::worker || role == LlmRole::prefill_worker; }

const yaml::Node& settings_of(LlmRole role, const LlmService& service) {
  const yaml::Node& scheduler = service.merged["router"]["scheduler"];
  switch (part_of(role)) {
    case LlmPart::prefill:
      return service.merged["prefill"];
    case LlmPart::scheduler:
      return scheduler;
    case LlmPart::tokenizer:
      return scheduler["tokenizer"];
    case LlmPart::any:
    case LlmPart::decode:
      break;
  }
  return service.merged;
}

bool is_in_group(LlmRole role, const LlmService& service) {
  return is_workload(role) && settings_of(role, service)["worker"].is_mapping();
}

bool has_leader(LlmRole role, const LlmService& service) {
  return settings_of(role, service)["template"].is_mapping() ||
         service.spec.lacks_preset_of(part_of(role));
}

std::optional<VllmGpus> vllm_gpus_per_pod(const yaml::Node& settings,
                                          const std::optional<Version>& release) {
  const yaml::Node& parallelism = settings["parallelism"];
  const yaml::Node& tensor = parallelism["tensor"];
  const yaml::Node& local = parallelism["dataLocal"];
  // The presets for one node use only the tensor parallelism.
  const bool has_workers = settings["worker"].is_mapping();
  if ((local || parallelism["data"]) && !has_workers) return std::nullopt;
  const auto by_tensor = degree_in(tensor);
  const auto by_data = degree_in(local);
  if ((!tensor && !local) || !by_tensor || !by_data) return std::nullopt;
  const yaml::Node& pipeline = parallelism["pipeline"];
  const bool passes_tensor = has_workers || is_at_least(release, {0, 20, 0});
  return VllmGpus{passes_tensor ? *by_tensor * *by_data : 1, &tensor, &local,
                  !has_workers && degree_in(pipeline) > 1 ? &pipeline : nullptr, passes_tensor};
}

}  // namespace cnsched::kserve

#include "core/base/text.h"
#include "core/k8s/pod_spec.h"
#include "core/seldon/pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "core/seldon/pod_merge.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"

namespace cnsched::seldon {

namespace {

using k8s::Object;
using k8s::PodTemplate;
using yaml::Node;

bool is_disabled(const Node& override) {
  const Node& disable = override["disable"];
  return disable.is_scalar() && !disable.quoted && yaml::boolean_of(disable.text()) == true;
}

/// A component of a SeldonRuntime that shares its work out by Models or Pipelines.
struct LimitedComponent {
  std::string_view name;
  std::string_view kind;
  std::string_view variable;  ///< that replaces the largest number of consumers; may be empty
};

constexpr auto kLimited = std::to_array<LimitedComponent>(
    {{"seldon-dataflow-engine", "Pipeline", ""},
     {"seldon-pipelinegateway", "Pipeline", "PIPELINEGATEWAY_MAX_NUM_CONSUMERS"},
     {"seldon-modelgateway", "Model", "MODELGATEWAY_MAX_NUM_CONSUMERS"}});

const LimitedComponent* find_limited(std::string_view name) {
  const auto* found = std::ranges::find(kLimited, name, &LimitedComponent::name);
  return found == kLimited.end() ? nullptr : found;
}

/// The variable of the first container, if it is a number, else the default.
std::int64_t most_consumers(std::string_view variable, const Node& pod_spec) {
  constexpr std::int64_t kDefault = 100;
  const Node& variables = pod_spec["containers"].at(0)["env"];
  const std::string_view text = k8s::item_named(variables, variable)["value"].text();
  const auto number = whole_number<std::int64_t>(text);
  return number && *number > 0 ? *number : kDefault;
}

/// The kind of the objects that limit the replicas of a SeldonRuntime's component: "Model" or
/// "Pipeline"; empty if nothing does [S66]. Source: seldon-core v2
/// operator/controllers/reconcilers/seldon/runtime_reconciler.go.
std::string_view limiting_kind(std::string_view component) {
  const LimitedComponent* limited = find_limited(component);
  return limited == nullptr ? std::string_view() : limited->kind;
}

/// The most replicas that the operator gives such a component in a namespace with `count` objects
/// of the kind. `pod_spec` is the component's, `pipelines` is `config.scalingConfig.pipelines`.
std::int64_t most_replicas(std::string_view component, std::int64_t count, const Node& pod_spec,
                           const Node& pipelines) {
  if (count == 0) return 1;
  const std::int64_t written = yaml::integer_of(pipelines["maxShardCountMultiplier"]).value_or(0);
  const std::int64_t shards =
      pipelines.is_mapping() ? std::clamp<std::int64_t>(written, 0, INT32_MAX) : 1;
  const std::string_view variable = find_limited(component)->variable;
  return shards * std::min(count, most_consumers(variable, pod_spec));
}

/// One SeldonRuntime and its SeldonConfig, if known.
class RuntimePods {
 public:
  RuntimePods(const Object& runtime, const Object* config, const k8s::ObjectIndex& objects,
              Arena& arena)
      : runtime_(runtime), config_(config), objects_(objects), arena_(arena) {
    for (const Node* override : overrides().items()) {
      last_of_name_.insert_or_assign(name_of(*override), override);
    }
  }

  std::vector<PodTemplate> make() {
    if (config_ != nullptr) add_components();
    for (std::size_t i = 0; i < overrides().items().size(); ++i) {
      const Node& override = *overrides().items()[i];
      if (override["podSpec"].is_mapping()) add_override(override, i);
    }
    return std::move(pods_);
  }

 private:
  void add_components() {
    const Node& components = config_->spec()["components"];
    for (std::size_t i = 0; i < components.items().size(); ++i) {
      const Node& component = *components.items()[i];
      if (!component.is_mapping()) continue;
      const auto override = last_of_name_.find(name_of(component));
      if (override == last_of_name_.end()) {
        add_component(component, i, yaml::missing_node());
      } else {
        add_component(component, i, *override->second);
        used_.insert(override->first);
      }
    }
  }

  void add_component(const Node& component, std::size_t index, const Node& override) {
    const Node& own = override["podSpec"];
    const Node& base = component["podSpec"];
    if (!base.is_mapping() && !own.is_mapping()) return;
    const Node& name = component["name"];
    const Node& claims = component["volumeClaimTemplates"];
    const Node& merged =
        merge_pod_specs(arena_, stored_config(arena_, base), stored_override(arena_, own));
    const Node& written = own.is_mapping() ? own : override ? override : runtime_.spec();
    PodTemplate& pod = pods_.emplace_back(
        k8s::plain_pod(item_name("component", component, index),
                       with_claims(arena_, merged, claims, name.text()), written));
    pod.own = k8s::PodSpec(own);
    pod.name = name.text();
    pod.labels = &labels(component);
    pod.annotations = &metadata("annotations", component).result();
    pod.claim_templates = &claims;
    pod.bases.push_back({config_, k8s::PodSpec(base)});
    scale(pod, override);
    if (!base.is_mapping()) {
      pod.never_created = k8s::NeverCreated{"the component has no podSpec in the SeldonConfig"};
    }
  }

  const Node& labels(const Node& component) const {
    const Node& name = component["name"];
    MetadataMap labels = metadata("labels", component);
    labels.set("app.kubernetes.io/name"_key, name);
    const bool in_stateful_set = !component["volumeClaimTemplates"].items().empty();
    if (name && in_stateful_set) set_identity(labels, name);
    return labels.result();
  }

  /// Labels or annotations of both objects and the component.
  MetadataMap metadata(std::string_view field, const Node& component) const {
    MetadataMap all(arena_);
    all.add_without_bookkeeping((*config_)["metadata"].under(field));
    all.add_without_bookkeeping(runtime_["metadata"].under(field));
    all.add_without_bookkeeping(component.under(field));
    return all;
  }

  /// Adds an override for which no component is known.
  void add_override(const Node& override, std::size_t index) {
    const std::string_view name = name_of(override);
    const bool last = last_of_name_.at(name) == &override;
    if (last && used_.contains(name)) return;
    const bool alone = config_ == nullptr && last && !name.empty();
    const Node& own = override["podSpec"];
    PodTemplate& pod = pods_.emplace_back(
        k8s::plain_pod(item_name(alone ? "component" : "override", override, index),
                       stored_override(arena_, own), own));
    pod.own = k8s::PodSpec(own);
    pod.name = name;
    scale(pod, override);
    if (config_ == nullptr) add_missing_config(pod);
    if (!last) {
      pod.never_created = k8s::NeverCreated{"a later override has the same name"};
    } else if (config_ != nullptr) {
      pod.never_created = k8s::NeverCreated{
          fmt::format("SeldonConfig '{}' has no component of that name", config_->name)};
    }
  }

  void add_missing_config(PodTemplate& pod) const {
    const std::string_view config = runtime_.spec()["seldonConfig"].text();
    if (config.empty()) {
      pod.never_created = k8s::NeverCreated{"'seldonConfig' is missing"};
    } else {
      pod.unknown.push_back({fmt::format("SeldonConfig '{}'", config), k8s::Unknown::Kind::named});
    }
  }

  void scale(PodTemplate& pod, const Node& override) const {
    pod.replicas = yaml::integer_of(override["replicas"]).value_or(1);
    if (*pod.replicas > 1) pod.replicas = limited(*pod.replicas, pod);
    if (!is_disabled(override)) return;
    pod.replicas = 0;
    pod.never_created =
        k8s::NeverCreated{"the override disables it", k8s::NeverCreated::By::intent};
  }

  /// `replicas`, lowered by the number of Models or Pipelines of the namespace. If those are more
  /// than the known ones, the operator lowers it less.
  std::int64_t limited(std::int64_t replicas, const PodTemplate& component) const {
    const std::string_view kind = limiting_kind(component.name);
    if (kind.empty()) return replicas;
    constexpr std::size_t kMaxObjects = 1'000;
    const std::size_t count =
        objects_.names(runtime_.group(), kind, runtime_.ns, kMaxObjects).size();
    const Node& scaling = pipeline_scaling();
    const bool is_known = count == 0 || config_ != nullptr || scaling.is_mapping();
    if (!is_known || count > kMaxObjects) return replicas;
    return std::min(replicas, most_replicas(component.name, static_cast<std::int64_t>(count),
                                            component.pod.node(), scaling));
  }

  const Node& pipeline_scaling() const {
    const auto in = [](const Object& object) -> const Node& {
      return object.spec()["config"]["scalingConfig"]["pipelines"];
    };
    const Node& own = in(runtime_);
    return own.is_mapping() || config_ == nullptr ? own : in(*config_);
  }

  const Node& overrides() const { return runtime_.spec()["overrides"]; }
  static std::string_view name_of(const Node& item) { return item["name"].text(); }

  const Object& runtime_;
  const Object* config_;
  const k8s::ObjectIndex& objects_;
  Arena& arena_;
  std::unordered_map<std::string_view, const Node*> last_of_name_;
  std::unordered_set<std::string_view> used_;
  std::vector<PodTemplate> pods_;
};

}  // namespace

std::vector<PodTemplate> seldon_config_fragments(const Object& config) {
  std::vector<PodTemplate> pods;
  const Node& components = config.spec()["components"];
  for (std::size_t i = 0; i < components.items().size(); ++i) {
    const Node& component = *components.items()[i];
    const Node& spec = component["podSpec"];
    if (!spec.is_mapping()) continue;
    pods.push_back(k8s::pod_fragment(item_name("component", component, i), spec, spec));
  }
  return pods;
}

std::vector<PodTemplate> seldon_runtime_pods(const Object& runtime, const k8s::ObjectIndex& objects,
                                             Arena& arena) {
  const std::string_view name = runtime.spec()["seldonConfig"].text();
  // The operator searches its own namespace, which no manifest states.
  const Object* config =
      name.empty() ? nullptr
                   : objects.find(runtime.group(), "SeldonConfig", std::nullopt, name, runtime);
  return RuntimePods(runtime, config, objects, arena).make();
}

}  // namespace cnsched::seldon

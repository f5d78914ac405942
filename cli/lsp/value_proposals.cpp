#include "cli/lsp/proposals.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "core/accelerators/catalogue.h"
#include "core/accelerators/vocabulary.h"
#include "core/base/text.h"
#include "core/facts/known_pools.h"
#include "core/k8s/label.h"
#include "core/kserve/deployment_mode.h"
#include "core/kserve/hardware_profile.h"
#include "core/kserve/knative_features.h"
#include "core/kserve/replicas.h"
#include "core/kserve/shipped_runtimes.h"
#include "core/seldon/shipped.h"
#include "core/workspace/model_servers.h"
#include "core/workspace/toleration_change.h"
#include "core/yaml/scalar.h"
#include "rules/engine/ignore.h"

namespace cnsched::cli::lsp {

namespace {

using yaml::Node;

constexpr std::string_view kKServe = "serving.kserve.io";
constexpr std::string_view kSeldon = "mlops.seldon.io";
/// Ranks of proposals.
constexpr int kOfCluster = 0;
constexpr int kOfCatalogue = 1;

/// What a source of proposals works on.
struct KnownContext {
  const ClusterScope& scope;
  const facts::ClusterFacts& facts;
  Proposals& proposals;
  /// The kind of objects that the place names, if the row has one.
  std::string_view group{};
  std::string_view kind{};

  const CompletionPlace& place() const { return proposals.place(); }
  const k8s::Object& object() const { return place().object(); }
  /// The entry beside the node, of one mapping.
  const Node& beside(std::string_view key) const {
    const Node* parent = place().node().parent();
    return parent == nullptr ? yaml::missing_node() : parent->under(key);
  }
  void add(std::string_view word, int rank, auto describe) const {
    if (!proposals.wants(word)) return;
    proposals.add_value({.word = word, .detail = describe(), .rank = rank});
  }
  void add_all(std::span<const std::string_view> words, int rank, std::string_view detail) const {
    for (const std::string_view word : words) {
      add(word, rank, [&] { return std::string(detail); });
    }
  }
};

// Labels of nodes.

void add_label_key(std::string_view key, int rank, const std::string& detail,
                   const KnownContext& context, bool is_key) {
  const k8s::DeprecatedNodeLabel* deprecated = k8s::find_deprecated_node_label(key);
  Proposal proposal{.word = key,
                    .detail = detail,
                    .kind = is_key ? ProposalKind::property : ProposalKind::value,
                    .rank = rank,
                    .deprecated = deprecated != nullptr &&
                                  deprecated->owner == k8s::DeprecatedNodeLabel::Owner::kubernetes};
  if (is_key) {
    context.proposals.add_key(std::move(proposal));
  } else {
    context.proposals.add_value(std::move(proposal));
  }
}

void add_label_keys(const KnownContext& context, bool is_key) {
  const auto add = [&](std::string_view key, int rank, auto describe) {
    if (context.proposals.wants(key)) add_label_key(key, rank, describe(), context, is_key);
  };
  for (const facts::NodePool& pool : context.facts.pools) {
    const auto of_pool = [&] { return "label of " + described(pool); };
    for (const k8s::Label& label : pool.labels) add(label.key, kOfCluster, of_pool);
    for (const k8s::Requirement& r : pool.scaling.requirements) add(r.key, kOfCluster, of_pool);
  }
  for (const std::string_view key : accelerators::known_label_keys()) {
    add(key, kOfCatalogue, [&] {
      const accelerators::NodeLabel* label = accelerators::find_label(key);
      return label == nullptr ? std::string() : fmt::format("set by {}", label->set_by);
    });
  }
  for (const k8s::DeprecatedNodeLabel& label : k8s::deprecated_node_labels()) {
    add(label.current, kOfCatalogue, [] { return std::string("label of nodes"); });
  }
  for (const std::string_view key : k8s::kPoolLabels) {
    add(key, kOfCatalogue, [] { return std::string("names the node's pool"); });
  }
}

void label_keys(const KnownContext& context) { add_label_keys(context, true); }
void label_keys_as_values(const KnownContext& context) { add_label_keys(context, false); }

void add_label_values(std::string_view key, const KnownContext& context) {
  for (const facts::NodePool& pool : context.facts.pools) {
    const auto of_pool = [&] { return "value of " + described(pool); };
    for (const k8s::Label& label : pool.labels) {
      if (label.key == key) context.add(label.value, kOfCluster, of_pool);
    }
    for (const k8s::Requirement& r : pool.scaling.requirements) {
      if (r.key != key || r.op != "In") continue;
      for (const Node* value : r.values) context.add(value->text(), kOfCluster, of_pool);
    }
    if (!k8s::is_instance_type_label(key)) continue;
    for (const std::string_view type : pool.scaling.instance_types) {
      context.add(type, kOfCluster, of_pool);
    }
  }
  for (const std::string_view value : accelerators::known_values(key)) {
    context.add(value, kOfCatalogue, [] { return std::string(); });
  }
}

void selected_values(const KnownContext& context) {
  add_label_values(context.place().steps().back(), context);
}

/// The node is an item of `values`, or the list itself.
void listed_values(const KnownContext& context) {
  const Node* list = &context.place().node();
  if (!context.proposals.begins_item()) list = list->parent();
  if (list->parent() == nullptr) return;
  add_label_values((*list->parent())["key"].text(), context);
}

void node_operators(const KnownContext& context) {
  static constexpr auto kOperators =
      std::to_array<std::string_view>({"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"});
  context.add_all(kOperators, kOfCluster, "");
}

void label_operators(const KnownContext& context) {
  static constexpr auto kOperators =
      std::to_array<std::string_view>({"In", "NotIn", "Exists", "DoesNotExist"});
  context.add_all(kOperators, kOfCatalogue, "");
}

// Resources.

void resource_names(const KnownContext& context) {
  const auto add = [&](std::string_view name, int rank, auto describe) {
    if (!context.proposals.wants(name)) return;
    context.proposals.add_key(
        {.word = name, .detail = describe(), .kind = ProposalKind::property, .rank = rank});
  };
  for (const std::string_view name : {"cpu", "memory", "ephemeral-storage"}) {
    add(name, kOfCluster, [] { return std::string("resource of every node"); });
  }
  for (const facts::NodePool& pool : context.facts.pools) {
    const auto of_pool = [&] { return "resource of " + described(pool); };
    for (const yaml::Entry& entry : pool.allocatable->entries()) {
      if (accelerators::is_accelerator(entry.key->text())) {
        add(entry.key->text(), kOfCluster, of_pool);
      }
    }
    for (const facts::PoolResource& each : pool.offered) {
      if (accelerators::is_accelerator(each.name)) add(each.name, kOfCluster, of_pool);
    }
  }
  for (const accelerators::Resource& resource : accelerators::resources()) {
    if (resource.is_prefix) continue;
    add(resource.name, kOfCatalogue, [&] {
      return fmt::format("accelerator resource, {}", accelerators::name_of(resource.vendor));
    });
  }
}

// Taints and tolerations.

/// A toleration with all of its fields, for an item without any.
void add_toleration(const k8s::Taint& taint, const facts::NodePool& pool,
                    const KnownContext& context) {
  const std::string label = to_string(taint);
  const k8s::Toleration toleration = toleration_of(taint);
  if (!context.proposals.wants(label) || !can_be_written(toleration)) return;
  const bool in_flow = context.place().is_in_flow();
  std::vector<std::string> entries;
  const auto add = [&](std::string_view field, std::string_view value) {
    if (value.empty()) return;
    entries.push_back(
        fmt::format("{}: {}", field,
                    in_flow ? yaml::quoted_for_flow(value, false) : yaml::quoted_for_yaml(value)));
  };
  add("key", toleration.key);
  add("operator", toleration.op);
  add("value", toleration.value);
  add("effect", toleration.effect);
  const std::string separator = in_flow ? ", " : context.proposals.next_line();
  context.proposals.add_key({.word = label,
                             .detail = "tolerates the taint of " + described(pool),
                             .shape = Shape::text,
                             .rank = kOfCluster,
                             .text = fmt::format("{}", fmt::join(entries, separator))});
}

void whole_tolerations(const KnownContext& context) {
  const CompletionPlace& place = context.place();
  const bool is_new = context.proposals.begins_item() || place.node().entries().size() == 1;
  if (!is_new) return;
  for (const facts::NodePool& pool : context.facts.pools) {
    for (const k8s::Taint& taint : pool.taints) {
      if (taint.repels() && !taint.key.empty()) add_toleration(taint, pool, context);
    }
  }
}

void taint_keys(const KnownContext& context) {
  for (const facts::NodePool& pool : context.facts.pools) {
    for (const k8s::Taint& taint : pool.taints) {
      context.add(taint.key, kOfCluster, [&] { return "taint of " + described(pool); });
    }
  }
  for (const accelerators::DevicePlugin& plugin : accelerators::plugins()) {
    context.add(plugin.tolerated_taint, kOfCatalogue,
                [&] { return fmt::format("{} tolerates it", plugin.name); });
  }
}

/// Adds a part of the taints that have the key beside it, if there is one.
void add_taint_parts(std::string_view k8s::Taint::*part, const KnownContext& context) {
  const std::string_view key = context.beside("key").text();
  for (const facts::NodePool& pool : context.facts.pools) {
    for (const k8s::Taint& taint : pool.taints) {
      if (!key.empty() && taint.key != key) continue;
      context.add(taint.*part, kOfCluster, [&] {
        return fmt::format("taint '{}' of {}", to_string(taint), described(pool));
      });
    }
  }
}

void taint_values(const KnownContext& context) { add_taint_parts(&k8s::Taint::value, context); }

void taint_effects(const KnownContext& context) {
  if (!context.beside("key").text().empty()) add_taint_parts(&k8s::Taint::effect, context);
  static constexpr auto kEffects =
      std::to_array<std::string_view>({k8s::kNoSchedule, k8s::kPreferNoSchedule, k8s::kNoExecute});
  context.add_all(kEffects, kOfCatalogue, "effect of a taint");
}

void toleration_operators(const KnownContext& context) {
  static constexpr auto kOperators = std::to_array<std::string_view>({"Equal", "Exists"});
  context.add_all(kOperators, kOfCatalogue, "");
}

// Objects of the workspace.

constexpr std::size_t kMaxNames = 100'000;

/// Those that the object may refer to.
k8s::Objects::Of namespace_of(const KnownContext& context) {
  const k8s::Namespace& ns = context.object().ns;
  return ns.is_known() ? k8s::Objects::Of(ns) : std::nullopt;
}

void add_names(std::string_view group, std::string_view kind, const k8s::Objects::Of& ns,
               const KnownContext& context) {
  for (const std::string_view name : context.scope.index().names(group, kind, ns, kMaxNames)) {
    context.add(name, kOfCluster, [&] { return std::string(kind); });
  }
}

/// The names of the objects that the row of the table names.
void names_in_namespace(const KnownContext& context) {
  add_names(context.group, context.kind, namespace_of(context), context);
}

void names_anywhere(const KnownContext& context) {
  add_names(context.group, context.kind, std::nullopt, context);
}

void runtime_names(const KnownContext& context) {
  add_names(kKServe, "ServingRuntime", namespace_of(context), context);
  add_names(kKServe, "ClusterServingRuntime", std::nullopt, context);
  context.add_all(kserve::shipped_runtime_names(), kOfCatalogue,
                  "shipped with KServe or Open Data Hub");
}

void model_formats(const KnownContext& context) {
  const k8s::Objects& index = context.scope.index();
  for (const std::string_view kind : {"ServingRuntime", "ClusterServingRuntime"}) {
    for (const k8s::Object* runtime :
         index.all(kKServe, kind, kind == "ServingRuntime" ? namespace_of(context) : std::nullopt,
                   context.object())) {
      if (runtime == nullptr) continue;
      for (const Node* format : runtime->spec()["supportedModelFormats"].items()) {
        context.add((*format)["name"].text(), kOfCluster,
                    [&] { return fmt::format("format of {} '{}'", kind, runtime->name); });
      }
    }
  }
  context.add_all(kserve::shipped_formats(), kOfCatalogue, "format of a runtime of KServe");
}

void server_names(const KnownContext& context) {
  names_in_namespace(context);
  context.add_all(seldon::kShippedServers, kOfCatalogue, "shipped with Seldon Core 2");
}

void server_configs(const KnownContext& context) {
  names_anywhere(context);
  context.add_all(seldon::kShippedServers, kOfCatalogue, "shipped with Seldon Core 2");
}

void seldon_configs(const KnownContext& context) {
  names_anywhere(context);
  context.add_all(seldon::kShippedSeldonConfigs, kOfCatalogue, "shipped with Seldon Core 2");
}

void server_capabilities(const KnownContext& context) {
  const ModelServers servers(context.scope);
  for (const ModelServer* server : servers.visible_to(context.object().ns)) {
    if (!server->capacity.capabilities) continue;
    for (const std::string_view tag : server->capacity.capabilities->tags) {
      context.add(tag, kOfCluster,
                  [&] { return fmt::format("capability of Server '{}'", server->name()); });
    }
  }
  for (const std::string_view name : seldon::kShippedServers) {
    context.add_all(seldon::shipped_capabilities(name), kOfCatalogue,
                    fmt::format("capability of Seldon's Server '{}'", name));
  }
}

// Annotations of KServe and flags of Knative.

void annotation_keys(const KnownContext& context) {
  struct Annotation {
    std::string_view key;
    std::string_view detail;
    bool of_kserve = true;
  };
  static constexpr auto kAnnotations = std::to_array<Annotation>({
      {kserve::kDeploymentModeAnnotation, "how KServe runs the pods"},
      {kserve::kAutoscalerClass, "which autoscaler KServe uses"},
      {kserve::kProfileAnnotation, "HardwareProfile of Open Data Hub"},
      {rules::kIgnoreAnnotation, "rules that do not apply", false},
  });
  for (const Annotation& each : kAnnotations) {
    if (each.of_kserve && context.object().group() != kKServe) continue;
    context.proposals.add_key(
        {.word = each.key, .detail = std::string(each.detail), .kind = ProposalKind::property});
  }
}

void deployment_modes(const KnownContext& context) {
  const auto& release = context.facts.releases().kserve;
  for (const kserve::ModeName& mode : kserve::mode_names()) {
    if (!is_at_least(release, mode.since)) continue;
    context.add(mode.name, kOfCatalogue, [&] {
      return mode.since == Version() ? std::string()
                                     : fmt::format("since KServe {}", to_string(mode.since));
    });
  }
}

/// Whether the mapping holds Knative's flags.
bool holds_flags(const Node* mapping, const KnownContext& context) {
  return std::ranges::any_of(
      kserve::feature_maps_in(context.object()),
      [&](const kserve::FeatureMap& map) { return map.flags != nullptr && map.flags == mapping; });
}

void flag_keys(const KnownContext& context) {
  if (!holds_flags(&context.place().node(), context)) return;
  for (const kserve::KnativeFlag& flag : kserve::knative_flags()) {
    if (!context.proposals.wants(flag.key)) continue;
    context.proposals.add_key(
        {.word = flag.key,
         .detail = flag.field.empty() ? "flag of Knative"
                                      : fmt::format("flag of Knative, allows '{}'", flag.field),
         .kind = ProposalKind::property,
         .deprecated = flag.is_removed});
  }
}

void flag_states(const KnownContext& context) {
  if (!holds_flags(context.place().node().parent(), context)) return;
  const kserve::KnativeFlag* flag = kserve::find_knative_flag(context.place().steps().back());
  if (flag != nullptr) context.add_all(kserve::values_of(*flag), kOfCatalogue, "");
}

void api_versions(const KnownContext& context) {
  propose_api_versions(context.facts.schemas, context.proposals);
}

void api_kinds(const KnownContext& context) {
  propose_kinds(context.facts.schemas, context.proposals);
}

enum class Typed : std::uint8_t { key, value };

/// Where one of them applies.
struct KnownPlace {
  Typed typed;
  std::string_view object_kind;  ///< empty: any
  /// The last steps to the place, or all if the first is "^"; "*" is any.
  std::string_view place;
  void (*propose)(const KnownContext&);
  std::string_view group{};  ///< of objects whose names are proposed
  std::string_view kind{};
};

constexpr auto kKnownPlaces = std::to_array<KnownPlace>({
    {Typed::value, "", "^ apiVersion", api_versions},
    {Typed::value, "", "^ kind", api_kinds},
    {Typed::key, "", "nodeSelector", label_keys},
    {Typed::value, "", "nodeSelector *", selected_values},
    {Typed::value, "", "nodeSelectorTerms [] matchExpressions [] key", label_keys_as_values},
    {Typed::value, "", "preference matchExpressions [] key", label_keys_as_values},
    {Typed::value, "", "matchExpressions [] values []", listed_values},
    {Typed::value, "", "nodeSelectorTerms [] matchExpressions [] operator", node_operators},
    {Typed::value, "", "preference matchExpressions [] operator", node_operators},
    {Typed::value, "", "matchExpressions [] operator", label_operators},
    {Typed::key, "", "resources requests", resource_names},
    {Typed::key, "", "resources limits", resource_names},
    {Typed::key, "", "tolerations []", whole_tolerations},
    {Typed::value, "", "tolerations [] key", taint_keys},
    {Typed::value, "", "tolerations [] value", taint_values},
    {Typed::value, "", "tolerations [] effect", taint_effects},
    {Typed::value, "", "tolerations [] operator", toleration_operators},
    {Typed::value, "InferenceService", "model runtime", runtime_names},
    {Typed::value, "", "modelFormat name", model_formats},
    {Typed::value, "", "supportedModelFormats [] name", model_formats},
    {Typed::value, "LLMInferenceService", "baseRefs [] name", names_in_namespace, kKServe,
     "LLMInferenceServiceConfig"},
    {Typed::value, "", "annotations opendatahub.io/hardware-profile-name", names_in_namespace,
     "infrastructure.opendatahub.io", "HardwareProfile"},
    {Typed::value, "", "annotations opendatahub.io/hardware-profile-name", names_in_namespace,
     "dashboard.opendatahub.io", "HardwareProfile"},
    {Typed::value, "", "labels kueue.x-k8s.io/queue-name", names_in_namespace, "kueue.x-k8s.io",
     "LocalQueue"},
    {Typed::value, "Model", "^ spec server", server_names, kSeldon, "Server"},
    {Typed::value, "Model", "^ spec requirements []", server_capabilities},
    {Typed::value, "Server", "^ spec serverConfig", server_configs, kSeldon, "ServerConfig"},
    {Typed::value, "SeldonRuntime", "^ spec seldonConfig", seldon_configs, kSeldon, "SeldonConfig"},
    {Typed::key, "", "metadata annotations", annotation_keys},
    {Typed::value, "", "annotations serving.kserve.io/deploymentMode", deployment_modes},
    {Typed::key, "ConfigMap", "^ data", flag_keys},
    {Typed::value, "ConfigMap", "^ data *", flag_states},
    {Typed::key, "KnativeServing", "^ spec config *", flag_keys},
    {Typed::value, "KnativeServing", "^ spec config * *", flag_states},
});

bool applies(const KnownPlace& row, std::span<const std::string_view> steps) {
  auto words = split(row.place, ' ');
  const bool is_whole = words.front() == "^";
  if (is_whole) words.erase(words.begin());
  if (is_whole ? words.size() != steps.size() : words.size() > steps.size()) return false;
  return std::ranges::equal(
      words, steps.last(words.size()),
      [](std::string_view word, std::string_view step) { return word == "*" || word == step; });
}

}  // namespace

void propose_known(const ClusterScope& scope, const facts::ClusterFacts& facts, bool is_key,
                   Proposals& proposals) {
  const CompletionPlace& place = proposals.place();
  std::vector<std::string_view> steps(place.steps().begin(), place.steps().end());
  if (proposals.begins_item()) steps.emplace_back("[]");
  for (const KnownPlace& row : kKnownPlaces) {
    const bool is_typed = (row.typed == Typed::key) == is_key;
    const bool is_kind = row.object_kind.empty() || row.object_kind == place.object().kind;
    if (!is_typed || !is_kind || !applies(row, steps)) continue;
    row.propose({scope, facts, proposals, row.group, row.kind});
  }
}

}  // namespace cnsched::cli::lsp

// Seldon's operator merges containers by name and appends every other list. An item that a Server
// repeats to change it is then in the pod twice.
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/k8s/label.h"
#include "core/seldon/shipped.h"
#include "rules/rule.h"
#include "rules/seldon/config_layers.h"

namespace cnsched::rules::seldon_merge_conflict {

using yaml::Node;

namespace {

/// The fields that must differ between the items of a list, and the API server's error if they do
/// not [P58]. Source: k8s.io/kubernetes pkg/apis/core/validation/validation.go.
struct Distinct {
  std::string_view list;
  std::array<std::string_view, 2> keys;  ///< fields of the item
  std::string_view item;                 ///< "a volume"
  std::string_view error;
};

}  // namespace

static constexpr std::string_view kDuplicate = "Duplicate value";
static constexpr std::string_view kUnique = "must be unique";
static constexpr Distinct kContainers = {"containers", {"name"}, "a container", kDuplicate};
static constexpr Distinct kInitContainers = {
    "initContainers", {"name"}, "an init container", kDuplicate};
static constexpr Distinct kVolumes = {"volumes", {"name"}, "a volume", kDuplicate};
static constexpr auto kOfPod = std::to_array<Distinct>({kVolumes,
                                                        kInitContainers,
                                                        {"topologySpreadConstraints",
                                                         {"topologyKey", "whenUnsatisfiable"},
                                                         "a spread constraint with",
                                                         kDuplicate}});
/// A repeated containerPort is valid.
static constexpr auto kOfContainer =
    std::to_array<Distinct>({{"ports", {"name"}, "a port", kDuplicate},
                             {"volumeMounts", {"mountPath"}, "a mount at", kUnique},
                             {"volumeDevices", {"devicePath"}, "a device at", kUnique}});

static constexpr auto kProbes =
    std::to_array<std::string_view>({"livenessProbe", "readinessProbe", "startupProbe"});
static constexpr auto kHooks = std::to_array<std::string_view>({"postStart", "preStop"});
static constexpr auto kHandlers =
    std::to_array<std::string_view>({"exec", "httpGet", "tcpSocket", "grpc", "sleep"});

/// The values of an item's keys, or nothing if one of them is not known.
static std::string identity(const Node& item, const Distinct& distinct) {
  std::string values;
  for (const std::string_view key : distinct.keys) {
    if (key.empty()) break;
    const std::string_view value = item.under(key).text();
    if (value.empty() || k8s::is_placeholder(value)) return {};
    values += values.empty() ? "" : "' and '";
    values += value;
  }
  return values;
}

using Items = std::unordered_map<std::string, const Node*>;

static void add_items(Items& items, const Node& list, const Distinct& distinct) {
  for (const Node* item : list.items()) items.emplace(identity(*item, distinct), item);
}

namespace {

/// Finds what the two layers of one pod repeat.
class Conflicts {
 public:
  Conflicts(const ConfigLayers& layers, const Node& claims, Findings& findings)
      : layers_(layers), claims_(claims), findings_(findings) {}

  void find() {
    const Node& above = layers_.above.node();
    const Node& below = layers_.below.node();
    for (const Distinct& distinct : kOfPod) compare(above, below, distinct);
    // Names of containers and init containers must differ too.
    compare(above, below, kInitContainers, kContainers);
    compare(above, below, kContainers, kInitContainers);
    check_claims(above["volumes"], below["volumes"]);
    Items configured;
    add_items(configured, below["containers"], kContainers);
    std::unordered_set<std::string_view> done;  // the CRD rejects a repeated name
    for (const Node* container : above["containers"].items()) {
      const auto found = configured.find(identity(*container, kContainers));
      if (found == configured.end() || found->first.empty()) continue;
      if (done.insert(found->first).second) check_container(*container, *found->second);
    }
  }

 private:
  /// Reports the items of `above` that `below` also has, perhaps in another list.
  void compare(const Node& above, const Node& below, const Distinct& distinct,
               const Distinct& among) {
    const Node& list = above.under(distinct.list);
    const Node& others = below.under(among.list);
    if (list.items().empty() || others.items().empty()) return;
    items_ += list.items().size() + others.items().size();
    if (items_ > kMaxItems) return;
    Items items;
    add_items(items, others, among);
    for (const Node* item : list.items()) {
      const std::string name = identity(*item, distinct);
      const auto found = items.find(name);
      if (!name.empty() && found != items.end()) {
        report_repeated({*item, *found->second}, name, distinct, among);
      }
    }
  }
  void compare(const Node& above, const Node& below, const Distinct& distinct) {
    compare(above, below, distinct, distinct);
  }

  struct Both {
    const Node& above;
    const Node& below;
  };

  void report_repeated(const Both& both, const std::string& name, const Distinct& distinct,
                       const Distinct& among) {
    const std::string_view key = distinct.keys.front();
    findings_
        .add(both.above.under(key),
             "{} also has {} '{}': the operator keeps both, and the API server rejects the pod "
             "('{}')",
             layers_.config, among.item, name, distinct.error)
        .note(both.below.under(key), "the {} of {}", among.item, layers_.config)
        .help("remove it here, give it another {}, or change the {} of {}", key, among.item,
              layers_.config);
  }

  /// A StatefulSet replaces volumes by claims of the same name.
  void check_claims(const Node& volumes, const Node& configured) {
    if (claims_.items().empty() || volumes.items().empty()) return;
    Items claims;
    Items others;
    add_items(claims, claims_, kVolumes);
    add_items(others, configured, kVolumes);
    for (const Node* volume : volumes.items()) {
      const std::string name = identity(*volume, kVolumes);
      const auto claim = claims.find(name);
      if (name.empty() || claim == claims.end() || others.contains(name)) continue;
      findings_
          .add((*volume)["name"],
               "volume '{}' has no effect: {} has a volumeClaimTemplate of that name, and the pod "
               "mounts its claim",
               name, layers_.config)
          .severity(Severity::warning)
          .note((*claim->second)["name"], "this replaces the volume")
          .help("rename the volume and its mount, or change the volumeClaimTemplate");
    }
  }

  void check_container(const Node& above, const Node& below) {
    for (const Distinct& distinct : kOfContainer) compare(above, below, distinct);
    for (const std::string_view probe : kProbes)
      check_handlers(above.under(probe), below.under(probe), probe);
    for (const std::string_view hook : kHooks) {
      check_handlers(above["lifecycle"].under(hook), below["lifecycle"].under(hook), hook);
    }
  }

  static const Node& handler_of(const Node& action) {
    for (const std::string_view handler : kHandlers) {
      if (action.under(handler).is_mapping()) return action.under(handler);
    }
    return yaml::missing_node();
  }

  /// Probes and hooks are merged field by field, and so have the handlers of both layers.
  void check_handlers(const Node& above, const Node& below, std::string_view field) {
    const Node& added = handler_of(above);
    const Node& kept = handler_of(below);
    if (!added || !kept || added.key()->text() == kept.key()->text()) return;
    findings_
        .add_at_key(
            added,
            "'{}' keeps '{}' of {} in addition to '{}': the API server rejects the pod ('may "
            "not specify more than 1 handler type')",
            field, kept.key()->text(), layers_.config, added.key()->text())
        .note(*kept.key(), "the '{}' of {}", kept.key()->text(), layers_.config)
        .help("use '{}' here too, or change the one in {}", kept.key()->text(), layers_.config);
  }

  /// Limit: aliases can make lists very long.
  static constexpr std::size_t kMaxItems = 1'000'000;

  const ConfigLayers& layers_;
  const Node& claims_;  ///< volumeClaimTemplates
  Findings& findings_;
  std::size_t items_ = 0;
};

/// A Server over a ServerConfig that Seldon ships and no file has.
struct OverShipped {
  std::string_view config;
  Findings& findings;

  void check(const Node& pod) const {
    compare(pod["volumes"], kVolumes, "");
    check_claim(pod["volumes"]);
    for (const Node* container : pod["containers"].items()) {
      const std::string_view name = (*container)["name"].text();
      if (name.empty()) continue;
      for (const Distinct& distinct : kOfContainer) {
        compare(container->under(distinct.list), distinct, name);
      }
    }
  }

 private:
  void compare(const Node& list, const Distinct& distinct, std::string_view container) const {
    const std::string_view key = distinct.keys.front();
    for (const Node* item : list.items()) {
      const std::string_view value = item->under(key).text();
      if (!seldon::is_shipped_item(config, container, distinct.list, value)) continue;
      findings
          .add(item->under(key),
               "Seldon's ServerConfig '{}' also has {} '{}', and the operator does not merge the "
               "two: the API server rejects the pod ('{}')",
               config, distinct.item, value, distinct.error)
          .severity(Severity::warning)
          .help("remove it here, or give it another {}; a ServerConfig of your own can change it",
                key);
    }
  }

  void check_claim(const Node& volumes) const {
    const std::string claim = seldon::shipped_claim(config);
    const Node& name = k8s::item_named(volumes, claim)["name"];
    if (!name) return;
    findings
        .add(name,
             "volume '{}' has no effect: Seldon's ServerConfig '{}' has a volumeClaimTemplate of "
             "that name, and the pod mounts its claim",
             claim, config)
        .severity(Severity::warning)
        .help("rename the volume and its mount, or use a ServerConfig of your own");
  }
};

}  // namespace

static void check_over_shipped(const Workload& workload, Findings& findings) {
  const k8s::Object& object = *workload.object;
  const std::string_view name = object.spec()["serverConfig"].text();
  if (object.kind != "Server") return;
  if (findings.scope().index().contains(object.group(), "ServerConfig", std::nullopt, name)) return;
  OverShipped{name, findings}.check(workload.own.node());
}

static void check(const Workload& workload, Findings& findings) {
  const auto layers = config_layers_of(workload);
  if (!layers) return check_over_shipped(workload, findings);
  // Both kinds of config have them next to podSpec.
  const Node* around = layers->below.node().parent();
  const Node& beside = around == nullptr ? yaml::missing_node() : *around;
  Conflicts(*layers, beside["volumeClaimTemplates"], findings).find();
}

extern constinit const Rule rule = {
    .id = "seldon-merge-conflict",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .of = Domain::merged_by_seldon,
    .check = check,
};

}  // namespace cnsched::rules::seldon_merge_conflict

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/suggest.h"
#include "core/k8s/label.h"
#include "core/seldon/shipped.h"
#include "core/yaml/tree.h"
#include "rules/rule.h"
#include "rules/seldon/config_layers.h"

namespace cnsched::rules::seldon_dead_field {

using k8s::Object;
using yaml::Node;

namespace {

/// A field that has no effect.
struct DeadField {
  std::string_view kind;
  std::string_view path;      ///< below spec; "[]" is every item of a list
  std::string_view harmless;  ///< the value that applies anyway
  std::string_view reason;
  std::string_view help;
};

}  // namespace

static constexpr std::string_view kRemove = "remove the field";
static constexpr auto kDeadFields = std::to_array<DeadField>({
    {"Server", "imageOverrides", "", "the operator does not read it",
     "set the image of 'agent' or 'rclone' in podSpec.containers"},
    {"Model", "dedicated", "false", "every Server is shared",
     "require a capability that only one Server has and that no other Model requires"},
    {"Model", "preloaded", "false", "the Model is loaded like any other", kRemove},
    {"Model", "schemaUri", "", "no code reads it", kRemove},
    {"Model", "logger.percent", "100", "with a logger every request is logged", kRemove},
    {"SeldonConfig", "components[].replicas", "1",
     "the operator uses the override in the SeldonRuntime, or 1 without one",
     "set 'replicas' in the SeldonRuntime's override of that name"},
    {"SeldonDeployment", "predictors[].engineResources", "", "the operator does not read it",
     "use 'svcOrchSpec.resources' of the predictor"},
    {"SeldonDeployment", "oauth_key", "", "the gateway that read it was removed from Seldon Core",
     "remove the field, and 'oauth_secret' if it is set"},
});

static void check_at(const Node& node, std::string_view path, const DeadField& field,
                     Findings& findings) {
  if (path.empty()) {
    if (node.is_empty() || (node.is_scalar() && node.text() == field.harmless)) return;
    if (k8s::is_placeholder(node.text())) return;
    findings.add_at_key(node, "'{}' has no effect: {}", node.key()->text(), field.reason)
        .help("{}", field.help);
    return;
  }
  const std::string_view step = path.substr(0, path.find('.'));
  const std::string_view rest = path.substr(std::min(path.size(), step.size() + 1));
  if (!step.ends_with("[]")) return check_at(node.under(step), rest, field, findings);
  for (const Node* item : node.under(step.substr(0, step.size() - 2)).items()) {
    check_at(*item, rest, field, findings);
  }
}

namespace {

/// Fields of a Server or an override that do not change the config below them.
class Unmerged {
 public:
  Unmerged(std::string_view kind, std::string config, Findings& findings)
      : kind_(kind), config_(std::move(config)), findings_(findings) {}

  /// `merged` is the result of `own` over `base`.
  void compare(const Node& own, const Node& base, const Node& merged) {
    if (std::max(own.entries().size(), base.entries().size()) > kMaxEntries) return;
    for (const yaml::Entry& entry : yaml::entries_of(own)) {
      if (++steps_ > kMaxSteps) return;
      const std::string_view key = entry.key->text();
      compare_value(*entry.value, base.under(key), merged.under(key), key);
    }
  }

  void compare_containers(const Node& own, const Node& base, const Node& merged) {
    constexpr std::size_t kMaxContainers = 100;
    if (std::max(own.items().size(), base.items().size()) > kMaxContainers) return;
    for (const Node* container : own.items()) {
      const std::string_view name = (*container)["name"].text();
      compare(*container, k8s::item_named(base, name), k8s::item_named(merged, name));
    }
  }

  void report_ignored(const Node& own, std::string_view kept) {
    findings_
        .add(own,
             "the operator ignores '{}: {}': {} sets '{}', and false, 0 and empty values are not "
             "merged",
             own.key()->text(), own.text().empty() ? "\"\"" : own.text(), config_, kept)
        .help("remove the field, or use a {} that does not set it", kind_);
  }

 private:
  void compare_value(const Node& own, const Node& base, const Node& merged, std::string_view key) {
    if (own.is_mapping() && base.is_mapping() && !own.is_empty()) return compare(own, base, merged);
    if (key == "containers") return compare_containers(own, base, merged);
    if (own.is_null() || !base || merged.is_missing()) return;
    if (own.is_scalar()) {
      const bool base_is_kept = base.is_scalar() && merged.span == base.span;
      if (!base_is_kept || own.text() == base.text() || k8s::is_placeholder(own.text())) return;
      report_ignored(own, base.text());
    } else if (own.is_empty() && !base.is_empty()) {
      findings_
          .add(own, "empty '{}' removes nothing: the operator keeps the value of {}", key, config_)
          .severity(Severity::info)  // charts write empty lists by default
          .note(base, "the operator keeps this")
          .help("remove the field, or use a {} without '{}'", kind_, key);
    }
  }

  /// Limits: aliases can make trees very large.
  static constexpr std::size_t kMaxEntries = 1000;
  static constexpr std::size_t kMaxSteps = 10'000;

  std::string_view kind_;
  std::string config_;
  Findings& findings_;
  std::size_t steps_ = 0;
};

}  // namespace

/// Compares with a ServerConfig that Seldon ships, in those fields that every installation has.
static void check_over_shipped(const Workload& workload, Findings& findings) {
  const Object& object = *workload.object;
  const std::string_view name = object.spec()["serverConfig"].text();
  if (object.kind != "Server" || seldon::shipped_containers(name).empty()) return;
  if (findings.scope().index().contains(object.group(), "ServerConfig", std::nullopt, name)) return;
  Unmerged unmerged("ServerConfig", fmt::format("Seldon's ServerConfig '{}'", name), findings);
  for (const yaml::Entry& entry : yaml::entries_of(workload.own["securityContext"])) {
    const std::string_view kept = seldon::shipped_security(entry.key->text());
    const std::string_view own = entry.value->text();
    if (!kept.empty() && (own == "false" || own == "0")) {
      unmerged.report_ignored(*entry.value, kept);
    }
  }
}

static void check_merge(const Workload& workload, Findings& findings) {
  if (!is_in(Domain::merged_by_seldon, workload)) return;
  const auto layers = config_layers_of(workload);
  if (!layers) return check_over_shipped(workload, findings);
  Unmerged(workload.bases.front().object->kind, layers->config, findings)
      .compare(layers->above.node(), layers->below.node(), workload.pod.node());
}

/// A flag of the operator decides which of the two has an effect; never both.
static void check_strategy(const Object& server, const k8s::Base& base, Findings& findings) {
  const Node& strategy = server.spec()["deploymentStrategy"];
  const Node& claims = base.object->spec()["volumeClaimTemplates"];
  if (strategy.is_empty() || claims.items().empty()) return;
  findings
      .add_at_key(strategy,
                  "'deploymentStrategy' has no effect on StatefulSets, which the operator creates "
                  "unless it was installed with useDeploymentsForServers")
      .note(claims, "a Deployment ignores these of ServerConfig '{}'", base.object->name)
      .help(
          "remove the field, or with useDeploymentsForServers replace the volumeClaimTemplates by "
          "volumes");
}

/// The names of the components; nothing if they are not all known.
static std::vector<std::string_view> component_names(const Object* config) {
  if (config == nullptr) return seldon::shipped_components();
  std::vector<std::string_view> names;
  for (const Node* component : config->spec()["components"].items()) {
    const std::string_view name = (*component)["name"].text();
    const Node& container = (*component)["podSpec"]["containers"].at(0);
    // A patch does not have all components.
    if (name.empty() || k8s::is_placeholder(name) || !container["image"]) return {};
    names.push_back(name);
  }
  if (config->name != "default") return names;
  // It may be a patch of the one that Seldon installs.
  const std::unordered_set<std::string_view> present(names.begin(), names.end());
  for (const std::string_view shipped : seldon::shipped_components()) {
    if (!present.contains(shipped)) names.push_back(shipped);
  }
  return names;
}

static void check_overrides(const Object& runtime, Findings& findings) {
  const std::string_view wanted = runtime.spec()["seldonConfig"].text();
  const k8s::Objects& index = findings.scope().index();
  const Object* config = index.find(runtime.group(), "SeldonConfig", std::nullopt, wanted, runtime);
  const bool shipped =
      wanted == "default" && !index.contains(runtime.group(), "SeldonConfig", std::nullopt, wanted);
  if (config == nullptr && !shipped) return;
  const std::vector<std::string_view> names = component_names(config);
  if (names.empty()) return;
  const std::unordered_set<std::string_view> known(names.begin(), names.end());
  constexpr std::size_t kMaxShown = 10;
  const std::vector<std::string_view> shown(
      names.begin(),
      names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMaxShown)));
  for (const Node* override : runtime.spec()["overrides"].items()) {
    const Node& name = (*override)["name"];
    if (name.text().empty() || k8s::is_placeholder(name.text()) || known.contains(name.text()))
      continue;
    if ((*override)["disable"].text() == "true") continue;  // it does not run
    findings
        .add(name,
             "{}SeldonConfig '{}' has no component '{}', so the operator ignores this override{}",
             shipped ? "Seldon's " : "", wanted, name.text(), did_you_mean(name.text(), shown))
        .help("its components are '{}'", fmt::join(shown, "', '"));
  }
}

static bool is_seldon(std::string_view group) {
  return group == "mlops.seldon.io" || group == "machinelearning.seldon.io";
}

static void check(const Object& object, Findings& findings) {
  // A Seldon Core that serves v1alpha1 is so old that it may read all fields.
  if (!is_seldon(object.group()) || object.api_version == "machinelearning.seldon.io/v1alpha1")
    return;
  for (const DeadField& field : kDeadFields) {
    if (field.kind == object.kind) check_at(object.spec(), field.path, field, findings);
  }
  for (const Workload* workload : findings.scope().workloads_of(object)) {
    findings.set_subject(&object, workload->component);
    check_merge(*workload, findings);
    if (object.kind == "Server" && workload->bases.size() == 1) {
      check_strategy(object, workload->bases.front(), findings);
    }
  }
  findings.set_subject(&object);
  if (object.kind == "SeldonRuntime") check_overrides(object, findings);
}

extern constinit const Rule rule = {
    .id = "seldon-dead-field",
    .severity = Severity::warning,
    .check = check,
};

}  // namespace cnsched::rules::seldon_dead_field

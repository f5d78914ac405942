// Sources, of Kubernetes 1.36: k8s.io/apiserver pkg/admission/plugin/resourcequota/controller.go
// (CheckRequest); pkg/quota/v1/evaluator/core/pods.go (Constraints, PodUsageFunc,
// podMatchesScopeFunc); pkg/apis/core/v1/helper/qos/qos.go (ComputePodQOS). The API server asks the
// quotas in no certain order; here it is that of their names. Its configuration of limited
// resources (LimitedResources) is not known: by default it limits none.

#include "core/sim/resource_quota.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/base/text.h"
#include "core/k8s/pod_resources.h"
#include "core/yaml/scalar.h"

namespace cnsched::sim {

namespace {

using k8s::Object;
using yaml::Node;

/// The names that every container must set if a quota has them.
bool must_be_set(std::string_view name) {
  for (const std::string_view prefix : {kQuotaRequests, kQuotaLimits}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  return name == "cpu" || name == "memory";
}

/// Names without a prefix are those of requests, too; for extended resources there is none.
void add_request(std::string_view resource, const Quantity& quantity, QuotaAmounts& usage) {
  std::string name = fmt::format("{}{}", kQuotaRequests, resource);
  if (!is_quota_of_pods(name)) return;
  usage[std::move(name)] = quantity;
  if (is_quota_of_pods(resource)) usage[std::string(resource)] = quantity;
}

QuotaAmounts usage_of(const Pod& pod, const Node& status) {
  static const Quantity kOne = *Quantity::parse("1");
  QuotaAmounts usage{{"count/pods", kOne}, {"pods", kOne}};
  for (const auto& [name, quantity] :
       total_requests(pod.spec, {.overhead = pod.overhead, .status = &status})) {
    add_request(name, quantity, usage);
  }
  for (const auto& [name, quantity] : total_limits(pod.spec, *pod.overhead)) {
    if (is_basic_resource(name)) usage[fmt::format("{}{}", kQuotaLimits, name)] = quantity;
  }
  return usage;
}

bool has_positive(const Node& amounts) {
  return std::ranges::any_of(k8s::amounts_in(amounts), [](const k8s::ResourceAmount& amount) {
    return (amount.name == "cpu" || amount.name == "memory") && amount.is_known_positive();
  });
}

bool requests_compute(const Node& resources) {
  return has_positive(resources["requests"]) || has_positive(resources["limits"]);
}

bool is_best_effort(const Pod& pod) {
  const Node& own = pod.spec["resources"];
  if (own.is_mapping()) return !requests_compute(own);
  return std::ranges::none_of(pod.spec.all_containers(), [](const k8s::Container& container) {
    return requests_compute((*container.node)["resources"]);
  });
}

/// Whether the pod has resources of its own that replace those of its containers.
bool has_pod_level_resources(const Pod& pod) {
  const auto has_any = [](const Node& amounts) {
    return std::ranges::any_of(k8s::amounts_in(amounts), [](const k8s::ResourceAmount& amount) {
      return amount.name == "cpu" || amount.name == "memory" || amount.name.starts_with(kHugePages);
    });
  };
  const Node& own = pod.spec["resources"];
  return has_any(own["requests"]) || has_any(own["limits"]);
}

bool is_cross_namespace(const Node& term) {
  return !term["namespaces"].items().empty() || term["namespaceSelector"].is_mapping();
}

bool has_cross_namespace_affinity(const Pod& pod) {
  for (const std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    const Node& affinity = pod.spec["affinity"].under(kind);
    for (const Node* term : affinity["requiredDuringSchedulingIgnoredDuringExecution"].items()) {
      if (is_cross_namespace(*term)) return true;
    }
    for (const Node* term : affinity["preferredDuringSchedulingIgnoredDuringExecution"].items()) {
      if (is_cross_namespace((*term)["podAffinityTerm"])) return true;
    }
  }
  return false;
}

/// The name of the pod's PriorityClass, or that of the global default.
std::string_view priority_class_of(const Pod& pod, const Cluster& cluster) {
  if (const std::string_view own = pod.spec["priorityClassName"].text(); !own.empty()) return own;
  for (const Object* object : cluster.objects(k8s::SchedulingKind::priority_class)) {
    if (yaml::boolean_of((*object)["globalDefault"].text()) == true) return object->name;
  }
  return {};
}

bool matches_priority(std::string_view class_name, const Node& selector) {
  const std::string_view op = selector["operator"].text();
  const bool is_listed = std::ranges::any_of(
      selector["values"].items(), [&](const Node* value) { return value->text() == class_name; });
  if (op == "DoesNotExist") return class_name.empty();
  if (op == "NotIn") return class_name.empty() || !is_listed;
  return !class_name.empty() && (op == "Exists" || op.empty() || (op == "In" && is_listed));
}

bool is_in_scope(const Pod& pod, const Cluster& cluster, std::string_view scope,
                 const Node& selector) {
  const auto deadline = yaml::integer_of(pod.spec["activeDeadlineSeconds"]);
  const bool is_terminating = deadline && *deadline >= 0;
  if (scope == "Terminating") return is_terminating;
  if (scope == "NotTerminating") return !is_terminating;
  if (scope == "BestEffort") return is_best_effort(pod);
  if (scope == "NotBestEffort") return !is_best_effort(pod);
  if (scope == "PriorityClass") return matches_priority(priority_class_of(pod, cluster), selector);
  return scope == "CrossNamespacePodAffinity" && has_cross_namespace_affinity(pod);
}

bool is_for(const Object& quota, const Pod& pod, const Cluster& cluster) {
  const Node& spec = quota.spec();
  const bool has_scopes = std::ranges::all_of(spec["scopes"].items(), [&](const Node* scope) {
    return is_in_scope(pod, cluster, scope->text(), yaml::missing_node());
  });
  return has_scopes &&
         std::ranges::all_of(
             spec["scopeSelector"]["matchExpressions"].items(), [&](const Node* selector) {
               return is_in_scope(pod, cluster, (*selector)["scopeName"].text(), *selector);
             });
}

/// "must specify limits.cpu for: a,b; limits.memory for: a", or nothing.
std::string missing_amounts(const Pod& pod, const QuotaAmounts& hard) {
  if (has_pod_level_resources(pod)) return {};
  std::vector<std::string> parts;
  for (const auto& [name, limit] : hard) {
    if (!must_be_set(name)) continue;
    const bool is_limit = name.starts_with(kQuotaLimits);
    const std::size_t dot = name.find('.');
    const std::string_view resource =
        dot == std::string::npos ? std::string_view(name) : std::string_view(name).substr(dot + 1);
    std::set<std::string> containers;
    for (const k8s::Container& container : pod.spec.all_containers()) {
      const auto amounts = is_limit ? container.limits() : container.requests();
      if (std::ranges::find(amounts, resource, &k8s::ResourceAmount::name) == amounts.end()) {
        containers.insert(printable(container.name()));
      }
    }
    if (containers.empty()) continue;
    parts.push_back(fmt::format("{} for: {}", name, fmt::join(containers, ",")));
  }
  return parts.empty() ? "" : fmt::format("must specify {}", fmt::join(parts, "; "));
}

/// `quantity` times `count`, which is not negative; capped.
Quantity multiple_of(Quantity quantity, std::int64_t count) {
  Quantity product;
  for (; count > 0; count /= 2) {
    if (count % 2 == 1) add_to(product, quantity);
    quantity += quantity;
  }
  return product;
}

bool has_room(const Quantity& used, const Quantity& each, std::int64_t count,
              const Quantity& hard) {
  Quantity together = used;
  add_to(together, multiple_of(each, count));
  return together <= hard;
}

/// The largest number, up to `wanted`, of which `has_room` is true.
std::int64_t most_with_room(const Quantity& used, const Quantity& each, std::int64_t wanted,
                            const Quantity& hard) {
  if (has_room(used, each, wanted, hard)) return wanted;
  std::int64_t enough = 0;
  std::int64_t too_many = wanted;
  while (too_many - enough > 1) {
    const std::int64_t middle = enough + (too_many - enough) / 2;
    (has_room(used, each, middle, hard) ? enough : too_many) = middle;
  }
  return enough;
}

Quantity amount_named(const QuotaAmounts& amounts, std::string_view name) {
  const auto found = amounts.find(name);
  return found == amounts.end() ? Quantity() : found->second;
}

/// The resources of which a further pod exceeds the limits.
struct Exceeded {
  std::vector<std::string> requested;
  std::vector<std::string> used;
  std::vector<std::string> limited;

  void add(std::string_view name, const Quantity& request, const Quantity& use,
           const Quantity& limit) {
    const std::string shown = printable(name);
    requested.push_back(fmt::format("{}={}", shown, request.canonical()));
    used.push_back(fmt::format("{}={}", shown, use.canonical()));
    limited.push_back(fmt::format("{}={}", shown, limit.canonical()));
  }
  std::string text(const Object& quota, bool is_used_known) const {
    return fmt::format("exceeded quota: {}, requested: {}, {}limited: {}", printable(quota.name),
                       fmt::join(requested, ","),
                       is_used_known ? fmt::format("used: {}, ", fmt::join(used, ",")) : "",
                       fmt::join(limited, ","));
  }
};

}  // namespace

QuotaDemand quota_demand(const Pod& pod, const NamespacePolicy& policy, const Cluster& cluster) {
  QuotaDemand demand;
  for (const Object* quota : policy.objects.quotas) {
    if (!is_for(*quota, pod, cluster)) continue;
    demand.quotas.push_back(quota);
    const std::string missing = missing_amounts(pod, amounts_of_pods(hard_of(*quota)));
    if (missing.empty() || !demand.failed.empty()) continue;
    // A LimitRange that is not given may set the amounts.
    const bool knows_defaults = !policy.objects.limit_ranges.empty() ||
                                cluster.knows_all(k8s::SchedulingKind::limit_range, policy.ns.name);
    if (cluster.view() == Cluster::View::lasting && !knows_defaults) continue;
    demand.is_default_assumed = !knows_defaults;
    demand.failed = fmt::format("failed quota: {}: {}", printable(quota->name), missing);
    demand.failed_by = quota;
  }
  if (!demand.quotas.empty()) demand.usage = usage_of(pod, yaml::missing_node());
  return demand;
}

QuotaLedger::State& QuotaLedger::state_of(const Object& quota) {
  const auto [found, is_new] = states_.try_emplace(&quota);
  State& state = found->second;
  if (!is_new) return state;
  state.hard = amounts_of_pods(hard_of(quota));
  if (cluster_->view() == Cluster::View::lasting) {
    state.is_used_known = false;
    return state;
  }
  const Node& used = quota["status"]["used"];
  if (used.is_mapping()) {
    state.used = amounts_of_pods(used);
  } else if (cluster_->has_pods_given()) {
    count_running_pods(quota, state);
  } else {
    state.is_used_known = false;
  }
  return state;
}

void QuotaLedger::count_running_pods(const Object& quota, State& state) const {
  for (const RunningPod& running : cluster_->pods()) {
    const Pod& pod = running.pod;
    if (!(pod.ns == quota.ns) || !cluster_->is_on_current_node(running)) continue;
    if (!is_for(quota, pod, *cluster_)) continue;
    for (const auto& [name, quantity] : usage_of(pod, *pod.status)) {
      if (state.hard.contains(name)) add_to(state.used[name], quantity);
    }
  }
}

QuotaOutcome QuotaLedger::outcome(const QuotaDemand& demand, std::int64_t pods) {
  QuotaOutcome result{.admitted = pods, .rejected = {}, .by = nullptr, .unknown = {}};
  if (!demand.failed.empty()) return {0, demand.failed, demand.failed_by, {}};
  std::vector<std::string> uncertain;
  for (const Object* quota : demand.quotas) {
    const State& state = state_of(*quota);
    std::int64_t admitted = pods;
    for (const auto& [name, hard] : state.hard) {
      const Quantity each = amount_named(demand.usage, name);
      if (!each.is_zero())
        admitted =
            std::min(admitted, most_with_room(amount_named(state.used, name), each, pods, hard));
    }
    if (!state.is_used_known) uncertain.push_back(fmt::format("'{}'", printable(quota->name)));
    if (admitted >= result.admitted) continue;
    result.admitted = admitted;
    result.by = quota;
    Exceeded exceeded;
    for (const auto& [name, hard] : state.hard) {
      const Quantity each = amount_named(demand.usage, name);
      Quantity used = amount_named(state.used, name);
      add_to(used, multiple_of(each, admitted));
      if (!each.is_zero() && !has_room(used, each, 1, hard)) exceeded.add(name, each, used, hard);
    }
    result.rejected = exceeded.text(*quota, state.is_used_known);
  }
  const bool is_now = cluster_->view() == Cluster::View::now;
  if (is_now && !uncertain.empty() && result.admitted > 0) {
    result.unknown = fmt::format(
        "whether ResourceQuota {} has room for the pod (neither its "
        "status.used nor the running Pods are given)",
        join_words(uncertain));
  }
  return result;
}

void QuotaLedger::charge(const QuotaDemand& demand, std::int64_t pods) {
  for (const Object* quota : demand.quotas) {
    State& state = state_of(*quota);
    for (const auto& [name, hard] : state.hard) {
      const Quantity each = amount_named(demand.usage, name);
      if (!each.is_zero()) add_to(state.used[name], multiple_of(each, pods));
    }
  }
}

}  // namespace cnsched::sim

#include "core/change/node_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>

#include "core/change/facts.h"
#include "core/change/totals.h"
#include "core/k8s/taint.h"
#include "core/workspace/rendered_origins.h"
#include "core/yaml/scalar.h"

namespace cnsched::change {

namespace {

using sim::Simulated;

/// Nodes of one pod that are looked at: there may be thousands.
constexpr std::size_t kMaxNodes = 64;
constexpr std::size_t kMaxChanges = 4;

/// Names of facts.
using Names = std::set<std::string, std::less<>>;

/// What keeps the pod from each node.
Names obstacles_in(const std::vector<sim::Cause>& causes) {
  Names names;
  for (const sim::Cause& cause : causes) {
    if (cause.kind == sim::Cause::Kind::taint) names.insert(entry_name("taints", cause.taint.key));
    if (cause.kind == sim::Cause::Kind::label) {
      names.insert(entry_name("labels", cause.requirement.key));
    }
    if (cause.kind == sim::Cause::Kind::resource) {
      names.insert(entry_name("allocatable", cause.resource));
    }
    if (cause.plugin == &sim::node_unschedulable) names.insert("unschedulable");
  }
  return names;
}

std::string_view name_of_pair(const FactPair& pair) {
  return pair.first != nullptr ? pair.first->name : pair.second->name;
}

/// Counts equal changes of several nodes.
class Grouped {
 public:
  void add(const FactPair& facts, const facts::NodePool* before, const facts::NodePool* after) {
    const auto value = [](const Fact* fact) { return fact ? fact->value : std::string_view(); };
    const std::string_view name = facts.first != nullptr || facts.second != nullptr
                                      ? name_of_pair(facts)
                                      : std::string_view();
    const Key key{name, value(facts.first), value(facts.second), before == nullptr,
                  after == nullptr};
    const auto known = index_of_.find(key);
    if (known != index_of_.end()) {
      ++changes_[known->second].more;
    } else if (changes_.size() < kMaxChanges) {
      index_of_.emplace(key, changes_.size());
      changes_.push_back({facts, before, after});
    }
  }
  std::vector<NodeChange> result() && { return std::move(changes_); }

 private:
  using Key = std::tuple<std::string_view, std::string_view, std::string_view, bool, bool>;
  std::map<Key, std::size_t> index_of_;
  std::vector<NodeChange> changes_;
};

auto name_key(const Fact& fact) { return std::tie(fact.part, fact.name); }

/// The facts from `first` on that have its name.
std::vector<const Fact*> same_named(const std::vector<Fact>& facts, std::size_t& first) {
  std::vector<const Fact*> named;
  const std::size_t begin = first;
  for (; first < facts.size() && name_key(facts[first]) == name_key(facts[begin]); ++first) {
    named.push_back(&facts[first]);
  }
  return named;
}

/// Removes the facts that both lists have, which are sorted by value.
void drop_common(std::vector<const Fact*>& a, std::vector<const Fact*>& b) {
  std::vector<const Fact*> only_a;
  std::vector<const Fact*> only_b;
  const auto is_less = [](const Fact* x, const Fact* y) { return x->value < y->value; };
  std::ranges::set_difference(a, b, std::back_inserter(only_a), is_less);
  std::ranges::set_difference(b, a, std::back_inserter(only_b), is_less);
  a = std::move(only_a);
  b = std::move(only_b);
}

/// Compares trees up to a number of values: aliases may repeat them without end.
class Alike {
 public:
  bool operator()(const yaml::Node& a, const yaml::Node& b) {
    if (&a == &b) return true;
    if (a.kind != b.kind || a.type != b.type || left_ == 0) return false;
    --left_;
    if (a.is_scalar()) return a.text() == b.text();
    return std::ranges::equal(a.items(), b.items(),
                              [this](const auto* x, const auto* y) { return (*this)(*x, *y); }) &&
           std::ranges::equal(
               a.entries(), b.entries(), [this](const yaml::Entry& x, const yaml::Entry& y) {
                 return x.overridden == y.overridden && x.key->text() == y.key->text() &&
                        (*this)(*x.value, *y.value);
               });
  }

  bool fields(const yaml::Node& a, const yaml::Node& b, std::span<const std::string_view> names) {
    return std::ranges::all_of(
        names, [&](std::string_view name) { return (*this)(a.under(name), b.under(name)); });
  }

 private:
  static constexpr std::size_t kMaxValues = 20'000;
  std::size_t left_ = kMaxValues;
};

constexpr auto kSpecFields = std::to_array<std::string_view>(
    {"nodeName", "nodeSelector", "affinity", "tolerations", "topologySpreadConstraints",
     "runtimeClassName", "priorityClassName", "priority", "preemptionPolicy", "schedulerName",
     "schedulingGates", "resourceClaims", "resources", "hostNetwork", "volumes"});
constexpr auto kContainerFields =
    std::to_array<std::string_view>({"name", "resources", "restartPolicy", "ports"});

bool are_specs_alike(const yaml::Node& a, const yaml::Node& b) {
  Alike alike;
  const auto is_same_container = [&](const yaml::Node* x, const yaml::Node* y) {
    return alike.fields(*x, *y, kContainerFields);
  };
  return alike.fields(a, b, kSpecFields) &&
         std::ranges::equal(a["containers"].items(), b["containers"].items(), is_same_container) &&
         std::ranges::equal(a["initContainers"].items(), b["initContainers"].items(),
                            is_same_container);
}

bool are_labels_alike(const std::vector<k8s::Label>& a, const std::vector<k8s::Label>& b) {
  return std::ranges::equal(a, b, [](const k8s::Label& x, const k8s::Label& y) {
    return x.key == y.key && x.value == y.value;
  });
}

bool are_tolerations_alike(const std::vector<k8s::Toleration>& a,
                           const std::vector<k8s::Toleration>& b) {
  return std::ranges::equal(a, b, [](const k8s::Toleration& x, const k8s::Toleration& y) {
    return std::tie(x.key, x.op, x.value, x.effect, x.seconds) ==
           std::tie(y.key, y.op, y.value, y.effect, y.seconds);
  });
}

bool are_requests_alike(const std::vector<k8s::Request>& a, const std::vector<k8s::Request>& b) {
  return std::ranges::equal(a, b, [](const k8s::Request& x, const k8s::Request& y) {
    return std::tie(x.name, x.amount, x.is_known) == std::tie(y.name, y.amount, y.is_known);
  });
}

}  // namespace

const std::vector<Fact>& NodeChanges::facts_of(const facts::NodePool& node,
                                               const sim::Cluster& cluster) {
  const auto [known, is_new] = facts_.try_emplace(&node);
  if (!is_new) return known->second;
  std::vector<Fact>& facts = known->second;
  const auto add = [&](std::string name, std::string value, const yaml::Node* written) {
    facts.push_back(
        {.part = Part::node, .name = std::move(name), .value = std::move(value), .node = written});
  };
  for (const k8s::Label& label : node.labels) {
    add(entry_name("labels", label.key), word(label.value), label.node);
  }
  const bool is_lasting = cluster.view() == sim::Cluster::View::lasting;
  for (const k8s::Taint& taint : node.taints) {
    if (is_lasting && k8s::is_node_state_taint(taint.key)) continue;
    add(entry_name("taints", taint.key), taint_text(taint), taint.node);
  }
  for (const k8s::ResourceAmount& amount : k8s::amounts_in(*node.allocatable)) {
    Amount parsed = amount_in(*amount.node);
    add(entry_name("allocatable", amount.name), std::move(parsed.value), amount.node);
    facts.back().shown = std::move(parsed.shown);
  }
  if (node.object != nullptr) {
    const yaml::Node& cordon = node.object->spec()["unschedulable"];
    if (yaml::boolean_of(cordon.text()) == true) add("unschedulable", "true", &cordon);
  }
  std::ranges::sort(facts);
  return facts;
}

const NodeChanges::Counterparts& NodeChanges::counterparts(const sim::Cluster& before,
                                                           const sim::Cluster& after) {
  const auto [known, is_new] = counterparts_.try_emplace({&before, &after});
  Counterparts& result = known->second;
  if (!is_new) return result;
  std::unordered_map<std::string_view, std::size_t> by_name;
  for (std::size_t i = 0; i < after.size(); ++i) by_name.try_emplace(after.node(i).name, i);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto found = by_name.find(before.node(i).name);
    result.in_after.push_back(found == by_name.end() ? std::nullopt : std::optional(found->second));
    if (found != by_name.end()) by_name.erase(found);
  }
  for (const auto& [name, index] : by_name) result.only_after.push_back(index);
  std::ranges::sort(result.only_after);
  return result;
}

std::vector<NodeChanges::OtherVerdict> NodeChanges::other_verdicts(const Simulated& before,
                                                                   const Simulated& after) {
  const Counterparts& nodes = counterparts(*before.cluster, *after.cluster);
  std::vector<OtherVerdict> others;
  for (std::size_t i = 0; i < nodes.in_after.size() && others.size() < kMaxNodes; ++i) {
    const auto other = nodes.in_after[i];
    const Truth verdict = before.diagnosis->fits(i);
    const bool is_same = (other ? after.diagnosis->fits(*other) : Truth::no) == verdict;
    if (!is_same) others.push_back({i, other});
  }
  for (const std::size_t i : nodes.only_after) {
    if (others.size() == kMaxNodes) break;
    if (after.diagnosis->fits(i) != Truth::no) others.push_back({std::nullopt, i});
  }
  return others;
}

std::vector<NodeChange> NodeChanges::explaining(const Simulated& before, const Simulated& after,
                                                bool is_only_cause) {
  if (!before.diagnosis || !after.diagnosis) return {};
  const std::vector<OtherVerdict> nodes = other_verdicts(before, after);
  if (nodes.empty()) return {};
  sim::NodeSet on_old = before.cluster->none();
  sim::NodeSet on_new = after.cluster->none();
  for (const auto& [i, j] : nodes) {
    if (!i || !j) continue;
    on_old.insert(*i);
    on_new.insert(*j);
  }
  const sim::CausesByNode old_causes = sim::causes_on(on_old, before.pod, *before.cluster);
  const sim::CausesByNode new_causes = sim::causes_on(on_new, after.pod, *after.cluster);
  Grouped grouped;
  for (const auto& [i, j] : nodes) {
    const facts::NodePool* old_node = i ? &before.cluster->node(*i) : nullptr;
    const facts::NodePool* new_node = j ? &after.cluster->node(*j) : nullptr;
    if (old_node == nullptr || new_node == nullptr) {
      grouped.add({}, old_node, new_node);
      continue;
    }
    std::vector<FactPair> differing =
        differing_facts(facts_of(*old_node, *before.cluster), facts_of(*new_node, *after.cluster));
    Names names = obstacles_in(old_causes[*i]);
    names.merge(obstacles_in(new_causes[*j]));
    const auto is_obstacle = [&](const FactPair& pair) {
      return names.contains(name_of_pair(pair));
    };
    const bool is_explained = std::ranges::any_of(differing, is_obstacle);
    if (is_explained || !is_only_cause) {
      std::erase_if(differing, [&](const FactPair& pair) { return !is_obstacle(pair); });
    }
    for (const FactPair& pair : differing) grouped.add(pair, old_node, new_node);
  }
  return std::move(grouped).result();
}

Place place_of(const yaml::Node* node) {
  if (node == nullptr || node->span == Span{}) return {};
  return {node->made ? Place::Kind::cause : Place::Kind::value, node->span};
}

Place place_around(const yaml::Node& node) {
  if (node.span == Span{}) return {};
  const yaml::Node* key = node.key();
  const bool has_key = key != nullptr && key->span != Span{} && key->span.file == node.span.file;
  return {Place::Kind::around, has_key ? key->span : node.span};
}

void move_to_sources(const Workspace& workspace, const std::vector<Place*>& places) {
  if (workspace.origins() == nullptr) return;
  const auto is_rendered = [&](const Place& place) {
    return place.kind != Place::Kind::none && workspace.is_rendered(place.where.file);
  };
  RenderedOrigins origins(workspace);
  for (const Place* place : places) {
    if (is_rendered(*place)) origins.ask(place->where, packages::Aspect::value);
  }
  origins.prepare();
  for (Place* place : places) {
    if (!is_rendered(*place)) continue;
    const packages::Origin origin = origins.of(place->where, packages::Aspect::value);
    place->rendered_from = origin.file;
    const auto source = origins.span_of(origin.place);
    if (!source) continue;
    place->where = *source;
    place->rendered_from.clear();
  }
}

bool is_written_alike(const sim::Simulated& a, const sim::Simulated& b) {
  // With flavors of Kueue, more than the manifest decides.
  if (!a.queue.queue.empty() || !b.queue.queue.empty()) return false;
  const Workload& x = *a.workload;
  const Workload& y = *b.workload;
  const Replicas of_a = replicas_of(a);
  const Replicas of_b = replicas_of(b);
  const bool is_alike = x.mode.mode == y.mode.mode && x.is_serving() == y.is_serving() &&
                        of_a.is_known == of_b.is_known &&
                        (!of_a.is_known || (of_a.min == of_b.min && of_a.max == of_b.max)) &&
                        a.pod.ns == b.pod.ns && x.name == y.name && x.unknown == y.unknown;
  if (!is_alike) return false;
  const sim::Pod& p = a.pod;
  const sim::Pod& q = b.pod;
  Alike alike;
  return p.has_resource_tolerations == q.has_resource_tolerations &&
         p.priority.value == q.priority.value &&
         p.priority.never_preempts == q.priority.never_preempts &&
         conjunction(p.requirements.selector) == conjunction(q.requirements.selector) &&
         are_labels_alike(p.labels, q.labels) &&
         are_tolerations_alike(p.tolerations, q.tolerations) &&
         are_tolerations_alike(p.resource_tolerations, q.resource_tolerations) &&
         are_requests_alike(p.requests, q.requests) && alike(*p.overhead, *q.overhead) &&
         alike(*x.claim_templates, *y.claim_templates) &&
         are_specs_alike(p.spec.node(), q.spec.node());
}

std::vector<FactPair> differing_facts(const std::vector<Fact>& before,
                                      const std::vector<Fact>& after) {
  std::vector<FactPair> pairs;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < before.size() || j < after.size()) {
    const bool has_before =
        i < before.size() && (j == after.size() || name_key(before[i]) <= name_key(after[j]));
    const bool has_after =
        j < after.size() && (i == before.size() || name_key(after[j]) <= name_key(before[i]));
    std::vector<const Fact*> a = has_before ? same_named(before, i) : std::vector<const Fact*>();
    std::vector<const Fact*> b = has_after ? same_named(after, j) : std::vector<const Fact*>();
    drop_common(a, b);
    for (std::size_t k = 0; k < std::max(a.size(), b.size()); ++k) {
      pairs.emplace_back(k < a.size() ? a[k] : nullptr, k < b.size() ? b[k] : nullptr);
    }
  }
  return pairs;
}

}  // namespace cnsched::change

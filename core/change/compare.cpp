// Facts are compared in pairs and dropped again; only what differs is put into words.
#include "core/change/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/change/facts.h"
#include "core/change/node_changes.h"

namespace cnsched::change {

namespace {

using sim::Simulated;

std::optional<std::string> text_of(const Fact* fact) {
  return fact == nullptr ? std::nullopt : std::optional(fact->text());
}

FactChange described_change(const FactPair& pair, const Simulated& before, const Simulated& after) {
  const auto& [a, b] = pair;
  const Fact& any = a != nullptr ? *a : *b;
  FactChange change{any.part, any.name, text_of(a), text_of(b)};
  // Equal texts of two amounts in different notations would look like no change.
  if (a != nullptr && b != nullptr && *change.before == *change.after) {
    change.before = a->value;
    change.after = b->value;
  }
  change.before_at = a != nullptr ? place_of(a->node) : place_around(nearest_to(any, before));
  change.after_at = b != nullptr ? place_of(b->node) : place_around(nearest_to(any, after));
  return change;
}

/// "['cpu'] of container 'main'" of a change of that list; empty of others.
std::string_view amount_name(const FactChange& change, std::string_view list) {
  const bool is_of_list = change.part == Part::resources && change.name.starts_with(list);
  return is_of_list ? std::string_view(change.name).substr(list.size()) : std::string_view();
}

/// One change for a request and a limit that change alike, as those of devices must.
void merge_requests_and_limits(std::vector<FactChange>& changes) {
  std::map<std::string, const FactChange*, std::less<>> requests;
  for (const FactChange& change : changes) {
    const std::string_view name = amount_name(change, "requests");
    if (!name.empty()) requests.emplace(name, &change);
  }
  std::set<const FactChange*> merged;
  for (FactChange& change : changes) {
    const auto request = requests.find(amount_name(change, "limits"));
    if (request == requests.end()) continue;
    const FactChange& other = *request->second;
    if (other.before != change.before || other.after != change.after) continue;
    merged.insert(&other);
    change.name = fmt::format("requests and limits{}", request->first);
  }
  std::vector<FactChange> kept;
  for (FactChange& change : changes) {
    if (!merged.contains(&change)) kept.push_back(std::move(change));
  }
  changes = std::move(kept);
}

/// The sum over the pod is a change only if nothing else shows why.
void drop_explained_totals(std::vector<FactChange>& changes) {
  const bool is_explained = std::ranges::any_of(changes, [](const FactChange& change) {
    return change.part == Part::resources || change.part == Part::overhead ||
           change.part == Part::mode || change.part == Part::runtime_class ||
           change.part == Part::unknown;
  });
  if (is_explained) {
    std::erase_if(changes, [](const FactChange& change) { return change.part == Part::total; });
  }
}

std::string node_name(const NodeChange& change, const facts::NodePool& node) {
  return described(node) +
         (change.more > 0 ? fmt::format(" and {}", count_of(change.more, "other")) : "");
}

FactChange described_change(const NodeChange& change) {
  const auto& [a, b] = change.facts;
  const auto object_place = [](const facts::NodePool* node) {
    return node == nullptr || node->object == nullptr ? Place{} : place_around(*node->object->root);
  };
  const facts::NodePool& node = change.after != nullptr ? *change.after : *change.before;
  if (a == nullptr && b == nullptr) {
    FactChange result{Part::node, node_name(change, node)};
    if (change.before != nullptr) result.before = "exists";
    if (change.after != nullptr) result.after = "exists";
    result.before_at = object_place(change.before);
    result.after_at = object_place(change.after);
    return result;
  }
  FactChange result{Part::node,
                    fmt::format("{} of {}", (a != nullptr ? a : b)->name, node_name(change, node)),
                    text_of(a), text_of(b)};
  result.before_at = a != nullptr ? place_of(a->node) : object_place(change.before);
  result.after_at = b != nullptr ? place_of(b->node) : object_place(change.after);
  return result;
}

class Comparison {
 public:
  Comparison(const Side& before, const Side& after)
      : before_(before),
        after_(after),
        old_verdicts_(before.simulation, before.placements),
        new_verdicts_(after.simulation, after.placements) {
    add_selected_keys(before.simulation, selected_);
    add_selected_keys(after.simulation, selected_);
  }

  Difference result() {
    const std::vector<PodPair> matches = match_pods(before_.simulation, after_.simulation);
    const std::vector<char> has_other_facts = pods_with_other_facts(matches);
    for (std::size_t i = 0; i < matches.size(); ++i) add(matches[i], has_other_facts[i] != 0);
    Difference difference{std::move(pods_)};
    move_places(difference);
    difference.before = totals_of(before_.simulation, old_verdicts_);
    difference.after = totals_of(after_.simulation, new_verdicts_);
    return difference;
  }

 private:
  const Simulated& old_pod(const PodPair& match) const {
    return before_.simulation.workloads()[*match.before];
  }
  const Simulated& new_pod(const PodPair& match) const {
    return after_.simulation.workloads()[*match.after];
  }

  /// Of pods that one side never creates, the verdict says enough.
  std::vector<char> pods_with_other_facts(const std::vector<PodPair>& matches) const {
    constexpr std::size_t kLeastPods = 256;
    std::vector<char> differ(matches.size());
    parallel_for(
        matches.size(), after_.workspace.jobs(),
        [&](std::size_t i) {
          const PodPair& match = matches[i];
          if (!match.before || !match.after) return;
          const Simulated& a = old_pod(match);
          const Simulated& b = new_pod(match);
          if (a.workload->never_created || b.workload->never_created) return;
          if (is_written_alike(a, b)) return;
          differ[i] = facts_of(a, selected_) == facts_of(b, selected_) ? 0 : 1;
        },
        kLeastPods);
    return differ;
  }

  void add(const PodPair& match, bool has_other_facts) {
    PodChange change;
    if (match.before) {
      change.before = &old_pod(match);
      change.verdict_before = old_verdicts_.of(*match.before);
    }
    if (match.after) {
      change.after = &new_pod(match);
      change.verdict_after = new_verdicts_.of(*match.after);
    }
    const bool is_both = match.before && match.after;
    change.kind = match.is_renamed ? PodChange::Kind::renamed
                  : is_both        ? PodChange::Kind::changed
                  : match.after    ? PodChange::Kind::added
                                   : PodChange::Kind::removed;
    const bool is_shown =
        !is_both || match.is_renamed || has_other_facts || change.has_other_verdict();
    if (!is_shown) return;
    explain(match, has_other_facts, change);
    pods_.push_back(std::move(change));
  }

  void explain(const PodPair& match, bool has_other_facts, PodChange& change) {
    if (match.before) {
      old_verdicts_.explain(*match.before, change.after, change.verdict_before);
      change.devices_before = old_verdicts_.devices_of(*match.before);
    }
    if (match.after) {
      new_verdicts_.explain(*match.after, change.before, change.verdict_after);
      change.devices_after = new_verdicts_.devices_of(*match.after);
    }
    if (!match.before || !match.after) return;
    if (has_other_facts) {
      change.facts = fact_changes(*change.before, *change.after);
    }
    if (!change.has_other_verdict()) return;
    for (const NodeChange& node :
         node_changes_.explaining(*change.before, *change.after, !has_other_facts)) {
      change.causes.push_back(described_change(node));
    }
  }

  std::vector<FactChange> fact_changes(const Simulated& before, const Simulated& after) const {
    const std::vector<Fact> a = facts_of(before, selected_);
    const std::vector<Fact> b = facts_of(after, selected_);
    std::vector<FactChange> changes;
    for (const FactPair& pair : differing_facts(a, b)) {
      changes.push_back(described_change(pair, before, after));
    }
    merge_requests_and_limits(changes);
    drop_explained_totals(changes);
    return changes;
  }

  void move_places(Difference& difference) const {
    std::vector<Place*> old_places;
    std::vector<Place*> new_places;
    for (PodChange& pod : difference.pods) {
      for (auto* changes : {&pod.facts, &pod.causes}) {
        for (FactChange& change : *changes) {
          old_places.push_back(&change.before_at);
          new_places.push_back(&change.after_at);
        }
      }
    }
    move_to_sources(before_.workspace, old_places);
    move_to_sources(after_.workspace, new_places);
  }

  const Side& before_;
  const Side& after_;
  LabelKeys selected_;
  Verdicts old_verdicts_;
  Verdicts new_verdicts_;
  NodeChanges node_changes_;
  std::vector<PodChange> pods_;
};

}  // namespace

bool PodChange::lost_last_node() const {
  return verdict_before.has_node() && (verdict_after.kind == PodVerdict::Kind::nowhere ||
                                       verdict_after.kind == PodVerdict::Kind::never);
}

bool PodChange::lost_replicas() const {
  return verdict_before.placed && verdict_after.placed &&
         verdict_after.replicas >= verdict_before.replicas &&
         *verdict_after.placed < *verdict_before.placed;
}

bool Difference::is_worse() const { return std::ranges::any_of(pods, &PodChange::is_worse); }

Difference compare(const Side& before, const Side& after) {
  return Comparison(before, after).result();
}

}  // namespace cnsched::change

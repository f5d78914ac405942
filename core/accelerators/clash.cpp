// Labels are compared by key, and by the few traits that their keys and values tell. Of each trait
// and value two labels of different authors are enough, so however long the selector is, an
// expression is compared with a handful of labels.
#include "core/accelerators/clash.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/k8s/exclusion.h"
#include "core/k8s/node_label.h"

namespace cnsched::accelerators {

namespace {

/// The labels of a selector, by what they can be compared with.
class Labels {
 public:
  explicit Labels(const Evidence& evidence) : evidence_(evidence) {}

  /// The first label that clashes with the demand.
  std::optional<Clash> clash_with(const Demand& demand) const {
    const auto same = by_key_.find(k8s::current_node_label(demand.requirement.key));
    if (same != by_key_.end()) {
      for (const Demand& label : same->second) {
        if (label.side != demand.side &&
            k8s::exclude_each_other(label.requirement, demand.requirement)) {
          return Clash{label, demand, std::nullopt};
        }
      }
    }
    for (const Trait trait : kTraits) {
      const auto told = told_by(demand.requirement, trait);
      if (told.empty()) continue;
      if (auto clash = clash_over(trait, told, demand)) return clash;
    }
    return std::nullopt;
  }

  void add(const Demand& label) {
    by_key_[k8s::current_node_label(label.requirement.key)].push_back(label);
    for (const Trait trait : kTraits) {
      for (const std::string& told : told_by(label.requirement, trait)) {
        std::vector<Demand>& known = by_trait_[trait][told];
        if (known.empty() || (known.size() == 1 && known.front().side != label.side)) {
          known.push_back(label);
        }
      }
    }
  }

 private:
  std::optional<Clash> clash_over(Trait trait, const std::vector<std::string>& told,
                                  const Demand& demand) const {
    const auto known = by_trait_.find(trait);
    if (known == by_trait_.end()) return std::nullopt;
    for (const auto& [value, labels] : known->second) {
      if (std::ranges::find(told, value) != told.end()) continue;
      for (const Demand& label : labels) {
        if (label.side == demand.side || label.requirement.key == demand.requirement.key) continue;
        if (evidence_.of(label.requirement, demand.requirement)) continue;
        return Clash{label, demand, Difference{trait, value, join_words(told, "or")}};
      }
    }
    return std::nullopt;
  }

  const Evidence& evidence_;
  std::unordered_map<std::string_view, std::vector<Demand>> by_key_;
  std::map<Trait, std::map<std::string, std::vector<Demand>>> by_trait_;
};

std::optional<Clash> clash_in(const k8s::NodeSelectorTerm& term, const Labels& labels,
                              const SideOf& side_of) {
  for (const k8s::Requirement& expression : term.expressions) {
    if (auto clash = labels.clash_with({expression, side_of(*expression.node)})) return clash;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Clash> clash_between_sides(const k8s::PodSpec& pod, const SideOf& side_of,
                                         const Evidence& evidence) {
  Labels labels(evidence);
  for (const k8s::Label& label : pod.node_selector()) {
    const Demand demand{k8s::requirement_of(label), side_of(*label.node)};
    if (auto clash = labels.clash_with(demand)) return clash;
    labels.add(demand);
  }
  std::optional<Clash> first;
  for (const k8s::NodeSelectorTerm& term : pod.required_terms()) {
    if (term.is_empty()) continue;
    auto clash = clash_in(term, labels, side_of);
    if (!clash) return std::nullopt;
    if (!first) first = std::move(clash);
  }
  return first;
}

}  // namespace cnsched::accelerators

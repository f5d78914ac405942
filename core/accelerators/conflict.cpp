// Three searches for conflicts in the demands of a pod. A term of the affinity applies together
// with all of nodeSelector, so each search indexes nodeSelector once, by label and by trait, and
// compares each term with the index.
#include "core/accelerators/conflict.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/k8s/selector.h"

namespace cnsched::accelerators {

namespace {

using k8s::Requirement;
using Values = std::vector<std::string>;

constexpr auto kTraitsOfCards =
    std::to_array<Trait>({Trait::card, Trait::card_of_memory, Trait::vendor});
constexpr auto kTraitsOfClouds = std::to_array<Trait>({Trait::cloud});

bool are_disjoint(const Values& a, const Values& b) {
  return std::ranges::none_of(a, [&](const std::string& one) { return is_one_of(one, b); });
}

/// The labels of a selector with their authors. Of each trait and value it keeps two labels, of
/// different authors: however long the selector is, an expression is compared with few labels.
class AuthoredSelector {
 public:
  AuthoredSelector(const AuthorOf& author_of, const KnownNodes& known)
      : author_of_(author_of), known_(known) {}

  /// The first conflict between the demand and a label of another author.
  std::optional<Conflict> conflict_with(const Requirement& demand) const {
    const std::size_t author = author_of_(*demand.node);
    const auto same = by_key_.find(k8s::current_node_label(demand.key));
    if (same != by_key_.end()) {
      for (const Authored& label : same->second) {
        if (label.author != author && k8s::exclude_each_other(label.requirement, demand)) {
          return Conflict{{label.requirement, demand}};
        }
      }
    }
    for (const Trait trait : kTraits) {
      const Values values = trait_values(demand, trait);
      if (values.empty()) continue;
      if (auto conflict = conflict_over(trait, values, demand, author)) return conflict;
    }
    return std::nullopt;
  }

  void add(const Requirement& label) {
    const Authored authored{label, author_of_(*label.node)};
    by_key_[k8s::current_node_label(label.key)].push_back(authored);
    for (const Trait trait : kTraits) {
      for (const std::string& value : trait_values(label, trait)) {
        std::vector<Authored>& same = by_trait_[trait][value];
        if (same.empty() || (same.size() == 1 && same.front().author != authored.author)) {
          same.push_back(authored);
        }
      }
    }
  }

 private:
  struct Authored {
    Requirement requirement;
    std::size_t author = 0;
  };

  std::optional<Conflict> conflict_over(Trait trait, const Values& values,
                                        const Requirement& demand, std::size_t author) const {
    const auto same_trait = by_trait_.find(trait);
    if (same_trait == by_trait_.end()) return std::nullopt;
    for (const auto& [value, labels] : same_trait->second) {
      if (is_one_of(value, values)) continue;
      for (const Authored& label : labels) {
        if (label.author == author || label.requirement.key == demand.key) continue;
        if (known_.any(label.requirement, demand)) continue;
        return Conflict{{label.requirement, demand},
                        Difference{trait, value, join_words(values, "or")}};
      }
    }
    return std::nullopt;
  }

  const AuthorOf& author_of_;
  const KnownNodes& known_;
  std::unordered_map<std::string_view, std::vector<Authored>> by_key_;
  std::map<Trait, std::map<std::string, std::vector<Authored>>> by_trait_;
};

/// Demands that one node must meet together; those of a term on top of those of nodeSelector.
class Demands {
 public:
  Demands(DemandKind kind, const KnownNodes& known, const Demands* base = nullptr)
      : kind_(kind),
        known_(&known),
        base_(base),
        labels_(base == nullptr ? nullptr : &base->labels_) {}

  /// Adds a demand and returns its conflict with earlier ones.
  std::optional<Conflict> add(const Requirement& r) {
    if (kind_ == DemandKind::labels) {
      auto labels = labels_.add(r);
      if (!labels.empty()) return Conflict{std::move(labels)};
    }
    const std::span<const Trait> traits =
        kind_ == DemandKind::labels ? std::span<const Trait>(kTraitsOfCards) : kTraitsOfClouds;
    for (const Trait trait : traits) {
      Values values = trait_values(r, trait);
      if (values.empty()) continue;
      if (auto conflict = conflict_over(r, trait, values)) return conflict;
      std::vector<TraitValues>& earlier = by_trait_[trait];
      if (earlier.size() < kMaxLabelsPerTrait) earlier.push_back({r, std::move(values)});
    }
    return std::nullopt;
  }

  /// Adds a demand on the name of the node, which only conflicts with others on the name.
  std::optional<Conflict> add_field(const Requirement& r) {
    if (kind_ != DemandKind::labels) return std::nullopt;
    auto fields = fields_.add(r);
    return fields.empty() ? std::nullopt : std::optional(Conflict{std::move(fields)});
  }

 private:
  /// A label and the values of a trait that it allows.
  struct TraitValues {
    Requirement requirement;
    Values values;
  };

  std::optional<Conflict> conflict_over(const Requirement& r, Trait trait,
                                        const Values& values) const {
    const auto same_trait = by_trait_.find(trait);
    if (same_trait != by_trait_.end()) {
      for (const TraitValues& other : same_trait->second) {
        if (other.requirement.key == r.key || !are_disjoint(other.values, values)) continue;
        // Reported with Subject::clouds.
        if (trait != Trait::cloud && differ_in(other.requirement, r, Trait::cloud)) continue;
        if (known_->any(other.requirement, r)) continue;
        return Conflict{
            {other.requirement, r},
            Difference{trait, join_words(other.values, "or"), join_words(values, "or")}};
      }
    }
    return base_ == nullptr ? std::nullopt : base_->conflict_over(r, trait, values);
  }

  /// Limits the labels that are compared for one trait; no real manifest has more.
  static constexpr std::size_t kMaxLabelsPerTrait = 10;

  DemandKind kind_;
  const KnownNodes* known_;
  const Demands* base_;
  k8s::Conjunction labels_;
  k8s::Conjunction fields_;
  std::map<Trait, std::vector<TraitValues>> by_trait_;
};

std::optional<Conflict> conflict_in(const k8s::NodeSelectorTerm& term, Demands demands) {
  for (const Requirement& r : term.expressions) {
    if (auto conflict = demands.add(r)) return conflict;
  }
  for (const Requirement& r : term.fields) {
    if (auto conflict = demands.add_field(r)) return conflict;
  }
  return std::nullopt;
}

/// Aliases can make lists extremely long; no real manifest has so many values.
bool is_too_long(const std::vector<k8s::NodeSelectorTerm>& terms) {
  constexpr std::size_t kMaxValues = 300'000;
  std::size_t values = 0;
  for (const k8s::NodeSelectorTerm& term : terms) {
    for (const auto* requirements : {&term.expressions, &term.fields}) {
      for (const Requirement& r : *requirements) values += 1 + r.values.size();
    }
    if (values > kMaxValues) return true;
  }
  return false;
}

/// Compares the labels that describe accelerators with each other and with the requested devices.
class AcceleratorSearch {
 public:
  AcceleratorSearch(const k8s::PodSpec& pod, const KnownNodes& known)
      : devices_(device_requests(pod)), known_(known) {}

  /// The conflicts of the labels from `first_new` on with each other and with those before.
  std::vector<Conflict> among(std::span<const Requirement> all, std::size_t first_new) const {
    std::vector<Conflict> found;
    if (auto conflict = between_labels(all, first_new)) found.push_back(*std::move(conflict));
    if (auto conflict = with_devices(all, first_new)) found.push_back(*std::move(conflict));
    return found;
  }

 private:
  std::optional<Conflict> between_labels(std::span<const Requirement> all,
                                         std::size_t first_new) const {
    for (std::size_t i = first_new; i < all.size(); ++i) {
      if (auto conflict = conflict_of_label(all[i]); conflict && !known_.any(all[i], all[i])) {
        return conflict;
      }
      for (std::size_t j = 0; j < i; ++j) {
        auto conflict = conflict_between_labels(all[j], all[i]);
        if (conflict && !known_.any(all[i], all[j])) return conflict;
      }
    }
    return std::nullopt;
  }

  std::optional<Conflict> with_devices(std::span<const Requirement> all,
                                       std::size_t first_new) const {
    const bool own_stack = std::ranges::any_of(all, indicates_own_stack_on_gke);
    const bool whole_cards = std::ranges::any_of(all, excludes_sharing);
    for (const DeviceRequest& device : devices_) {
      for (const Requirement& label : all.subspan(first_new)) {
        auto conflict = conflict_with_device(label, device);
        if (!conflict && !own_stack) conflict = conflict_with_gke(label, device);
        if (!conflict || known_.any(label, device)) continue;
        if (whole_cards) conflict->unless_shared = false;
        return conflict;
      }
    }
    return std::nullopt;
  }

  std::vector<DeviceRequest> devices_;
  const KnownNodes& known_;
};

/// Each label is compared with each, so their number is limited; no real selector has more.
void add(const Requirement& label, std::vector<Requirement>& all) {
  constexpr std::size_t kMaxLabels = 64;
  if (all.size() < kMaxLabels && describes_accelerators(label.key)) all.push_back(label);
}

}  // namespace

std::optional<Conflict> conflict_between_authors(const k8s::PodSpec& pod, const AuthorOf& author_of,
                                                 const KnownNodes& known) {
  AuthoredSelector selector(author_of, known);
  for (const k8s::Label& label : pod.node_selector()) {
    const Requirement demand = k8s::requirement_of(label);
    if (auto conflict = selector.conflict_with(demand)) return conflict;
    selector.add(demand);
  }
  std::optional<Conflict> first;
  for (const k8s::NodeSelectorTerm& term : pod.required_terms()) {
    if (term.is_empty()) continue;
    std::optional<Conflict> conflict;
    for (const Requirement& expression : term.expressions) {
      conflict = selector.conflict_with(expression);
      if (conflict) break;
    }
    if (!conflict) return std::nullopt;
    if (!first) first = std::move(conflict);
  }
  return first;
}

SelectorConflicts selector_conflicts(const k8s::PodSpec& pod, DemandKind kind,
                                     const KnownNodes& known) {
  Demands selector(kind, known);
  for (const k8s::Label& label : pod.node_selector()) {
    if (auto conflict = selector.add(k8s::requirement_of(label))) return {true, true, {*conflict}};
  }
  const std::vector<k8s::NodeSelectorTerm> terms = pod.required_terms();
  if (is_too_long(terms)) return {};
  SelectorConflicts result;
  bool some_term_matches = false;
  for (const k8s::NodeSelectorTerm& term : terms) {
    if (term.is_empty()) continue;
    if (auto conflict = conflict_in(term, Demands(kind, known, &selector))) {
      result.found.push_back(std::move(*conflict));
    } else {
      some_term_matches = true;
    }
  }
  result.leaves_no_node = !result.found.empty() && !some_term_matches;
  return result;
}

std::vector<Conflict> accelerator_conflicts(const k8s::PodSpec& pod, const KnownNodes& known) {
  const AcceleratorSearch search(pod, known);
  std::vector<Requirement> selector;
  for (const k8s::Label& label : pod.node_selector()) add(k8s::requirement_of(label), selector);
  std::vector<Conflict> found = search.among(selector, 0);
  if (!found.empty()) return found;
  for (const k8s::NodeSelectorTerm& term : pod.required_terms()) {
    if (term.is_empty()) continue;
    std::vector<Requirement> all = selector;
    for (const Requirement& expression : term.expressions) add(expression, all);
    std::vector<Conflict> in_term = search.among(all, selector.size());
    if (in_term.empty()) return {};
    if (found.empty()) found = std::move(in_term);
  }
  return found;
}

}  // namespace cnsched::accelerators

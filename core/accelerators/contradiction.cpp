// A term holds beside all of nodeSelector. So the selector's demands are sorted once, by label and
// by the traits that they tell, and each term only looks at what its own expressions are about.
#include "core/accelerators/contradiction.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/k8s/exclusion.h"

namespace cnsched::accelerators {

namespace {

using k8s::Requirement;

constexpr auto kOfCards = std::to_array<Trait>({Trait::card, Trait::card_of_memory, Trait::vendor});
constexpr auto kOfClouds = std::to_array<Trait>({Trait::cloud});

using Told = std::vector<std::string>;

bool have_nothing_in_common(const Told& a, const Told& b) {
  return std::ranges::none_of(
      a, [&](const std::string& one) { return std::ranges::find(b, one) != b.end(); });
}

/// Demands that one node has to meet all of.
class Demands {
 public:
  Demands(About about, const Evidence& evidence, const Demands* beneath = nullptr)
      : about_(about),
        evidence_(&evidence),
        beneath_(beneath),
        labels_(beneath == nullptr ? nullptr : &beneath->labels_) {}

  /// Adds one more, and tells what it contradicts.
  std::optional<Contradiction> add(const Requirement& r) {
    if (about_ == About::labels) {
      auto demands = labels_.add(r);
      if (!demands.empty()) return Contradiction{std::move(demands), std::nullopt};
    }
    const std::span<const Trait> traits =
        about_ == About::labels ? std::span<const Trait>(kOfCards) : kOfClouds;
    for (const Trait trait : traits) {
      Told told = told_by(r, trait);
      if (told.empty()) continue;
      if (auto difference = difference_to(r, trait, told)) return difference;
      std::vector<Telling>& known = by_trait_[trait];
      if (known.size() < kMost) known.push_back({r, std::move(told)});
    }
    return std::nullopt;
  }

  /// Adds the name that the node should have; nothing else is about it.
  std::optional<Contradiction> add_field(const Requirement& r) {
    if (about_ != About::labels) return std::nullopt;
    auto demands = fields_.add(r);
    if (demands.empty()) return std::nullopt;
    return Contradiction{std::move(demands), std::nullopt};
  }

 private:
  struct Telling {
    Requirement requirement;
    Told told;
  };

  std::optional<Contradiction> difference_to(const Requirement& r, Trait trait,
                                             const Told& told) const {
    const auto known = by_trait_.find(trait);
    if (known != by_trait_.end()) {
      for (const Telling& other : known->second) {
        if (other.requirement.key == r.key || !have_nothing_in_common(other.told, told)) continue;
        // Labels of two clouds differ for that reason already.
        if (trait != Trait::cloud && differ_in(other.requirement, r, Trait::cloud)) continue;
        if (evidence_->of(other.requirement, r)) continue;
        return Contradiction{
            {other.requirement, r},
            Difference{trait, join_words(other.told, "or"), join_words(told, "or")}};
      }
    }
    return beneath_ == nullptr ? std::nullopt : beneath_->difference_to(r, trait, told);
  }

  /// Labels that tell the same trait; nobody writes more.
  static constexpr std::size_t kMost = 10;

  About about_;
  const Evidence* evidence_;
  const Demands* beneath_;
  k8s::Conjunction labels_;
  k8s::Conjunction fields_;
  std::map<Trait, std::vector<Telling>> by_trait_;
};

std::optional<Contradiction> contradiction_of(const k8s::NodeSelectorTerm& term, Demands demands) {
  for (const Requirement& r : term.expressions) {
    if (auto found = demands.add(r)) return found;
  }
  for (const Requirement& r : term.fields) {
    if (auto found = demands.add_field(r)) return found;
  }
  return std::nullopt;
}

/// Aliases make lists endlessly wide; no manifest for people has so many values.
bool is_too_long(const std::vector<k8s::NodeSelectorTerm>& terms) {
  constexpr std::size_t kMostValues = 300'000;
  std::size_t values = 0;
  for (const k8s::NodeSelectorTerm& term : terms) {
    for (const auto* requirements : {&term.expressions, &term.fields}) {
      for (const Requirement& r : *requirements) values += 1 + r.values.size();
    }
    if (values > kMostValues) return true;
  }
  return false;
}

}  // namespace

Contradictions contradictions_in(const k8s::PodSpec& pod, About about, const Evidence& evidence) {
  Demands selector(about, evidence);
  for (const k8s::Label& label : pod.node_selector()) {
    if (auto found = selector.add(k8s::requirement_of(label))) return {true, true, {*found}};
  }
  const std::vector<k8s::NodeSelectorTerm> terms = pod.required_terms();
  if (is_too_long(terms)) return {};
  Contradictions result;
  bool some_node_is_left = false;
  for (const k8s::NodeSelectorTerm& term : terms) {
    if (term.is_empty()) continue;
    if (auto found = contradiction_of(term, Demands(about, evidence, &selector))) {
      result.found.push_back(std::move(*found));
    } else {
      some_node_is_left = true;
    }
  }
  result.leaves_nothing = !result.found.empty() && !some_node_is_left;
  return result;
}

}  // namespace cnsched::accelerators

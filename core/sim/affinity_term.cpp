#include "core/sim/affinity_term.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace cnsched::sim {

namespace {

std::vector<AffinityTerm> terms_in(const yaml::Node& affinity, const Pod& owner) {
  std::vector<AffinityTerm> terms;
  for (const yaml::Node* term :
       affinity["requiredDuringSchedulingIgnoredDuringExecution"].items()) {
    terms.emplace_back(*term, owner);
  }
  return terms;
}

/// The one label that is known of every Namespace.
constexpr std::string_view kNameLabel = "kubernetes.io/metadata.name";

Match matches_labels(const std::vector<k8s::ValueMatcher>& selector, std::string_view ns,
                     const Namespaces& namespaces) {
  if (const auto* labels = namespaces.labels(ns)) {
    return {std::ranges::all_of(selector, [&](const k8s::ValueMatcher& matcher) {
      const auto label = labels->find(matcher.requirement().key);
      return matcher(label == labels->end() ? std::nullopt : std::optional(label->second));
    })};
  }
  if (!ns.empty() && namespaces.is_complete()) return {};
  Match match{true};
  for (const k8s::ValueMatcher& matcher : selector) {
    if (matcher.requirement().key != kNameLabel) {
      match.uncertainty = Uncertainty::namespace_labels;
    } else if (ns.empty()) {
      match &= {true, Uncertainty::namespaces};
    } else if (!matcher(ns)) {
      return {};
    }
  }
  return match;
}

}  // namespace

AffinityTerm::AffinityTerm(const yaml::Node& term, const Pod& owner)
    : node_(&term), pods_(term, owner), own_(owner.ns) {
  for (const yaml::Node* ns : term["namespaces"].items()) listed_.insert(ns->text());
  const yaml::Node& selector = term["namespaceSelector"];
  has_selector_ = selector.is_mapping();
  for (k8s::Requirement& r : k8s::label_selector_in(selector)) {
    selector_.emplace_back(std::move(r));
  }
}

Match AffinityTerm::matches(const Pod& pod, const Namespaces& namespaces) const {
  Match match = pods_.matches(pod);
  if (match.is_possible) match &= matches_namespace(pod.ns, namespaces);
  return match;
}

AffinityTerm AffinityTerm::as_of_new_pod() const {
  AffinityTerm term = *this;
  const bool is_met_without_labels = std::ranges::all_of(
      selector_, [](const k8s::ValueMatcher& matcher) { return matcher(std::nullopt); });
  if (is_met_without_labels) term.selector_.clear();
  return term;
}

Match AffinityTerm::matches_namespace(std::string_view ns, const Namespaces& namespaces) const {
  if (listed_.empty() && !has_selector_) return in_one_namespace(own_, ns);
  if (!ns.empty() && listed_.contains(ns)) return {true};
  if (has_selector_) return matches_labels(selector_, ns, namespaces);
  return {ns.empty() && !listed_.empty(), Uncertainty::namespaces};
}

std::string AffinityTerm::identity() const {
  std::string identity = pods_.identity();
  append_identity(topology_key(), identity);
  append_identity(own_, identity);
  for (const yaml::Node* ns : (*node_)["namespaces"].items()) append_identity(ns->text(), identity);
  if (has_selector_) identity += '?';
  append_identity(selector_, identity);
  return identity;
}

std::vector<AffinityTerm> required_affinity(const Pod& pod) {
  return terms_in(pod.spec["affinity"]["podAffinity"], pod);
}

std::vector<AffinityTerm> required_anti_affinity(const Pod& pod) {
  return terms_in(pod.spec["affinity"]["podAntiAffinity"], pod);
}

}  // namespace cnsched::sim

// Source: k8s.io/apimachinery pkg/apis/meta/v1/helpers.go, LabelSelectorAsSelector;
// pkg/registry/core/pod/strategy.go, applyMatchLabelKeysAndMismatchLabelKeys [P48].
#include "core/sim/pod_selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/text.h"
#include "core/workspace/pod_metadata.h"

namespace cnsched::sim {

namespace {

using k8s::Requirement;

const k8s::Label* own_label(const Pod& owner, std::string_view key) {
  const auto found = std::ranges::lower_bound(owner.labels, key, {}, &k8s::Label::key);
  return found == owner.labels.end() || found->key != key ? nullptr : &*found;
}

std::string shown(const Requirement& r) {
  constexpr std::size_t kMaxValues = 4;
  const std::string key = printable(r.key);
  if (r.op == "Exists") return key;
  if (r.op == "DoesNotExist") return "!" + key;
  if (r.op == "In" && r.values.size() == 1)
    return fmt::format("{}={}", key, first_values(r, kMaxValues));
  return fmt::format("{} {} ({})", key, r.op == "In" ? "in" : "notin", first_values(r, kMaxValues));
}

}  // namespace

std::string text_of(Uncertainty uncertainty, const Pod& pod) {
  switch (uncertainty) {
    case Uncertainty::namespaces:
      return !pod.ns.is_known()
                 ? "unknown which pods run in the pod's namespace: metadata.namespace is not set"
                 : "the namespace of running pods is unknown";
    case Uncertainty::namespace_labels:
      return "unknown which namespaces namespaceSelector selects: the Namespace is not given "
             "(kubectl get namespaces -o yaml prints it)";
    case Uncertainty::added_labels:
      return "labels that a controller sets, such as pod-template-hash, are unknown in advance";
    case Uncertainty::node_labels:
      return "unknown whether the pool's nodes have the topologyKey: the pool does not list it";
    case Uncertainty::tolerations:
      return "unknown which nodes topologySpreadConstraints count: admission may add tolerations";
    case Uncertainty::none:
      break;
  }
  return {};
}

PodMatch& PodMatch::operator&=(const PodMatch& other) {
  is_possible = is_possible && other.is_possible;
  if (uncertainty == Uncertainty::none) uncertainty = other.uncertainty;
  return *this;
}

void append_identity(std::string_view part, std::string& identity) {
  identity += fmt::format("{}:{}", part.size(), part);
}

void append_identity(const std::vector<k8s::ValueMatcher>& matchers, std::string& identity) {
  for (const k8s::ValueMatcher& matcher : matchers) {
    const Requirement& r = matcher.requirement();
    append_identity(r.key, identity);
    append_identity(r.op, identity);
    for (const yaml::Node* value : r.values) append_identity(value->text(), identity);
    identity += ';';
  }
}

PodMatch in_one_namespace(const k8s::Namespace& a, const k8s::Namespace& b) {
  if (a == b) return {true};
  return {a.may_be(b), Uncertainty::namespaces};
}

PodSelector::PodSelector(const yaml::Node& holder, const Pod& owner)
    : selects_(holder["labelSelector"].is_mapping()), template_(&owner.spec.node()) {
  if (!selects_) return;
  for (Requirement& r : k8s::label_selector_in(holder["labelSelector"])) {
    requirements_.emplace_back(std::move(r));
  }
  const auto add = [&](std::string_view field, std::string_view op, auto& unknown) {
    for (const yaml::Node* item : holder.under(field).items()) {
      const std::string_view key = item->text();
      if (const k8s::Label* label = own_label(owner, key)) {
        requirements_.emplace_back(Requirement{item, key, op, {label->node}});
      } else if (!owner.has_all_labels && is_added_to_pods(key)) {
        unknown.push_back(key);
      }
    }
  };
  add("matchLabelKeys", "In", unknown_match_keys_);
  add("mismatchLabelKeys", "NotIn", unknown_mismatch_keys_);
}

PodMatch PodSelector::matches(const Pod& pod) const {
  if (!selects_) return {};
  PodMatch match{true};
  for (const k8s::ValueMatcher& matcher : requirements_) {
    const std::string_view key = matcher.requirement().key;
    const auto value = pod.label(key);
    if (!value && !pod.has_all_labels && is_added_to_pods(key)) {
      match.uncertainty = Uncertainty::added_labels;
    } else if (!matcher(value)) {
      return {};
    }
  }
  if (is_of_template(pod)) return unknown_mismatch_keys_.empty() ? match : PodMatch{};
  if (!unknown_match_keys_.empty() || !unknown_mismatch_keys_.empty())
    match.uncertainty = Uncertainty::added_labels;
  return match;
}

std::string PodSelector::text() const {
  if (!selects_) return "none";
  std::vector<std::string> parts;
  for (const k8s::ValueMatcher& matcher : requirements_) {
    parts.push_back(shown(matcher.requirement()));
  }
  return parts.empty() ? "any" : fmt::format("{}", fmt::join(parts, ","));
}

std::string PodSelector::identity() const {
  std::string identity = selects_ ? "{" : "";
  append_identity(requirements_, identity);
  if (unknown_match_keys_.empty() && unknown_mismatch_keys_.empty()) return identity + "}";
  identity += fmt::format("@{}", static_cast<const void*>(template_));
  for (const std::string_view key : unknown_match_keys_) append_identity(key, identity);
  identity += '/';
  for (const std::string_view key : unknown_mismatch_keys_) append_identity(key, identity);
  return identity + "}";
}

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

PodMatch matches_labels(const std::vector<k8s::ValueMatcher>& selector, std::string_view ns,
                        const Namespaces& namespaces) {
  if (const auto* labels = namespaces.labels(ns)) {
    return {std::ranges::all_of(selector, [&](const k8s::ValueMatcher& matcher) {
      const auto label = labels->find(matcher.requirement().key);
      return matcher(label == labels->end() ? std::nullopt : std::optional(label->second));
    })};
  }
  if (!ns.empty() && namespaces.is_complete()) return {};
  PodMatch match{true};
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

PodMatch AffinityTerm::matches(const Pod& pod, const Namespaces& namespaces) const {
  PodMatch match = pods_.matches(pod);
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

PodMatch AffinityTerm::matches_namespace(const k8s::Namespace& ns,
                                         const Namespaces& namespaces) const {
  if (listed_.empty() && !has_selector_) return in_one_namespace(own_, ns);
  if (listed_.contains(ns.name)) return {true};
  if (has_selector_) return matches_labels(selector_, ns.name, namespaces);
  return {!ns.is_known() && !listed_.empty(), Uncertainty::namespaces};
}

std::string AffinityTerm::identity() const {
  std::string identity = pods_.identity();
  append_identity(topology_key(), identity);
  append_identity(own_.key(), identity);
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

Namespaces::Namespaces(const std::vector<const k8s::Object*>& objects, bool is_complete)
    : is_complete_(is_complete) {
  for (const k8s::Object* object : objects) {
    std::map<std::string_view, std::string_view>& labels = labels_[object->name];
    for (const k8s::Label& label : k8s::labels_in(object->labels())) {
      labels[label.key] = label.value;
    }
    // The API server sets it.
    labels["kubernetes.io/metadata.name"] = object->name;
  }
}

const std::map<std::string_view, std::string_view>* Namespaces::labels(
    std::string_view name) const {
  const auto found = labels_.find(name);
  return found == labels_.end() ? nullptr : &found->second;
}

}  // namespace cnsched::sim

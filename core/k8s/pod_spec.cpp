#include "core/k8s/pod_spec.h"

#include <algorithm>
#include <string>

#include "core/base/quantity.h"
#include "core/k8s/label.h"

namespace cnsched::k8s {

namespace {

void append_amounts(const yaml::Node& mapping, std::vector<ResourceAmount>& amounts) {
  for (const yaml::Entry& entry : mapping.entries()) {
    if (!entry.overridden) amounts.push_back({entry.key->text(), entry.value});
  }
}

void append_containers(const yaml::Node& list, std::vector<Container>& containers) {
  for (const yaml::Node* item : list.items()) {
    if (item->is_mapping()) containers.push_back({item});
  }
}

std::vector<Container> containers_in(const yaml::Node& list) {
  std::vector<Container> containers;
  append_containers(list, containers);
  return containers;
}

NodeSelectorTerm term_of(const yaml::Node& node) {
  return {&node, requirements_in(node["matchExpressions"]), requirements_in(node["matchFields"])};
}

}  // namespace

const yaml::Node& item_named(const yaml::Node& list, std::string_view name) {
  const auto found = std::ranges::find_if(
      list.items(), [&](const yaml::Node* item) { return (*item)["name"].text() == name; });
  return found == list.items().end() ? yaml::missing_node() : **found;
}

bool ResourceAmount::is_requested() const {
  if (!node->is_scalar()) return false;
  const auto quantity = Quantity::parse(node->text());
  return !quantity || !quantity->is_zero();
}

bool ResourceAmount::is_known_positive() const {
  const auto quantity = Quantity::parse(node->text());
  return quantity && !quantity->is_zero();
}

std::vector<ResourceAmount> amounts_in(const yaml::Node& mapping) {
  std::vector<ResourceAmount> amounts;
  append_amounts(mapping, amounts);
  return amounts;
}

std::vector<ResourceAmount> Container::requests() const {
  return amounts_in((*node)["resources"]["requests"]);
}

std::vector<ResourceAmount> Container::limits() const {
  return amounts_in((*node)["resources"]["limits"]);
}

std::vector<ResourceAmount> Container::amounts() const {
  const yaml::Node& resources = (*node)["resources"];
  const yaml::Node& limits = resources["limits"];
  const yaml::Node& requests = resources["requests"];
  std::vector<ResourceAmount> all;
  all.reserve(limits.entries().size() + requests.entries().size());
  append_amounts(limits, all);
  append_amounts(requests, all);
  return all;
}

bool is_extended_resource(std::string_view name) {
  constexpr std::string_view kQuotaPrefix = "requests.";
  return name.find('/') != std::string_view::npos &&
         name.find("kubernetes.io/") == std::string_view::npos && !name.starts_with(kQuotaPrefix) &&
         !label_key_problem(std::string(kQuotaPrefix) + std::string(name));
}

std::vector<NodeSelectorTerm> terms_in(const yaml::Node& node_selector) {
  std::vector<NodeSelectorTerm> terms;
  for (const yaml::Node* term : node_selector["nodeSelectorTerms"].items()) {
    terms.push_back(term_of(*term));
  }
  return terms;
}

std::vector<NodeSelectorTerm> PodSpec::required_terms() const {
  return terms_in(node_affinity()["requiredDuringSchedulingIgnoredDuringExecution"]);
}

std::vector<Requirement> PodSpec::required_labels() const {
  std::vector<Requirement> all;
  std::ranges::transform(node_selector(), std::back_inserter(all), requirement_of);
  for (const NodeSelectorTerm& term : required_terms()) {
    all.insert(all.end(), term.expressions.begin(), term.expressions.end());
  }
  return all;
}

std::vector<NodeSelectorTerm> PodSpec::preferred_terms() const {
  std::vector<NodeSelectorTerm> terms;
  const yaml::Node& preferred = node_affinity()["preferredDuringSchedulingIgnoredDuringExecution"];
  for (const yaml::Node* item : preferred.items()) terms.push_back(term_of((*item)["preference"]));
  return terms;
}

std::vector<Container> PodSpec::containers() const { return containers_in((*this)["containers"]); }

std::vector<Container> PodSpec::init_containers() const {
  return containers_in((*this)["initContainers"]);
}

std::vector<Container> PodSpec::all_containers() const {
  const yaml::Node& first = (*this)["initContainers"];
  const yaml::Node& main = (*this)["containers"];
  std::vector<Container> all;
  all.reserve(first.items().size() + main.items().size());
  append_containers(first, all);
  append_containers(main, all);
  return all;
}

bool PodSpec::is_pinned() const {
  return !(*this)["nodeSelector"].is_empty() || !required_terms().empty() ||
         !(*this)["nodeName"].text().empty();
}

NodeRequirements::NodeRequirements(const PodSpec& pod) {
  std::ranges::transform(pod.node_selector(), std::back_inserter(selector), requirement_of);
  const yaml::Node& affinity = pod.node_affinity();
  const yaml::Node& required = affinity["requiredDuringSchedulingIgnoredDuringExecution"];
  if (!required.is_empty()) terms = terms_in(required);
}

Truth NodeRequirements::matches(const std::vector<Label>& labels, bool complete) const {
  const auto is_met = [&](const Requirement& r) { return r.matches(labels, complete); };
  const Truth by_selector = truth_of_all(selector, is_met);
  if (by_selector == Truth::no || !terms) return by_selector;
  return by_selector & truth_of_any(*terms, [&](const NodeSelectorTerm& term) {
           return term.is_empty() ? Truth::no : truth_of_all(term.expressions, is_met);
         });
}

}  // namespace cnsched::k8s

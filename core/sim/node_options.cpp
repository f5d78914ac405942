#include "core/sim/node_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "core/accelerators/machine_type.h"
#include "core/base/text.h"
#include "core/k8s/label.h"

namespace cnsched::sim {

namespace {

using accelerators::MachineType;

/// A file may have many pools. Pools beyond this number of options have no types.
constexpr std::size_t kMaxOptions = 20'000;

facts::PoolResource amount(std::string_view name, const std::string& text) {
  const auto quantity = Quantity::parse(text);
  return {name, quantity ? *quantity : Quantity()};
}

std::vector<facts::PoolResource> offered_by(const MachineType& type) {
  std::vector<facts::PoolResource> offered;
  offered.push_back(amount("cpu", fmt::format("{}m", type.allocatable_millicpus())));
  offered.push_back(amount("memory", fmt::format("{}", type.allocatable_bytes())));
  if (type.pods != 0) offered.push_back(amount("pods", fmt::format("{}", type.pods)));
  offered.push_back(amount(type.resource, fmt::format("{}", type.accelerators->devices)));
  return offered;
}

/// Whether Karpenter would give the pool a node of a type with these labels, as far as is known.
bool admits_labels(const facts::NodePool& pool, const std::vector<k8s::Label>& labels,
                   std::string_view prefix) {
  const auto is_met = [&](const k8s::Requirement& r) {
    return !accelerators::is_known_karpenter_label(k8s::current_node_label(r.key), prefix) ||
           admits(r, labels);
  };
  return std::ranges::all_of(pool.scaling.requirements, is_met) &&
         std::ranges::all_of(pool.labels, [&](const k8s::Label& label) {
           return is_met(k8s::requirement_of(label));
         });
}

/// The machine types that the pool's labels or fields name.
std::vector<std::string_view> listed_types(const facts::NodePool& pool) {
  if (!pool.scaling.instance_types.empty()) return pool.scaling.instance_types;
  std::vector<std::string_view> types;
  for (const k8s::Label& label : pool.labels) {
    if (k8s::is_instance_type_label(label.key)) types.push_back(label.value);
  }
  return types;
}

/// The values that a requirement of a Karpenter pool lists for a label; none if it lists none.
template <typename IsKey>
std::vector<std::string_view> required_values(const facts::NodePool& pool, IsKey is_key) {
  std::vector<std::string_view> values;
  for (const k8s::Requirement& r : pool.scaling.requirements) {
    if (r.op != "In" || !is_key(r.key)) continue;
    for (const yaml::Node* value : r.values) values.push_back(value->text());
  }
  return values;
}

std::vector<std::string_view> required_types(const facts::NodePool& pool) {
  return required_values(pool, k8s::is_instance_type_label);
}

bool are_families_known(const facts::NodePool& pool) {
  const auto families = required_values(pool, k8s::is_instance_family_label);
  return !families.empty() && std::ranges::all_of(families, [](std::string_view family) {
    return std::ranges::any_of(accelerators::machine_types(), [&](const MachineType& type) {
      return type.name.substr(0, type.name.find('.')) == family;
    });
  });
}

bool are_all_known(const std::vector<std::string_view>& types) {
  return !types.empty() && std::ranges::all_of(types, [](std::string_view type) {
    return accelerators::find_machine_type(type) != nullptr;
  });
}

using k8s::Requirement;

/// Terms beyond this number are not tried.
constexpr std::size_t kMaxAlternatives = 32;

const k8s::NodeSelectorTerm* heaviest_preference(const Pod& pod) {
  const auto heaviest = std::ranges::max_element(pod.preferred_terms, {}, &PreferredTerm::weight);
  return heaviest == pod.preferred_terms.end() ? nullptr : &heaviest->term;
}

/// Labels that Karpenter or its provider sets on every node, so that a pod may require them
/// although no pool defines them. Source: pkg/apis/v1/labels.go, WellKnownLabels, and those of the
/// providers.
bool is_well_known(std::string_view key) {
  constexpr auto kKeys = std::to_array<std::string_view>(
      {"karpenter.sh/nodepool", "karpenter.sh/capacity-type", "topology.kubernetes.io/zone",
       "topology.kubernetes.io/region", "node.kubernetes.io/instance-type", "kubernetes.io/arch",
       "kubernetes.io/os", "node.kubernetes.io/windows-build", "kubernetes.io/hostname",
       "topology.k8s.aws/zone-id", "topology.ebs.csi.aws.com/zone"});
  // Each provider has a domain of its own; old pools may use labels that are not well known now.
  constexpr auto kDomains = std::to_array<std::string_view>(
      {"karpenter.", "eks.amazonaws.com/", "kubernetes.azure.com/"});
  return std::ranges::find(kKeys, key) != kKeys.end() ||
         std::ranges::any_of(kDomains, [&](auto domain) { return key.starts_with(domain); });
}

/// What karpenter.sh's NodePool calls its node class: "karpenter.k8s.aws" of v1,
/// "karpenter.k8s.aws/v1beta1" before. Without one, as in old Provisioners, it is AWS, which was
/// the only provider.
std::string_view node_class_group(const facts::NodePool& pool) {
  const yaml::Node& ref = pool.object->spec()["template"]["spec"]["nodeClassRef"];
  const std::string_view group = ref["group"].text();
  if (!group.empty()) return group;
  const std::string_view of_version = k8s::group_of(ref["apiVersion"].text());
  if (!of_version.empty()) return of_version;
  const std::string_view kind = ref["kind"].text();
  return kind.empty() || kind == "EC2NodeClass" ? "karpenter.k8s.aws" : "";
}

constexpr std::size_t kMaxListedValues = 5;  ///< that a message lists

/// Whether it is a label: the node is its value.
bool is_label(const Requirement& r) { return r.node != nullptr && !r.node->is_mapping(); }

}  // namespace

NodeOptions::NodeOptions(const facts::ClusterFacts& facts) : facts_(facts) {
  for (const MachineType& type : accelerators::machine_types()) by_size_.push_back(&type);
  std::ranges::stable_sort(by_size_, {}, [](const MachineType* type) {
    return std::tuple(type->accelerators->devices, type->vcpus, type->mebibytes);
  });
  facts_.pools.clear();
  for (const facts::NodePool& pool : facts.pools) {
    if (pool.is_node()) {
      facts_.pools.push_back(pool);
      options_.push_back({.pool = &pool});
    } else {
      add_pool(pool);
    }
  }
}

void NodeOptions::add_pool(const facts::NodePool& pool) {
  OfPool of{.pool = &pool};
  const bool is_karpenter = is_of_karpenter(pool);
  const bool is_listed = pool.allocatable->is_mapping();
  of.is_cut = options_.size() >= kMaxOptions;
  if (!of.is_cut && is_karpenter) add_karpenter_options(pool, of);
  if (!of.is_cut && !is_karpenter && !is_listed) add_listed_options(pool, of);
  if (of.options.empty()) {
    const std::vector<std::string_view> types =
        is_karpenter ? required_types(pool) : listed_types(pool);
    add(pool, {&pool, nullptr, types.size() == 1 ? types.front() : std::string_view()}, of);
  }
  pools_.push_back(std::move(of));
}

void NodeOptions::add_karpenter_options(const facts::NodePool& pool, OfPool& of) {
  const std::string_view prefix = aws_label_prefix(pool);
  if (prefix.empty()) return;
  for (const MachineType* type : by_size_) {
    if (type->accelerators->provider != accelerators::Provider::amazon) continue;
    std::vector<k8s::Label> labels;
    for (const auto& [key, value] : labels_of(*type, prefix)) {
      labels.push_back({key, value, &yaml::missing_node()});
    }
    if (!admits_labels(pool, labels, prefix)) continue;
    facts::NodePool option = with_type(pool, *type);
    std::erase_if(labels, [&](const k8s::Label& label) {
      return std::ranges::find(pool.labels, label.key, &k8s::Label::key) != pool.labels.end();
    });
    option.labels.insert(option.labels.end(), labels.begin(), labels.end());
    add(option, {&pool, type, type->name}, of);
  }
  if (of.options.empty()) return;
  of.coverage = are_all_known(required_types(pool)) ? Coverage::full
                : are_families_known(pool)          ? Coverage::families
                                                    : Coverage::partial;
}

void NodeOptions::add_listed_options(const facts::NodePool& pool, OfPool& of) {
  const std::vector<std::string_view> types = listed_types(pool);
  if (!pool.scaling.capacity.empty()) {
    facts::NodePool option = pool;
    option.offered = pool.scaling.capacity;
    add(option, {&pool, nullptr, types.size() == 1 ? types.front() : std::string_view()}, of);
    of.coverage = Coverage::full;
    return;
  }
  for (const MachineType* type : by_size_) {
    if (std::ranges::find(types, type->name) == types.end()) continue;
    add(with_type(pool, *type), {&pool, type, type->name}, of);
  }
  if (!of.options.empty()) of.coverage = are_all_known(types) ? Coverage::full : Coverage::partial;
}

void NodeOptions::add(const facts::NodePool& option, const NodeOption& what, OfPool& of) {
  of.options.push_back(options_.size());
  facts_.pools.push_back(option);
  options_.push_back(what);
}

const NodeOptions::TypeLabels& NodeOptions::labels_of(const MachineType& type,
                                                      std::string_view prefix) {
  const auto [found, is_new] = labels_.try_emplace({type.name, prefix});
  if (is_new) found->second = accelerators::karpenter_labels(type, prefix);
  return found->second;
}

facts::NodePool NodeOptions::with_type(const facts::NodePool& pool, const MachineType& type) const {
  facts::NodePool option = pool;
  option.offered = offered_by(type);
  return option;
}

std::vector<LabelDemands> alternative_demands(const Pod& pod, bool preferred) {
  LabelDemands base = pod.requirements.selector;
  const k8s::NodeSelectorTerm* preference = preferred ? heaviest_preference(pod) : nullptr;
  if (preference != nullptr) {
    base.insert(base.end(), preference->expressions.begin(), preference->expressions.end());
  }
  if (!pod.requirements.terms) return {std::move(base)};
  std::vector<LabelDemands> alternatives;
  for (const k8s::NodeSelectorTerm& term : *pod.requirements.terms) {
    // The name of a node that does not exist yet is unknown.
    if (term.is_empty() || !term.fields.empty()) continue;
    if (alternatives.size() == kMaxAlternatives) break;
    alternatives.push_back(base);
    alternatives.back().insert(alternatives.back().end(), term.expressions.begin(),
                               term.expressions.end());
  }
  return alternatives;
}

bool admits(const Requirement& requirement, const std::vector<k8s::Label>& labels) {
  const std::string_view key = k8s::current_node_label(requirement.key);
  const auto label = std::ranges::find(labels, key, &k8s::Label::key);
  const auto value = label == labels.end() ? std::nullopt : std::optional(label->value);
  if (requirement.op != "Gte" && requirement.op != "Lte") return requirement.matches_value(value);
  if (!value || requirement.values.size() != 1) return false;
  const auto number = k8s::parse_int64(*value);
  const auto bound = k8s::parse_int64(requirement.values.front()->text());
  if (!number || !bound) return false;
  return requirement.op == "Gte" ? *number >= *bound : *number <= *bound;
}

std::string_view aws_label_prefix(const facts::NodePool& pool) {
  if (!is_of_karpenter(pool)) return {};
  const std::string_view group = node_class_group(pool);
  if (group == "karpenter.k8s.aws") return "karpenter.k8s.aws/";
  return group == "eks.amazonaws.com" ? "eks.amazonaws.com/" : "";
}

std::string requirement_text(const Requirement& r) {
  std::string text = fmt::format("{} {}", printable(r.key), printable(r.op));
  return r.values.empty() ? text : fmt::format("{} [{}]", text, first_values(r, kMaxListedValues));
}

KarpenterLabels::KarpenterLabels(const facts::NodePool& pool)
    : pool_(&pool), prefix_(aws_label_prefix(pool)) {
  // Requirements first, because messages name the first one: those on one value are also labels.
  for (const Requirement& r : pool.scaling.requirements) {
    conjunction_.add(r);
    has_min_values_ = has_min_values_ || (*r.node)["minValues"];
    const bool is_of_type = !prefix_.empty() && r.key.starts_with(prefix_);
    // A machine type can have any tenancy.
    const bool is_known = accelerators::is_known_karpenter_label(r.key, prefix_) ||
                          r.key.ends_with("/instance-tenancy");
    if (is_of_type && !is_known) undecided_.push_back(r);
  }
  for (const k8s::Label& label : pool.labels) conjunction_.add(k8s::requirement_of(label));
}

bool KarpenterLabels::defines(std::string_view key) const {
  const std::string_view current = k8s::current_node_label(key);
  const auto has_key = [&](const auto& of) { return k8s::current_node_label(of.key) == current; };
  return std::ranges::any_of(pool_->labels, has_key) ||
         std::ranges::any_of(pool_->scaling.requirements, has_key);
}

std::string KarpenterLabels::conflict_with(const LabelDemands& demands) const {
  k8s::Conjunction together(&conjunction_);
  for (const Requirement& demand : demands) {
    if (demand.requires_label() && !defines(demand.key) &&
        !is_well_known(k8s::current_node_label(demand.key))) {
      return fmt::format(
          "label '{}' is not well known to Karpenter and not defined by the pool, so Karpenter "
          "adds no node for a pod that requires it",
          printable(demand.key));
    }
    const auto conflicting = together.add(demand);
    if (!conflicting.empty()) return conflict_text(conflicting);
  }
  return {};
}

/// The last one is the pod's; the first one is the pool's unless the pod contradicts itself.
std::string KarpenterLabels::conflict_text(const std::vector<Requirement>& conflicting) const {
  const Requirement& own = conflicting.front();
  const Requirement& demand = conflicting.back();
  const bool is_of_pool =
      std::ranges::any_of(pool_->labels, [&](const auto& l) { return l.node == own.node; }) ||
      std::ranges::any_of(pool_->scaling.requirements,
                          [&](const auto& r) { return r.node == own.node; });
  const std::string demanded =
      is_label(demand) ? fmt::format("nodeSelector '{}'", printable(demand.values.front()->text()))
                       : fmt::format("node affinity {}", requirement_text(demand));
  if (!is_of_pool) return fmt::format("the pod contradicts itself: {}", demanded);
  return is_label(own)
             ? fmt::format("label {} '{}' conflicts with {}", printable(own.key),
                           printable(own.values.front()->text()), demanded)
             : fmt::format("requirement {} conflicts with {}", requirement_text(own), demanded);
}

}  // namespace cnsched::sim

#include "core/sim/node_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/k8s/label.h"
#include "core/sim/karpenter.h"

namespace cnsched::sim {

namespace {

using accelerators::MachineType;

/// A file may have many pools. Pools beyond this number of options have no types.
constexpr std::size_t kMaxOptions = 20'000;

bool is_real_node(const facts::NodePool& pool) {
  return pool.object != nullptr && pool.object->is("", "Node");
}

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

/// Whether Karpenter would give the pool a node of a type with these labels, as far as they tell.
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

}  // namespace

NodeOptions::NodeOptions(const facts::ClusterFacts& facts) : facts_(facts) {
  for (const MachineType& type : accelerators::machine_types()) by_size_.push_back(&type);
  std::ranges::stable_sort(by_size_, {}, [](const MachineType* type) {
    return std::tuple(type->accelerators->devices, type->vcpus, type->mebibytes);
  });
  facts_.pools.clear();
  for (const facts::NodePool& pool : facts.pools) {
    if (is_real_node(pool)) {
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

}  // namespace cnsched::sim

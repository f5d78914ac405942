#include "templates/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/accelerators/node_trait.h"
#include "core/accelerators/platform.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"

namespace cnsched::templates {

namespace {

using accelerators::LabelDemand;
using accelerators::NodeToleration;
using accelerators::Placement;
using yaml::Node;

constexpr auto kNames = std::to_array<std::string_view>(
    {"accelerator.elsewhere", "accelerator.machineType", "accelerator.matchExpressions",
     "accelerator.name", "accelerator.nodeAffinity", "accelerator.nodeLabels",
     "accelerator.nodeSelector", "accelerator.pluginTolerations", "accelerator.resource",
     "accelerator.taints", "accelerator.tolerations", "accelerator.vendor"});

constexpr auto kInputs = std::to_array<std::string_view>(
    {"platform", "accelerator", "accelerators", "gpus", "migStrategy", "minMemory"});

/// Builds trees of facts.
class Builder {
 public:
  explicit Builder(Arena& arena) : arena_(arena) {}

  const Node& text(std::string_view value) const {
    return string_like(arena_, yaml::nowhere(), arena_.copy(value));
  }

  const Node& list(const std::vector<const Node*>& items) const {
    return sequence_like(arena_, yaml::nowhere(), items);
  }

  const Node& strings(const std::vector<std::string>& values) const {
    std::vector<const Node*> items;
    for (const std::string& value : values) items.push_back(&text(value));
    return list(items);
  }

  /// The entries whose values are not empty.
  const Node& map(const std::vector<std::pair<std::string_view, const Node*>>& entries) const {
    const Node* map = &mapping_like(arena_, yaml::nowhere(), {});
    for (const auto& [key, value] : entries) {
      if (!value->is_empty()) map = &with(arena_, *map, arena_.copy(key), *value);
    }
    return *map;
  }

 private:
  Arena& arena_;
};

std::string_view operator_of(LabelDemand::Operator op) {
  constexpr auto kWords = std::to_array<std::string_view>({"In", "Gt", "NotIn", "DoesNotExist"});
  return kWords[static_cast<std::size_t>(op)];
}

const Node& expressions(const std::vector<LabelDemand>& demands, const Builder& build) {
  std::vector<const Node*> items;
  for (const LabelDemand& demand : demands) {
    items.push_back(&build.map({{"key", &build.text(demand.key)},
                                {"operator", &build.text(operator_of(demand.op))},
                                {"values", &build.strings(demand.values)}}));
  }
  return build.list(items);
}

/// Whether a nodeSelector can express it: one value for each label.
bool fits_selector(const std::vector<LabelDemand>& demands) {
  return std::ranges::all_of(demands, [](const LabelDemand& demand) {
    return demand.op == LabelDemand::Operator::in && demand.values.size() == 1;
  });
}

const Node& selector(const std::vector<LabelDemand>& demands, const Builder& build) {
  std::vector<std::pair<std::string_view, const Node*>> labels;
  for (const LabelDemand& demand : demands) {
    labels.emplace_back(demand.key, &build.text(demand.values.front()));
  }
  return build.map(labels);
}

const Node& affinity(const std::vector<LabelDemand>& demands, const Builder& build) {
  const Node& term = build.map({{"matchExpressions", &expressions(demands, build)}});
  const Node& terms = build.map({{"nodeSelectorTerms", &build.list({&term})}});
  return build.map({{"requiredDuringSchedulingIgnoredDuringExecution", &terms}});
}

/// Only `Exists` tolerates the taint with any value.
const Node& toleration(const NodeToleration& tolerated, const Builder& build) {
  return build.map(
      {{"key", &build.text(tolerated.key)},
       {"operator", &build.text(tolerated.value.empty() ? "Exists" : "Equal")},
       {"value", tolerated.value.empty() ? &yaml::nowhere() : &build.text(tolerated.value)},
       {"effect", &build.text("NoSchedule")}});
}

const Node& tolerations(const std::vector<NodeToleration>& all, const Builder& build) {
  std::vector<const Node*> items;
  for (const NodeToleration& tolerated : all) items.push_back(&toleration(tolerated, build));
  return build.list(items);
}

const Node& taint(const accelerators::NodeTaint& taint, const Builder& build) {
  return build.map({{"key", &build.text(taint.key)},
                    {"value", taint.value.empty() ? &yaml::nowhere() : &build.text(taint.value)},
                    {"effect", &build.text(taint.effect)}});
}

void add_facts(const Placement& placement, const Builder& build, Values& values) {
  const auto set = [&](std::string_view name, const Node& value) {
    values[std::string("accelerator.").append(name)] = &value;
  };
  set("name", build.text(placement.accelerators.front()));
  set("vendor", build.text(name_of(placement.vendor)));
  set("resource", build.text(placement.resource));
  set("matchExpressions", expressions(placement.demands, build));
  if (fits_selector(placement.demands)) {
    set("nodeSelector", selector(placement.demands, build));
  } else {
    set("nodeAffinity", affinity(placement.demands, build));
  }
  set("elsewhere", expressions(placement.elsewhere, build));
  std::vector<std::pair<std::string_view, const Node*>> labels;
  for (const auto& label : placement.owner_labels) {
    labels.emplace_back(label.key, &build.text(label.value));
  }
  set("nodeLabels", build.map(labels));
  set("taints", build.list({&taint(placement.taint, build)}));
  set("tolerations", tolerations(placement.tolerations, build));
  set("pluginTolerations", tolerations(placement.plugin_tolerations, build));
  if (placement.machine_type) set("machineType", build.text(*placement.machine_type));
}

accelerators::PlacementRequest placement_request(const Values& values) {
  accelerators::PlacementRequest request;
  for (const Node* item : value_of(values, "accelerators").items()) {
    request.accelerators.emplace_back(item->text());
  }
  const Node& single = value_of(values, "accelerator");
  if (single) request.accelerators.emplace_back(single.text());
  const Node& count = value_of(values, "gpus");
  if (count) request.count = yaml::integer_of(count).value_or(1);
  const std::string_view strategy = value_of(values, "migStrategy").text();
  if (strategy == "single") request.mig_strategy = accelerators::MigStrategy::single;
  if (strategy == "mixed") request.mig_strategy = accelerators::MigStrategy::mixed;
  const auto memory = yaml::integer_of(value_of(values, "minMemory"));
  if (memory) request.more_than_mebibytes = accelerators::just_below_cards_of(*memory);
  return request;
}

}  // namespace

const Node& value_of(const Values& values, std::string_view name) {
  const auto found = values.find(name);
  return found == values.end() ? yaml::missing_node() : *found->second;
}

std::span<const std::string_view> fact_names() { return kNames; }
std::span<const std::string_view> fact_inputs() { return kInputs; }

std::int64_t usual_count(const Values& values) {
  const auto platform = accelerators::platform_named(value_of(values, "platform").text());
  accelerators::PlacementRequest request = placement_request(values);
  if (!platform || request.accelerators.empty()) return 1;
  for (const std::int64_t count : {1, 2, 4, 8, 16}) {
    request.count = count;
    if (place(*platform, request)) return count;
  }
  return 1;
}

Result<Values> with_facts(Values values, Arena& arena) {
  const auto platform = accelerators::platform_named(value_of(values, "platform").text());
  const accelerators::PlacementRequest request = placement_request(values);
  if (!platform || request.accelerators.empty()) return values;
  const auto placement = place(*platform, request);
  if (!placement) return placement.error();
  add_facts(*placement, Builder(arena), values);
  return values;
}

}  // namespace cnsched::templates

#include "core/seldon/graph.h"

#include <algorithm>
#include <array>
#include <utility>

namespace cnsched::seldon {

namespace {

constexpr std::string_view kUnknown = "UNKNOWN_IMPLEMENTATION";

bool is_built_in(std::string_view implementation) {
  constexpr auto kBuiltIn = std::to_array<std::string_view>(
      {"SIMPLE_MODEL", "SIMPLE_ROUTER", "RANDOM_ABTEST", "AVERAGE_COMBINER"});
  return std::ranges::find(kBuiltIn, implementation) != kBuiltIn.end();
}

}  // namespace

bool Unit::is_prepackaged() const {
  const std::string_view value = implementation();
  return !value.empty() && value != kUnknown && !is_built_in(value);
}

bool Unit::is_custom() const { return implementation().empty() || implementation() == kUnknown; }

bool Unit::has_type() const {
  if (is_prepackaged() || !(*node)["type"].text().empty()) return true;
  return implementation().empty() && !(*node)["methods"];
}

std::string_view Unit::label() const {
  constexpr auto kLabels = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"ROUTER", "seldon.io/router"},
       {"COMBINER", "seldon.io/combiner"},
       {"MODEL", "seldon.io/model"},
       {"TRANSFORMER", "seldon.io/transformer"},
       {"OUTPUT_TRANSFORMER", "seldon.io/output-transformer"}});
  const std::string_view type = (*node)["type"].text();
  if (is_prepackaged() || (type.empty() && has_type())) return "seldon.io/model";
  const auto* found = std::ranges::find(kLabels, type, [](const auto& row) { return row.first; });
  return found == kLabels.end() ? std::string_view() : found->second;
}

std::vector<Unit> units_of(const yaml::Node& graph) {
  constexpr std::size_t kMaxUnits = 10'000;
  std::vector<Unit> units;
  std::vector<const yaml::Node*> pending = {&graph};
  while (!pending.empty() && units.size() < kMaxUnits) {
    const yaml::Node& unit = *pending.back();
    pending.pop_back();
    if (!unit.is_mapping()) continue;
    units.push_back({&unit});
    const auto children = unit["children"].items();
    const auto some =
        children.first(pending.size() < kMaxUnits ? std::min(children.size(), kMaxUnits) : 0);
    pending.insert(pending.end(), some.rbegin(), some.rend());
  }
  return units;
}

}  // namespace cnsched::seldon

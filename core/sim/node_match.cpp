#include "core/sim/node_match.h"

#include <fmt/format.h>

#include <vector>

#include "core/base/text.h"

namespace cnsched::sim {

using k8s::Requirement;

NodeBounds nodes_matching(const Requirement& requirement, const Cluster& cluster) {
  constexpr std::size_t kStepsOfMatcher = 16;
  constexpr std::size_t kNodesOfStep = 2;
  const k8s::ValueMatcher matches(requirement);
  const LabelColumn* column = cluster.label(requirement.key);
  cluster.steps().spend(kStepsOfMatcher + cluster.size() / kNodesOfStep +
                        (column == nullptr ? 0 : column->values()));
  NodeSet certain = column != nullptr       ? column->where(matches)
                    : matches(std::nullopt) ? cluster.all()
                                            : cluster.none();
  NodeSet possible = certain;
  if (requirement.requires_label()) {
    NodeSet unlisted = cluster.may_have_label(requirement.key);
    if (column != nullptr && !unlisted.empty()) unlisted -= column->nodes();
    possible |= unlisted;
  }
  return {std::move(certain), std::move(possible)};
}

std::string required_values(const Requirement& r) {
  std::vector<std::string> values;
  constexpr std::size_t kMaxValues = 4;
  for (const yaml::Node* value : r.values) {
    if (values.size() == kMaxValues) {
      values.emplace_back("…");
      break;
    }
    values.push_back(fmt::format("'{}'", printable(value->text())));
  }
  if (r.op == "In") return join_words(values, "or");
  if (r.op == "NotIn") return "anything but " + join_words(values, "or");
  if (r.op == "Gt") return "more than " + join_words(values);
  if (r.op == "Lt") return "less than " + join_words(values);
  if (r.op == "DoesNotExist") return "no such label";
  return "any value";
}

std::string difference(const Requirement& r, std::optional<std::string_view> value) {
  const std::string key = printable(r.key);
  if (!value) return fmt::format("has no label '{}' (required: {})", key, required_values(r));
  const std::string has = printable(*value);
  if (r.op == "In") return fmt::format("label '{}' is '{}', not {}", key, has, required_values(r));
  return fmt::format("label '{}' is '{}' (required: {})", key, has, required_values(r));
}

}  // namespace cnsched::sim

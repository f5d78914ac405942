#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

#include "core/k8s/selector.h"

namespace cnsched::rules {

/// Whether the requirement is a label of nodeSelector (k8s::requirement_of), and no expression.
inline bool is_label(const k8s::Requirement& r) { return !r.node->is_mapping(); }

/// The token to point at.
inline const yaml::Node& place_of_requirement(const k8s::Requirement& r) {
  if (is_label(r)) return *r.node;
  const yaml::Node& values = (*r.node)["values"];
  return values.items.size() == 1 ? *values.items.front() : values ? values : (*r.node)["key"];
}

/// The label or expression in one line.
inline std::string requirement_text(const k8s::Requirement& r) {
  if (is_label(r)) return fmt::format("'{}: {}'", r.key, r.values.front()->scalar());
  if (r.values.empty()) return fmt::format("'{} {}'", r.key, r.op);
  if (r.values.size() == 1) {
    return fmt::format("'{} {} {}'", r.key, r.op, r.values.front()->scalar());
  }
  constexpr std::size_t kMost = 3;
  std::string values;
  for (const yaml::Node* value : std::span(r.values).first(std::min(r.values.size(), kMost))) {
    values += fmt::format("{}{}", values.empty() ? "" : ", ", value->scalar());
  }
  return fmt::format("'{} {} [{}{}]'", r.key, r.op, values, r.values.size() > kMost ? ", …" : "");
}

}  // namespace cnsched::rules

#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

#include "core/k8s/selector.h"
#include "core/yaml/node.h"

namespace cnsched::rules {

// How messages speak of a label of nodeSelector or an expression of node affinity.

/// Whether the requirement is a label; otherwise it is an expression.
inline bool is_label(const k8s::Requirement& r) { return !r.node->is_mapping(); }

/// The token to point at.
inline const yaml::Node& place_of(const k8s::Requirement& r) {
  if (is_label(r)) return *r.node;
  const yaml::Node& values = (*r.node)["values"];
  return values.items().size() == 1 ? *values.items().front() : values ? values : (*r.node)["key"];
}

/// Whether the manifest has an annotation of which KServe's webhook makes the label.
inline bool is_annotation(const k8s::Requirement& r) {
  return is_label(r) && r.node->key() != nullptr && r.node->key()->span != Span() &&
         r.node->key()->text() != r.key;
}

/// The key as the manifest has it.
inline std::string_view written_key(const k8s::Requirement& r) {
  return is_annotation(r) ? r.node->key()->text() : r.key;
}

/// 'pool: gpu', 'pool In [a, b]', with quotes.
inline std::string described(const k8s::Requirement& r) {
  if (is_label(r)) return fmt::format("'{}: {}'", written_key(r), r.values.front()->text());
  if (r.values.empty()) return fmt::format("'{} {}'", r.key, r.op);
  if (r.values.size() == 1) {
    return fmt::format("'{} {} {}'", r.key, r.op, r.values.front()->text());
  }
  constexpr std::size_t kMost = 3;
  std::string values;
  for (const yaml::Node* value : std::span(r.values).first(std::min(r.values.size(), kMost))) {
    values += fmt::format("{}{}", values.empty() ? "" : ", ", value->text());
  }
  return fmt::format("'{} {} [{}{}]'", r.key, r.op, values, r.values.size() > kMost ? ", …" : "");
}

}  // namespace cnsched::rules

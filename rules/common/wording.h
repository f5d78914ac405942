#pragma once

#include <fmt/format.h>

#include <string>

#include "core/k8s/selector.h"
#include "core/workspace/workload.h"
#include "core/yaml/node.h"
#include "rules/findings.h"

namespace cnsched::rules {

// Text of messages about a label of nodeSelector or an expression of node affinity.

/// Whether the requirement is a label; otherwise it is an expression.
inline bool is_label(const k8s::Requirement& r) { return !r.node->is_mapping(); }

/// The token that a finding points at.
inline const yaml::Node& place_of(const k8s::Requirement& r) {
  if (is_label(r)) return *r.node;
  const yaml::Node& values = (*r.node)["values"];
  return values.items().size() == 1 ? *values.items().front() : values ? values : (*r.node)["key"];
}

/// Whether KServe's webhook makes the label from an annotation of the manifest.
inline bool is_annotation(const k8s::Requirement& r) {
  return is_label(r) && r.node->key() != nullptr && r.node->key()->span != Span() &&
         r.node->key()->text() != r.key;
}

/// The key as written in the manifest.
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
  return fmt::format("'{} {} [{}]'", r.key, r.op, first_values(r, 3));
}

/// Lowers the finding to a warning and notes at `place` what is unknown about the pod and may
/// resolve it.
inline void note_unknown(const Workload& workload, const yaml::Node& place,
                         Findings::Finding& finding) {
  finding.severity(Severity::warning);
  for (const k8s::Unknown& unknown : workload.unknown) {
    if (!unknown.adds_fields()) continue;
    finding.note(place, "unknown: {}", unknown.what);
  }
}

}  // namespace cnsched::rules

#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/facts/node_pools.h"
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

/// "'rclone', 'agent', 'mlserver'"; of many names the first ones.
inline std::string first_names(const std::vector<std::string_view>& names, std::size_t most = 10) {
  const std::size_t shown = std::min(names.size(), most);
  return fmt::format("'{}'{}", fmt::join(std::span(names).first(shown), "', '"),
                     shown < names.size() ? ", …" : "");
}

/// The object that sets a value of a pod, directly or through a controller; null for a constant of
/// the controller.
inline const k8s::Object* setter_of(const yaml::Node& value, const Findings& findings) {
  return value.span == Span() ? nullptr : findings.scope().object_around(value.span);
}

/// "ServingRuntime 'vllm'".
inline std::string named(const k8s::Object& object) {
  return fmt::format("{} '{}'", object.kind, object.name);
}

/// ", unless an object that uses this ServingRuntime sets one": for a base that nothing in the
/// workspace uses.
inline std::string unless_user_sets(const Workload& base, std::string_view what) {
  return fmt::format(", unless an object that uses this {} sets {}", base.object->kind, what);
}

/// Of an invalid pod template of a StatefulSet.
inline constexpr std::string_view kStatefulSetRejected =
    "the API server rejects the StatefulSet, or before Kubernetes 1.34 each of its pods";

/// What the API server rejects if the resources of a pod are invalid: the pod, or the object with
/// its template.
inline std::string_view rejection_of(const Workload& workload) {
  using kserve::DeploymentMode;
  const std::string_view kind = workload.object->kind;
  if (kind == "Server" || kind == "StatefulSet") return kStatefulSetRejected;
  if (kind == "Deployment" || kind == "SeldonDeployment") {
    return "the API server rejects the Deployment";
  }
  if (kind != "InferenceService") return "the API server rejects the pod";
  switch (workload.mode.mode) {
    case DeploymentMode::knative:
      return "the API server rejects the pod, and Knative's Revision fails";
    case DeploymentMode::standard:
      return "the API server rejects the Deployment that KServe creates";
    default:
      return "the API server rejects the pod";
  }
}

/// The pool's name in messages: "NodePool 'gpu'". If no object describes this pool alone, it is
/// "node pool 'gpu'".
inline std::string pool_called(const facts::NodePool& pool) {
  const bool is_object = pool.object != nullptr && pool.object->kind != "ClusterConfig";
  const std::string_view kind = is_object ? pool.object->kind : "node pool";
  return pool.name.empty() ? fmt::format("a {}", kind) : fmt::format("{} '{}'", kind, pool.name);
}

/// Where a finding about the taint points: its key, if it is a field of its own.
inline const yaml::Node& place_of_taint(const k8s::Taint& taint) {
  const yaml::Node& key = (*taint.node)["key"];
  return key ? key : *taint.node;
}

/// Whether the node is of a chart with its own values.yaml alone, which may leave a text empty.
inline bool may_be_left_to_values(const yaml::Node& node, const Findings& findings) {
  return findings.workspace().variant_of(node.span.file).is_default;
}

inline constexpr std::string_view kWithoutValues = "with the chart's own values, ";

/// Makes a finding that ends with a release's values an info.
inline void leave_to_values(Findings::Finding& finding) {
  finding.severity(Severity::info)
      .help(
          "state the values of a release: --helm-values, --helm-set, or 'render' in the file "
          "given with -c");
}

}  // namespace cnsched::rules

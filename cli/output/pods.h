#pragma once

#include <functional>
#include <string>

#include "cli/output/json.h"
#include "core/diag/diagnostic.h"
#include "core/workspace/cluster_scope.h"

namespace cnsched::cli {

/// An effective pod and the v1/Pod to print.
struct ShownPod {
  const Workload& workload;
  const yaml::Node* object = nullptr;  ///< the v1/Pod (core/k8s/workloads.h); null: never created
};

/// "InferenceService 'llama', predictor (svc.yaml:1)"; with the name of the cluster if there are
/// several.
std::string described(const Workload& workload, const Workspace& workspace);

/// A YAML document with its `---`: comments with the object and what is unknown, then the Pod;
/// `with_origin` adds the line of each scheduling value as a comment.
std::string yaml_document(const ShownPod& pod, const Workspace& workspace, bool with_origin);

/// An element of `pods` in the JSON output, indented by `indent`.
std::string json_element(Arena& arena, const ShownPod& pod, const Workspace& workspace,
                         std::size_t indent);

/// Calls `visit` for every scalar, null, {} and [] of a tree, with its JSON Pointer (RFC 6901).
void each_leaf(
    const yaml::Node& root,
    const std::function<void(const std::string& pointer, const yaml::Node& leaf)>& visit);

/// Whether the value at that pointer of a v1/Pod decides placement.
bool is_scheduling_value(std::string_view pointer);

/// Whether the value, or its cause, is in a file.
bool has_place(const yaml::Node& node);
/// "svc.yaml:3:7".
std::string place_of(Span span, const Workspace& workspace);
/// Adds `file`, `line` and `column`.
void put_position(Json& json, Span where, const Workspace& workspace);
/// `apiVersion`, `kind`, `namespace` and `name`.
Json identity_json(const Subject& subject);
Json identity_json(const k8s::Object& object);
/// Adds `cluster` and `variant` if there are several.
void put_scope(Json& json, const Workload& workload);
/// "svc.yaml:3", "from svc.yaml:3" or "set by the controller".
std::string describe_origin(const yaml::Node& node, const Workspace& workspace);

}  // namespace cnsched::cli

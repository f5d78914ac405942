#pragma once

#include <functional>
#include <string>

#include "cli/output/json.h"
#include "core/diag/diagnostic.h"
#include "core/workspace/cluster_scope.h"

namespace cnsched::cli {

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

#include "cli/output/origins.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/yaml/scalar.h"

namespace cnsched::cli {

namespace {

using yaml::Node;

/// A walk over a tree with the pointer of the current node.
class LeafWalk {
 public:
  explicit LeafWalk(const std::function<void(const std::string&, const Node&)>& visit)
      : visit_(visit) {}

  void below(const Node& node) {
    if (node.is_empty() || node.is_scalar()) return visit_(pointer_, node);
    for (std::size_t i = 0; i < node.items().size(); ++i) {
      step(fmt::to_string(i), *node.items()[i]);
    }
    for (const yaml::Entry& entry : node.entries()) {
      if (!entry.overridden) step(yaml::pointer_step(yaml::key_text(*entry.key)), *entry.value);
    }
  }

 private:
  void step(const std::string& name, const Node& node) {
    const std::size_t length = pointer_.size();
    pointer_ += '/';
    pointer_ += name;
    below(node);
    pointer_.resize(length);
  }

  const std::function<void(const std::string&, const Node&)>& visit_;
  std::string pointer_;
};

constexpr auto kSpecFields = std::to_array<std::string_view>(
    {"nodeSelector", "affinity", "tolerations", "topologySpreadConstraints", "nodeName",
     "schedulerName", "priorityClassName", "priority", "preemptionPolicy", "runtimeClassName",
     "schedulingGates", "resourceClaims", "resources", "overhead", "hostNetwork"});

bool is_container_list(std::string_view field) {
  return field == "containers" || field == "initContainers" || field == "ephemeralContainers";
}

Json identity(const auto& object) {
  return {{"apiVersion", object.api_version},
          {"kind", object.kind},
          {"namespace", object.ns},
          {"name", object.name}};
}

}  // namespace

void each_leaf(const Node& root,
               const std::function<void(const std::string& pointer, const Node& leaf)>& visit) {
  LeafWalk(visit).below(root);
}

bool is_scheduling_value(std::string_view pointer) {
  const std::vector<std::string_view> steps = split(pointer, '/');  // the first is empty
  if (steps.size() < 3) return false;
  if (steps[1] == "metadata") return steps[2] == "labels";
  if (steps[1] != "spec") return false;
  if (std::ranges::find(kSpecFields, steps[2]) != kSpecFields.end()) return true;
  if (steps.size() < 5 || !is_container_list(steps[2])) return false;
  if (steps[4] == "name" || steps[4] == "resources") return true;
  return steps.size() == 7 && steps[4] == "ports" && steps[6] == "hostPort";
}

bool has_place(const Node& node) { return node.span != Span{}; }

std::string place_of(Span span, const Workspace& workspace) {
  const SourceFile& file = workspace.file_of(span);
  const Position at = file.position(span.begin);
  return fmt::format("{}:{}:{}", file.path(), at.line, at.column);
}

Json identity_json(const Subject& subject) { return identity(subject); }
Json identity_json(const k8s::Object& object) { return identity(object); }

void put_position(Json& json, Span where, const Workspace& workspace) {
  const SourceFile& file = workspace.file_of(where);
  const Position at = file.position(where.begin);
  json["file"] = file.path();
  json["line"] = at.line;
  json["column"] = at.column;
}

void put_scope(Json& json, const Workload& workload) {
  const std::string_view cluster = cluster_name(workload);
  if (!cluster.empty()) json["cluster"] = cluster;
  const std::string_view variant = variant_name(workload);
  if (!variant.empty()) json["variant"] = variant;
}

std::string describe_origin(const Node& node, const Workspace& workspace) {
  if (!has_place(node)) return "set by the controller";
  return (node.made ? "from " : "") + describe_line(node.span, workspace.sources);
}

}  // namespace cnsched::cli

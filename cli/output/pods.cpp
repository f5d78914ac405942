#include "cli/output/pods.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "core/base/text.h"
#include "core/k8s/workloads.h"
#include "core/kserve/hardware_profile.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"
#include "core/yaml/write.h"

namespace cnsched::cli {

namespace {

using yaml::Entry;
using yaml::Node;

constexpr std::size_t kWidth = 80;

/// "InferenceService 'llama', predictor (svc.yaml:1)".
std::string named(const k8s::Object& object, std::string_view component,
                  const Workspace& workspace) {
  std::string text(object.kind);
  if (!object.name.empty()) text += fmt::format(" '{}'", object.name);
  if (!component.empty()) text += fmt::format(", {}", component);
  return fmt::format("{} ({})", printable(text),
                     describe_line(object.root->span, workspace.sources));
}

/// A comment, wrapped; further lines are indented.
std::string comment(const std::string& text) {
  std::string result;
  for (const std::string& line : wrap(text, kWidth - 4)) {
    result += (result.empty() ? "# " : "#   ") + line + "\n";
  }
  return result;
}

std::string describe_unknown(const k8s::Unknown& unknown) {
  return fmt::format("unknown: {}{}", printable(unknown.what),
                     unknown.kind == k8s::Unknown::Kind::named ? ", which is not in this run" : "");
}

std::string heading(const Workload& workload, const Workspace& workspace) {
  const std::string subject = described(workload, workspace);
  if (workload.never_created) {
    return comment(
        fmt::format("{}: no pod is created: {}", subject, printable(workload.why_never_created())));
  }
  std::string text = comment(subject);
  std::string_view relation = "merged over";
  for (auto base = workload.bases.rbegin(); base != workload.bases.rend(); ++base) {
    const bool is_profile = kserve::is_hardware_profile(*base->object);
    text += comment(fmt::format("{} {}", is_profile ? "completed by" : relation,
                                named(*base->object, "", workspace)));
    if (!is_profile) relation = "and over";
  }
  if (workload.replicas && *workload.replicas != 1) {
    text += comment(fmt::format("replicas: {}", *workload.replicas));
  }
  for (const k8s::Unknown& unknown : workload.unknown) text += comment(describe_unknown(unknown));
  return text;
}

/// The comment after a placeholder image.
std::string origin_of_image(const Workload& workload) {
  const auto& unknown = workload.unknown;
  if (std::ranges::count_if(unknown, &k8s::Unknown::adds_fields) != 1) {
    return "set by what is unknown";
  }
  const auto one = std::ranges::find_if(unknown, &k8s::Unknown::adds_fields);
  const bool is_object =
      one->kind == k8s::Unknown::Kind::named || one->fact == k8s::Unknown::Fact::object;
  return is_object ? "set by " + printable(one->what) : "chosen by the controller";
}

/// Builds the trees that are written as JSON.
class Builder {
 public:
  explicit Builder(Arena& arena) : arena_(arena) {}

  const Node& string(std::string_view text) {
    return yaml::string_like(arena_, yaml::nowhere(), text);
  }
  Entry entry(std::string_view key, const Node& value) { return {string(key), value}; }
  Entry entry(std::string_view key, std::string_view text) { return entry(key, string(text)); }
  const Node& mapping(const std::vector<Entry>& entries) {
    return yaml::mapping_like(arena_, yaml::nowhere(), entries);
  }
  const Node& integer_or_null(std::optional<std::int64_t> number) {
    if (number) return yaml::integer_like(arena_, yaml::nowhere(), *number);
    Node* null = arena_.make<Node>();
    null->kind = Node::Kind::null;
    return *null;
  }
  const Node& strings(const std::vector<std::string>& texts) {
    std::vector<const Node*> items;
    for (const std::string& text : texts) items.push_back(&string(text));
    return yaml::sequence_like(arena_, yaml::nowhere(), items);
  }

 private:
  Arena& arena_;
};

const Node& origins(Builder& build, const Node& pod, const Workspace& workspace) {
  std::vector<Entry> entries;
  each_leaf(pod, [&](const std::string& pointer, const Node& leaf) {
    if (has_place(leaf)) entries.push_back(build.entry(pointer, place_of(leaf.span, workspace)));
  });
  return build.mapping(entries);
}

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

Json identity(const auto& object, std::string_view ns) {
  return {{"apiVersion", object.api_version},
          {"kind", object.kind},
          {"namespace", ns},
          {"name", object.name}};
}

}  // namespace

std::string described(const Workload& workload, const Workspace& workspace) {
  const std::string scope = describe_scope(*workload.scope);
  return named(*workload.object, workload.component, workspace) +
         (scope.empty() ? "" : fmt::format(", in {}", scope));
}

std::string yaml_document(const ShownPod& pod, const Workspace& workspace, bool with_origin) {
  std::string text = "---\n" + heading(pod.workload, workspace);
  if (pod.object == nullptr) return text;
  std::unordered_map<const Node*, std::string> comments;
  if (with_origin) {
    each_leaf(*pod.object, [&](const std::string& pointer, const Node& leaf) {
      if (is_scheduling_value(pointer)) comments[&leaf] = describe_origin(leaf, workspace);
    });
  }
  return text + yaml::to_yaml(*pod.object, [&](const Node& leaf) -> std::string {
           if (k8s::is_placeholder_image(leaf)) return origin_of_image(pod.workload);
           if (k8s::is_configured_image(leaf)) return "set by the controller's ConfigMap";
           const auto found = comments.find(&leaf);
           return found == comments.end() ? "" : found->second;
         });
}

std::string json_element(Arena& arena, const ShownPod& pod, const Workspace& workspace,
                         std::size_t indent) {
  Builder build(arena);
  const k8s::Object& object = *pod.workload.object;
  std::vector<std::string> unknown;
  for (const k8s::Unknown& entry : pod.workload.unknown) unknown.push_back(entry.what);
  std::vector<Entry> entries = {
      build.entry("object", build.mapping({build.entry("apiVersion", object.api_version),
                                           build.entry("kind", object.kind),
                                           build.entry("namespace", object.ns.name),
                                           build.entry("name", object.name)})),
      build.entry("component", pod.workload.component),
      build.entry("replicas", build.integer_or_null(pod.workload.replicas)),
      build.entry("unknown", build.strings(unknown)),
      build.entry("pod", *pod.object),
      build.entry("origins", origins(build, *pod.object, workspace)),
  };
  const std::string_view cluster = cluster_name(pod.workload);
  if (!cluster.empty()) entries.push_back(build.entry("cluster", cluster));
  const std::string_view variant = variant_name(pod.workload);
  if (!variant.empty()) entries.push_back(build.entry("variant", variant));
  const std::string releases = describe_releases(*pod.workload.scope);
  if (!releases.empty()) entries.push_back(build.entry("releases", releases));
  return yaml::to_json(build.mapping(entries), indent);
}

void each_leaf(const Node& root,
               const std::function<void(const std::string& pointer, const Node& leaf)>& visit) {
  LeafWalk(visit).below(root);
}

bool is_scheduling_value(std::string_view pointer) {
  const std::vector<std::string_view> steps = split(pointer, '/');  // the first is empty
  if (steps.size() < 3) return false;
  if (steps[1] == "metadata") return steps[2] == "labels";
  if (steps[1] != "spec") return false;
  if (is_one_of(steps[2], kSpecFields)) return true;
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

Json identity_json(const Subject& subject) { return identity(subject, subject.ns); }
Json identity_json(const k8s::Object& object) { return identity(object, object.ns.name); }

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

#include "cli/output/pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "cli/output/origins.h"
#include "core/base/text.h"
#include "core/k8s/workloads.h"
#include "core/kserve/hardware_profile.h"
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
  return one->kind == k8s::Unknown::Kind::named ? "set by " + printable(one->what)
                                                : "chosen by the controller";
}

/// Builds the trees that are written as JSON.
class Builder {
 public:
  explicit Builder(Arena& arena) : arena_(arena) {}

  const Node& string(std::string_view text) {
    return yaml::string_like(arena_, yaml::nowhere(), text);
  }
  Entry entry(std::string_view key, const Node& value) { return {&string(key), &value}; }
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
                                           build.entry("namespace", object.ns),
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

}  // namespace cnsched::cli

#include "core/kserve/runtime_merge.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_set>

#include "core/base/text.h"
#include "core/k8s/pod_spec.h"
#include "core/k8s/strategic_merge.h"
#include "core/kserve/fields.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

namespace {

using yaml::Entry;
using yaml::Node;

/// A field that a runtime hands on to the pods built on it, and since which release.
struct InheritedField {
  std::string_view name;
  Version since;
};

constexpr auto kInherited = std::to_array<InheritedField>({{"nodeSelector", {0, 0, 0}},
                                                           {"affinity", {0, 0, 0}},
                                                           {"tolerations", {0, 0, 0}},
                                                           {"volumes", {0, 0, 0}},
                                                           {"imagePullSecrets", {0, 10, 0}},
                                                           {"schedulerName", {0, 17, 0}},
                                                           {"resourceClaims", {0, 20, 1}}});

std::vector<std::string_view> inherited_fields(const std::optional<Version>& version) {
  std::vector<std::string_view> fields;
  for (const InheritedField& field : kInherited) {
    if (!version || *version >= field.since) fields.push_back(field.name);
  }
  return fields;
}

/// What `{{.Name}}`, `{{ .Labels.team }}` stand for in the manifest; nothing if it is no such path.
std::optional<std::string_view> placeholder_value(std::string_view expression,
                                                  const k8s::Object& object) {
  constexpr std::string_view kLabels = ".Labels.";
  constexpr std::string_view kAnnotations = ".Annotations.";
  if (expression == ".Name") return object.name;
  if (expression == ".Namespace") return object.ns;
  if (expression.starts_with(kLabels)) {
    return object.labels()[expression.substr(kLabels.size())].scalar();
  }
  if (expression.starts_with(kAnnotations)) {
    return object.annotations()[expression.substr(kAnnotations.size())].scalar();
  }
  return std::nullopt;
}

std::string filled(std::string_view text, const k8s::Object& object) {
  std::string result;
  while (true) {
    const std::size_t open = text.find("{{");
    const std::size_t close = open == std::string_view::npos ? open : text.find("}}", open);
    if (close == std::string_view::npos) return result += text;
    const std::string_view whole = text.substr(open, close + 2 - open);
    const auto value = placeholder_value(trim(whole.substr(2, whole.size() - 4)), object);
    result += text.substr(0, open);
    result += value.value_or(whole);
    text.remove_prefix(close + 2);
  }
}

const Node& filled(const Node& value, const k8s::Object& object, Arena& arena) {
  if (!value.is_scalar() || value.text.find("{{") == std::string_view::npos) return value;
  const std::string text = filled(value.text, object);
  return text == value.text ? value : yaml::string_like(arena, value, text);
}

const Node& filled_items(const Node& list, const k8s::Object& object, Arena& arena) {
  if (!list.is_sequence()) return list;
  std::vector<const Node*> items;
  for (const Node* item : list.items) items.push_back(&filled(*item, object, arena));
  return yaml::sequence_like(arena, list, items);
}

/// Environment variables: `value` may hold a placeholder, and a value drives out a `valueFrom` that
/// only the runtime has.
const Node& settled_environment(const Node& list, const Node& patch, const k8s::Object& object,
                                Arena& arena) {
  if (!list.is_sequence()) return list;
  std::unordered_set<std::string_view> own_values;
  for (const Node* item : patch.items) {
    if ((*item)["value"]) own_values.insert((*item)["name"].scalar());
  }
  std::vector<const Node*> items;
  for (const Node* item : list.items) {
    const Node* variable = item;
    if ((*item)["value"] && (*item)["valueFrom"]) {
      const bool by_value = own_values.contains((*item)["name"].scalar());
      variable = &yaml::without(arena, *item, by_value ? "valueFrom" : "value");
    }
    const Node& value = (*variable)["value"];
    if (const Node& full = filled(value, object, arena); &full != &value) {
      variable = &yaml::with(arena, *variable, "value", full);
    }
    items.push_back(variable);
  }
  return yaml::sequence_like(arena, list, items);
}

const Node& joined(const Node& first, const Node& second, Arena& arena) {
  if (second.items.empty()) return first;
  std::vector<const Node*> items(first.items.begin(), first.items.end());
  items.insert(items.end(), second.items.begin(), second.items.end());
  return yaml::sequence_like(arena, second, items);
}

/// Where the tag of an image begins (at its colon); its end if there is none.
std::size_t tag_start(std::string_view image) {
  const std::size_t colon = image.rfind(':');
  if (colon == std::string_view::npos) return image.size();
  return image.find('/', colon) == std::string_view::npos ? colon : image.size();
}

bool has_gpu_limit(const Node& container) {
  const auto limits = k8s::Container{&container}.limits();
  return std::ranges::any_of(limits, [](const k8s::ResourceAmount& limit) {
    return limit.name == "nvidia.com/gpu" || limit.name.starts_with("nvidia.com/mig");
  });
}

}  // namespace

const Node& merge_pod_fields(const Node& spec, const Node& patch, const Surroundings& around) {
  Arena& arena = around.arena;
  const auto fields = inherited_fields(around.version);
  const Node& base = yaml::mapping_like(arena, spec, yaml::pick(spec, fields));
  std::vector<Entry> own = yaml::pick(patch, pod_fields());
  std::erase_if(own, [](const Entry& entry) { return entry.key->text == "containers"; });
  return k8s::strategic_merge(arena, base, yaml::mapping_like(arena, patch, own),
                              k8s::MergeType::pod_spec);
}

const Node& merge_container(const Node& base, const Node& patch, const k8s::Object& object,
                            Arena& arena) {
  const Node* merged = &k8s::strategic_merge(arena, base, yaml::without(arena, patch, "name"),
                                             k8s::MergeType::container);
  const Node& arguments = joined(base["args"], patch["args"], arena);
  const auto set = [&](std::string_view field, const Node& value) {
    if (value) merged = &yaml::with(arena, *merged, field, value);
  };
  set("args", filled_items(arguments, object, arena));
  set("command", filled_items((*merged)["command"], object, arena));
  set("image", filled((*merged)["image"], object, arena));
  set("env", settled_environment((*merged)["env"], patch["env"], object, arena));
  return *merged;
}

const Node& with_image_tag(const Node& container, const Node& runtime_version,
                           const k8s::Object& runtime, Arena& arena) {
  constexpr auto kBuiltForGpu = std::to_array<std::string_view>(
      {"kserve-tensorflow-serving", "kserve-torchserve", "kserve-huggingfaceserver"});
  const Node& image = container["image"];
  const std::string_view text = image.scalar();
  if (text.empty() || text.find("@sha256:") != std::string_view::npos) return container;
  const std::size_t tag = tag_start(text);
  const std::string_view version = runtime_version.scalar();
  if (!version.empty()) {
    const std::string tagged = std::string(text.substr(0, tag)) + ":" + std::string(version);
    return yaml::with(arena, container, "image", yaml::string_like(arena, image, tagged));
  }
  const bool twice = std::ranges::find(kBuiltForGpu, runtime.name) != kBuiltForGpu.end();
  if (!twice || tag == text.size() || text.ends_with("-gpu") || !has_gpu_limit(container)) {
    return container;
  }
  return yaml::with(arena, container, "image",
                    yaml::string_like(arena, image, std::string(text) + "-gpu"));
}

}  // namespace cnsched::kserve

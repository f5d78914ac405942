#include "core/kserve/runtime_merge.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "core/k8s/struct_merge.h"
#include "core/kserve/fields.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

namespace {

using yaml::Entry;
using yaml::Node;

/// A field that a runtime passes on to its pods, and the first release that does so.
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

/// If a variable has `value` and `valueFrom` after the merge, keeps the one that `patch` sets.
const Node& resolved_environment(const Node& list, const Node& patch, Arena& arena) {
  if (!list.is_sequence() || patch.items().empty()) return list;
  std::unordered_map<std::string_view, const Node*> own;
  for (const Node* item : patch.items()) own[(*item)["name"].text()] = item;
  std::vector<const Node*> items;
  for (const Node* item : list.items()) {
    const auto set = own.find((*item)["name"].text());
    const bool both = !(*item)["value"].text().empty() && (*item)["valueFrom"].is_mapping();
    if (set == own.end() || !both) {
      items.push_back(item);
    } else if ((*set->second)["valueFrom"].is_mapping()) {
      items.push_back(&yaml::without(arena, *item, "value"));
    } else {
      items.push_back(&yaml::without(arena, *item, "valueFrom"));
    }
  }
  return yaml::sequence_like(arena, list, items);
}

const Node& joined(const Node& first, const Node& second, Arena& arena) {
  if (second.items().empty()) return first;
  std::vector<const Node*> items(first.items().begin(), first.items().end());
  items.insert(items.end(), second.items().begin(), second.items().end());
  return yaml::sequence_like(arena, second, items);
}

}  // namespace

const Node& merge_pod_fields(const Node& spec, const Node& patch,
                             const ControllerContext& context) {
  Arena& arena = context.arena;
  const auto fields = inherited_fields(context.version);
  const Node& base = yaml::mapping_like(arena, spec, yaml::pick(spec, fields));
  std::vector<Entry> own = yaml::pick(patch, pod_fields());
  std::erase_if(own, [](const Entry& entry) { return entry.key->text() == "containers"; });
  return k8s::strategic_merge(arena, base, yaml::mapping_like(arena, patch, own), "PodSpec");
}

const Node& merge_container(const Node& base, const Node& patch, Arena& arena) {
  const Node* merged =
      &k8s::strategic_merge(arena, base, yaml::without(arena, patch, "name"), "Container");
  const auto set = [&](yaml::Key field, const Node& value) {
    if (value && &value != &(*merged)[field.text()])
      merged = &yaml::with(arena, *merged, field, value);
  };
  set("args"_key, joined(base["args"], patch["args"], arena));
  set("env"_key, resolved_environment((*merged)["env"], patch["env"], arena));
  return *merged;
}

}  // namespace cnsched::kserve

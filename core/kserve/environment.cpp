#include "core/kserve/environment.h"

#include <algorithm>

#include "core/k8s/pod_spec.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

using yaml::Node;

const Node& environment(const Node& container, std::string_view name) {
  return k8s::item_called(container["env"], name)["value"];
}

const Node& with_environment(const Node& container, std::string_view name, std::string_view value,
                             const Node& cause, Arena& arena) {
  const Node& list = container["env"];
  const Node& old = k8s::item_called(list, name);
  const Node& text = yaml::string_like(arena, cause, value);
  if (!old) {
    const Node& variable = yaml::mapping_like(
        arena, cause,
        {yaml::entry_of(arena, "name"_key, yaml::string_like(arena, cause, name)),
         yaml::entry_of(arena, "value"_key, text)});
    return yaml::with(arena, container, "env"_key, yaml::with_item(arena, list, variable));
  }
  std::vector<const Node*> items(list.items().begin(), list.items().end());
  *std::ranges::find(items, &old) = &yaml::with(arena, old, "value"_key, text);
  return yaml::with(arena, container, "env"_key, yaml::sequence_like(arena, list, items));
}

}  // namespace cnsched::kserve

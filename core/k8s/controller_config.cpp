#include "core/k8s/controller_config.h"

#include <fmt/format.h>

#include "core/yaml/parse.h"
#include "core/yaml/tree.h"

namespace cnsched::k8s {

namespace {

/// Calls `add` with the path and text of every scalar. Settings are not nested deeper.
/// `budget` limits the number of values, because aliases could make billions.
template <typename Add>
void flatten(const std::string& path, const yaml::Node& node, std::size_t depth,
             std::size_t& budget, Add& add) {
  constexpr std::size_t kDeepest = 4;
  if (budget == 0) return;
  --budget;
  if (node.is_scalar()) add(path, node.text());
  if (depth == kDeepest) return;
  for (const yaml::Entry& entry : node.entries()) {
    flatten(path + "/" + std::string(entry.key->text()), *entry.value, depth + 1, budget, add);
  }
  for (std::size_t i = 0; i < node.items().size(); ++i) {
    flatten(path + "/" + std::to_string(i), *node.items()[i], depth + 1, budget, add);
  }
}

}  // namespace

ControllerConfig::ControllerConfig(const Object& config_map) : known_(true) {
  std::size_t budget = 10'000;
  for (const yaml::Entry& entry : config_map["data"].entries()) {
    const yaml::Node& value = *entry.value;
    if (!value.is_scalar() || entry.key->text() == "_example") continue;
    const yaml::Embedded json(value.text());
    const auto add = [&](const std::string& path, std::string_view setting) {
      settings_[path] = {std::string(setting), &value};
    };
    flatten(std::string(entry.key->text()), json.root(), 0, budget, add);
  }
}

bool ControllerConfig::has(std::string_view path) const {
  if (settings_.contains(path)) return true;
  const std::string below = fmt::format("{}/", path);
  const auto found = settings_.lower_bound(below);
  return found != settings_.end() && found->first.starts_with(below);
}

const yaml::Node& ControllerConfig::find(std::string_view path, Arena& arena) const {
  const auto found = settings_.find(path);
  if (found == settings_.end()) return yaml::missing_node();
  return yaml::string_like(arena, *found->second.node, found->second.text);
}

const yaml::Node& ControllerConfig::find_or(std::string_view path, std::string_view shipped,
                                            Arena& arena) const {
  if (!known_) return yaml::string_like(arena, yaml::nowhere(), shipped);
  return find(path, arena);
}

const yaml::Node& ControllerConfig::resources(std::string_view key, const yaml::Node& like,
                                              Arena& arena) const {
  const auto amount = [&](yaml::Key resource, std::string_view list, std::string_view shipped) {
    const yaml::Node& set = find(fmt::format("{}/{}{}", key, resource.text(), list), arena);
    return yaml::entry_of(arena, resource,
                          set ? set : yaml::string_like(arena, yaml::nowhere(), shipped));
  };
  const auto amounts = [&](std::string_view list, std::string_view cpu,
                           std::string_view memory) -> const yaml::Node& {
    return yaml::mapping_like(arena, like,
                              {amount("cpu"_key, list, cpu), amount("memory"_key, list, memory)});
  };
  return yaml::mapping_like(
      arena, like,
      {yaml::entry_of(arena, "limits"_key, amounts("Limit", "1", "1Gi")),
       yaml::entry_of(arena, "requests"_key, amounts("Request", "100m", "100Mi"))});
}

}  // namespace cnsched::k8s

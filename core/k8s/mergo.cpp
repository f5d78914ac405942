// A recursive walk over both trees. mergo sees Go types and we do not, so the few fields whose type
// changes the outcome are named here.
#include "core/k8s/mergo.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/k8s/places.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"

namespace cnsched::k8s {

namespace {

using yaml::Entry;
using yaml::Node;

/// Fields of a pod, or of what holds one, that are Go maps.
bool is_map(std::string_view field) {
  constexpr auto kMaps = std::to_array<std::string_view>(
      {"nodeSelector", "limits", "requests", "overhead", "labels", "annotations", "matchLabels"});
  return std::ranges::find(kMaps, field) != kMaps.end();
}

/// Fields of the struct IntOrString, where a probe or a hook names its port.
bool is_int_or_string(std::string_view field) { return field == "port"; }

bool is_zero(const Node& value) {
  switch (value.type) {
    case yaml::ScalarType::string:
      return value.text().empty();
    case yaml::ScalarType::boolean:
      return yaml::boolean_of(value.text()) == false;
    case yaml::ScalarType::integer:
      return yaml::integer_of(value) == 0;
    case yaml::ScalarType::floating:
      return false;
  }
  return false;
}

bool is_nothing(const Node& value) { return value.is_missing() || value.is_null(); }

/// mergo merges the struct's fields one by one: Type (0 for an integer), then the value of either
/// type. So a number never takes the place of a name, and a name, be it "", always of a number.
const Node& int_or_string(const Node& base, const Node& patch) {
  if (patch.is_string() && !base.is_string()) return patch;
  if (!patch.is_string() && base.is_string()) return base;
  return is_zero(patch) ? base : patch;
}

class Merger {
 public:
  Merger(Arena& arena, Lists lists) : arena_(arena), lists_(lists) {}

  const Node& value(const Node& base, const Node& patch, std::string_view field) {
    if (is_nothing(patch)) return base;
    if (is_nothing(base)) return patch;
    // Aliases make trees that are endlessly deep or wide; no manifest of use is.
    if (depth_ == kDeepest || steps_ >= kMostSteps) return patch;
    steps_ += 1 + base.entries().size() + base.items().size();
    if (base.is_mapping() && patch.is_mapping()) return mapping(base, patch, is_map(field));
    if (base.is_sequence() && patch.is_sequence()) return list(base, patch);
    if (!patch.is_scalar()) return patch.is_empty() ? base : patch;
    if (!base.is_scalar()) return patch;
    if (is_int_or_string(field)) return int_or_string(base, patch);
    return is_zero(patch) ? base : patch;
  }

 private:
  const Node& mapping(const Node& base, const Node& patch, bool map) {
    ++depth_;
    std::vector<Entry> entries = yaml::entries_of(base);
    Places places;
    for (const Entry& entry : entries) places.add(entry.key->text());
    for (const Entry& change : yaml::entries_of(patch)) {
      if (is_nothing(*change.value)) continue;
      const std::size_t place = places.find(change.key->text());
      if (place == Places::kNone) {
        entries.push_back(change);
        continue;
      }
      Entry& entry = entries[place];
      const Node& merged =
          map ? *change.value : value(*entry.value, *change.value, change.key->text());
      // A value that the patch has whole brings its own key along.
      if (&merged == change.value) entry.key = change.key;
      entry.value = &merged;
    }
    --depth_;
    return yaml::mapping_like(arena_, patch, entries);
  }

  const Node& list(const Node& base, const Node& patch) {
    if (patch.items().empty()) return base;
    if (base.items().empty() || lists_ == Lists::replace) return patch;
    steps_ += patch.items().size();
    std::vector<const Node*> items(base.items().begin(), base.items().end());
    items.insert(items.end(), patch.items().begin(), patch.items().end());
    return yaml::sequence_like(arena_, patch, items);
  }

  static constexpr std::size_t kDeepest = 100;
  static constexpr std::size_t kMostSteps = 1'000'000;

  Arena& arena_;
  Lists lists_;
  std::size_t depth_ = 0;
  std::size_t steps_ = 0;
};

}  // namespace

const Node& mergo_merge(Arena& arena, const Node& base, const Node& patch, Lists lists) {
  return Merger(arena, lists).value(base, patch, "");
}

}  // namespace cnsched::k8s

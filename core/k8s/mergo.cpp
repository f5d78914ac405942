// A recursive walk over both trees and the type that they have: Go maps and IntOrStrings merge
// differently from structs [S7].
#include "core/k8s/mergo.h"

#include <vector>

#include "core/k8s/places.h"
#include "core/k8s/schema/schema.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"

namespace cnsched::k8s {

namespace {

using schema::Field;
using schema::Form;
using schema::Type;
using yaml::Entry;
using yaml::Node;

bool is_go_zero(const Node& value) {
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

bool is_absent(const Node& value) { return value.is_missing() || value.is_null(); }

/// mergo merges the fields of the struct IntOrString one by one: Type (0 for an integer), then the
/// value of either type. So a number never replaces a name, and a name, even "", always replaces a
/// number.
const Node& int_or_string(const Node& base, const Node& patch) {
  if (patch.is_string() && !base.is_string()) return patch;
  if (!patch.is_string() && base.is_string()) return base;
  return is_go_zero(patch) ? base : patch;
}

class MergoMerge {
 public:
  MergoMerge(Arena& arena, Lists lists) : arena_(arena), lists_(lists) {}

  /// `type` is that of both sides; null if it is unknown.
  const Node& value(const Node& base, const Node& patch, const Type* type) {
    if (is_absent(patch)) return base;
    if (is_absent(base)) return patch;
    // Aliases can make trees of unlimited depth and width.
    if (depth_ == kMaxDepth || steps_ >= kMaxSteps) return patch;
    steps_ += 1 + base.entries().size() + base.items().size();
    if (base.is_mapping() && patch.is_mapping()) return mapping(base, patch, type);
    if (base.is_sequence() && patch.is_sequence()) return list(base, patch);
    if (!patch.is_scalar()) return patch.is_empty() ? base : patch;
    if (!base.is_scalar()) return patch;
    if (type != nullptr && type->form == Form::int_or_string) return int_or_string(base, patch);
    return is_go_zero(patch) ? base : patch;
  }

 private:
  const Node& mapping(const Node& base, const Node& patch, const Type* type) {
    ++depth_;
    const bool is_map = type != nullptr && type->form == Form::map;
    const bool is_object = type != nullptr && type->form == Form::object;
    std::vector<Entry> entries = yaml::entries_of(base);
    Places places;
    for (const Entry& entry : entries) places.add(entry.key->text());
    for (const Entry& change : yaml::entries_of(patch)) {
      if (is_absent(*change.value)) continue;
      const std::size_t place = places.find(change.key->text());
      if (place == Places::kNone) {
        entries.push_back(change);
        continue;
      }
      Entry& entry = entries[place];
      const Field* field = is_object ? type->find(change.key->text()) : nullptr;
      const Node& merged =
          is_map ? *change.value
                 : value(*entry.value, *change.value, field == nullptr ? nullptr : field->type);
      // A value that the patch replaces as a whole has the patch's key.
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

  static constexpr std::size_t kMaxDepth = 100;
  static constexpr std::size_t kMaxSteps = 1'000'000;

  Arena& arena_;
  Lists lists_;
  std::size_t depth_ = 0;
  std::size_t steps_ = 0;
};

}  // namespace

const Node& mergo_merge(Arena& arena, const Node& base, const Node& patch, std::string_view type,
                        Lists lists) {
  return MergoMerge(arena, lists).value(base, patch, schema::type_named(type));
}

}  // namespace cnsched::k8s

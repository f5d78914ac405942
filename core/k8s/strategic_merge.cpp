// A recursive walk over both trees and the type that they have. The patch's items of a merged list
// keep their order; items that only the base has come before the first item that follows them in
// the base [P55].
#include "core/k8s/strategic_merge.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/k8s/places.h"
#include "core/k8s/schema/schema.h"
#include "core/yaml/tree.h"

namespace cnsched::k8s {

namespace {

using schema::Field;
using schema::Form;
using schema::Type;
using yaml::Entry;
using yaml::Node;

/// Booleans and numbers that Go stores without a pointer, so that zero means "not set".
bool omits_zero(std::string_view field) {
  constexpr auto kZeroIsUnset = std::to_array<std::string_view>(
      {"hostNetwork", "hostPID", "hostIPC", "stdin", "stdinOnce", "tty", "readOnly", "hostPort",
       "initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold",
       "failureThreshold", "weight"});
  return std::ranges::find(kZeroIsUnset, field) != kZeroIsUnset.end();
}

/// The field by which a patch merges the items of a list (`patchMergeKey` in the API's Go structs):
/// the first of the keys of a list of Kubernetes' own structs; empty for a list that is replaced
/// [P56]. The claims of a container's resources have a key, and are replaced.
std::string_view patch_key_of(const Field& field) {
  const Type* element = field.type->element;
  if (field.keys.empty() || element->owner != schema::Project::kubernetes) return {};
  return element->name == "ResourceClaim" ? std::string_view() : field.keys.front();
}

bool is_zero(const Node& value) {
  return value.is_scalar() && !value.quoted && (value.text() == "0" || value.text() == "false");
}

/// Whether Go's `omitempty` omits the entry from the patch.
bool is_omitted(const Entry& entry, bool in_map) {
  const Node& value = *entry.value;
  if (value.is_null()) return true;
  if (in_map) return false;
  if (value.is_sequence()) return value.items().empty();
  if (value.is_mapping()) return false;
  return value.text().empty() || (is_zero(value) && omits_zero(entry.key->text()));
}

class Merger {
 public:
  explicit Merger(Arena& arena) : arena_(arena) {}

  /// `type` is that of both sides; null if it is unknown.
  const Node& mapping(const Node& base, const Node& patch, const Type* type) {
    if (!has_budget_for(base, patch)) return patch;
    const DepthCount count(depth_);
    const bool is_map = type != nullptr && type->form == Form::map;
    const bool is_object = type != nullptr && type->form == Form::object;
    std::vector<Entry> entries = yaml::entries_of(base);
    Places places;
    for (const Entry& entry : entries) places.add(entry.key->text());
    for (const Entry& change : yaml::entries_of(patch)) {
      if (is_omitted(change, is_map)) continue;
      const std::string_view name = change.key->text();
      const std::size_t place = places.find(name);
      if (place == Places::kNone) {
        entries.push_back(change);
        continue;
      }
      const Field* field = is_object ? type->find(name) : nullptr;
      const Node& merged = value(*entries[place].value, *change.value, field);
      // A value that the patch replaces as a whole has the patch's key.
      if (&merged == change.value) entries[place].key = change.key;
      entries[place].value = &merged;
    }
    return yaml::mapping_like(arena_, base ? base : patch, entries);
  }

 private:
  const Node& value(const Node& base, const Node& patch, const Field* field) {
    if (base.is_mapping() && patch.is_mapping()) {
      return mapping(base, patch, field == nullptr ? nullptr : field->type);
    }
    const bool are_lists = base.is_sequence() && patch.is_sequence();
    if (!are_lists || field == nullptr || patch_key_of(*field).empty()) return patch;
    return keyed_list(base, patch, *field);
  }

  /// Aliases can make trees of unlimited depth and width.
  bool has_budget_for(const Node& base, const Node& patch) {
    values_ +=
        base.entries().size() + base.items().size() + patch.entries().size() + patch.items().size();
    return values_ <= kMaxValues && depth_ < kMaxDepth;
  }

  const Node& keyed_list(const Node& base, const Node& patch, const Field& field) {
    if (!has_budget_for(base, patch)) return patch;
    const std::string_view key = patch_key_of(field);
    const auto name = [&](const Node* item) { return (*item)[key].text(); };
    const Type* inner = field.type->element;
    Places in_base;
    for (const Node* item : base.items()) in_base.add(name(item));
    Places in_patch;
    std::vector<const Node*> changed;  // the patch's items, merged into those of the base
    std::vector<bool> taken(base.items().size());
    for (const Node* item : patch.items()) {
      if (const std::size_t same = in_patch.find(name(item)); same != Places::kNone) {
        changed[same] = &mapping(*changed[same], *item, inner);
        continue;
      }
      const std::size_t below = in_base.find(name(item));
      if (below != Places::kNone) taken[below] = true;
      changed.push_back(below == Places::kNone ? item
                                               : &mapping(*base.items()[below], *item, inner));
      in_patch.add(name(item));
    }
    std::vector<const Node*> merged;
    std::size_t next = 0;
    const auto add_base_items_before = [&](std::size_t end) {
      for (; next < end; ++next) {
        if (!taken[next]) merged.push_back(base.items()[next]);
      }
    };
    for (const Node* item : changed) {
      const std::size_t place = in_base.find(name(item));
      if (place != Places::kNone) add_base_items_before(place);
      merged.push_back(item);
    }
    add_base_items_before(base.items().size());
    return yaml::sequence_like(arena_, patch, merged);
  }

  struct DepthCount {
    explicit DepthCount(std::size_t& count) : depth(count) { ++depth; }
    ~DepthCount() { --depth; }
    DepthCount(const DepthCount&) = delete;
    DepthCount& operator=(const DepthCount&) = delete;
    std::size_t& depth;
  };
  static constexpr std::size_t kMaxDepth = 100;
  static constexpr std::size_t kMaxValues = 2'000'000;

  Arena& arena_;
  std::size_t depth_ = 0;
  std::size_t values_ = 0;
};

}  // namespace

const Node& strategic_merge(Arena& arena, const Node& base, const Node& patch,
                            std::string_view type) {
  return Merger(arena).mapping(base, patch, schema::type_named(type));
}

}  // namespace cnsched::k8s

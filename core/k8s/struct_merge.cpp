// A recursive walk over both trees and the type that they have. In a strategic merge, the patch's
// items of a merged list keep their order; items that only the base has come before the first item
// that follows them in the base [P55]. For mergo, Go maps and IntOrStrings merge differently from
// structs [S7].
#include "core/k8s/struct_merge.h"

#include <vector>

#include "core/base/text.h"
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

/// Limits the work: aliases can make trees of unlimited depth and width.
class MergeBudget {
 public:
  /// Takes two mappings or lists off the budget, until its end; `is_left`: whether it had
  /// enough.
  class Use {
   public:
    Use(MergeBudget& budget, const Node& base, const Node& patch) : budget_(budget) {
      budget_.values_ += base.entries().size() + base.items().size() + patch.entries().size() +
                         patch.items().size();
      ++budget_.depth_;
    }
    ~Use() { --budget_.depth_; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

    bool is_left() const { return budget_.values_ <= kMaxValues && budget_.depth_ <= kMaxDepth; }

   private:
    MergeBudget& budget_;
  };

 private:
  static constexpr std::size_t kMaxDepth = 100;
  static constexpr std::size_t kMaxValues = 2'000'000;

  std::size_t depth_ = 0;
  std::size_t values_ = 0;
};

/// The type of the field, or null if it is unknown.
const Type* type_of(const Field* field) { return field == nullptr ? nullptr : field->type; }

bool is_map(const Type* type) { return type != nullptr && type->form == Form::map; }

/// The entries of `base` with those of `patch`. `merge` gets two values of one key and the field of
/// `type`, null if it is unknown.
template <typename IsOmitted, typename Merge>
std::vector<Entry> merged_entries(const Node& base, const Node& patch, const Type* type,
                                  IsOmitted is_omitted, Merge merge) {
  const bool is_object = type != nullptr && type->form == Form::object;
  std::vector<Entry> entries = yaml::entries_of(base);
  NameIndex places;
  for (const Entry& entry : entries) places.add(entry.key->text());
  for (const Entry& change : yaml::entries_of(patch)) {
    if (is_omitted(change)) continue;
    const std::string_view name = change.key->text();
    const std::size_t place = places.find(name);
    if (place == NameIndex::kNone) {
      entries.push_back(change);
      continue;
    }
    Entry& entry = entries[place];
    const Node& merged = merge(*entry.value, *change.value, is_object ? type->find(name) : nullptr);
    // A value that the patch replaces as a whole has the patch's key.
    if (&merged == change.value) entry.key = change.key;
    entry.value = &merged;
  }
  return entries;
}

/// Booleans and numbers that Go stores without a pointer, so that zero means "not set".
bool omits_zero(std::string_view field) {
  return is_one_of(field, {"hostNetwork", "hostPID", "hostIPC", "stdin", "stdinOnce", "tty",
                           "readOnly", "hostPort", "initialDelaySeconds", "timeoutSeconds",
                           "periodSeconds", "successThreshold", "failureThreshold", "weight"});
}

/// The field by which a patch merges the items of a list (`patchMergeKey` in the API's Go structs):
/// the first of the keys of a list of Kubernetes' own structs; empty for a list that is replaced
/// [P56]. The claims of a container's resources have a key, and are replaced.
std::string_view patch_key_of(const Field& field) {
  const Type* element = field.type->element;
  if (field.keys.empty() || element->owner != schema::Project::kubernetes) return {};
  return element->name == "ResourceClaim" ? std::string_view() : field.keys.front();
}

/// Whether Go's `omitempty` omits the entry from the patch.
bool is_omitted(const Entry& entry, bool in_map) {
  const Node& value = *entry.value;
  if (value.is_null()) return true;
  if (in_map) return false;
  if (value.is_sequence()) return value.items().empty();
  if (value.is_mapping()) return false;
  const bool is_zero = !value.quoted && (value.text() == "0" || value.text() == "false");
  return value.text().empty() || (is_zero && omits_zero(entry.key->text()));
}

class StrategicMerger {
 public:
  explicit StrategicMerger(Arena& arena) : arena_(arena) {}

  /// `type` is that of both sides; null if it is unknown.
  const Node& mapping(const Node& base, const Node& patch, const Type* type) {
    const MergeBudget::Use use(budget_, base, patch);
    if (!use.is_left()) return patch;
    const auto entries = merged_entries(
        base, patch, type, [&](const Entry& change) { return is_omitted(change, is_map(type)); },
        [&](const Node& below, const Node& above, const Field* field) -> const Node& {
          return value(below, above, field);
        });
    return yaml::mapping_like(arena_, base ? base : patch, entries);
  }

 private:
  const Node& value(const Node& base, const Node& patch, const Field* field) {
    if (base.is_mapping() && patch.is_mapping()) return mapping(base, patch, type_of(field));
    const bool are_lists = base.is_sequence() && patch.is_sequence();
    if (!are_lists || field == nullptr || patch_key_of(*field).empty()) return patch;
    return keyed_list(base, patch, *field);
  }

  const Node& keyed_list(const Node& base, const Node& patch, const Field& field) {
    const MergeBudget::Use use(budget_, base, patch);
    if (!use.is_left()) return patch;
    const std::string_view key = patch_key_of(field);
    const auto name = [&](const Node* item) { return item->under(key).text(); };
    const Type* inner = field.type->element;
    NameIndex in_base;
    for (const Node* item : base.items()) in_base.add(name(item));
    NameIndex in_patch;
    std::vector<const Node*> changed;  // the patch's items, merged into those of the base
    std::vector<bool> taken(base.items().size());
    for (const Node* item : patch.items()) {
      if (const std::size_t same = in_patch.find(name(item)); same != NameIndex::kNone) {
        changed[same] = &mapping(*changed[same], *item, inner);
        continue;
      }
      const std::size_t below = in_base.find(name(item));
      if (below != NameIndex::kNone) taken[below] = true;
      changed.push_back(below == NameIndex::kNone ? item
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
      if (place != NameIndex::kNone) add_base_items_before(place);
      merged.push_back(item);
    }
    add_base_items_before(base.items().size());
    return yaml::sequence_like(arena_, patch, merged);
  }

  Arena& arena_;
  MergeBudget budget_;
};

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

bool is_absent(const Node& value) { return value.is_missing() || value.is_null(); }

/// mergo merges the fields of the struct IntOrString one by one: Type (0 for an integer), then the
/// value of either type. So a number never replaces a name, and a name, even "", always replaces a
/// number.
const Node& int_or_string(const Node& base, const Node& patch) {
  if (patch.is_string() && !base.is_string()) return patch;
  if (!patch.is_string() && base.is_string()) return base;
  return is_zero(patch) ? base : patch;
}

class MergoMerger {
 public:
  MergoMerger(Arena& arena, Lists lists) : arena_(arena), lists_(lists) {}

  /// `type` is that of both sides; null if it is unknown.
  const Node& value(const Node& base, const Node& patch, const Type* type) {
    if (is_absent(patch)) return base;
    if (is_absent(base)) return patch;
    const MergeBudget::Use use(budget_, base, patch);
    if (!use.is_left()) return patch;
    if (base.is_mapping() && patch.is_mapping()) return mapping(base, patch, type);
    if (base.is_sequence() && patch.is_sequence()) return list(base, patch);
    if (!patch.is_scalar()) return patch.is_empty() ? base : patch;
    if (!base.is_scalar()) return patch;
    if (type != nullptr && type->form == Form::int_or_string) return int_or_string(base, patch);
    return is_zero(patch) ? base : patch;
  }

 private:
  const Node& mapping(const Node& base, const Node& patch, const Type* type) {
    const auto entries = merged_entries(
        base, patch, type, [](const Entry& change) { return is_absent(*change.value); },
        [&](const Node& below, const Node& above, const Field* field) -> const Node& {
          return is_map(type) ? above : value(below, above, type_of(field));
        });
    return yaml::mapping_like(arena_, patch, entries);
  }

  const Node& list(const Node& base, const Node& patch) {
    if (patch.items().empty()) return base;
    if (base.items().empty() || lists_ == Lists::replace) return patch;
    std::vector<const Node*> items(base.items().begin(), base.items().end());
    items.insert(items.end(), patch.items().begin(), patch.items().end());
    return yaml::sequence_like(arena_, patch, items);
  }

  Arena& arena_;
  Lists lists_;
  MergeBudget budget_;
};

}  // namespace

const Node& strategic_merge(Arena& arena, const Node& base, const Node& patch,
                            std::string_view type) {
  return StrategicMerger(arena).mapping(base, patch, schema::type_named(type));
}

const Node& mergo_merge(Arena& arena, const Node& base, const Node& patch, std::string_view type,
                        Lists lists) {
  return MergoMerger(arena, lists).value(base, patch, schema::type_named(type));
}

bool is_patch_directive(std::string_view key) {
  return key == "$patch" || key == "$retainKeys" || key.starts_with("$setElementOrder/") ||
         key.starts_with("$deleteFromPrimitiveList/");
}

bool contains_patch_directive(const yaml::Node& root) {
  bool found = false;
  yaml::walk(root, [&](const yaml::Node& node) {
    found = found || (node.key() != nullptr && is_patch_directive(node.key()->text()));
    return !found;
  });
  return found;
}

}  // namespace cnsched::k8s

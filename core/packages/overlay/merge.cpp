#include "core/packages/overlay/merge.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/k8s/object.h"
#include "core/k8s/schema/schema.h"
#include "core/k8s/struct_merge.h"
#include "core/yaml/tree.h"

namespace cnsched::overlay {

namespace {

using k8s::schema::Field;
using k8s::schema::Form;
using k8s::schema::Type;
using yaml::Entry;
using yaml::Node;

constexpr std::string_view kDirective = "$patch";

/// How a list changes.
enum class ListStrategy : unsigned char { replace, merge, unknown };

class StrategicMerge {
 public:
  StrategicMerge(Maker& maker, const Id& id, const MergeOptions& options)
      : maker_(maker), options_(options) {
    const std::string_view group = id.group();
    is_custom_ = group.find('.') != std::string_view::npos && !group.ends_with(".k8s.io");
    if (!is_custom_) type_ = k8s::schema::Schemas().type_of(id.api_version, id.kind);
  }

  const Type* type() const { return type_; }

  /// Returns whether the value remains.
  bool mapping(Value& base, const Node& patch, const Type* type,
               std::span<const std::string_view> merge_keys = {}) {
    const std::string_view directive = patch[kDirective].text();
    if (directive == "delete") return false;
    if (directive == "replace") {
      replace(base, patch);
      return true;
    }
    for (const Entry& entry : yaml::entries_of(patch)) {
      maker_.spend(kCostOfValue);
      const std::string_view key = entry.key->text();
      if (key == kDirective) continue;
      if (std::ranges::find(merge_keys, key) != merge_keys.end()) {
        // The patch only refers to the item by it, so a change of the base is a change of both.
        base.members[key].value->is_shared = true;
        continue;
      }
      if (k8s::is_patch_directive(key)) {
        base.is_unknown = true;
      } else {
        const bool has_fields = type != nullptr && type->form == Form::object;
        change(base, entry, has_fields ? type->find(key) : nullptr, type);
      }
    }
    return true;
  }

 private:
  void replace(Value& base, const Node& patch) {
    const auto before = base.where;
    base = std::move(*maker_.added(patch, options_.is_shared));
    base.replaced = before;
  }

  static void set_key(Member& member, const Entry& entry) {
    member.replaced_key = std::exchange(member.key, entry.key->span);
    member.is_pointer_step = false;
  }

  /// One entry of a patch. `holder` is the type of the mapping.
  void change(Value& base, const Entry& entry, const Field* field, const Type* holder) {
    const std::string_view key = entry.key->text();
    const Node& patch = *entry.value;
    const auto found = base.members.find(key);
    if (patch.is_null()) {
      if (found == base.members.end()) return;
      base.members.erase(found);
      base.is_merged = true;
      return;
    }
    if (found == base.members.end()) {
      if (patch[kDirective].text() == "delete") return;
      base.members[key] = {.key = entry.key->span,
                           .value = maker_.added(patch, options_.is_shared)};
      base.is_merged = true;
      return;
    }
    Member& member = found->second;
    Value& value = *member.value;
    if (value.is_mapping() && patch.is_mapping()) {
      const Type* inner = inner_type(field, holder);
      if (!mapping(value, patch, inner)) base.members.erase(found);
      base.is_merged = true;
    } else if (value.is_sequence() && patch.is_sequence()) {
      base.is_merged = true;
      list(member, entry, field);
    } else {
      replace(value, patch);
      set_key(member, entry);
    }
  }

  static const Type* inner_type(const Field* field, const Type* holder) {
    if (field != nullptr) return field->type;
    return holder != nullptr && holder->form == Form::map ? holder->element : nullptr;
  }

  ListStrategy strategy_of(const Field* field) const {
    if (options_.has_own_schema) return ListStrategy::unknown;
    if (is_custom_) return ListStrategy::replace;
    if (field == nullptr || field->type->element == nullptr) return ListStrategy::unknown;
    // Lists whose keys depend on the release of Kubernetes that kustomize knows, and lists of
    // strings that are merged.
    constexpr auto kUncertain = std::to_array<std::string_view>(
        {"claims", "finalizers", "ownerReferences", "resourceClaims", "schedulingGates"});
    if (std::ranges::find(kUncertain, field->name) != kUncertain.end()) {
      return ListStrategy::unknown;
    }
    return field->keys.empty() ? ListStrategy::replace : ListStrategy::merge;
  }

  void list(Member& member, const Entry& entry, const Field* field) {
    Value& base = *member.value;
    const Node& patch = *entry.value;
    ListStrategy strategy = strategy_of(field);
    if (strategy != ListStrategy::replace && replaces_list(patch)) strategy = ListStrategy::replace;
    if (strategy == ListStrategy::merge && !keyed_list(base, patch, *field)) {
      strategy = ListStrategy::unknown;
    }
    if (strategy == ListStrategy::unknown) base.is_unknown = true;
    if (strategy == ListStrategy::replace) {
      replace(base, patch);
      std::erase_if(base.items,
                    [](const auto& item) { return item->is_mapping() && item->members.empty(); });
      set_key(member, entry);
    }
  }

  /// Whether the list has the item `- $patch: replace`.
  static bool replaces_list(const Node& patch) {
    return std::ranges::any_of(patch.items(), [](const Node* item) {
      return item->entries().size() == 1 && (*item)[kDirective].text() == "replace";
    });
  }

  /// The texts of an item's merge keys, or nothing if one is missing.
  static std::optional<std::string> name_of(const Node& item, const Field& field) {
    std::string name;
    for (const std::string_view key : field.keys) {
      if (!item[key].is_scalar()) return std::nullopt;
      name.append(item[key].text()).push_back('\0');
    }
    return name;
  }
  static std::optional<std::string> name_of(const Value& item, const Field& field) {
    std::string name;
    for (const std::string_view key : field.keys) {
      const Value* value = item.find(key);
      if (value == nullptr || !value->is_scalar()) return std::nullopt;
      name.append(value->text).push_back('\0');
    }
    return name;
  }

  /// The names of all items, or nothing if one has none or two are equal.
  template <typename Items>
  std::optional<std::unordered_map<std::string, std::size_t>> names_of(const Items& items,
                                                                       const Field& field) {
    std::unordered_map<std::string, std::size_t> names;
    for (std::size_t i = 0; i < items.size(); ++i) {
      maker_.spend(kCostOfObject);
      if (maker_.is_exhausted()) return std::nullopt;
      auto name = name_of(*items[i], field);
      if (!name || !names.emplace(*std::move(name), i).second) return std::nullopt;
    }
    return names;
  }

  /// The patch's items come first, in their order. Returns false if the keys do not identify the
  /// items.
  bool keyed_list(Value& base, const Node& patch, const Field& field) {
    const auto in_base = names_of(base.items, field);
    if (!in_base || !names_of(patch.items(), field)) return false;
    std::vector<std::unique_ptr<Value>> merged;
    for (const Node* item : patch.items()) {
      const auto found = in_base->find(*name_of(*item, field));
      if (found == in_base->end()) {
        if ((*item)[kDirective].text() != "delete") {
          merged.push_back(maker_.added(*item, options_.is_shared));
        }
        continue;
      }
      std::unique_ptr<Value> value = std::move(base.items[found->second]);
      if (mapping(*value, *item, field.type->element, field.keys))
        merged.push_back(std::move(value));
    }
    for (std::unique_ptr<Value>& item : base.items) {
      if (item != nullptr) merged.push_back(std::move(item));
    }
    base.items = std::move(merged);
    base.merge_keys = field.keys;
    base.is_merged = true;
    return true;
  }

  Maker& maker_;
  const MergeOptions& options_;
  const Type* type_ = nullptr;  ///< null: unknown
  bool is_custom_ = false;
};

/// A field that the patch must not change, taken out while it is applied.
class KeptField {
 public:
  KeptField(Value* holder, std::string_view key, bool is_kept) : key_(key) {
    if (!is_kept || holder == nullptr) return;
    holder_ = holder;
    if (const auto found = holder->members.find(key); found != holder->members.end()) {
      member_ = std::move(found->second);
      holder->members.erase(found);
    }
  }
  KeptField(const KeptField&) = delete;
  KeptField& operator=(const KeptField&) = delete;
  ~KeptField() {
    if (holder_ == nullptr) return;
    if (member_.value == nullptr) {
      holder_->members.erase(key_);
    } else {
      holder_->members[key_] = std::move(member_);
    }
  }

 private:
  Value* holder_ = nullptr;
  std::string_view key_;
  Member member_;
};

}  // namespace

void apply_strategic_merge(Maker& maker, Object& object, const yaml::Node& patch,
                           const MergeOptions& options) {
  if (options.allows_name_change || options.allows_kind_change) object.store_id();
  StrategicMerge merge(maker, object.id(), options);
  if (patch[kDirective].text() == "delete") {
    object.is_deleted = true;
    return;
  }
  Value& root = *object.root;
  if (patch[kDirective].text() == "replace" || patch["metadata"][kDirective]) {
    object.is_unknown = true;
    return;
  }
  Value* metadata = root.find("metadata");
  const KeptField version(&root, "apiVersion", true);
  const KeptField kind(&root, "kind", !options.allows_kind_change);
  const KeptField name(metadata, "name", !options.allows_name_change);
  const KeptField ns(metadata, "namespace", true);
  merge.mapping(root, patch, merge.type());
}

}  // namespace cnsched::overlay

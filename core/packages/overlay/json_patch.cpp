#include "core/packages/overlay/json_patch.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/packages/overlay/texts.h"

namespace cnsched::overlay {

namespace {

/// Deeper values could be nested without limit, and code is recursive.
constexpr std::size_t kMaxSteps = 300;

/// The bytes of the last step of a pointer in a scalar; nothing if the scalar has escapes.
std::optional<Span> last_step(const yaml::Node& pointer) {
  const std::string_view text = pointer.text();
  const std::size_t size = text.size() - (text.rfind('/') + 1);
  const std::size_t quotes = pointer.span.end - pointer.span.begin - text.size();
  if (pointer.span.end - pointer.span.begin < text.size() || quotes > 2 || quotes == 1) {
    return std::nullopt;
  }
  const auto end = static_cast<std::uint32_t>(pointer.span.end - quotes / 2);
  return Span{pointer.span.file, static_cast<std::uint32_t>(end - size), end};
}

/// The operations on one object. Each returns false if it is not simulated.
class JsonPatch {
 public:
  JsonPatch(Maker& maker, Object& object, bool is_shared)
      : maker_(maker), object_(object), is_shared_(is_shared) {}

  bool apply(const yaml::Node& operation) {
    maker_.spend(kCostOfObject);
    const std::string_view name = operation["op"].text();
    const yaml::Node& path = operation["path"];
    if (name == "test") return true;
    if (name == "add") return add(path, value_of(operation["value"]));
    if (name == "replace") return replace(path, value_of(operation["value"]));
    if (name == "remove") return take(path) != nullptr;
    if (name == "move") return move(operation);
    if (name == "copy") return add(path, copy_of(operation["from"]));
    return false;
  }

 private:
  struct Target {
    Value* holder = nullptr;
    std::string_view step{};  ///< decoded
  };

  std::unique_ptr<Value> value_of(const yaml::Node& node) { return maker_.value(node, is_shared_); }

  /// The collection that has the value, and the last step; nothing if it does not exist.
  std::optional<Target> target_of(const yaml::Node& pointer) {
    const std::string_view text = pointer.text();
    if (!text.starts_with('/')) return std::nullopt;
    const std::vector<std::string_view> steps = split(text.substr(1), '/');
    if (steps.size() > kMaxSteps) return std::nullopt;
    Value* at = object_.root.get();
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
      at = child(*at, yaml::name_of_step(steps[i]));
      if (at == nullptr || at->is_unknown) return std::nullopt;
    }
    return Target{at, maker_.keep(yaml::name_of_step(steps.back()))};
  }

  static Value* child(const Value& holder, std::string_view step) {
    if (holder.is_mapping()) return holder.find(step);
    const auto index = whole_number(step);
    if (!holder.is_sequence() || !index || *index >= holder.items.size()) return nullptr;
    return holder.items[*index].get();
  }

  static void set_key(Member& member, const yaml::Node& path) {
    member.replaced_key = std::exchange(member.key, last_step(path));
    member.is_pointer_step = true;
  }

  bool add(const yaml::Node& path, std::unique_ptr<Value> value) {
    const auto target = target_of(path);
    if (!target || value == nullptr) return false;
    Value& holder = *target->holder;
    holder.is_merged = true;
    if (holder.is_mapping()) {
      Member& member = holder.members[target->step];
      if (member.value != nullptr) value->replaced = member.value->where;
      set_key(member, path);
      member.value = std::move(value);
      return true;
    }
    if (!holder.is_sequence()) return false;
    const auto index = target->step == "-" ? holder.items.size() : whole_number(target->step);
    if (!index || *index > holder.items.size()) return false;
    maker_.spend(kCostOfValue * holder.items.size());
    holder.items.insert(holder.items.begin() + static_cast<std::ptrdiff_t>(*index),
                        std::move(value));
    return true;
  }

  bool replace(const yaml::Node& path, std::unique_ptr<Value> value) {
    const auto target = target_of(path);
    if (!target) return false;
    Value& holder = *target->holder;
    Value* present = child(holder, target->step);
    if (present == nullptr) return false;
    value->replaced = present->where;
    holder.is_merged = true;
    *present = std::move(*value);
    if (holder.is_mapping()) {
      set_key(holder.members[target->step], path);
    }
    return true;
  }

  /// Removes the value from the object and returns it; null if it does not exist.
  std::unique_ptr<Value> take(const yaml::Node& path) {
    const auto target = target_of(path);
    if (!target || child(*target->holder, target->step) == nullptr) return nullptr;
    Value& holder = *target->holder;
    holder.is_merged = true;
    if (holder.is_mapping()) {
      const auto found = holder.members.find(target->step);
      std::unique_ptr<Value> value = std::move(found->second.value);
      holder.members.erase(found);
      return value;
    }
    maker_.spend(kCostOfValue * holder.items.size());
    const auto item =
        holder.items.begin() + static_cast<std::ptrdiff_t>(*whole_number(target->step));
    std::unique_ptr<Value> value = std::move(*item);
    holder.items.erase(item);
    return value;
  }

  /// Collections that move could be nested without limit: they become unknown.
  std::unique_ptr<Value> movable(std::unique_ptr<Value> value) {
    if (value == nullptr) return nullptr;
    return value->is_mapping() || value->is_sequence() ? maker_.unknown() : std::move(value);
  }

  bool move(const yaml::Node& operation) {
    return add(operation["path"], movable(take(operation["from"])));
  }

  /// A copy has two sources: the value, and the operation that puts it there.
  std::unique_ptr<Value> copy_of(const yaml::Node& from) {
    const auto target = target_of(from);
    Value* present = target ? child(*target->holder, target->step) : nullptr;
    if (present == nullptr) return nullptr;
    present->is_shared = true;
    return maker_.unknown();
  }

  Maker& maker_;
  Object& object_;
  bool is_shared_;
};

}  // namespace

void apply_json_patch(Maker& maker, Object& object, const yaml::Node& operations, bool is_shared) {
  object.store_id();
  JsonPatch patch(maker, object, is_shared);
  for (const yaml::Node* operation : operations.items()) {
    if (maker.is_exhausted() || !patch.apply(*operation)) {
      object.is_unknown = true;
      return;
    }
  }
}

}  // namespace cnsched::overlay

#include "core/k8s/schema/destination.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/k8s/schema/schema.h"
#include "core/yaml/change.h"

namespace cnsched::k8s::schema {

namespace {

using yaml::Node;

bool accepts(const Type& type, const Node& value) {
  return value.is_null() || type.form == Form::any || has_kind_of(value, type.form);
}

class Search {
 public:
  Search(const Object& object, const Node& value, std::string_view name)
      : object_(object), value_(value), name_(name) {}

  std::optional<Destination> in(const TypedNode& step) const {
    if (step.type->form != Form::object || !has_field(*step.type)) return std::nullopt;
    const std::string path = path_to(*step.node, object_);
    return Destination{step.node, pointer_to(name_),
                       fmt::format("{}{}{}", path, path.empty() ? "" : ".", name_)};
  }

  /// Whether the mapping has the field already, with a value that leaves no room.
  bool is_taken_in(const TypedNode& step) const {
    return step.type->form == Form::object && has_field(*step.type) &&
           !yaml::has_room_for(value_, *step.node, pointer_to(name_));
  }

  /// One level below: in an object that exists there, else in the only possible one.
  std::optional<Destination> below(const TypedNode& step) const {
    if (step.type->form != Form::object || has_too_many_fields(*step.type)) return std::nullopt;
    std::vector<const Field*> written;
    std::vector<const Field*> possible;
    for (const Field& field : step.type->fields()) {
      if (field.type->form != Form::object || !has_field(*field.type)) continue;
      possible.push_back(&field);
      if (step.node->under(field.name).is_mapping()) written.push_back(&field);
    }
    const auto& fields = written.empty() ? possible : written;
    const Field* only = fields.size() == 1 ? fields.front() : nullptr;
    // Every object has metadata, written or not.
    const auto metadata = std::ranges::find(possible, std::string_view("metadata"), &Field::name);
    if (step.node == object_.root && metadata != possible.end()) only = *metadata;
    if (only == nullptr) return std::nullopt;
    const std::string path = path_to(*step.node, object_);
    return Destination{step.node, pointer_to(only->name) + pointer_to(name_),
                       fmt::format("{}{}{}.{}", path, path.empty() ? "" : ".", only->name, name_)};
  }

 private:
  bool has_field(const Type& type) const {
    const Field* field = type.find(name_);
    return field != nullptr && accepts(*field->type, value_);
  }
  static std::string pointer_to(std::string_view name) { return "/" + yaml::pointer_step(name); }

  const Object& object_;
  const Node& value_;
  std::string_view name_;
};

/// The step that is the value's own part of the object: the innermost pod spec, else the field of
/// the root.
std::size_t own_part(const std::vector<TypedNode>& steps) {
  for (std::size_t i = steps.size(); i-- > 1;) {
    if (is_pod_spec(*steps[i].type)) return i;
  }
  return std::min<std::size_t>(1, steps.size() - 1);
}

}  // namespace

bool is_pod_spec(const Type& type) {
  return type.form == Form::object && type.find("nodeSelector") != nullptr &&
         type.find("tolerations") != nullptr && type.find("affinity") != nullptr;
}

std::vector<TypedNode> typed_path(const Node& mapping, const Object& object, const Type& type) {
  std::vector<const Node*> nodes;
  for (const Node* at = &mapping; at != object.root; at = at->parent()) {
    if (at == nullptr) return {};
    nodes.push_back(at);
  }
  std::vector<TypedNode> steps = {{object.root, &type}};
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    const Type* above = steps.back().type;
    const Type* next = above->element;
    if (above->form == Form::object && (*node)->key() != nullptr) {
      const Field* field = above->find((*node)->key()->text());
      next = field == nullptr ? nullptr : field->type;
    }
    if (next == nullptr) return {};
    steps.push_back({*node, next});
  }
  return steps;
}

std::optional<Destination> destination_of(const Object& object, const Schemas& schemas,
                                          const Deviation& unknown) {
  const Type* type = schemas.type_of(object);
  const Node& value = *unknown.node;
  if (type == nullptr || value.parent() == nullptr || !value.key()->is_scalar())
    return std::nullopt;
  const std::vector<TypedNode> steps = typed_path(*value.parent(), object, *type);
  // The field may be right where it is written and wrong only where `<<` includes it.
  if (steps.empty() || steps.back().type != unknown.type) return std::nullopt;
  const auto is_too_large = [](const TypedNode& step) { return has_too_many_entries(*step.node); };
  if (std::ranges::any_of(steps, is_too_large)) return std::nullopt;
  const Search search(object, value, value.key()->text());
  if (auto found = search.below(steps.back())) return found;
  const std::size_t part = own_part(steps);
  for (std::size_t i = steps.size() - 1; i-- > part;) {
    if (search.is_taken_in(steps[i])) return std::nullopt;
    if (auto found = search.in(steps[i])) return found;
  }
  for (std::size_t i = steps.size() - 1; i-- > part;) {
    if (auto found = search.below(steps[i])) return found;
  }
  const auto outside = [](std::optional<Destination> found) {
    if (found) found->is_in_own_part = false;
    return found;
  };
  if (steps.size() == 2) return outside(search.below(steps.front()));
  for (std::size_t i = steps.size(); i-- > 0 && steps[i].type->form == Form::object;) {
    if (i >= part) continue;
    if (search.is_taken_in(steps[i])) return std::nullopt;
    if (auto found = search.in(steps[i])) return outside(found);
  }
  return std::nullopt;
}

bool has_too_many_entries(const yaml::Node& mapping) {
  constexpr std::size_t kMaxEntries = 1000;
  return mapping.entries().size() > kMaxEntries;
}

bool has_too_many_fields(const Type& type) {
  constexpr std::size_t kMaxFields = 1000;  // real types have some dozens
  return type.fields().size() > kMaxFields;
}

std::string path_to(const yaml::Node& node, const Object& object) {
  // Keys of maps may have any length.
  constexpr std::size_t kMaxLength = 63;
  const auto name_of = [](const Node& key) {
    return std::string(key.text().substr(0, kMaxLength));
  };
  std::vector<std::string> steps;
  for (const Node* at = &node; at != object.root && at != nullptr; at = at->parent()) {
    if (at->key() != nullptr) {
      steps.push_back(name_of(*at->key()));
    } else if (at->parent() != nullptr && at->parent()->key() != nullptr) {
      steps.push_back(name_of(*at->parent()->key()) + "[]");
      at = at->parent();
    }
  }
  std::ranges::reverse(steps);
  return fmt::format("{}", fmt::join(steps, "."));
}

}  // namespace cnsched::k8s::schema

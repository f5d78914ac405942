#include "cli/lsp/proposals.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/k8s/schema/destination.h"
#include "core/k8s/schema/type.h"

namespace cnsched::cli::lsp {

namespace {

using k8s::schema::Field;
using k8s::schema::Form;
using k8s::schema::Schemas;
using k8s::schema::Type;

std::string_view word_of(Form form) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"any value", "string", "boolean", "integer", "number", "quantity", "integer or string",
       "time", "list", "map", "object"});
  return kWords[static_cast<std::size_t>(form)];
}

/// "list of Toleration", "map of string", "PodSpec".
std::string describe_type(const Type& type) {
  std::string text;
  const Type* at = &type;
  for (; at->element != nullptr && text.empty(); at = at->element) {
    text = fmt::format("{} of ", word_of(at->form));
  }
  return text +
         std::string(at->name.empty() || at->form != Form::object ? word_of(at->form) : at->name);
}

Shape shape_of(const Type& type) {
  if (type.form == Form::list) return Shape::list;
  return type.form == Form::map || type.form == Form::object ? Shape::mapping : Shape::scalar;
}

void add_fields(const Type& type, Proposals& proposals) {
  const bool is_whole = proposals.place().steps().empty();
  for (const Field& field : type.fields()) {
    // Controllers write the status.
    const bool is_status = is_whole && field.name == "status";
    if (is_status || !proposals.wants(field.name)) continue;
    std::string detail = describe_type(*field.type);
    if (field.required) detail += ", required";
    proposals.add_key({.word = field.name,
                       .detail = std::move(detail),
                       .kind = ProposalKind::field,
                       .shape = shape_of(*field.type),
                       .rank = field.required ? 0 : 1});
  }
}

void add_allowed(const Type& type, const Field* field, Proposals& proposals) {
  const bool is_string = type.form == Form::string;
  if (field != nullptr) {
    for (const std::string_view value : field->allowed) {
      if (value.empty()) continue;
      proposals.add_value({.word = value,
                           .kind = ProposalKind::enum_member,
                           .shape = is_string ? Shape::scalar : Shape::literal,
                           .rank = 0});
    }
  }
  if (type.form != Form::boolean) return;
  for (const std::string_view value : {"true", "false"}) {
    proposals.add_value({.word = value, .shape = Shape::literal});
  }
}

/// The field that has the last node of the path, or the list or map of it.
const Field* field_of(std::span<const k8s::schema::TypedNode> path) {
  for (std::size_t i = path.size(); i > 1; --i) {
    const Type& above = *path[i - 2].type;
    const yaml::Node* key = path[i - 1].node->key();
    if (above.form == Form::object && key != nullptr) return above.find(key->text());
    if (above.element_field != nullptr) return above.element_field;
  }
  return nullptr;
}

/// All kinds and versions of them in these releases and definitions.
std::set<std::pair<std::string_view, std::string_view>> kinds_in(const Schemas& schemas) {
  std::set<std::pair<std::string_view, std::string_view>> kinds;
  for (const auto& [api_version, kind] : k8s::schema::all_kinds()) {
    if (schemas.type_of(api_version, kind) != nullptr) kinds.emplace(api_version, kind);
  }
  for (const k8s::schema::Definition* definition : schemas.definitions()) {
    if (definition->served) kinds.emplace(definition->api_version, definition->kind);
  }
  return kinds;
}

}  // namespace

SchemaPlace schema_place(const CompletionPlace& place, const Schemas& schemas) {
  const Type* type = schemas.type_of(place.object());
  // Every object has metadata.
  if (type == nullptr) type = k8s::schema::type_named("Object");
  if (type == nullptr) return {};
  const auto path = k8s::schema::typed_path(place.node(), place.object(), *type);
  if (path.empty()) return {};
  return {path.back().type, field_of(path)};
}

void propose_by_schema(const SchemaPlace& schema, Proposals& proposals) {
  if (schema.type == nullptr) return;
  const CompletionPlace& place = proposals.place();
  const Type* type = schema.type;
  const Field* field = schema.field;
  if (place.is_key() && type->form == Form::list && type->element != nullptr) {
    proposals.begin_item();
    if (type->element_field != nullptr) field = type->element_field;
    type = type->element;
  }
  if (type->form == Form::object) {
    if (place.is_key()) add_fields(*type, proposals);
  } else {
    add_allowed(*type, field, proposals);
  }
}

void propose_api_versions(const Schemas& schemas, Proposals& proposals) {
  const auto kinds = kinds_in(schemas);
  const std::string_view kind = proposals.place().object().kind;
  const bool is_known =
      std::ranges::any_of(kinds, [&](const auto& each) { return each.second == kind; });
  std::map<std::string_view, std::vector<std::string_view>> kinds_of_version;
  for (const auto& [api_version, name] : kinds) {
    if (!is_known || name == kind) kinds_of_version[api_version].push_back(name);
  }
  for (const auto& [api_version, names] : kinds_of_version) {
    proposals.add_value(
        {.word = api_version, .detail = fmt::format("{}", fmt::join(names, ", ")), .rank = 0});
  }
}

void propose_kinds(const Schemas& schemas, Proposals& proposals) {
  const auto kinds = kinds_in(schemas);
  const std::string_view api_version = proposals.place().object().api_version;
  const bool is_known =
      std::ranges::any_of(kinds, [&](const auto& each) { return each.first == api_version; });
  for (const auto& [version, kind] : kinds) {
    if (is_known && version != api_version) continue;
    proposals.add_value({.word = kind, .detail = std::string(version), .rank = 0});
  }
}

}  // namespace cnsched::cli::lsp

#pragma once

#include <string_view>
#include <vector>

#include "core/k8s/object.h"
#include "core/k8s/schema/type.h"

namespace cnsched::k8s::schema {

/// The fields of an object's kind in that version, or null if there is no table of it.
const Type* type_of(std::string_view api_version, std::string_view kind);
const Type* type_of(const Object& object);

/// A type by its name in the tables, or null.
const Type* type_named(std::string_view name);

/// The names of a type's fields, as far as the type `shared` has them too.
std::vector<std::string_view> field_names(std::string_view type, std::string_view shared);

/// Whether the node is what such a value is in YAML: a list, a mapping, or else a scalar.
bool has_kind_of(const yaml::Node& node, Form form);

/// Whether the kind is Kubernetes' own, not a custom resource: their objects are decoded and
/// checked by code, not by a schema.
bool is_native(const Object& object);

}  // namespace cnsched::k8s::schema

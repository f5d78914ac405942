#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/k8s/object.h"
#include "core/k8s/schema/deviations.h"

namespace cnsched::k8s::schema {

/// The place in an object where a misplaced field belongs.
struct Destination {
  const yaml::Node* mapping;  ///< the deepest existing mapping on the path
  std::string pointer;  ///< the rest of the path, a JSON Pointer that ends with the field's name
  std::string path;     ///< the whole path for messages: "spec.predictor.tolerations"
  /// Whether it is in the value's own part of the object: its pod spec, else `spec`. A value of one
  /// pod may mean something else in another part.
  bool is_in_own_part = true;
};

/// The place where the kind has a field that has the name of an unknown one and accepts its value:
/// below the mapping that contains it, else in an enclosing object, else in a sibling in its own
/// part. Outside of that part only in an object that encloses no list between, or in the metadata
/// of a field of `spec`. Nothing if several places are equally near, or the place is taken.
std::optional<Destination> destination_of(const Object& object, const Schemas& schemas,
                                          const Deviation& unknown);

/// A mapping or list on the path from an object to one of its nodes, and its type.
struct TypedNode {
  const yaml::Node* node;
  const Type* type;
};

/// Whether the object is the spec of a pod, or has the fields of one beside its own.
bool is_pod_spec(const Type& type);

/// The path from the object, whose type is `type`, to `mapping`, both included. Empty if the schema
/// does not have the path, or if an alias or a `<<` includes the mapping.
std::vector<TypedNode> typed_path(const yaml::Node& mapping, const Object& object,
                                  const Type& type);

/// Whether a mapping has too many entries to compare each of its fields with all others.
bool has_too_many_entries(const yaml::Node& mapping);

/// Whether a type has too many fields to look at each of them for each mistake.
bool has_too_many_fields(const Type& type);

/// The path to the node for messages: "spec.containers[]"; empty for the object itself.
std::string path_to(const yaml::Node& node, const Object& object);

}  // namespace cnsched::k8s::schema

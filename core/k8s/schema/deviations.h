#pragma once

#include <cstdint>
#include <vector>

#include "core/k8s/object.h"
#include "core/k8s/schema/type.h"
#include "core/yaml/node.h"

namespace cnsched::k8s::schema {

/// One place where an object is not what its kind's table says.
struct Deviation {
  enum class Kind : std::uint8_t {
    unknown_field,  ///< nothing below it is looked at
    wrong_type,
    missing_field,
    not_allowed,   ///< none of the values that the field takes
    no_quantity,   ///< such as 4GB
    bad_format,    ///< not of the field's format
    out_of_range,  ///< a number too small or too large
    bad_length,    ///< a text too short or too long
    bad_count,     ///< of a list: too few items or too many
    placeholder,   ///< still to be filled in, and nothing that the field takes as it stands
    repeated_item,
  };
  Kind kind;
  /// The value; of a missing field the mapping that should have it.
  const yaml::Node* node;
  /// The type that the value should be of; of unknown and missing fields that of the mapping.
  const Type* type;
  /// The field whose value, or whose items, it is about; null of an unknown field.
  const Field* field = nullptr;
  /// The type of the object that has the field.
  const Type* holder = nullptr;
  /// Of a repeated item, the first that has its keys.
  const yaml::Node* first = nullptr;
  /// The API server takes the object, and refuses the pods that are made of it.
  bool in_the_pod = false;
};

/// Where an object is not what its kind's table says, in no particular order. What the API server
/// drops (null in a custom resource) counts as not written. Of a kind without a table, and where a
/// table leaves open what else there may be, only wrong types of fields that are the same
/// everywhere: node selectors, tolerations, labels, …
std::vector<Deviation> deviations(const Object& object);

}  // namespace cnsched::k8s::schema

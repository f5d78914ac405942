#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/k8s/object.h"
#include "core/k8s/schema/open_api.h"
#include "core/k8s/schema/schema.h"
#include "core/k8s/schema/type.h"
#include "core/yaml/node.h"

namespace cnsched::k8s::schema {

/// One place where an object deviates from the table of its kind.
struct Deviation {
  enum class Kind : std::uint8_t {
    unknown_field,  ///< nothing below it is checked
    wrong_type,
    missing_field,
    not_allowed,       ///< none of the values that the field accepts
    invalid_quantity,  ///< such as 4GB
    bad_format,        ///< not of the field's format
    out_of_range,      ///< a number too small or too large
    bad_length,        ///< a text too short or too long
    bad_count,         ///< of a list: too few items or too many
    placeholder,       ///< not substituted, and not accepted by the field
    repeated_item,
    no_match,       ///< a text that does not match the pattern
    bad_number,     ///< not within exclusive or fractional bounds, or no multiple
    bad_entries,    ///< of a map: too few entries or too many
    not_combined,   ///< `allOf`, `anyOf`, `oneOf` or `not` does not permit it
    rule_violated,  ///< a rule of `x-kubernetes-validations`
  };
  Kind kind;
  /// The value; for a missing field, the mapping that should have it.
  const yaml::Node* node;
  /// The type that the value should have; for an unknown or missing field, that of the mapping.
  const Type* type;
  /// The field of the value or list item; null for an unknown field.
  const Field* field = nullptr;
  /// The type of the object that has the field.
  const Type* holder = nullptr;
  /// For a repeated item, the first item with its keys.
  const yaml::Node* first = nullptr;
  /// Whether the API server accepts the object and rejects the pods created from it.
  bool rejected_in_pod = false;
  std::string message{};  ///< of a violated rule
};

/// The deviations of an object from the table of its kind, in no particular order. Values that the
/// API server drops (null in a custom resource) count as absent. For a kind without a table, and
/// for unlisted fields of an open type, only wrong types of fields that are the same in every kind:
/// node selectors, tolerations, labels, …
std::vector<Deviation> deviations(const Object& object, const Schemas& schemas);

/// Adds the rules of CEL that an object which has no other deviations violates. What is not
/// evaluated, also because it takes more steps, is noted in `types`.
void add_violations(const yaml::Node& root, const DefinedTypes& types, std::uint64_t steps,
                    std::vector<Deviation>& found);

}  // namespace cnsched::k8s::schema

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/pattern.h"
#include "core/cel/program.h"
#include "core/k8s/schema/deviations.h"
#include "core/k8s/schema/open_api.h"
#include "core/k8s/schema/type.h"
#include "core/yaml/node.h"

namespace cnsched::k8s::schema {

/// Adds the rules of CEL that an object which has no other deviations violates. What is not
/// evaluated, also because it takes more steps, is noted in `types`.
void add_violations(const yaml::Node& root, const DefinedTypes& types, std::uint64_t steps,
                    std::vector<Deviation>& found);

/// One rule of `x-kubernetes-validations`.
struct ValidationRule {
  std::string_view text;
  cel::Program program;
  std::string_view message;                  ///< may be empty
  std::optional<cel::Program> make_message;  ///< of `messageExpression`
  std::string_view path;                     ///< of a field of `self`, such as ".replicas"
};

/// What a schema of OpenAPI demands of a value besides what the tables state.
struct Checks {
  std::optional<Pattern> pattern{};
  std::string_view pattern_text{};
  bool nullable = false;
  /// What the API server writes where the value is missing; null: nothing.
  const yaml::Node* preset = nullptr;
  std::optional<double> minimum{};  ///< of a number that is not an integer, or exclusive
  std::optional<double> maximum{};
  bool above_minimum = false;  ///< the minimum itself is not valid
  bool below_maximum = false;
  std::optional<double> multiple_of{};
  Range entries;  ///< of a map or an object
  /// Of a text that CEL reads as a time, a duration or bytes, and not as a string.
  std::string_view cel_format{};
  bool unique_items = false;  ///< of scalars, also in a list of type `set`
  // Fields without a name, whose checks the value must pass: all, at least one, exactly one, not.
  std::vector<Field> all_of{};
  std::vector<Field> any_of{};
  std::vector<Field> one_of{};
  std::vector<Field> none_of{};
  std::vector<ValidationRule> rules{};
};

inline bool is_nullable(const Field& field) {
  return field.checks != nullptr && field.checks->nullable;
}

/// What the API server writes where the field is missing; null: nothing.
inline const yaml::Node* preset_of(const Field& field) {
  return field.checks == nullptr ? nullptr : field.checks->preset;
}

/// The value of a field as the API server stores it: what it writes where the field is missing,
/// also for null, unless the field may be null. Null if there is none.
inline const yaml::Node* stored_value(const yaml::Node& object, const Field& field) {
  const yaml::Node& value = object[field.name];
  return value && (!value.is_null() || is_nullable(field)) ? &value : preset_of(field);
}

/// The field with the constraints of the elements of a list or map, which `field` has.
inline const Field& elements_of(const Type& type, const Field& field) {
  return type.element_field != nullptr ? *type.element_field : field;
}

}  // namespace cnsched::k8s::schema

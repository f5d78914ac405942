#pragma once

#include <string>
#include <vector>

#include "rules/rule.h"

namespace cnsched::rules::misplaced_field {

/// The one place that a misplaced field can be moved to. None if there are several, or none.
struct Destination {
  const yaml::Node* mapping = nullptr;
  /// A JSON Pointer from the mapping, with the field's name at its end. Empty: the entries of the
  /// field move to the mapping, and the field is removed.
  std::string pointer{};
};

/// A field at a level that does not have it, although another level does.
struct Misplaced {
  const yaml::Node* value;
  std::string message;
  std::string help;
  Destination destination{};
};

/// The misplaced fields among the unknown ones: fields of a pod or of a container's resources, and
/// the exceptions that misplaced_field.cpp lists.
std::vector<Misplaced> misplaced_fields(const k8s::Object& object,
                                        const k8s::schema::Schemas& schemas, Deviations deviations);

/// Notes which fields of the pod are lost with a field that does not exist.
void note_losses(const yaml::Node& value, Findings::Finding& finding);

}  // namespace cnsched::rules::misplaced_field

#pragma once

#include <optional>
#include <string>

#include "core/k8s/object.h"
#include "core/k8s/schema/deviations.h"

namespace cnsched::k8s::schema {

/// A place of an object that has a field which was written elsewhere.
struct Whereabouts {
  const yaml::Node* mapping;  ///< what is there of the way to it
  std::string way;            ///< from there on, a JSON Pointer with the field's name at its end
  std::string path;           ///< all of it, for people: "spec.predictor.tolerations"
};

/// Where the kind has a field of the name of an unknown one that takes such a value: below the
/// mapping that has it, else above, else beside. Nothing where there are several such places that
/// are equally near.
std::optional<Whereabouts> whereabouts(const Object& object, const Deviation& unknown);

/// Whether a mapping has more entries than anyone has written by a slip: if each of its fields were
/// looked at beside all the others, that would take for ever.
bool is_crowded(const yaml::Node& mapping);

/// What leads to the node, for people: "spec.containers[]"; empty for the object itself.
std::string path_to(const yaml::Node& node, const Object& object);

}  // namespace cnsched::k8s::schema

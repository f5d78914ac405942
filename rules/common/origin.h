#pragma once

#include <fmt/format.h>

#include <string>

#include "rules/findings.h"

namespace cnsched::rules {

/// The object that sets a value of a pod, directly or through a controller; null for a constant of
/// the controller.
inline const k8s::Object* setter_of(const yaml::Node& value, const Findings& findings) {
  return value.span == Span() ? nullptr : findings.scope().object_around(value.span);
}

/// "ServingRuntime 'vllm'".
inline std::string named(const k8s::Object& object) {
  return fmt::format("{} '{}'", object.kind, object.name);
}

/// ", unless an object that uses this ServingRuntime sets one": for a base that nothing in the
/// workspace uses.
inline std::string unless_user_sets(const Workload& base, std::string_view what) {
  return fmt::format(", unless an object that uses this {} sets {}", base.object->kind, what);
}

}  // namespace cnsched::rules

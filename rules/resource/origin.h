#pragma once

#include <fmt/format.h>

#include <string>

#include "rules/engine/report.h"

namespace cnsched::rules {

/// The object of the run that sets a value of a pod, by holding it or by giving rise to it; null if
/// none does: a constant of the controller.
inline const k8s::Object* setter_of(const yaml::Node& value, const Report& report) {
  return value.span == Span() ? nullptr : report.run().object_around(value.span);
}

/// "ServingRuntime 'vllm'".
inline std::string named(const k8s::Object& object) {
  return fmt::format("{} '{}'", object.kind, object.name);
}

/// ", unless what uses this ServingRuntime sets one": of a base that the run does not see used.
inline std::string unless_user_sets(const Workload& base, std::string_view what) {
  return fmt::format(", unless what uses this {} sets {}", base.object->kind, what);
}

}  // namespace cnsched::rules

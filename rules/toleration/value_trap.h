#pragma once

#include "core/accelerators/catalogue.h"
#include "core/k8s/label.h"
#include "core/k8s/taint.h"

namespace cnsched::rules {

/// Whether it tolerates an accelerator's taint with one value only, or without one.
inline bool tolerates_one_value(const k8s::Toleration& t) {
  const yaml::Node& value = (*t.node)["value"];
  const bool is_refused = value.is_scalar() && !value.is_string();  // true without quotes
  return !is_refused && t.op == "Equal" && accelerators::is_accelerator(t.key) &&
         (t.effect.empty() || t.effect == k8s::kNoSchedule || t.effect == k8s::kNoExecute) &&
         !k8s::is_placeholder(t.key) && !k8s::is_placeholder(t.value);
}

}  // namespace cnsched::rules

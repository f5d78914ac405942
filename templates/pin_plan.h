#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/arena.h"
#include "core/base/result.h"
#include "core/workspace/workload.h"
#include "templates/facts.h"
#include "templates/pin_target.h"

namespace cnsched::templates {

/// The placement of a pod on an accelerator.
struct Pin {
  const Values& values;          ///< of the parameters, with the facts of the catalogue
  bool sets_gpus = false;        ///< the user set the number; else it is the pod's own
  std::string_view container{};  ///< of the accelerator; empty: the model server's
  bool replaces = false;         ///< whether a conflicting placement is replaced
};

/// The changes that pin a pod, or why they would contradict its placement.
struct PinPlan {
  std::vector<PathChange> changes;  ///< in their order
  std::string conflict;             ///< follows the pod's name; empty if there is none
};

/// The number of accelerators that the pod requests, of the first kind; 1 if none.
std::int64_t accelerators_of(const Workload& pod);

/// The changes of the pod's manifest. None if the pod, as its controller creates it, has the
/// placement. The error follows the pod's name. New values are in `arena`.
Result<PinPlan> plan_for(const Workload& pod, const Pin& pin, Arena& arena);

}  // namespace cnsched::templates

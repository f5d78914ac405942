#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/arena.h"
#include "core/base/result.h"
#include "core/workloads/workload.h"
#include "templates/facts.h"
#include "templates/path.h"

namespace cnsched::templates {

/// The placement of a pod on an accelerator.
struct Pin {
  const Values& values;          ///< of the parameters, with the facts of the catalogue
  bool sets_gpus = false;        ///< the user set the number; else it is the pod's own
  std::string_view container{};  ///< of the accelerator; empty: the model server's
};

/// The number of accelerators that the pod requests, of the first kind; 1 if none.
std::int64_t accelerators_of(const Workload& pod);

/// The changes of the pod's manifest, in their order. Empty if the pod, as its controller creates
/// it, has the placement. The error follows the pod's name. New values are in `arena`.
Result<std::vector<PathChange>> changes_for(const Workload& pod, const Pin& pin, Arena& arena);

}  // namespace cnsched::templates

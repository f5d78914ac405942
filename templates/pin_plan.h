#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/arena.h"
#include "core/base/result.h"
#include "core/workloads/workload.h"
#include "templates/change.h"
#include "templates/facts.h"

namespace cnsched::templates {

/// What a pod is to say to run on an accelerator.
struct Pin {
  const Values& values;          ///< of the parameters, with the facts of the catalogue
  bool says_gpus = false;        ///< the number is the user's wish, not what was found
  std::string_view container{};  ///< of the accelerator; empty: the model server's
};

/// How many accelerators the pod asks for, of the kind that it asks for first; 1 if of none.
std::int64_t accelerators_of(const Workload& pod);

/// What has to change in the pod's manifest, in this order. Nothing if the pod, as its controller
/// makes it, says it all. Fails with what goes on after the pod's name. New values live in `arena`.
Result<std::vector<Change>> changes_for(const Workload& pod, const Pin& pin, Arena& arena);

}  // namespace cnsched::templates

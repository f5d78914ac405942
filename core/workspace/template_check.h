#pragma once

#include <vector>

#include "core/k8s/template_problems.h"
#include "core/workspace/workload.h"

namespace cnsched {

/// Why the API server rejects the Deployment, or the like, that KServe makes of several objects.
/// Nothing for pods of other controllers, and for those that are not completely known.
std::vector<k8s::TemplateProblem> template_problems(const Workload& workload);

}  // namespace cnsched

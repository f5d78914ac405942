#pragma once

#include <string>

#include "core/sim/advice.h"

namespace cnsched::cli {

/// "set 'pool' in nodeSelector to 'infer' (svc.yaml:12): then it fits gpu-1 and 3 more".
std::string text_of(const sim::Suggestion& suggestion, const sim::Cluster& cluster,
                    const Workspace& run);

}  // namespace cnsched::cli

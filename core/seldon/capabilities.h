#pragma once

#include "core/base/arena.h"
#include "core/yaml/node.h"

namespace cnsched::seldon {

/// `containers` with SELDON_SERVER_CAPABILITIES as set by a Server's spec. `capabilities` replaces
/// each occurrence of the variable in every container; without it, `extraCapabilities` is appended.
/// Nothing changes if no container has the variable [S28, S29, S30, S31]. Source: seldon-core v2
/// operator/controllers/reconcilers/server/server_reconciler.go, updateCapabilities.
const yaml::Node& with_capabilities(Arena& arena, const yaml::Node& containers,
                                    const yaml::Node& server_spec);

}  // namespace cnsched::seldon

#pragma once

#include "core/base/arena.h"
#include "core/yaml/node.h"

namespace cnsched::seldon {

/// `containers` with SELDON_SERVER_CAPABILITIES as a Server's spec wants it: in every container
/// that has the variable, and every time it stands there, it becomes `capabilities` or, without
/// those, what it was and `extraCapabilities`. Where no container has it, nothing changes [S28,
/// S29, S30, S31]. Source: seldon-core v2
/// operator/controllers/reconcilers/server/server_reconciler.go, updateCapabilities.
const yaml::Node& with_capabilities(Arena& arena, const yaml::Node& containers,
                                    const yaml::Node& server_spec);

}  // namespace cnsched::seldon

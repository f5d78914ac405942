#pragma once

#include "cli/lsp/rpc.h"
#include "cli/lsp/session.h"

namespace cnsched::cli::lsp {

/// The names of the commands, for the client.
Json command_names();

/// workspace/executeCommand: text about the pods of the component, or else of the object, at a
/// place: [{"uri": ..., "position": ...}].
Reply execute_command(const Json& params, const Session& session);

}  // namespace cnsched::cli::lsp

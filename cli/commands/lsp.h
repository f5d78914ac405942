#pragma once

#include "cli/command.h"
#include "cli/console.h"
#include "cli/lsp/checker.h"

namespace cnsched::cli {

struct LspOptions {
  lsp::Settings settings;
  bool stdio = false;
};

void declare_lsp(Command& command, LspOptions& options);
/// Serves a client on standard input and output until it ends the session.
Exit serve(const LspOptions& options, Console& console);

}  // namespace cnsched::cli

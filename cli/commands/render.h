#pragma once

#include "cli/commands/input.h"

namespace cnsched::cli {

struct RenderOptions {
  MessageOptions messages;
  InputOptions input;
  std::string format = "yaml";
  bool with_origin = false;
  bool admitted = false;
};

void declare_render(Command& command, RenderOptions& options);
/// The effective pod of every workload, as the controllers would create it.
Exit render(const RenderOptions& options, Console& console);

}  // namespace cnsched::cli

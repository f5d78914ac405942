#pragma once

#include <vector>

#include "cli/commands/input.h"
#include "core/workloads/workload.h"

namespace cnsched::cli {

struct RenderOptions {
  MessageOptions messages;
  InputOptions input;
  std::string format = "yaml";
  bool with_origin = false;
  bool admitted = false;
};

void declare_render(Command& command, RenderOptions& options);
struct Rendered {
  std::size_t pods = 0;
  bool is_complete = true;  ///< whether each pod is shown
};
/// Prints the pods, each as a whole or not at all, by the options of the output.
Rendered render_pods(const std::vector<const Workload*>& pods, const Workspace& workspace,
                     const RenderOptions& options, Console& console);

/// The effective pod of every workload, as the controllers would create it.
Exit render(const RenderOptions& options, Console& console);

}  // namespace cnsched::cli

#pragma once

#include "cli/commands/input.h"

namespace cnsched::cli {

struct SnapshotOptions {
  MessageOptions messages;
  FactOptions facts;
  bool list = false;
  std::string file;  ///< to write; empty: only the commands are printed
  bool force = false;
  std::string kubectl;
  std::string context;
  std::size_t timeout = 60;  ///< seconds
};

void declare_snapshot(Command& command, SnapshotOptions& options);
Exit snapshot(const SnapshotOptions& options, Console& console);

}  // namespace cnsched::cli

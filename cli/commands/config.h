#pragma once

#include "cli/commands/input.h"
#include "rules/engine/config.h"

namespace cnsched::cli {

struct ConfigOptions {
  MessageOptions messages;
  FactOptions facts;
  std::string path = ".";
  std::string format = "yaml";
  bool init = false;
  bool schema = false;
  std::string output{rules::kConfigName};
};

void declare_config(Command& command, ConfigOptions& options);
Exit config(const ConfigOptions& options, Console& console);

}  // namespace cnsched::cli

#pragma once

#include "cli/commands/generate.h"

namespace cnsched::cli {

struct PinOptions {
  MessageOptions messages;
  FactOptions facts;
  DeliveryOptions delivery;
  ValueOptions values;
  std::string file;  ///< "-" is standard input
  std::vector<std::string> components;
  std::string container;
  bool replace = false;
};

/// `generate pin`.
void declare_pin(Command& command, PinOptions& options);
Exit pin(const PinOptions& options, Console& console);

}  // namespace cnsched::cli

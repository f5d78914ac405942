#pragma once

#include "cli/commands/delivery.h"
#include "templates/library.h"
#include "templates/settings.h"

namespace cnsched::cli {

/// Parameter values from the command line.
struct ValueOptions {
  std::vector<std::string> sets;
  std::string values;  ///< a file; "-" is standard input
};

struct GenerateOptions {
  MessageOptions messages;
  FactOptions facts;
  DeliveryOptions delivery;
  ValueOptions values;
  std::string name;  ///< of the template
  std::vector<std::string> template_dirs;
  bool interactive = false;
  bool no_header = false;
};

void declare_values(Command& command, ValueOptions& options);
void declare_generate(Command& command, GenerateOptions& options);
Exit generate(const GenerateOptions& options, Console& console);

/// The parameter values of the options. Reports an unreadable file and returns nothing.
std::optional<templates::UserValues> read_user_values(const ValueOptions& options,
                                                      Console& console);

}  // namespace cnsched::cli

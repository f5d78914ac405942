#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace cnsched::cli {

/// "cnsched generate pin": the command with those that it is part of.
std::string full_name(const CLI::App& command);

/// Help that fits 80 columns: options in a narrow column, their text wrapped beside it.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_description(const CLI::App* command) const override;
  std::string make_footer(const CLI::App* command) const override;
  std::string make_usage(const CLI::App* command, std::string name) const override;
};

}  // namespace cnsched::cli

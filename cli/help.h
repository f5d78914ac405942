#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

namespace cnsched::cli {

inline constexpr std::size_t kHelpWidth = 80;

/// "cnsched generate pin": the command with those that it is part of.
std::string full_name(const CLI::App& command);
/// The same without the program: "generate pin", "".
std::string name_in_manual(const CLI::App& command);

/// The commands within a command, whether they are used or not.
std::vector<const CLI::App*> subcommands_of(const CLI::App& command);

/// " FILE [OPTIONS] [PATH]...": what stands behind the command's name; what has to be said comes
/// first.
std::string arguments_of(const CLI::App& command);

/// Help that fits `kHelpWidth`: options in a narrow column, their text wrapped beside it.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_description(const CLI::App* command) const override;
  std::string make_footer(const CLI::App* command) const override;
  std::string make_help(const CLI::App* command, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_usage(const CLI::App* command, std::string name) const override;
};

}  // namespace cnsched::cli

#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string_view>
#include <vector>

#include "cli/console.h"

namespace cnsched::cli {

/// The commands with their flags. What is parsed here is also what help, completions and manual
/// pages tell.
class Program {
 public:
  Program();

  CLI::App& app() { return app_; }
  const CLI::App& app() const { return app_; }
  /// The command that was parsed or, when that failed, that the arguments belong to.
  const CLI::App& current() const;
  /// Does what was parsed.
  Exit run(Console& console) const;

 private:
  struct Command {
    CLI::App* app;
    std::function<Exit(Console&)> run;
  };

  template <typename Options>
  void add(std::string_view name, void (*declare)(CLI::App&, Options&),
           Exit (*work)(const Options&, Console&));
  CLI::App& declared(std::string_view name);

  CLI::App app_;
  std::vector<Command> commands_;
};

}  // namespace cnsched::cli

#include "cli/commands/completion.h"

#include <algorithm>

#include "cli/commands/input.h"
#include "cli/output/completion_script.h"
#include "core/base/text.h"

namespace cnsched::cli {

void declare_completion(Command& command, CompletionOptions& options) {
  std::vector<std::string> names;
  for (const Shell& shell : shells()) names.emplace_back(shell.name);
  Argument& argument = command.positional("SHELL", options.shell, join_words(names, "or"));
  argument.required = true;
  restrict_to(argument, options.shell, names);
}

Exit completion(const CompletionOptions& options, Console& console) {
  const auto shell = std::ranges::find(shells(), options.shell, &Shell::name);
  console.out << shell->script;
  return Exit::clean;
}

}  // namespace cnsched::cli

#include "cli/commands/completion.h"

#include <algorithm>

#include "cli/commands/input.h"
#include "cli/output/completion.h"
#include "core/base/text.h"

namespace cnsched::cli {

void declare_completion(CLI::App& command, CompletionOptions& options) {
  std::vector<std::string> names;
  for (const Shell& shell : shells()) names.emplace_back(shell.name);
  one_of(command.add_option("SHELL", options.shell, join_words(names, "or"))->required(), names)
      ->type_name(" ");
}

Exit completion(const CompletionOptions& options, Console& console) {
  const auto shell = std::ranges::find(shells(), options.shell, &Shell::name);
  console.out << shell->script(reference());
  return Exit::clean;
}

}  // namespace cnsched::cli

#include "cli/commands/completion.h"

#include <algorithm>

#include "cli/commands/input.h"
#include "core/base/embedded_file.h"
#include "core/base/text.h"

namespace cnsched::embedded {
std::span<const EmbeddedFile> completions();  // completions/*
}

namespace cnsched::cli {

namespace {

/// A shell and the script by which it completes: it runs `cnsched __complete` (complete.h) and
/// offers what that prints. The script has the name that the shell's packages expect.
struct Shell {
  std::string_view name;
  std::string_view script;
};

constexpr Shell kShells[] = {
    {"bash", "completions/cnsched.bash"},
    {"zsh", "completions/_cnsched"},
    {"fish", "completions/cnsched.fish"},
};

}  // namespace

void declare_completion(Command& command, CompletionOptions& options) {
  std::vector<std::string> names;
  for (const Shell& shell : kShells) names.emplace_back(shell.name);
  Argument& argument = command.positional("SHELL", options.shell, join_words(names, "or"));
  argument.required = true;
  restrict_to(argument, options.shell, names);
}

Exit completion(const CompletionOptions& options, Console& console) {
  const auto shell = std::ranges::find(kShells, options.shell, &Shell::name);
  const auto scripts = embedded::completions();
  console.out << std::ranges::find(scripts, shell->script, &EmbeddedFile::path)->text;
  return Exit::clean;
}

}  // namespace cnsched::cli

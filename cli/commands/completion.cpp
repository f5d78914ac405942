#include <algorithm>
#include <span>

#include "cli/commands/commands.h"
#include "core/base/embedded_file.h"
#include "core/base/text.h"

namespace cnsched::embedded {
std::span<const EmbeddedFile> completions();  // completions/*
}

namespace cnsched::cli {

namespace {

struct CompletionOptions {
  std::string_view script;
};

/// Prints the script by which a shell completes: it runs `cnsched __complete` (complete.h) and
/// offers what that prints.
Exit completion(const CompletionOptions& options, Console& console) {
  const auto scripts = embedded::completions();
  console.out << std::ranges::find(scripts, options.script, &EmbeddedFile::path)->text;
  return Exit::clean;
}

}  // namespace

void declare_completion(Command& command) {
  auto& options = command.runs(completion);
  Argument& argument = command.positional("SHELL", "");
  // The scripts have the names that the shells' packages expect.
  restrict_to(argument, options.script,
              {{"bash", "completions/cnsched.bash"},
               {"zsh", "completions/_cnsched"},
               {"fish", "completions/cnsched.fish"}});
  argument.text = join_words(argument.choices, "or");
  argument.required = true;
}

}  // namespace cnsched::cli

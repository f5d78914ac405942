#include "cli/commands/commands.h"
#include "cli/lsp/server.h"

namespace cnsched::cli {

namespace {

struct LspOptions {
  lsp::Settings settings;
  bool stdio = false;
};

Exit run_lsp(const LspOptions& options, Console& console) {
  if (console.in == nullptr) return fail(console, "standard input is closed");
  return lsp::serve(options.settings, *console.in, console.out);
}

}  // namespace

void declare_lsp(Command& command) {
  auto& options = command.runs(run_lsp);
  lsp::Settings& settings = options.settings;
  declare_facts(command, settings.input.facts);
  ArgumentGroup input = command.group("Input");
  input.list("--exclude", "GLOB", settings.input.exclude,
             "exclude paths that match, as in .gitignore; may be repeated");
  input.flag("--no-gitignore", settings.input.no_gitignore,
             "also read files that .gitignore excludes");
  constexpr std::size_t kMaxJobs = 1024;
  input.number("-j,--jobs", "N", settings.input.jobs, 0, kMaxJobs,
               "number of threads (default: one per core)");
  declare_limits(command, settings.input.facts.limits);
  declare_selection(command, settings.selection);
  command.group("Suppression")
      .option("--baseline", "FILE", settings.suppression.baseline,
              "report only findings that are not in this file, written by 'cnsched lint "
              "--write-baseline'");
  command.group(kOptions).flag("--stdio", options.stdio,
                               "use standard input and output, as always");
}

}  // namespace cnsched::cli

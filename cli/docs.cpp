#include "cli/docs.h"

#include "cli/commands/complete.h"
#include "cli/output/manual_pages.h"
#include "cli/program.h"

namespace cnsched::cli {

std::vector<DocFile> docs() {
  const Command program = cli::program();
  std::vector<DocFile> files;
  const auto add_page = [&](PageFile page) {
    files.push_back({"man/" + page.name, std::move(page.text)});
  };
  for (const Command* command : flat(program)) add_page(command_page(*command, program));
  add_page(config_page());
  add_page(rules_page());
  for (const Shell& shell : shells()) {
    files.push_back({"completions/" + std::string(shell.file), std::string(shell.script)});
  }
  return files;
}

}  // namespace cnsched::cli

#include "cli/commands/config.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/output/config_page.h"
#include "cli/output/json.h"
#include "core/base/text.h"
#include "core/source/save.h"

namespace cnsched::cli {

namespace fs = std::filesystem;

namespace {

Exit write_start(const ConfigOptions& options, Console& console) {
  if (options.output == "-") {
    console.out << starting_config();
    return Exit::clean;
  }
  const auto saved = save(options.output, starting_config());
  if (!saved) {
    say_error(console, saved.error().message);
    std::error_code error;
    if (fs::is_regular_file(options.output, error)) {
      console.err << "--output writes it to another file\n";
    }
    return Exit::failure;
  }
  if (!options.talk.quiet) {
    console.err << fmt::format("{} {}\n", *saved == Saved::unchanged ? "unchanged:" : "wrote",
                               printable(options.output));
  }
  return Exit::clean;
}

/// Says so if configuration leaves the file out.
void note_exclusion(const ConfigOptions& options, Opened& opened, Console& console) {
  const InputOptions input{.paths = {options.path}, .facts = options.facts, .force_exclude = true};
  for (const Skipped& skipped : discover_files(input, opened).skipped) {
    console.err << fmt::format("{}: {}\n", printable(skipped.path), skipped.reason);
  }
}

Exit show(const ConfigOptions& options, Console& console) {
  std::error_code error;
  if (!fs::exists(options.path, error)) {
    say_error(console, fmt::format("{}: no such file or directory", printable(options.path)));
    return Exit::failure;
  }
  Opened opened;
  const bool is_directory = fs::is_directory(options.path, error);
  // What holds for all of a directory holds for any name in it.
  const std::string file = is_directory ? (fs::path(options.path) / ".").string() : options.path;
  if (const auto failed = open_configs(options.facts, {file}, opened, console)) return *failed;
  if (!is_directory && !options.talk.quiet) note_exclusion(options, opened, console);
  const InForce in_force{opened.configs.find(file), opened.configs.rules_for(file),
                         opened.workspace.sources};
  if (options.format == "json") {
    write_document(json_of(in_force), console.out);
  } else {
    write_config(in_force, console.out);
  }
  return Exit::clean;
}

}  // namespace

void declare_config(CLI::App& command, ConfigOptions& options) {
  command
      .add_option("PATH", options.path,
                  "the file or directory that it is for; the working directory by default")
      ->type_name(" ");
  const char* input = "Input";
  command
      .add_option("-c,--config", options.facts.config,
                  "this configuration, instead of the nearest .cnsched.yaml above the path")
      ->type_name("FILE")
      ->group(input);
  command.add_flag("--no-config", options.facts.no_config, "read no configuration")->group(input);
  const char* output = "Output";
  one_of(command.add_option("--format", options.format, "yaml or json (default: yaml)"),
         {"yaml", "json"})
      ->type_name("NAME")
      ->group(output);
  CLI::Option* init = command.add_flag(
      "--init", options.init, "write a configuration to start from, every key explained, instead");
  init->group(output);
  command
      .add_option("-o,--output", options.output,
                  "where --init writes it, if no such file exists (.cnsched.yaml)")
      ->type_name("FILE")
      ->needs(init)
      ->group(output);
  command
      .add_flag("--schema", options.schema,
                "print a JSON Schema of configurations, for editors, instead")
      ->excludes(init)
      ->group(output);
  declare_talk(command, options.talk);
}

Exit config(const ConfigOptions& options, Console& console) {
  if (options.init) return write_start(options, console);
  if (!options.schema) return show(options, console);
  write_document(config_schema(), console.out);
  return Exit::clean;
}

}  // namespace cnsched::cli

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.h"
#include "cli/commands/project.h"
#include "cli/output/config_page.h"
#include "cli/output/json.h"
#include "core/base/text.h"
#include "core/source/save.h"
#include "core/workspace/cluster_scope.h"

namespace cnsched::cli {

namespace fs = std::filesystem;

namespace {

enum class ConfigFormat : std::uint8_t { yaml, json };

struct ConfigOptions {
  MessageOptions messages;
  FactOptions facts;
  std::string path = ".";
  ConfigFormat format = ConfigFormat::yaml;
  bool init = false;
  bool schema = false;
  std::string output{rules::kConfigName};
};

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
      console.err << "--output names another file\n";
    }
    return Exit::failure;
  }
  if (!options.messages.quiet) {
    console.err << fmt::format("{} {}\n", *saved == Saved::unchanged ? "unchanged:" : "wrote",
                               printable(options.output));
  }
  return Exit::clean;
}

/// Reports that the configuration excludes the file.
void note_exclusion(const ConfigOptions& options, LoadedProject& project, Console& console) {
  const InputOptions input{.paths = {options.path}, .facts = options.facts, .force_exclude = true};
  discover_files(input, project);
  for (const Skipped& skipped : project.found.skipped) {
    console.err << fmt::format("{}: {}\n", printable(skipped.path), skipped.reason);
  }
}

/// The releases and definitions by which fields are judged.
void add_facts(const Workspace& workspace, EffectiveConfig& effective) {
  const facts::ClusterConfig* config =
      effective.config == nullptr ? nullptr : &effective.config->cluster;
  const facts::ClusterFacts facts = workspace.scopes().front().facts_by(config);
  for (const Project project : k8s::schema::kProjects) {
    const auto& stated = workspace.stated_releases(project, config);
    effective.releases.of(project) = stated.empty() ? facts.found_releases.of(project) : stated;
  }
  effective.definitions = facts.schemas.definitions();
}

Exit show(const ConfigOptions& options, Console& console) {
  std::error_code error;
  if (!fs::exists(options.path, error)) {
    return fail(console, fmt::format("{}: no such file or directory", printable(options.path)),
                Exit::failure);
  }
  LoadedProject project;
  const bool is_directory = fs::is_directory(options.path, error);
  // The configuration of a directory applies to any name in it.
  const std::string file = is_directory ? (fs::path(options.path) / ".").string() : options.path;
  auto failed = open_configs(options.facts, {file}, project, console);
  if (failed) return *failed;
  if (!is_directory && !options.messages.quiet) note_exclusion(options, project, console);
  failed = load_facts(load_options(options.facts, project.configs), project, console);
  if (failed) return *failed;
  EffectiveConfig effective{project.configs.find(file), project.configs.rules_for(file),
                            project.workspace.sources};
  add_facts(project.workspace, effective);
  if (options.format == ConfigFormat::json) {
    write_document(json_of(effective), console.out);
  } else {
    write_config(effective, console.out);
  }
  return Exit::clean;
}

Exit config(const ConfigOptions& options, Console& console) {
  if (options.init) return write_start(options, console);
  if (!options.schema) return show(options, console);
  write_document(config_schema(), console.out);
  return Exit::clean;
}

}  // namespace

void declare_config(Command& command) {
  auto& options = command.runs(config);
  command.positional("PATH", options.path, "file or directory (default: the working directory)");
  declare_facts(command, options.facts);
  ArgumentGroup output = command.group("Output");
  output.one_of("--format", "NAME", options.format,
                {{"yaml", ConfigFormat::yaml}, {"json", ConfigFormat::json}});
  output.flag("--init", options.init,
              "write a configuration to start from, with every key explained, instead");
  output
      .option("-o,--output", "FILE", options.output,
              "file that --init writes; it must not exist (default: .cnsched.yaml)")
      .needs = "--init";
  output
      .flag("--schema", options.schema,
            "print a JSON Schema of the configuration, for editors, instead")
      .excludes = "--init";
  declare_messages(command, options.messages);
}

}  // namespace cnsched::cli

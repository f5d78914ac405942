#include "cli/commands/project.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/commands/packages.h"
#include "cli/commands/reading.h"
#include "core/source/path.h"

namespace cnsched::cli {

namespace {

/// The fact files that the configurations name and --cluster does not.
std::vector<FactFile> config_files(const rules::Configs& configs, const FactOptions& options) {
  std::vector<FactFile> files = configs.cluster_files();
  if (files.empty()) return files;
  std::set<std::string> read;
  for (const std::string& name : options.cluster) read.insert(file_identity(name));
  std::erase_if(files,
                [&](const FactFile& file) { return read.contains(file_identity(file.path)); });
  return files;
}

}  // namespace

std::optional<Exit> open_project(const Opening& opening, const rules::SelectionOptions& selection,
                                 LoadedProject& project, Console& console) {
  discover_files(opening.input, project);
  const auto failed = open_workspace(opening, project, console);
  return failed ? failed : select_rules(selection, project, console);
}

void discover_files(const InputOptions& options, LoadedProject& project) {
  const std::vector<std::string> here = {"."};
  DiscoverOptions wanted{.exclude = options.exclude,
                         .force_exclude = options.force_exclude,
                         .gitignore = !options.no_gitignore};
  if (!options.facts.config.empty()) project.search.use_only(options.facts.config);
  if (!options.facts.no_config) {
    wanted.excluded = [&project](const std::string& real, bool is_directory) {
      return project.search.exclusion_of(real, is_directory);
    };
  }
  project.found = discover(options.paths.empty() ? here : options.paths, wanted);
}

std::optional<Exit> open_workspace(const Opening& opening, LoadedProject& project,
                                   Console& console) {
  const InputOptions& input = opening.input;
  const Discovered& found = project.found;
  auto failed = reject_shared_stdin(found.files, input.facts, opening.quiet, console);
  RenderedPackages rendered;
  if (!failed) failed = start_rendering(input, project, rendered, console);
  const std::string stdin_name = name_of_stdin(input);
  std::vector<std::string> files = found.files;
  files.insert(files.end(), rendered.names.begin(), rendered.names.end());
  std::ranges::replace(files, std::string("-"), stdin_name);
  if (!failed) failed = open_configs(input.facts, files, project, console);
  if (failed) return failed;

  LoadOptions load = load_options(input.facts, project.configs);
  load.files = found.files;
  load.memory_files = input.facts.read;
  load.text_of = input.text_of;
  load.late_files = std::move(rendered.files);
  load.unreadable = found.unreadable;
  load.unfollowed = found.unfollowed;
  load.stdin_name = stdin_name;
  load.out_of_scope = opening.out_of_scope;
  load.jobs = input.jobs;
  load.origins = std::move(rendered.origins);
  load.clusters = project.configs.clusters();
  load.replaceable = input.replaceable;
  project.workspace.load(std::move(load));
  return std::nullopt;
}

std::optional<Exit> select_rules(const rules::SelectionOptions& options, LoadedProject& project,
                                 Console& console) {
  const auto selected = rules::Selection::from(options, project.rules());
  if (!selected) return fail(console, selected.error().message);
  project.selection = *selected;
  project.selection.follow(project.configs);
  return std::nullopt;
}

std::optional<Exit> open_configs(const FactOptions& options, const std::vector<std::string>& files,
                                 LoadedProject& project, Console& console) {
  if (options.no_config) return std::nullopt;
  if (!options.config.empty()) project.search.use_only(options.config);
  auto configs = project.search.finish(files);
  if (!configs) {
    say_error(console, configs.error().message);
    std::error_code error;
    if (!options.config.empty() && !std::filesystem::exists(options.config, error)) {
      console.err << "'cnsched config --init' writes a configuration to start from\n";
    }
    return Exit::usage;
  }
  project.configs = *std::move(configs);
  if (!project.configs.policies().empty()) project.with_policies.emplace(project.configs);
  return std::nullopt;
}

LoadOptions load_options(const FactOptions& options, const rules::Configs& configs) {
  return {.cluster_files = options.cluster,
          .config_files = config_files(configs, options),
          .limits = options.limits,
          .config_for = [&configs](const std::string& path) -> const facts::ClusterConfig* {
            const rules::Config* config = configs.find(path);
            return config == nullptr ? nullptr : &config->cluster;
          },
          .releases = options.releases};
}

std::optional<Exit> load_facts(const LoadOptions& options, LoadedProject& project,
                               Console& console) {
  project.workspace.load(options);
  const bool is_unreadable = report_unreadable(project.workspace.unreadable(), console);
  return is_unreadable ? std::optional(Exit::failure) : std::nullopt;
}

std::string name_of_stdin(const InputOptions& options) {
  return options.stdin_filename.empty() ? kStdinName : options.stdin_filename;
}

std::optional<Exit> reject_shared_stdin(std::vector<std::string> files, const FactOptions& facts,
                                        bool quiet, Console& console) {
  files.insert(files.end(), facts.cluster.begin(), facts.cluster.end());
  const auto readers = std::ranges::count(files, std::string("-"));
  if (readers > 1) {
    return fail(console, "standard input ('-') can only be read once: name a file instead");
  }
  if (readers == 1 && console.in_is_terminal && !quiet) {
    console.err << "reading standard input; press Ctrl-D to end it\n";
  }
  return std::nullopt;
}

}  // namespace cnsched::cli

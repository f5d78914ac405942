#include "cli/commands/project.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <future>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "cli/commands/reading.h"
#include "core/base/pattern.h"
#include "core/base/text.h"
#include "core/packages/engine.h"
#include "core/packages/package_origins.h"
#include "core/packages/variants.h"
#include "core/source/path.h"

namespace cnsched::cli {

namespace {

/// The fact files that the configurations name and that have not been read already.
std::vector<FactFile> config_files(const rules::Configs& configs, const FactOptions& options) {
  std::vector<FactFile> files = configs.cluster_files();
  if (options.read.empty()) return files;
  std::set<std::string> read;
  for (const MemoryFile& file : options.read) read.insert(file_identity(file.path));
  std::erase_if(files,
                [&](const FactFile& file) { return read.contains(file_identity(file.path)); });
  return files;
}

/// Charts and overlays that engines render while other files are read.
struct RenderedPackages {
  std::vector<std::string> names{};  ///< of the files that will be rendered
  std::shared_ptr<packages::OriginFinder> origins{};
  std::function<LateFiles()> files{};  ///< waits for the engines
  packages::RenderKinds kinds{};
};

/// What --render lists, or an error.
Result<packages::RenderKinds> kinds_in(const std::string& list) {
  packages::RenderKinds kinds;
  for (const std::string_view name : split(list, ',')) {
    if (kinds.add(name)) continue;
    return Error{
        fmt::format("--render: invalid value '{}' (helm, kustomize or all)", printable(name))};
  }
  return kinds;
}

/// Why Helm must not read the file; empty if it may.
std::string problem_with_values(const std::string& file) {
  return packages::is_address(file)
             ? "is an address, and nothing is fetched: download it and name the file"
             : problem_with_link(file);
}

/// The release of Kubernetes that the user states; of several, the newest. Empty if there is none.
std::string kubernetes_of(const FactOptions& facts, const rules::Config* config) {
  std::vector<facts::StatedRelease> stated = facts.releases.kubernetes;
  if (stated.empty() && config != nullptr) stated = config->cluster.releases.kubernetes;
  const auto newest = std::ranges::max_element(stated, {}, &facts::StatedRelease::version);
  return newest == stated.end() ? std::string() : to_string(newest->version);
}

/// What is rendered, and how.
struct RenderPlan {
  packages::RenderSettings settings;
  packages::RenderOptions options;
};

/// The plan of the flags over `settings`, or an error.
Result<RenderPlan> plan_of(const InputOptions& options, const rules::Config* config) {
  packages::RenderSettings settings =
      config == nullptr ? packages::RenderSettings() : config->render;
  const PackageOptions& flags = options.packages;
  for (const std::string& file : flags.values) {
    if (const std::string problem = problem_with_values(file); !problem.empty()) {
      return Error{fmt::format("--helm-values: '{}' {}", printable(file), problem)};
    }
  }
  if (!flags.render.empty()) {
    const auto kinds = kinds_in(flags.render);
    if (!kinds) return kinds.error();
    settings.kinds = *kinds;
  }
  constexpr std::size_t kSeconds = 60;
  const std::size_t seconds =
      flags.timeout != 0 ? flags.timeout : settings.timeout.value_or(kSeconds);
  packages::RenderOptions wanted{
      .helm = flags.helm.empty() ? settings.helm : flags.helm,
      .kustomize = flags.kustomize.empty() ? settings.kustomize : flags.kustomize,
      .kubernetes = kubernetes_of(options.facts, config),
      .helm_values = flags.values,
      .helm_sets = flags.sets,
      .timeout = std::chrono::seconds(seconds),
      .max_output = options.facts.limits.file_size,
      .unsandboxed = flags.unsandboxed,
      .jobs = options.jobs,
      .checked = flags.checked};
  for (const std::string& path : options.paths) wanted.checked.push_back(joined(path, "x"));
  return RenderPlan{std::move(settings), std::move(wanted)};
}

/// The configuration given with -c, or null.
const rules::Config* named_config(const FactOptions& facts, const rules::Configs& configs) {
  return facts.no_config || facts.config.empty() ? nullptr : configs.find("");
}

/// "a, b and 3 others".
std::string some_of(std::vector<std::string> names) {
  constexpr std::size_t kMost = 3;
  if (names.size() > kMost + 1) {
    const std::size_t others = names.size() - kMost;
    names.resize(kMost);
    names.push_back(fmt::format("{} others", others));
  }
  return join_words(names);
}

/// One line for each cause, with the packages that it affects.
std::vector<Unreadable> by_cause(const std::vector<packages::NotRendered>& all) {
  std::vector<Unreadable> causes;
  std::vector<std::vector<std::string>> packages;  // of each
  std::map<std::tuple<std::string, std::size_t, std::string>, std::size_t> places;
  for (const packages::NotRendered& each : all) {
    // Without a line, the path only repeats which package it is.
    const std::string path = each.line > 0 || each.path != each.package ? each.path : "";
    const auto [place, is_new] = places.try_emplace({path, each.line, each.reason}, causes.size());
    if (is_new) {
      causes.push_back(each);
      packages.emplace_back();
    }
    packages[place->second].push_back(each.package);
  }
  for (std::size_t i = 0; i < causes.size(); ++i) {
    if (packages[i].size() > 1) causes[i].reason += " (" + some_of(packages[i]) + ")";
  }
  return causes;
}

/// Whether one of the patterns of packages matches the path.
bool matches_any(const std::vector<std::string>& patterns, const std::string& path) {
  return std::ranges::any_of(
      patterns, [&](const std::string& pattern) { return Glob(pattern).matches(path); });
}

/// What the engines make of the packages, with the sources of that. The sources of those that are
/// not rendered are files like others, unless a package that uses them too is rendered.
LateFiles files_of(const std::vector<packages::Package>& packages, const RenderPlan& plan,
                   packages::PackageOrigins& origins) {
  LateFiles result;
  std::vector<packages::NotRendered> failures;
  std::set<std::string> held;
  std::set<std::string> lost;
  for (packages::Rendering& each : render_packages(packages, plan.options)) {
    const packages::Package& package = each.package;
    (each.failure ? lost : held).insert(package.found.begin(), package.found.end());
    if (each.failure) {
      if (!matches_any(plan.settings.may_fail, package.path)) {
        failures.push_back({*std::move(each.failure), package.path});
      }
      continue;
    }
    const std::string name = packages::rendered_name(package);
    const bool is_chart = package.kind == packages::Package::Kind::chart;
    const bool has_values = !package.variant.values.empty() || !package.variant.sets.empty() ||
                            !plan.options.helm_values.empty() || !plan.options.helm_sets.empty();
    origins.add(name, package, each.text);
    result.files.push_back({.path = name,
                            .bytes = std::move(each.text),
                            .rendered = true,
                            .variant = {.chart = package.path,
                                        .name = package.variant.name,
                                        .is_release = is_chart,
                                        .ns = package.variant.ns,
                                        .is_default = is_chart && !has_values}});
  }
  result.unreadable = by_cause(failures);
  std::ranges::set_difference(lost, held, std::back_inserter(result.on_disk));
  for (packages::PackageSource& source : origins.sources()) {
    result.files.push_back({.path = std::move(source.path),
                            .bytes = std::move(source.bytes),
                            .linted = false,
                            .source = true});
  }
  return result;
}

/// Takes out the packages that the settings exclude. Their sources are files like others.
void leave_out(const packages::RenderSettings& settings, packages::PackageSearch& search) {
  const auto is_excluded = [&](const std::string& path) {
    return matches_any(settings.exclude, path);
  };
  std::set<std::string> held;
  std::set<std::string> lost(search.files.begin(), search.files.end());
  for (const packages::Package& package : search.packages) {
    (is_excluded(package.path) ? lost : held).insert(package.found.begin(), package.found.end());
  }
  search.files.clear();
  std::ranges::set_difference(lost, held, std::back_inserter(search.files));
  std::erase_if(search.packages,
                [&](const packages::Package& each) { return is_excluded(each.path); });
  std::erase_if(search.rejected, [&](const packages::NotRendered& each) {
    return is_excluded(each.package) || matches_any(settings.may_fail, each.package);
  });
}

/// Renders as planned.
RenderedPackages start(const RenderPlan& plan, Discovered& found) {
  if (!plan.settings.kinds.any()) return {};
  packages::PackageSearch search = find_packages(found.files, plan.settings.kinds);
  leave_out(plan.settings, search);
  packages::add_variants(plan.settings, search);
  found.files = std::move(search.files);
  std::ranges::move(by_cause(search.rejected), std::back_inserter(found.unreadable));
  RenderedPackages result;
  for (const packages::Package& package : search.packages)
    result.names.push_back(rendered_name(package));
  RenderPlan started = plan;
  started.options = packages::with_programs(search.packages, plan.options, environment_variable);
  const auto origins = std::make_shared<packages::PackageOrigins>(started.options);
  const auto rendering = std::make_shared<std::future<LateFiles>>(
      std::async(std::launch::async, [packages = std::move(search.packages), started, origins] {
        return files_of(packages, started, *origins);
      }));
  result.origins = origins;
  result.kinds = plan.settings.kinds;
  result.files = [rendering] { return rendering->get(); };
  return result;
}

/// Starts to render the charts and overlays among the found files, and leaves out their sources
/// there. The flags say whether and how; what they do not say, the section `render` of the
/// configuration given with -c does. Reports an invalid flag or configuration and returns the exit
/// code: a run that renders reads all configurations of the files first, so that an error in one is
/// reported before a program starts.
std::optional<Exit> start_rendering(const InputOptions& options, LoadedProject& project,
                                    RenderedPackages& rendered, Console& console) {
  const bool may_render = !options.packages.render.empty() || !options.facts.config.empty();
  if (options.packages.never || !may_render) return std::nullopt;
  const auto failed = open_configs(options.facts, project.found.files, project, console);
  if (failed) return failed;
  const auto plan = plan_of(options, named_config(options.facts, project.configs));
  if (!plan) return fail(console, plan.error().message);
  rendered = start(*plan, project.found);
  if (!rendered.names.empty()) project.confinement = packages::describe_confinement();
  return std::nullopt;
}

}  // namespace

std::string problem_with_link(const std::string& file) {
  return links_out(file, source_root(resolved_path(".")))
             ? "is a link that leads out of the repository: name the file that it leads to"
             : "";
}

Opening opening_of(const InputOptions& input, const MessageOptions& messages, bool needs_texts) {
  const bool keeps = messages.verbose || needs_texts;
  return {input, keeps ? OutOfScope::kept : OutOfScope::counted, messages.quiet};
}

std::optional<Exit> open_project(const Opening& opening, const rules::SelectionOptions& selection,
                                 LoadedProject& project, Console& console) {
  discover_files(opening.input, project);
  return open_workspace(opening, selection, project, console);
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

std::optional<Exit> open_workspace(const Opening& opening, const rules::SelectionOptions& selection,
                                   LoadedProject& project, Console& console) {
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
  if (!failed) failed = select_rules(selection, project, console);
  if (failed) return failed;

  LoadOptions load = load_options(input.facts, project.configs);
  load.files = found.files;
  load.text_of = input.text_of;
  load.late_files = std::move(rendered.files);
  load.unreadable = found.unreadable;
  load.unfollowed = found.unfollowed;
  load.ignored = found.ignored();
  load.walked = found.walked;
  load.rendered = rendered.kinds;
  load.stdin_name = stdin_name;
  load.out_of_scope = opening.out_of_scope;
  load.jobs = input.jobs;
  load.origins = std::move(rendered.origins);
  load.clusters = project.configs.clusters();
  load.parsed = opening.parsed;
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
          .memory_files = options.read,
          .ns = options.ns,
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

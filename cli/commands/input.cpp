#include "cli/commands/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <set>

#include "cli/commands/packages.h"
#include "cli/output/output.h"
#include "cli/output/unfollowed.h"
#include "core/base/text.h"
#include "core/k8s/schema/open_api.h"
#include "core/packages/engine.h"
#include "core/packages/package_origins.h"
#include "core/packages/variants.h"
#include "core/source/path.h"
#include "core/workloads/cluster_scope.h"

namespace cnsched::cli {

namespace {

constexpr const char* kMessages = "Messages";  // a group of flags

void declare_packages(Command& command, PackageOptions& options) {
  ArgumentGroup group = command.group("Charts and overlays");
  group.option("--render", "LIST", options.render,
               "render charts with Helm (helm), overlays with kustomize (kustomize) or both (all), "
               "and read the result; starts these programs");
  group
      .list("--helm-values", "FILE", options.values,
            "values for every chart, as of 'helm template --values'; may be repeated")
      .needs = "--render";
  group
      .list("--helm-set", "K=V", options.sets,
            "a value for every chart, as of 'helm template --set'; may be repeated")
      .needs = "--render";
  group.option("--helm", "FILE", options.helm, "the program helm (default: on PATH)").needs =
      "--render";
  group
      .option("--kustomize", "FILE", options.kustomize,
              "the program kustomize, or kubectl (default: on PATH)")
      .needs = "--render";
  constexpr std::size_t kMaxSeconds = 86'400;
  group.number("--render-timeout", "SECONDS", options.timeout, 1, kMaxSeconds,
               "end a program that takes longer for one chart or overlay (default: 60)");
}

void declare_releases(Command& command, StatedReleases& releases) {
  struct Row {
    Project project;
    std::string_view flag;
    std::string_view text;
  };
  static constexpr std::array kRows = {
      Row{Project::kserve, "--kserve", "the release of KServe on the cluster"},
      Row{Project::kubernetes, "--kubernetes", "the release of Kubernetes"},
      Row{Project::seldon, "--seldon", "the release of Seldon Core"},
  };
  ArgumentGroup group = command.group("Releases");
  for (const Row& row : kRows) {
    group.list(
        row.flag, "RELEASE",
        [&releases, &row](const std::string& word) {
          std::string mistake = mistake_of_release(row.project, word);
          if (mistake.empty()) {
            releases.of(row.project)
                .push_back({.version = *Version::parse(word), .flag = row.flag});
          }
          return mistake;
        },
        fmt::format("{}, such as {}; repeated, manifests are judged by each", row.text,
                    k8s::schema::newest(row.project)));
  }
}

/// Charts and overlays that engines render while other files are read.
struct PendingFiles {
  std::vector<std::string> names{};  ///< of the files that will be rendered
  std::shared_ptr<PackageOrigins> origins{};
  std::function<LateFiles()> files{};  ///< waits for the engines
};

/// What the engines make of the packages, with the sources of that.
LateFiles files_of(const std::vector<Package>& packages, const RenderOptions& engines,
                   PackageOrigins& origins) {
  LateFiles result;
  for (Rendering& each : render_packages(packages, engines)) {
    if (each.failure) {
      result.unreadable.push_back(*std::move(each.failure));
    } else {
      const std::string name = rendered_name(each.package);
      origins.add(name, each.package, each.text);
      result.files.push_back({.path = name,
                              .bytes = std::move(each.text),
                              .rendered = true,
                              .variant = {each.package.path, each.package.variant.name}});
    }
  }
  for (PackageSource& source : origins.sources()) {
    result.files.push_back({.path = std::move(source.path),
                            .bytes = std::move(source.bytes),
                            .linted = false,
                            .source = true});
  }
  return result;
}

/// Starts to render charts and overlays, and leaves out their sources in `found`.
PendingFiles start_rendering(const RenderPlan& plan, Discovered& found) {
  if (!plan.settings.kinds.any()) return {};
  PackageSearch search = find_packages(found.files, plan.settings.kinds);
  add_variants(plan.settings, search);
  found.files = std::move(search.files);
  std::ranges::move(search.rejected, std::back_inserter(found.unreadable));
  PendingFiles result;
  for (const Package& package : search.packages) result.names.push_back(rendered_name(package));
  const RenderOptions engines = with_programs(search.packages, plan.options, environment_variable);
  result.origins = std::make_shared<PackageOrigins>(engines);
  const auto rendering = std::make_shared<std::future<LateFiles>>(
      std::async(std::launch::async,
                 [packages = std::move(search.packages), engines, origins = result.origins] {
                   return files_of(packages, engines, *origins);
                 }));
  result.files = [rendering] { return rendering->get(); };
  return result;
}

std::string_view word_for(DocumentStatus status) {
  switch (status) {
    case DocumentStatus::checked:
      return "checked";
    case DocumentStatus::out_of_scope:
      return "out of scope";
    case DocumentStatus::templated:
      return "a Helm template, skipped";
    case DocumentStatus::fact:
      return "a fact about the cluster, not checked";
    case DocumentStatus::broken:
      break;
  }
  return "no YAML";
}

}  // namespace

ColorChoice color_choice(const MessageOptions& options) {
  if (options.color == "always") return ColorChoice::always;
  return options.color == "never" ? ColorChoice::never : ColorChoice::automatic;
}

void declare_messages(Command& command, MessageOptions& options) {
  ArgumentGroup messages = command.group(kMessages);
  messages.one_of("--color", "WHEN", options.color, {"auto", "always", "never"},
                  "auto, always or never (default: auto)");
  messages.flag("-q,--quiet", options.quiet, "print only errors on stderr");
}

void declare_verbose(Command& command, MessageOptions& options, std::string_view text) {
  command.group(kMessages).flag("-v,--verbose", options.verbose, text);
}

void declare_facts(Command& command, FactOptions& options) {
  ArgumentGroup input = command.group("Input");
  input.list("--cluster", "FILE", options.cluster,
             "facts about the cluster: the output of 'kubectl get "
             "nodes,cm,servingruntimes,clusterservingruntimes "
             "-A -o yaml'; not linted; may be repeated");
  declare_config_choice(command, options);
  declare_releases(command, options.releases);
}

void declare_config_choice(Command& command, FactOptions& options) {
  ArgumentGroup input = command.group("Input");
  input.option("-c,--config", "FILE", options.config,
               "configuration for all files, instead of the nearest .cnsched.yaml above each file");
  input.flag("--no-config", options.no_config, "read no configuration");
}

void declare_input(Command& command, InputOptions& options) {
  command.positional("PATH", options.paths,
                     "files, directories (searched for .yaml, .yml and .json), or - for standard "
                     "input (default: the working directory)");
  declare_facts(command, options.facts);
  ArgumentGroup input = command.group("Input");
  input.option("--stdin-filename", "NAME", options.stdin_filename,
               "file name of standard input, in reports and for finding its configuration");
  input.list("--exclude", "GLOB", options.exclude,
             "exclude paths that match, as in .gitignore; may be repeated");
  input.flag(
      "--force-exclude", options.force_exclude,
      "apply --exclude and the configuration's exclusions also to named files (for pre-commit)");
  input.flag("--no-gitignore", options.no_gitignore, "also read files that .gitignore excludes");
  declare_packages(command, options.packages);
  constexpr std::size_t kMaxJobs = 1024;
  input.number("-j,--jobs", "N", options.jobs, 0, kMaxJobs,
               "number of threads (default: one per core)");
}

void declare_limits(Command& command, Limits& limits) {
  ArgumentGroup group = command.group("Limits");
  group.size(kFileSizeFlag, "SIZE", limits.file_size, kMaxFileSize,
             "do not read larger files (default: 16Mi)");
  constexpr std::size_t kMaxDocuments = 1'000'000'000;
  group.number(
      kDocumentsFlag, "N", limits.documents, 1, kMaxDocuments,
      fmt::format("do not read files with more documents (default: {})", limits.documents));
  group.size(kLineLengthFlag, "SIZE", limits.line_length, kMaxFileSize,
             "do not read files with longer lines (default: 4Mi)");
}

Discovered discover_files(const InputOptions& options, Opened& opened) {
  const std::vector<std::string> here = {"."};
  DiscoverOptions wanted{.exclude = options.exclude,
                         .force_exclude = options.force_exclude,
                         .gitignore = !options.no_gitignore};
  if (!options.facts.config.empty()) opened.search.use_only(options.facts.config);
  if (!options.facts.no_config) {
    wanted.excluded = [&opened](const std::string& real, bool is_directory) {
      return opened.search.exclusion_of(real, is_directory);
    };
  }
  return discover(options.paths.empty() ? here : options.paths, wanted);
}

std::optional<Exit> open_configs(const FactOptions& options, const std::vector<std::string>& files,
                                 Opened& opened, Console& console) {
  if (options.no_config) return std::nullopt;
  if (!options.config.empty()) opened.search.use_only(options.config);
  auto configs = opened.search.finish(files);
  if (!configs) {
    say_error(console, configs.error().message);
    std::error_code error;
    if (!options.config.empty() && !std::filesystem::exists(options.config, error)) {
      console.err << "'cnsched config --init' writes a configuration to start from\n";
    }
    return Exit::usage;
  }
  opened.configs = *std::move(configs);
  if (!opened.configs.policies().empty()) opened.with_policies.emplace(opened.configs);
  return std::nullopt;
}

std::function<const ClusterConfig*(const std::string&)> config_of(const rules::Configs& configs) {
  return [&configs](const std::string& path) -> const ClusterConfig* {
    const rules::Config* config = configs.find(path);
    return config == nullptr ? nullptr : &config->cluster;
  };
}

std::vector<FactFile> config_files(const rules::Configs& configs, const FactOptions& options) {
  std::vector<FactFile> files = configs.cluster_files();
  if (files.empty()) return files;
  std::set<std::string> read;
  for (const std::string& name : options.cluster) read.insert(file_identity(name));
  std::erase_if(files,
                [&](const FactFile& file) { return read.contains(file_identity(file.path)); });
  return files;
}

std::string name_of_stdin(const InputOptions& options) {
  return options.stdin_filename.empty() ? kStdinName : options.stdin_filename;
}

std::optional<Exit> open_workspace(const InputOptions& options, Discovered& found,
                                   OutOfScope out_of_scope, bool quiet, Opened& opened,
                                   Console& console) {
  if (report_shared_stdin(found.files, options.facts, quiet, console)) return Exit::usage;
  RenderPlan plan;
  if (const auto failed = plan_rendering(options, found.files, opened, plan, console)) {
    return failed;
  }
  PendingFiles rendered = start_rendering(plan, found);
  const std::string stdin_name = name_of_stdin(options);
  std::vector<std::string> files = found.files;
  files.insert(files.end(), rendered.names.begin(), rendered.names.end());
  std::ranges::replace(files, std::string("-"), stdin_name);
  if (const auto failed = open_configs(options.facts, files, opened, console)) return failed;
  opened.workspace.load({.files = found.files,
                         .cluster_files = options.facts.cluster,
                         .config_files = opened.configs.cluster_files(),
                         .memory_files = options.facts.read,
                         .text_of = options.text_of,
                         .late_files = std::move(rendered.files),
                         .unreadable = found.unreadable,
                         .unfollowed = found.unfollowed,
                         .stdin_name = stdin_name,
                         .limits = options.facts.limits,
                         .out_of_scope = out_of_scope,
                         .jobs = options.jobs,
                         .config_for = config_of(opened.configs),
                         .origins = std::move(rendered.origins),
                         .clusters = opened.configs.clusters(),
                         .releases = options.facts.releases,
                         .replaceable = options.replaceable});
  return std::nullopt;
}

bool report_shared_stdin(std::vector<std::string> files, const FactOptions& facts, bool quiet,
                         Console& console) {
  files.insert(files.end(), facts.cluster.begin(), facts.cluster.end());
  const auto readers = std::ranges::count(files, std::string("-"));
  if (readers > 1) {
    say_error(console, "standard input ('-') can only be read once: name a file instead");
    return true;
  }
  if (readers == 1 && console.in_is_terminal && !quiet) {
    console.err << "reading standard input; press Ctrl-D to end it\n";
  }
  return false;
}

bool report_unreadable(const std::vector<Unreadable>& unreadable, Console& console) {
  for (const Unreadable& entry : unreadable) {
    const std::string place = entry.path.empty() ? "''" : printable(place_of(entry));
    say_error(console, fmt::format("{}: {}", place, printable(entry.reason)));
  }
  return !unreadable.empty();
}

bool report_broken(const Workspace& workspace, Console& console) {
  bool any = false;
  for (const auto& loaded : workspace.documents()) {
    if (!loaded->linted || loaded->status != DocumentStatus::broken) continue;
    for (const yaml::Problem& problem : loaded->document.problems) {
      const SourceFile& file = workspace.file_of(problem.where);
      const Position at = file.position(problem.where.begin);
      say_error(console, fmt::format("{}:{}:{}: {}", printable(file.path()), at.line, at.column,
                                     problem.message));
      any = true;
    }
  }
  return any;
}

void report_skipped(const Discovered& found, Console& console) {
  for (const Skipped& skipped : found.skipped) {
    console.err << fmt::format("{}: {}\n", printable(skipped.path), printable(skipped.reason));
  }
  for (const Unfollowed& file : found.unfollowed) {
    console.err << fmt::format("{}: {}, not read\n", printable(file.path), name_of(file.kind));
  }
}

void report_documents(const Discovered& found, const Workspace& workspace, Console& console) {
  report_skipped(found, console);
  for (const auto& loaded : workspace.documents()) {
    const Span span = loaded->document.span;
    const SourceFile& file = workspace.file_of(span);
    console.err << fmt::format("{}:{}: {}{}\n", printable(file.path()), file.line_of(span.begin),
                               word_for(loaded->status), loaded->linted ? "" : " (facts only)");
  }
}

void report_scopes(const Workspace& workspace, Console& console) {
  if (workspace.scopes().size() < 2) return;
  for (const ClusterScope& scope : workspace.scopes()) {
    const auto count = std::ranges::count_if(
        scope.objects(), [&](const k8s::Object& object) { return scope.is_linted(object); });
    console.err << fmt::format("{}: {}\n", describe_scope(scope),
                               count_of(static_cast<std::size_t>(count), "object"));
  }
}

void report_unevaluated(const Workspace& workspace, Console& console) {
  for (const PlacedDefinition& each : workspace.definitions()) {
    if (each.definition.types == nullptr) continue;
    const std::string place = describe_line(each.definition.place->span, workspace.sources);
    for (const std::string& what : each.definition.types->unevaluated()) {
      console.err << fmt::format("{}: not evaluated: {}\n", place, what);
    }
  }
}

void report_nothing(const Discovered& found, const RunStats& stats, Console& console) {
  if (stats.documents > 0 || stats.unreadable > 0) return;
  if (stats.files > 0) {
    console.err << "nothing to check: the files are empty\n";
  } else {
    console.err << fmt::format("nothing to check: no .yaml, .yml or .json file was found{}\n",
                               found.skipped.empty() ? "" : " (-v shows what was skipped)");
  }
}

void report_unfollowed(const Workspace& workspace, std::string_view command, Console& console) {
  for (const std::string& line : describe(workspace.unfollowed(), command)) {
    console.err << line << '\n';
  }
}

Reading report_reading(const Discovered& found, const Workspace& workspace,
                       const MessageOptions& messages, std::string_view command,
                       const std::string& summary, Console& console) {
  if (messages.verbose) {
    report_documents(found, workspace, console);
    report_scopes(workspace, console);
  }
  Reading reading;
  reading.is_broken = report_broken(workspace, console);
  reading.is_unreadable = report_unreadable(workspace.unreadable(), console);
  if (!messages.quiet) {
    report_nothing(found, workspace.stats(), console);
    report_unfollowed(workspace, command, console);
    console.err << summary << "; " << describe(workspace.stats()) << '\n';
  }
  return reading;
}

void say_error(Console& console, const std::string& message) {
  for (const std::string_view line : split(message, '\n')) {
    console.err << "error: " << line << '\n';
  }
}

}  // namespace cnsched::cli

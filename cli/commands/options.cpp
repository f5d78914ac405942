#include "cli/commands/options.h"

#include <fmt/format.h>

#include "core/k8s/schema/releases.h"
#include "core/sim/steps.h"
#include "core/snapshot/resources.h"
#include "rules/engine/selection.h"

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
               "end a program that takes longer for one chart or overlay (default: 60); all "
               "together get ten times that");
  group
      .flag("--render-unsandboxed", options.unsandboxed,
            "start the programs also where the system cannot keep them from the network")
      .needs = "--render";
}

void declare_releases(Command& command, facts::StatedReleases& releases) {
  struct ReleaseFlag {
    Project project;
    std::string_view flag;
    std::string_view text;
  };
  static constexpr ReleaseFlag kReleaseFlags[] = {
      {Project::kserve, "--kserve", "the release of KServe on the cluster"},
      {Project::kubernetes, "--kubernetes", "the release of Kubernetes"},
      {Project::seldon, "--seldon", "the release of Seldon Core"},
  };
  ArgumentGroup group = command.group("Releases");
  for (const ReleaseFlag& row : kReleaseFlags) {
    group.list(
        row.flag, "RELEASE",
        [&releases, &row](const std::string& word) {
          std::string mistake = facts::mistake_of_release(row.project, word);
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

}  // namespace

void declare_messages(Command& command, MessageOptions& options) {
  ArgumentGroup messages = command.group(kMessages);
  messages.one_of("--color", "WHEN", options.color,
                  {{"auto", ColorChoice::automatic},
                   {"always", ColorChoice::always},
                   {"never", ColorChoice::never}});
  messages.flag("-q,--quiet", options.quiet, "print only errors on stderr");
}

void declare_verbose(Command& command, MessageOptions& options, std::string_view text) {
  command.group(kMessages).flag("-v,--verbose", options.verbose, text);
}

void declare_facts(Command& command, FactOptions& options) {
  ArgumentGroup input = command.group("Input");
  input.list(
      "--cluster", "FILE", options.cluster,
      fmt::format("facts about the cluster, such as '{}' writes; not linted; may be repeated",
                  snapshot::kReadCluster));
  input.option("-n,--namespace", "NAME", options.ns,
               "the namespace of objects that name none, as for kubectl");
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

void declare_steps(Command& command, std::size_t& steps) {
  constexpr std::size_t kMaxSteps = 1'000'000'000'000'000;
  command.group("Limits").number(
      sim::kStepsFlag, "N", steps, 1, kMaxSteps,
      fmt::format("end a simulation after so many steps, each 10 to 20 ns; what is left is unknown "
                  "(default: {})",
                  steps));
}

void declare_selection(Command& command, rules::SelectionOptions& options) {
  ArgumentGroup rules = command.group("Rules");
  rules.list("--select", "RULES", options.select,
             "run only these rules: ids, groups or all, separated by commas");
  rules.list("--ignore", "RULES", options.ignore, "do not run these rules");
  rules.list("--extend-select", "RULES", options.extend_select, "run these rules as well");
  rules.list("--severity", "RULE=LEVEL", options.severity,
             "set the severity of a rule: error, warning, info or off; may be repeated");
}

void declare_fail_on(Command& command, Severity& target, std::string_view text) {
  command.group("Output").one_of(
      "--fail-on", "LEVEL", target,
      {{"error", Severity::error}, {"warning", Severity::warning}, {"info", Severity::info}}, text);
}

}  // namespace cnsched::cli

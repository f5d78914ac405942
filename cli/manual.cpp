#include "cli/manual.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace cnsched::cli {

namespace {

constexpr ExitMeaning kUsage{Exit::usage, "bad usage or configuration"};
constexpr ExitMeaning kShown{Exit::clean, "shown"};

Manual program() {
  return {
      .command = "",
      .summary = "where will each model-server pod run, and why not?",
      .description =
          "cnsched reads the manifests of model servers (KServe, Seldon Core) and tells, before "
          "anything is deployed, where each pod will and will not run, and why: which line is "
          "wrong, what the cluster would do about it, and what to write instead.\n\n"
          "It needs no network and no cluster. Whatever it reads that is none of its business "
          "(workflows, compose files, values) is counted and left alone; no file is touched "
          "unless that is asked for.",
      .examples = {{"cnsched lint", "lint all manifests below the working directory"},
                   {"cnsched explain toleration-without-selector", "why a rule matters"},
                   {"cnsched generate isvc-gpu --set name=llama --set platform=gke "
                    "--set accelerator=l4 --set modelFormat=huggingface "
                    "--set storageUri=hf://meta-llama/Llama-3.1-8B",
                    "an InferenceService that is pinned to one kind of GPU"}},
      .exits = {{Exit::clean, "done, and nothing wrong was found"},
                {Exit::findings, "something was found at or above `--fail-on`"},
                {Exit::usage, "bad usage, configuration or parameters"},
                {Exit::failure, "something could not be read or written, or a bug of ours"}},
  };
}

Manual lint() {
  return {
      .command = "lint",
      .summary = "find mistakes in manifests",
      .description =
          "Reads manifests, works out the pods that the controllers would create, and reports "
          "what the cluster would refuse, drop or never place, with the line to change. The "
          "report goes to standard output, the summary to standard error.\n\n"
          "What a manifest cannot show (Knative's feature flags, the nodes and their taints, the "
          "device plugin) is taken from the files that are linted, from `--cluster` files and "
          "from `.cnsched.yaml`. What is unknown is never assumed: a finding that depends on it "
          "says so and is at most a warning.",
      .examples = {{"cnsched lint deploy/ isvc.yaml", "lint a directory and a file"},
                   {"helm template CHART | cnsched lint -", "lint what Helm renders"},
                   {"cnsched lint --cluster nodes.yaml deploy/",
                    "judge with what the cluster is like"},
                   {"cnsched lint --diff deploy/", "show what --fix would change"},
                   {"cnsched lint --format github --min-objects 1 deploy/",
                    "gate a GitHub workflow"},
                   {"cnsched lint --report sarif=cnsched.sarif deploy/",
                    "write a report to a file as well"}},
      .exits = {{Exit::clean, "nothing at or above `--fail-on`"},
                {Exit::findings,
                 "findings at or above it, changes that `--diff` shows, or fewer objects than "
                 "`--min-objects`"},
                kUsage,
                {Exit::failure, "something could not be read or written"}},
      .sections =
          {{"SUPPRESSION",
            "A comment says where a finding is meant to be, and why:\n\n"
            "    # cnsched: ignore=RULE[,RULE] [until=YYYY-MM-DD] -- reason\n\n"
            "On a line of its own it holds for the entry or list item that begins below it, with "
            "all that is in it; behind something, for that line. After its last day the finding "
            "comes back. Above everything else, and for the whole file:\n\n"
            "    # cnsched: ignore-file=RULE -- reason\n\n"
            "The annotation `cnsched/ignore: RULE,RULE` holds for the object, or for the component "
            "whose annotations it stands in. RULE is an id, a group or `all`.\n\n"
            "A baseline hides what a repository has already: `--write-baseline` records it, "
            "`--baseline` reports only what is new."},
           {"LIMITS",
            "A file that is too large, has too many documents or too long a line is not read, and "
            "of too many findings the first are kept. The run says where and which flag allows "
            "more, goes on with everything else, and exits with 3. A document may be nested 500 "
            "levels deep, and its aliases may stand for a million values. No configuration sets "
            "limits, for it comes with what is checked.\n\n"
            "Where findings are left out, no baseline is written and no suppression is called "
            "unused; `--fix` mends what is kept and looks again, until there is no more."}},
  };
}

Manual render() {
  return {
      .command = "render",
      .summary = "show the pods that the controllers would create",
      .description =
          "Prints every pod as a `v1/Pod`: what the controller would make of the object and of "
          "all that it merges in, as far as the run holds it. A comment names what the run does "
          "not hold, and says why where no pod is created.",
      .examples = {{"cnsched render --with-origin deploy/",
                    "show which line each scheduling value is from"},
                   {"cnsched render deploy/ | kubectl apply --dry-run=server -f -",
                    "ask an API server about the pods"}},
      .exits = {{Exit::clean, "all shown"},
                {Exit::findings, "something is no YAML"},
                kUsage,
                {Exit::failure, "something could not be read or shown"}},
  };
}

Manual simulate() {
  return {
      .command = "simulate",
      .summary = "tell where each pod can run, and why not elsewhere",
      .description =
          "Asks what kube-scheduler asks, offline: of every pod that the manifests lead to, and of "
          "every node that is known. Nodes are what `kubectl get nodes -o yaml` prints, given by "
          "`--cluster`, and the node pools of the configuration. Pods of the cluster "
          "(`kubectl get pods -A -o yaml`), given the same way, take the room that they ask for.",
      .examples = {{"cnsched simulate --cluster cluster.yaml deploy/",
                    "tell where the pods of a directory can run"},
                   {"cnsched simulate --cluster cluster.yaml --explain llama deploy/",
                    "tell one workload's story in full"},
                   {"cnsched simulate --cluster cluster.yaml --format html deploy/",
                    "print a map of all workloads and nodes, for a browser"}},
      .exits = {{Exit::clean, "every pod fits somewhere, as far as is known"},
                {Exit::findings,
                 "a pod or a Model fits nowhere, `--replicas` runs out of room, or something is no "
                 "YAML"},
                kUsage,
                {Exit::failure, "something could not be read"}},
  };
}

Manual generate() {
  return {
      .command = "generate",
      .summary = "make manifests pinned to accelerators, from a template",
      .description =
          "Fills a template. Labels, taints and resource names come from a catalogue of platforms "
          "and accelerators. The manifests are linted before they leave, with what `--cluster` "
          "and the configuration tell of the cluster. `cnsched templates` lists the templates and "
          "describes their parameters.",
      .examples = {{"cnsched generate isvc-gpu --set name=llama --set platform=gke "
                    "--set accelerator=l4 --set modelFormat=huggingface "
                    "--set storageUri=hf://meta-llama/Llama-3.1-8B -o llama.yaml",
                    "write an InferenceService for GKE's L4 nodes"},
                   {"cnsched generate isvc-gpu -f llama-values.yaml -o llama.yaml --check",
                    "fail if the file is not what would be written"}},
      .exits = {{Exit::clean, "printed or written"},
                {Exit::findings, "it does not lint, or `--check` finds a difference"},
                {Exit::usage, "bad usage or parameters"},
                {Exit::failure, "a file could not be read, or would be overwritten"}},
  };
}

Manual pin() {
  return {
      .command = "generate pin",
      .summary = "add the placement to the pods of a manifest",
      .description =
          "Writes what pins the pods to an accelerator into a manifest: selectors or affinity, "
          "tolerations, resources. The parameters are `platform` and `accelerator`, and if you "
          "like `gpus` and `migStrategy`. Only bytes that have to change do; what was wrong with "
          "the file before does not keep it from leaving.",
      .examples = {{"cnsched generate pin isvc.yaml --set platform=gke --set accelerator=l4 --diff",
                    "show what it would change"}},
      .exits = {{Exit::clean, "printed or written"},
                {Exit::findings, "it does not lint, or `--check` finds a difference"},
                {Exit::usage, "bad usage or parameters"},
                {Exit::failure, "the file could not be read or edited, or would be overwritten"}},
  };
}

Manual templates() {
  return {
      .command = "templates",
      .summary = "list the templates, or describe one",
      .description =
          "Without a name, lists the templates that `cnsched generate` fills: the built-in ones "
          "and those of `--template-dir` and of the configuration. With one, describes its "
          "parameters.",
      .examples = {{"cnsched templates isvc-gpu", "describe the parameters of a template"},
                   {"cnsched templates --accelerators", "what each platform has"},
                   {"cnsched templates --check team.yaml", "lint a template of your own"}},
      .exits = {{Exit::clean, "shown, or nothing wrong with the template"},
                {Exit::findings, "`--check` finds a mistake"},
                kUsage,
                {Exit::failure, "a file could not be read"}},
  };
}

Manual rules() {
  return {
      .command = "rules",
      .summary = "list the rules",
      .description =
          "Lists every rule by group: its id, the severity of most of its findings, "
          "whether `cnsched lint --fix` can mend them, and what it finds.",
      .examples = {{"cnsched rules --format json", "for scripts"}},
      .exits = {kShown, kUsage},
  };
}

Manual explain() {
  return {
      .command = "explain",
      .summary = "show a rule's page: why, wrong, right",
      .description =
          "Shows why a rule matters, an example of the mistake, the same mended, how "
          "it is reported, and where it can be read up.",
      .examples = {{"cnsched explain custom-gpu-taint", ""}},
      .exits = {kShown, {Exit::usage, "there is no such rule"}},
  };
}

Manual config() {
  return {
      .command = "config",
      .summary = "show the configuration that is in force",
      .description =
          "What comes out is a configuration itself; a comment behind each value says "
          "where it is from.",
      .examples = {{"cnsched config deploy/isvc.yaml", "what holds for a file"},
                   {"cnsched config --init", "write a .cnsched.yaml to start from"},
                   {"cnsched config --schema > cnsched.schema.json", "for editors"}},
      .exits = {{Exit::clean, "shown or written"},
                kUsage,
                {Exit::failure, "there is no such path, or the file of `--init` exists"}},
  };
}

Manual completion() {
  return {
      .command = "completion",
      .summary = "print the completions of a shell",
      .description =
          "Prints a script that lets bash, zsh or fish complete commands, flags and "
          "their values: rules, formats, templates and their parameters.",
      .examples = {{"source <(cnsched completion bash)", "for this bash; in ~/.bashrc for all"},
                   {"cnsched completion zsh > \"${fpath[1]}/_cnsched\"", "for zsh, once"},
                   {"cnsched completion fish > ~/.config/fish/completions/cnsched.fish",
                    "for fish, once"}},
      .exits = {{Exit::clean, "printed"}, {Exit::usage, "no such shell"}},
  };
}

Manual version() {
  return {.command = "version",
          .summary = "show the version",
          .description = "Prints the name and the version of the program.",
          .examples = {},
          .exits = {kShown}};
}

/// `left` and, behind a column, `text`.
std::string row(std::string_view left, std::string_view text, std::size_t width) {
  constexpr std::size_t kText = 5;
  std::string result = fmt::format("  {:<{}}", left, kText - 2);
  const std::vector<std::string> lines = wrap(text, width - kText);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    result += (i > 0 ? std::string(kText, ' ') : "") + lines[i] + "\n";
  }
  return result;
}

/// The words of a command; a flag and its value are one.
std::vector<std::string> units_of(std::string_view command) {
  std::vector<std::string> units;
  for (const std::string_view word : split(command, ' ')) {
    const bool is_value = !units.empty() && units.back().starts_with('-') && !word.starts_with('-');
    if (is_value) {
      units.back() += " " + std::string(word);
    } else {
      units.emplace_back(word);
    }
  }
  return units;
}

/// The command on one line or, continued as shells have it, on several.
std::string command_lines(std::string_view command, std::size_t width) {
  constexpr std::string_view kContinued = " \\\n    ";
  std::string text = " ";
  std::size_t line = text.size();
  for (const std::string& unit : units_of(command)) {
    // Behind the word there may be a blank and the mark that the line goes on.
    if (line + 1 + unit.size() + 2 > width) {
      text += kContinued.substr(0, kContinued.size() - 1);
      line = 3;
    }
    text += " " + unit;
    line += 1 + unit.size();
  }
  return text + "\n";
}

}  // namespace

std::span<const Manual> manuals() {
  static const std::vector<Manual> all = {program(),  lint(),   render(),     simulate(),
                                          generate(), pin(),    templates(),  rules(),
                                          explain(),  config(), completion(), version()};
  return all;
}

const Manual& manual_of(std::string_view command) {
  return *std::ranges::find(manuals(), command, &Manual::command);
}

std::string help_footer(const Manual& manual, std::size_t width) {
  std::string text;
  if (!manual.examples.empty()) text += "Examples:\n";
  for (const Example& example : manual.examples) {
    text += command_lines(example.command, width);
    if (!example.what.empty()) text += fmt::format("      {}\n", example.what);
  }
  // Nobody asks `version` how it failed.
  if (manual.exits.size() < 2) return text;
  text += text.empty() ? "Exit codes:\n" : "\nExit codes:\n";
  for (const ExitMeaning& meaning : manual.exits) {
    std::string when(meaning.when);
    std::erase(when, '`');
    text += row(std::to_string(static_cast<int>(meaning.exit)), when, width);
  }
  return text;
}

std::span<const Outside> environment_variables() {
  static constexpr Outside kVariables[] = {
      {"NO_COLOR", "Not empty: nothing is coloured, unless `--color` says so."},
      {"CLICOLOR_FORCE, FORCE_COLOR",
       "Neither empty nor `0`: everything is coloured, unless `--color` or NO_COLOR say "
       "otherwise."},
      {"TERM", "`dumb`: neither colour nor progress."},
      {"SOURCE_DATE_EPOCH",
       "Seconds since 1970: the day on which suppressions with `until` are judged, instead of "
       "today."},
      {"GITHUB_STEP_SUMMARY", "The file that `--format github` adds a table to."},
      {"CI, TF_BUILD, TEAMCITY_VERSION",
       "Not empty: standard output, if it is no file, is taken for the log of a CI system. What "
       "such a system would obey is then escaped in patches and manifests, too."},
      {"CI_PROJECT_DIR", "Where the paths of `--format gitlab` begin."},
  };
  return kVariables;
}

std::span<const Outside> files_of_use() {
  static constexpr Outside kFiles[] = {
      {".cnsched.yaml",
       "Configuration: of each file the nearest one above it, up to the root of its repository. "
       "See cnsched.yaml(5)."},
      {".gitignore",
       "What it leaves out is not read, unless it is named or `--no-gitignore` is "
       "given."},
  };
  return kFiles;
}

}  // namespace cnsched::cli

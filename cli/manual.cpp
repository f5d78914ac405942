#include "cli/manual.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace cnsched::cli {

namespace {

constexpr ExitMeaning kUsage{Exit::usage, "invalid arguments or configuration"};
constexpr ExitMeaning kShown{Exit::clean, "shown"};

Manual cnsched() {
  return {
      .command = "",
      .summary = "where will each model-server pod run, and why not?",
      .description =
          "cnsched checks the manifests of model servers (KServe, Seldon Core) before they are "
          "deployed. It reports where each pod can and cannot run, and why: the line that is "
          "wrong, what the cluster does with it, and what to write instead.\n\n"
          "It needs no network and no cluster; only `snapshot --write` starts kubectl, and only "
          "`diff --base` starts git. Documents "
          "out of scope (workflows, compose files, "
          "values files) are counted and otherwise ignored. cnsched changes no file unless you ask "
          "for it.",
      .examples = {{"cnsched lint", "lint all manifests below the working directory"},
                   {"cnsched explain toleration-without-selector", "explain why a rule matters"},
                   {"cnsched generate isvc-gpu --set name=llama --set platform=gke "
                    "--set accelerator=l4 --set modelFormat=huggingface "
                    "--set storageUri=hf://meta-llama/Llama-3.1-8B",
                    "write an InferenceService that is pinned to one kind of GPU"}},
      .exits = {{Exit::clean, "success; no findings at or above `--fail-on`"},
                {Exit::findings, "findings at or above `--fail-on`"},
                {Exit::usage, "invalid arguments, configuration or parameters"},
                {Exit::failure, "a file cannot be read or written, or an internal error"}},
  };
}

Manual lint() {
  return {
      .command = "lint",
      .summary = "find mistakes in manifests",
      .description =
          "Reads manifests, computes the pods that the controllers create from them, and reports "
          "what the cluster rejects, drops or cannot schedule, with the line to change. The "
          "report goes to standard output, the summary to standard error.\n\n"
          "Facts that a manifest does not contain (Knative's feature flags, the nodes and their "
          "taints, the device plugin) come from the linted files, from `--cluster` files and from "
          "`.cnsched.yaml`. cnsched does not assume unknown facts: a finding that depends on one "
          "says so and is at most a warning.",
      .examples = {{"cnsched lint deploy/ isvc.yaml", "lint a directory and a file"},
                   {"helm template CHART | cnsched lint -", "lint what Helm renders"},
                   {"cnsched lint --cluster nodes.yaml deploy/", "use facts about the cluster"},
                   {"cnsched lint --diff deploy/", "show what --fix would change"},
                   {"cnsched lint --format github --min-objects 1 deploy/",
                    "annotate a pull request from a GitHub workflow"},
                   {"cnsched lint --report sarif=cnsched.sarif deploy/",
                    "also write a report to a file"}},
      .exits = {{Exit::clean, "no findings at or above `--fail-on`"},
                {Exit::findings,
                 "findings at or above `--fail-on`, changes shown by `--diff`, or fewer objects "
                 "than `--min-objects`"},
                kUsage,
                {Exit::failure, "a file cannot be read or written, or a limit is exceeded"}},
      .sections =
          {{"SUPPRESSION",
            "A comment suppresses a finding and gives the reason:\n\n"
            "    # cnsched: ignore=RULE[,RULE] [until=YYYY-MM-DD] -- reason\n\n"
            "A comment on its own line applies to the entry or list item that begins below it, "
            "with everything inside. A comment at the end of a line applies to that line. After "
            "the `until` date the finding is reported again. A comment above everything else "
            "applies to the whole file:\n\n"
            "    # cnsched: ignore-file=RULE -- reason\n\n"
            "The annotation `cnsched/ignore: RULE,RULE` applies to the object, or to the component "
            "that carries the annotation. RULE is an id, a group or `all`.\n\n"
            "A baseline hides the findings that a repository already has: `--write-baseline` "
            "records them, `--baseline` reports only new ones."},
           {"LIMITS",
            "cnsched does not read a file that is too large, holds too many documents or has too "
            "long a line. Of too many findings it keeps the first ones. It reports where a limit "
            "was exceeded and which flag raises it, continues with everything else, and exits "
            "with 3. A document may be nested 500 levels deep, and its aliases may expand to a "
            "million values. A configuration cannot set limits, because it comes from the same "
            "source as the checked files.\n\n"
            "When findings are left out, no baseline is written and no suppression is reported as "
            "unused. `--fix` fixes the findings that are kept and checks again until none are "
            "left."}},
  };
}

Manual render() {
  return {
      .command = "render",
      .summary = "show the pods that the controllers create",
      .description =
          "Prints each pod as a `v1/Pod`: what the controller creates from the object and from "
          "everything that it merges in, as far as the input contains it. A comment names what "
          "the input does not contain, and gives the reason when no pod is created.",
      .examples = {{"cnsched render --with-origin deploy/",
                    "show which line sets each scheduling value"},
                   {"cnsched render deploy/ | kubectl apply --dry-run=server -f -",
                    "validate the pods with an API server"}},
      .exits = {{Exit::clean, "all pods shown"},
                {Exit::findings, "a document is not valid YAML"},
                kUsage,
                {Exit::failure, "a file cannot be read, or a pod cannot be shown"}},
  };
}

Manual simulate() {
  return {
      .command = "simulate",
      .summary = "show where each pod can run, and why not elsewhere",
      .description =
          "Applies the rules of kube-scheduler offline to each pod of the manifests and each known "
          "node. Nodes come from `--cluster` files (the output of `kubectl get nodes -o yaml`) "
          "and from the node pools of the configuration. Running pods "
          "(`kubectl get pods -A -o yaml`), given in the same way, occupy the resources that they "
          "request.",
      .examples = {{"cnsched simulate --cluster cluster.yaml deploy/",
                    "show where the pods of a directory can run"},
                   {"cnsched simulate --cluster cluster.yaml --explain llama deploy/",
                    "explain one workload in full"},
                   {"cnsched simulate --cluster cluster.yaml --format html deploy/",
                    "print a map of all workloads and nodes, for a browser"}},
      .exits = {{Exit::clean,
                 "every pod fits on a node, as far as is known, if need be after preemption"},
                {Exit::findings,
                 "a pod or a Model fits nowhere, not all `--replicas` fit, or a document is not "
                 "valid YAML"},
                kUsage,
                {Exit::failure, "a file cannot be read"}},
  };
}

Manual diff() {
  return {
      .command = "diff",
      .summary = "show what a change does to the placement of pods",
      .description =
          "Compares two states of manifests and facts: OLD and NEW, or with `--base` the working "
          "tree and its merge base with a revision. It shows for each pod what changes of that "
          "which decides its placement, with the line that causes it, on how many nodes the pod "
          "fits before and after, the accelerators of all pods, and which findings of lint are new "
          "or resolved. Formatting, comments, the order of keys, equal quantities and defaults "
          "that "
          "are written out are no change.\n\n"
          "cnsched reads revisions with git on PATH (`merge-base`, `ls-tree` and `cat-file`). It "
          "checks nothing out and runs no hook, filter or other program that the repository's "
          "configuration names. A file of the repository that `--cluster`, `--config` or "
          "`--helm-values` names is that of the revision, if the revision has it; without "
          "`--cluster`, each side has the facts of its own files.",
      .examples =
          {{"cnsched diff --base origin/main", "review the changes of a branch"},
           {"cnsched diff --base v1.2 --head v1.3 deploy/", "compare two releases"},
           {"cnsched diff --old-cluster nodes.yaml --cluster new-nodes.yaml deploy/ deploy/",
            "ask what happens to the pods when the nodes change"},
           {"cnsched diff --base origin/main --format markdown > comment.md",
            "write a comment for a pull request"}},
      .exits = {{Exit::clean, "nothing got worse"},
                {Exit::findings,
                 "a pod lost its last node, a new finding is at or above `--fail-on`, or "
                 "`--max-accelerators` is exceeded"},
                kUsage,
                {Exit::failure, "a file cannot be read, or there is no git"}},
  };
}

Manual generate() {
  return {
      .command = "generate",
      .summary = "generate manifests pinned to accelerators, from a template",
      .description =
          "Fills in a template. Labels, taints and resource names come from a catalogue of "
          "platforms and accelerators. cnsched lints the manifests before it prints or writes "
          "them, with the facts of `--cluster` and the configuration. `cnsched templates` lists "
          "the templates and describes their parameters.",
      .examples = {{"cnsched generate isvc-gpu --set name=llama --set platform=gke "
                    "--set accelerator=l4 --set modelFormat=huggingface "
                    "--set storageUri=hf://meta-llama/Llama-3.1-8B -o llama.yaml",
                    "write an InferenceService for GKE's L4 nodes"},
                   {"cnsched generate isvc-gpu -f llama-values.yaml -o llama.yaml --check",
                    "fail if the file is out of date"}},
      .exits = {{Exit::clean, "printed or written"},
                {Exit::findings,
                 "the manifests have findings, or `--check` or `--diff` finds a difference"},
                {Exit::usage, "invalid arguments or parameters"},
                {Exit::failure, "a file cannot be read, or would be overwritten"}},
  };
}

Manual pin() {
  return {
      .command = "generate pin",
      .summary = "pin the pods of a manifest to an accelerator",
      .description =
          "Adds to a manifest what pins its pods to an accelerator: selectors or affinity, "
          "tolerations, resources. The parameters are `platform`, `accelerator` and, optionally, "
          "`gpus` and `migStrategy`. Only the necessary bytes change. A pod with a placement that "
          "no such node has, such as a label of another provider, is rejected; `--replace` "
          "replaces "
          "the placement. A pod that requests no accelerator is pinned only if `--component` names "
          "it. Findings that the file already has do not prevent the output.",
      .examples = {{"cnsched generate pin isvc.yaml --set platform=gke --set accelerator=l4 --diff",
                    "show the changes"}},
      .exits =
          {{Exit::clean, "printed or written"},
           {Exit::findings,
            "the manifests have new findings, or `--check` or `--diff` finds a difference"},
           {Exit::usage,
            "invalid arguments or parameters, a conflicting placement, or no pod that requests "
            "an accelerator"},
           {Exit::failure, "the file cannot be read or edited, or would be overwritten"}},
  };
}

Manual templates() {
  return {
      .command = "templates",
      .summary = "list the templates, or describe one",
      .description =
          "Without a name, lists the templates that `cnsched generate` fills in: the built-in ones "
          "and those of `--template-dir` and of the configuration. With a name, describes the "
          "template's parameters.",
      .examples = {{"cnsched templates isvc-gpu", "describe the parameters of a template"},
                   {"cnsched templates --accelerators", "list the accelerators of each platform"},
                   {"cnsched templates --check team.yaml", "check a template of your own"}},
      .exits = {{Exit::clean, "shown, or the template has no mistakes"},
                {Exit::findings, "`--check` finds a mistake"},
                kUsage,
                {Exit::failure, "a file cannot be read"}},
  };
}

Manual rules() {
  return {
      .command = "rules",
      .summary = "list the rules",
      .description =
          "Lists every rule by group: its id, the severity of most of its findings, whether "
          "`cnsched lint --fix` can correct them, and what it reports. The policies of the working "
          "directory's configuration are the group `policy`.",
      .examples = {{"cnsched rules --format json", "for scripts"},
                   {"cnsched rules --kinds", "list the kinds in scope"}},
      .exits = {kShown, kUsage},
  };
}

Manual explain() {
  return {
      .command = "explain",
      .summary = "show the page of a rule",
      .description =
          "Shows what a rule reports, why it matters, its limits, a wrong and a right example, how "
          "it reports the wrong one, whether `--fix` can correct it, related rules, and a source.",
      .examples = {{"cnsched explain custom-gpu-taint", ""},
                   {"cnsched explain custom-gpu-taint --format markdown", "for a site or a wiki"}},
      .exits = {kShown, {Exit::usage, "no such rule"}},
  };
}

Manual policy() {
  return {
      .command = "policy",
      .summary = "list, test and check your own rules",
      .description =
          "Lists the policies of the working directory's configuration. A policy is a rule of a "
          "team, as data: in `policies` of `.cnsched.yaml`, or in files "
          "that "
          "it names. `cnsched lint` applies policies like built-in rules; `cnsched rules` and "
          "`cnsched explain` show them. docs/policies.md describes them.",
      .examples = {{"cnsched policy", "list the policies of the working directory"}},
      .exits = {{Exit::clean, "the policies have no mistakes"}, kUsage},
  };
}

Manual policy_test() {
  return {
      .command = "policy test",
      .summary = "run policies over their good and bad manifests",
      .description =
          "A policy must report each of its `bad` manifests and none of its `good` ones. Shows "
          "what "
          "each policy finds.",
      .examples = {{"cnsched policy test", "test the policies of the working directory"},
                   {"cnsched policy test policies/gpu.yaml", "test the policies of a file"}},
      .exits = {{Exit::clean, "every manifest is as expected"},
                {Exit::findings, "a bad manifest is not reported, or a good one is"},
                kUsage},
  };
}

Manual policy_check() {
  return {
      .command = "policy check",
      .summary = "read policies and report mistakes in them",
      .description = "Lists the policies if they have no mistakes. Reads no manifests.",
      .examples = {{"cnsched policy check", "check the policies of the working directory"}},
      .exits = {{Exit::clean, "the policies have no mistakes"}, kUsage},
  };
}

Manual config() {
  return {
      .command = "config",
      .summary = "show the effective configuration",
      .description =
          "Prints a valid configuration. A comment after each value names the file and line that "
          "set it.",
      .examples = {{"cnsched config deploy/isvc.yaml", "show the configuration of a file"},
                   {"cnsched config --init", "write a .cnsched.yaml to start from"},
                   {"cnsched config --schema > cnsched.schema.json", "for editors"}},
      .exits = {{Exit::clean, "shown or written"},
                kUsage,
                {Exit::failure, "no such path, or the file of `--init` exists"}},
  };
}

Manual lsp_() {
  return {
      .command = "lsp",
      .summary = "serve an editor with the Language Server Protocol",
      .description =
          "Speaks the Language Server Protocol 3.17 on standard input and output: an editor starts "
          "it and shows the findings of `cnsched lint` while manifests are written, with their "
          "fixes.\n\n"
          "The folders that the editor has open are linted as a whole, as `cnsched lint` does in "
          "the first of them, with the texts that the editor has not saved yet. Relative paths of "
          "flags start there. It changes no file: the editor applies edits. It starts no program: "
          "charts and overlays are not rendered, whatever the configuration says.\n\n"
          "Editors can set `select`, `ignore`, `extendSelect`, `severity` and `exclude`, lists of "
          "words as the flags take them, as initialization options or in the section `cnsched` of "
          "their settings.",
      .examples = {{"cnsched lsp", "serve an editor"},
                   {"cnsched lsp --cluster cluster.yaml", "use facts about the cluster"}},
      .exits = {{Exit::clean, "the editor has ended the session"},
                {Exit::findings, "the editor has gone without ending the session"},
                {Exit::usage, "invalid arguments"},
                {Exit::failure, "standard output cannot be written to, or an internal error"}},
  };
}

Manual snapshot() {
  return {
      .command = "snapshot",
      .summary = "print or run the commands that read facts about a cluster",
      .description =
          "Prints a script of kubectl commands that writes the facts about a cluster into "
          "`cluster.yaml`, for `--cluster`. The file has everything that these objects say, "
          "values of environment variables included. cnsched itself connects to nothing.\n\n"
          "With `--write`, it starts kubectl with these commands, and keeps only what rules and "
          "the simulation read. The file can be committed: it has no Secrets, and of annotations "
          "and environment variables only those that rules read. The same cluster gives the same "
          "bytes. Types that the cluster does not have, and those that the user "
          "may not read, are left out and listed on standard error and in the file.\n\n"
          "What the configuration of the working directory states about the cluster is not read.",
      .examples = {{"cnsched snapshot", "print the commands"},
                   {"cnsched snapshot --write cluster.yaml", "run them, and write the file"},
                   {"cnsched snapshot --context prod --write prod.yaml", "read another cluster"},
                   {"cnsched snapshot --list", "list what is read, and why"}},
      .exits = {{Exit::clean, "printed or written; some types may not have been read"},
                kUsage,
                {Exit::failure,
                 "there is no kubectl, nothing can be read, or the file cannot be written or is "
                 "no snapshot"}},
      .sections =
          {{"KUBECTL",
            "kubectl gets no shell and no input. It is found on PATH, but not in the repository "
            "of the working directory, or named by `--kubectl`; a configuration cannot name it. "
            "Of the environment it gets what it needs to connect: HOME, KUBECONFIG, PATH, proxies "
            "and the variables of the clouds' credential plugins. It is ended if a command takes "
            "too long or prints more than 256 MiB."}},
  };
}

Manual export_() {
  return {
      .command = "export",
      .summary = "write rules in the language of another engine",
      .description = "`cnsched export vap` writes policies for the API server.",
      .examples = {},
      .exits = {{Exit::usage, "the format is missing"}},
  };
}

Manual export_vap() {
  return {
      .command = "export vap",
      .summary = "write rules as ValidatingAdmissionPolicies",
      .description =
          "Prints a ValidatingAdmissionPolicy and its binding for every rule that the admitted "
          "object decides alone, as a stream of YAML for `kubectl apply -f -`. The API server "
          "(Kubernetes 1.30 and later) evaluates them when an object is created or updated; "
          "nothing else runs in the cluster. Rules that need other objects or the text of a file, "
          "and policies of the configuration, are not exported; `-v` lists them with the "
          "reason.\n\n"
          "The policies only write into the audit log, unless `--action` says otherwise. An "
          "update is reported only for what the old object does not have. Policies about Nodes "
          "never reject. Objects in namespaces of the system are not checked. The configuration "
          "of the working directory selects rules and sets severities as for `lint`.\n\n"
          "Facts about the cluster, from `--cluster` and the configuration, go into the ConfigMap "
          "`cnsched-facts`, which the policies read. Its namespace, `cnsched`, must exist; without "
          "the ConfigMap, policies that read facts check nothing. A fact that is not known weakens "
          "a policy: the finding is missing or of a lower severity.",
      .examples = {{"cnsched export vap | kubectl apply -f -", "report into the audit log"},
                   {"cnsched export vap --action deny --pods --cluster cluster.yaml",
                    "reject errors, check what controllers create, use facts"},
                   {"cnsched export vap --select toleration,invalid-label --action warn",
                    "warn about some rules"}},
      .exits = {{Exit::clean, "printed"}, kUsage, {Exit::failure, "a file cannot be read"}},
  };
}

Manual completion() {
  return {
      .command = "completion",
      .summary = "print the completion script of a shell",
      .description =
          "Prints a script for bash, zsh or fish. It completes commands, flags and their values: "
          "rules, formats, templates and their parameters, and the objects of manifests on the "
          "command line. The script asks cnsched for the candidates.",
      .examples = {{"source <(cnsched completion bash)", "for this bash; in ~/.bashrc for all"},
                   {"cnsched completion zsh > \"${fpath[1]}/_cnsched\"", "for zsh, once"},
                   {"cnsched completion fish > ~/.config/fish/completions/cnsched.fish",
                    "for fish, once"}},
      .exits = {{Exit::clean, "printed"}, {Exit::usage, "no such shell"}},
  };
}

Manual help() {
  return {.command = "help",
          .summary = "show the help of a command",
          .description = "Prints what `cnsched COMMAND --help` prints.",
          .examples = {{"cnsched help lint", ""}, {"cnsched help generate pin", ""}},
          .exits = {kShown, {Exit::usage, "no such command"}}};
}

Manual version() {
  return {.command = "version",
          .summary = "show the version",
          .description =
              "Prints the name and the version of the program. With `--json` it also prints the "
              "commit, the libraries that it was built with, and the releases of Kubernetes, "
              "KServe, Knative and Seldon Core that its tables and rules describe.",
          .examples = {{"cnsched version --json", ""}},
          .exits = {kShown}};
}

/// `left` and, in the next column, `text`.
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
    // A blank and a backslash may follow the word.
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
  static const std::vector<Manual> all = {
      cnsched(),    lint(),  render(),  simulate(), diff(),        generate(),     pin(),
      templates(),  rules(), explain(), policy(),   policy_test(), policy_check(), export_(),
      export_vap(), lsp_(),  config(),  snapshot(), completion(),  help(),         version()};
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
  if (manual.exits.size() < 2) return text;
  text += text.empty() ? "Exit codes:\n" : "\nExit codes:\n";
  for (const ExitMeaning& meaning : manual.exits) {
    std::string when(meaning.when);
    std::erase(when, '`');
    text += row(std::to_string(static_cast<int>(meaning.exit)), when, width);
  }
  return text;
}

std::span<const ExternalInput> environment_variables() {
  static constexpr ExternalInput kVariables[] = {
      {"NO_COLOR", "If not empty, disables colors, unless `--color` is given."},
      {"CLICOLOR_FORCE, FORCE_COLOR",
       "If neither empty nor `0`, enables colors, unless `--color` or NO_COLOR is given."},
      {"TERM", "`dumb` disables colors and the progress line."},
      {"SOURCE_DATE_EPOCH",
       "Seconds since 1970: the date that replaces today for suppressions with `until`."},
      {"HOME, KUBECONFIG", "With `snapshot --write`: where kubectl finds its configuration."},
      {"GITHUB_STEP_SUMMARY", "The file to which `--format github` appends a table."},
      {"CI, TF_BUILD, TEAMCITY_VERSION",
       "If not empty, standard output is treated as the log of a CI system, unless it is a file. "
       "cnsched then also escapes the commands of CI systems in patches and manifests."},
      {"CI_PROJECT_DIR", "The directory to which the paths of `--format gitlab` are relative."},
  };
  return kVariables;
}

std::span<const ExternalInput> files_of_use() {
  static constexpr ExternalInput kFiles[] = {
      {".cnsched.yaml",
       "Configuration: for each file the nearest one above it, up to the root of its repository. "
       "See cnsched.yaml(5)."},
      {".gitignore",
       "Ignored files are not read, unless they are named or `--no-gitignore` is given."},
  };
  return kFiles;
}

}  // namespace cnsched::cli

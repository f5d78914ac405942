#include "rules/rule.h"

namespace cnsched::rules {

static void check(const LoadedDocument& loaded, Report& report);

extern constinit const Rule yaml_yaml_syntax = {
    .id = "yaml-syntax",
    .severity = Severity::error,
    .summary = "a document that is not valid YAML",
    .details =
        "An error if the text shows a kind that cnsched checks. A warning if it does not: the "
        "document may be any manifest, and nothing of it was checked.",
    .why =
        "No pod of the document is created: kubectl cannot parse the document and applies nothing "
        "of it.",
    .limits =
        "The documents before and after it in the file are checked as usual. Templates that a tool "
        "such as Helm has to render first are skipped and counted as templates. Below 'templates/' "
        "of a directory with a Chart.yaml, that is every document with '{{' or a syntax error. "
        "While the kind is unknown, the rule reports nothing in hidden files and directories "
        "(.github/), in testdata/ and fixtures/, in values files and files of other tools such as "
        "mkdocs.yml, nor in JSON without 'apiVersion' and 'kind'.",
    .bad = R"(
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: llama
spec:
  predictor:
    model:
      modelFormat: {name: huggingface
)",
    .good = R"(
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: llama
spec:
  predictor:
    model:
      modelFormat: {name: huggingface}
)",
    .source = "https://yaml.org/spec/1.1/",
    .check = check,
    .not_exported = kReadsText,
};

static void check(const LoadedDocument& loaded, Report& report) {
  if (loaded.status != DocumentStatus::broken) return;
  for (const yaml::Problem& problem : loaded.document.problems) {
    auto finding = report.add_at(problem.where, "{}", problem.message);
    for (const auto& [where, text] : problem.notes) finding.note_at(where, "{}", text);
    if (loaded.kind_unknown) {
      finding.severity(Severity::warning)
          .help("{}{}exclude the file if it is not a manifest", problem.help,
                problem.help.empty() ? "" : "; ");
    } else if (!problem.help.empty()) {
      finding.help("{}", problem.help);
    }
  }
}

}  // namespace cnsched::rules

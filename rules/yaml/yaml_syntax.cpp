#include "rules/rule.h"

namespace cnsched::rules {

static void check(const LoadedDocument& loaded, Report& report);

extern constinit const Rule yaml_yaml_syntax = {
    .id = "yaml-syntax",
    .severity = Severity::error,
    .summary = "a document that is not valid YAML",
    .why =
        "No pod of the document is created: kubectl cannot parse the document and applies nothing "
        "of it.",
    .limits =
        "The documents before and after it in the file are checked as usual. Templates that a tool "
        "such as Helm has to render first are skipped and counted as templates. Below 'templates/' "
        "of a directory with a Chart.yaml, that is every document with '{{' or a syntax error.",
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
};

static void check(const LoadedDocument& loaded, Report& report) {
  if (loaded.status != DocumentStatus::broken) return;
  for (const yaml::Problem& problem : loaded.document.problems) {
    auto finding = report.add_at(problem.where, "{}", problem.message);
    for (const auto& [where, text] : problem.notes) finding.note_at(where, "{}", text);
    if (!problem.help.empty()) finding.help("{}", problem.help);
  }
}

}  // namespace cnsched::rules

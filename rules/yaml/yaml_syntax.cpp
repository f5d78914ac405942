#include "rules/rule.h"

namespace cnsched::rules::yaml_syntax {

static void check(const LoadedDocument& loaded, Findings& findings) {
  if (loaded.status != DocumentStatus::broken) return;
  for (const yaml::Problem& problem : loaded.document.problems) {
    auto finding = findings.add_at(problem.where, "{}", problem.message);
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

extern constinit const Rule rule = {
    .id = "yaml-syntax",
    .severity = Severity::error,
    .check = check,
};

}  // namespace cnsched::rules::yaml_syntax

#include "rules/engine/suppress.h"
#include "rules/rule.h"

namespace cnsched::rules::ignore_unknown {

static void check_name(const Ignore& ignore, const IgnoredName& name, const Workspace& workspace,
                       Findings& findings) {
  auto finding = findings.add_at(
      name.where, "unknown rule or group '{}': the suppression hides nothing", name.text);
  if (name.correction.empty()) {
    finding.help("'cnsched rules' lists the rules");
    finding.fix(Safety::safe, "remove the suppression",
                {without_name(workspace, ignore, name, findings.values())});
  } else {
    finding.help("write '{}'", name.correction);
    finding.fix(Safety::safe, fmt::format("write '{}'", name.correction),
                {with_corrected_name(ignore, name, findings.values())});
  }
}

static void check(const Suppressions& suppressions, Findings& findings) {
  const Workspace& workspace = findings.workspace();
  for (const Ignore& ignore : suppressions.all()) {
    findings.set_subject(workspace.object_around(ignore.where));
    if (!ignore.problem.empty()) {
      findings.add_at(ignore.wrong, "invalid suppression, which has no effect: {}", ignore.problem)
          .help("{}", ignore.annotation == nullptr
                          ? "write '# cnsched: ignore=RULE[,RULE] [until=YYYY-MM-DD] -- reason'"
                          : "write 'cnsched/ignore: \"RULE[,RULE]\"'");
      continue;
    }
    for (const IgnoredName& name : ignore.names) {
      if (!name.known) check_name(ignore, name, workspace, findings);
    }
  }
}

extern constinit const Rule rule = {
    .id = "ignore-unknown",
    .severity = Severity::warning,
    .fix = Safety::safe,
    .check = check,
};

}  // namespace cnsched::rules::ignore_unknown

#include "rules/engine/suppress.h"
#include "rules/rule.h"

namespace cnsched::rules::ignore_unknown {

static void check_name(const Ignore& ignore, const IgnoredName& name, const Workspace& workspace,
                       Report& report) {
  auto finding = report.add_at(
      name.where, "unknown rule or group '{}': the suppression hides nothing", name.text);
  if (name.correction.empty()) {
    finding.help("'cnsched rules' lists the rules");
    finding.fix(Safety::safe, "remove the suppression",
                {without_name(workspace, ignore, name, report.values())});
  } else {
    finding.help("write '{}'", name.correction);
    finding.fix(Safety::safe, fmt::format("write '{}'", name.correction),
                {with_corrected_name(ignore, name, report.values())});
  }
}

static void check(const Suppressions& suppressions, Report& report) {
  const Workspace& workspace = report.workspace();
  for (const Ignore& ignore : suppressions.all()) {
    report.set_subject(workspace.object_around(ignore.where));
    if (!ignore.problem.empty()) {
      report.add_at(ignore.wrong, "invalid suppression, which has no effect: {}", ignore.problem)
          .help("{}", ignore.annotation == nullptr
                          ? "write '# cnsched: ignore=RULE[,RULE] [until=YYYY-MM-DD] -- reason'"
                          : "write 'cnsched/ignore: \"RULE[,RULE]\"'");
      continue;
    }
    for (const IgnoredName& name : ignore.names) {
      if (!name.known) check_name(ignore, name, workspace, report);
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

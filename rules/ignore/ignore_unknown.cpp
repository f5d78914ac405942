#include "rules/engine/suppress.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Suppressions& suppressions, Report& report);

extern constinit const Rule ignore_ignore_unknown = {
    .id = "ignore-unknown",
    .severity = Severity::warning,
    .summary = "a suppression with an unknown rule or invalid syntax",
    .details =
        "'# cnsched: ignore=RULE[,RULE] [until=YYYY-MM-DD] -- reason' on a line of its own applies "
        "to the entry or list item that begins below it, with everything in it; above the first "
        "entry of a document, to the whole document. At the end of a line it applies to that line. "
        "'# cnsched: ignore-file=RULE -- reason' above everything else in a file applies to the "
        "file, invalid YAML included. The annotation 'cnsched/ignore: \"RULE,RULE\"' applies to "
        "its object or component.\n\n"
        "RULE is the id of a rule, a group or 'all'. The reason is required. 'until' is the last "
        "day (UTC) on which the suppression applies.",
    .why =
        "The findings that it should hide are still reported: a suppression that cnsched cannot "
        "read has no effect.",
    .limits =
        "A comment that begins with 'cnsched' but has no '=' or ':' after it is not read as a "
        "suppression.",
    .bad = R"(
apiVersion: v1
kind: Pod
metadata:
  name: batch
spec:
  # cnsched: ignore=node-name -- only this node has the scratch disk
  nodeName: gpu-1
  containers:
  - name: main
    image: batch:1
    resources:
      limits: {nvidia.com/gpu: 1}
)",
    .good = R"(
apiVersion: v1
kind: Pod
metadata:
  name: batch
spec:
  # cnsched: ignore=node-name-pin -- only this node has the scratch disk
  nodeName: gpu-1
  containers:
  - name: main
    image: batch:1
    resources:
      limits: {nvidia.com/gpu: 1}
)",
    .source = "https://docs.astral.sh/ruff/rules/invalid-formatter-suppression-comment/",
    .check = check,
    .fix = Safety::safe,
    .not_exported = "it checks suppressions, which are mostly comments in the text of a file",
};

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

}  // namespace cnsched::rules

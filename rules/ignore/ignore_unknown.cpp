#include "rules/engine/suppress.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Suppressions& suppressions, Report& report);

extern constinit const Rule ignore_ignore_unknown = {
    .id = "ignore-unknown",
    .severity = Severity::warning,
    .summary = "a suppression that names no rule, or is not written as one",
    .why =
        "It looks as if it hid findings, but does nothing. A suppression is a comment of the form "
        "'# cnsched: ignore=RULE[,RULE] [until=YYYY-MM-DD] -- reason', on a line of its own for "
        "the entry or list item that begins below it with all that is in it (for the whole "
        "document, above its first entry), or behind something for that line alone; "
        "'# cnsched: ignore-file=RULE -- reason' above everything else in a file, for all of it "
        "(and for what is no YAML); "
        "or the annotation 'cnsched/ignore: \"RULE,RULE\"', for the object or component that has "
        "it. RULE is the id of a rule, a group or 'all'; the reason is required, 'until' is the "
        "last day (UTC) on which the suppression holds.",
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
};

static void check_name(const Ignore& ignore, const IgnoredName& name, const Workspace& run,
                       Report& report) {
  auto finding =
      report.add_at(name.where, "no rule or group is called '{}', so nothing is hidden", name.text);
  if (name.meant.empty()) {
    finding.help("'cnsched rules' lists the rules");
    finding.fix(Safety::safe, "remove what hides nothing",
                {without_name(run, ignore, name, report.values())});
  } else {
    finding.help("write '{}'", name.meant);
    finding.fix(Safety::safe, fmt::format("write '{}'", name.meant),
                {with_meant_name(ignore, name, report.values())});
  }
}

static void check(const Suppressions& suppressions, Report& report) {
  const Workspace& run = report.run();
  for (const Ignore& ignore : suppressions.all()) {
    report.set_subject(run.object_around(ignore.where));
    if (!ignore.problem.empty()) {
      report.add_at(ignore.wrong, "this suppression has no effect: {}", ignore.problem)
          .help("{}", ignore.annotation == nullptr
                          ? "write '# cnsched: ignore=RULE[,RULE] [until=YYYY-MM-DD] -- reason'"
                          : "write 'cnsched/ignore: \"RULE[,RULE]\"'");
      continue;
    }
    for (const IgnoredName& name : ignore.names) {
      if (!name.known) check_name(ignore, name, run, report);
    }
  }
}

}  // namespace cnsched::rules

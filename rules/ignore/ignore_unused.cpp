#include "rules/engine/suppress.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Suppressions& suppressions, Report& report);

extern constinit const Rule ignore_ignore_unused = {
    .id = "ignore-unused",
    .severity = Severity::warning,
    .summary = "a suppression that hides nothing",
    .why =
        "The suppression hides the next mistake of that kind without a decision. Either the "
        "mistake that it was written for is corrected, or it is at the wrong place.",
    .limits =
        "A suppression is not reported if a run cannot decide whether it is used: for rules that "
        "do not run, for rules that also depend on other files or on facts about the cluster, and "
        "in files with a template or invalid YAML. Findings of the rules of this group are hidden "
        "by 'ignore-file' only.",
    .bad = R"(
apiVersion: v1
kind: Pod
metadata:
  name: batch
spec:
  # cnsched: ignore=node-name-pin -- only this node has the scratch disk
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
  containers:
  - name: main
    image: batch:1
    resources:
      limits: {nvidia.com/gpu: 1}
)",
    .source = "https://docs.astral.sh/ruff/rules/unused-noqa/",
    .check = check,
    .fix = Safety::safe,
    .not_exported = "it depends on the findings of all other rules",
};

static void check(const Suppressions& suppressions, Report& report) {
  const Workspace& workspace = report.workspace();
  for (const auto& [ignore, name] : suppressions.unused()) {
    report.set_subject(workspace.object_around(ignore->where));
    report.add_at(name->where, "unused suppression: '{}' hides no finding here", name->text)
        .help("remove it, so that it does not hide the next mistake")
        .fix(Safety::safe, "remove the suppression",
             {without_name(workspace, *ignore, *name, report.values())});
  }
}

}  // namespace cnsched::rules

#include "rules/engine/suppress.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Suppressions& suppressions, Report& report);

extern constinit const Rule ignore_ignore_unused = {
    .id = "ignore-unused",
    .severity = Severity::warning,
    .summary = "a suppression that hides nothing",
    .why =
        "What it hid has been mended, or it stands in the wrong place. Left where it is, it will "
        "hide the next mistake of that kind without anybody having decided so.\n\n"
        "Silent where a run cannot tell: about rules that do not run, rules that also depend on "
        "other files or on facts about the cluster, and files with a document that is a template "
        "or no YAML. What the rules of this group find is hidden by 'ignore-file' alone.",
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
};

static void check(const Suppressions& suppressions, Report& report) {
  const Workspace& run = report.run();
  for (const auto& [ignore, name] : suppressions.unused()) {
    report.set_subject(run.object_around(ignore->where));
    report.add_at(name->where, "nothing is found here that '{}' would hide", name->text)
        .help("remove it, or it will hide the next mistake")
        .fix(Safety::safe, "remove what hides nothing",
             {without_name(run, *ignore, *name, report.values())});
  }
}

}  // namespace cnsched::rules

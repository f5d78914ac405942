#include "rules/engine/suppress.h"
#include "rules/rule.h"

namespace cnsched::rules::ignore_unused {

static void check(const Suppressions& suppressions, Findings& findings) {
  const Workspace& workspace = findings.workspace();
  for (const auto& [ignore, name] : suppressions.unused()) {
    findings.set_subject(workspace.object_around(ignore->where));
    findings.add_at(name->where, "unused suppression: '{}' hides no finding here", name->text)
        .help("remove it, so that it does not hide the next mistake")
        .fix(Safety::safe, "remove the suppression",
             {without_name(workspace, *ignore, *name, findings.values())});
  }
}

extern constinit const Rule rule = {
    .id = "ignore-unused",
    .severity = Severity::warning,
    .fix = Safety::safe,
    .check = check,
};

}  // namespace cnsched::rules::ignore_unused

#include "rules/engine/run.h"

#include <algorithm>
#include <tuple>

#include "rules/registry.h"

namespace cnsched::rules {

namespace {

/// Calls a rule's check with everything of the scope that it asks for.
class Runner {
 public:
  Runner(const Workspace& run, Report& report) : run_(run), report_(report) {}

  void operator()(DocumentCheck check) {
    for (const auto& document : run_.documents()) {
      if (document->linted) check(*document, report_);
    }
  }
  void operator()(ObjectCheck check) {
    for (const k8s::Object& object : run_.objects()) {
      if (!run_.is_linted(object)) continue;
      report_.set_subject(&object);
      check(object, report_);
    }
  }
  void operator()(WorkloadCheck check) {
    for (const Workload& workload : run_.workloads()) {
      if (!run_.is_linted(*workload.object)) continue;
      report_.set_subject(workload.object, workload.component);
      check(workload, report_);
    }
  }
  void operator()(WorkspaceCheck check) { check(run_, report_); }

 private:
  const Workspace& run_;
  Report& report_;
};

void sort_and_merge(const Workspace& run, std::vector<Diagnostic>& findings) {
  const auto key = [&](const Diagnostic& d) {
    return std::tuple(std::string_view(run.file_of(d.where).path()), d.where, d.rule,
                      std::string_view(d.message));
  };
  std::ranges::stable_sort(findings, {}, key);
  const auto repeated = std::ranges::unique(findings, {}, key);
  findings.erase(repeated.begin(), repeated.end());
}

}  // namespace

std::vector<Diagnostic> run(const Workspace& workspace, const Selection& selection) {
  std::vector<Diagnostic> findings;
  for (const Listed& listed : all_rules()) {
    const Rule& rule = *listed.rule;
    if (!selection.runs(rule.id)) continue;
    const std::size_t first = findings.size();
    Report report(workspace, rule.id, rule.severity, findings);
    std::visit(Runner(workspace, report), rule.check);
    if (const auto severity = selection.severity_of(rule.id)) {
      for (std::size_t i = first; i < findings.size(); ++i) findings[i].severity = *severity;
    }
  }
  std::erase_if(findings, [&](const Diagnostic& d) { return !workspace.is_linted(d.where.file); });
  sort_and_merge(workspace, findings);
  return findings;
}

}  // namespace cnsched::rules

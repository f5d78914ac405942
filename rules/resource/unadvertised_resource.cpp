#include <algorithm>
#include <vector>

#include "core/accelerators/resource_name.h"
#include "rules/resource/amounts.h"
#include "rules/rule.h"

namespace cnsched::rules::unadvertised_resource {

using accelerators::NameProblem;

/// An amount of 0 may only remove an inherited one.
static bool is_wanted(const ResourcePair& pair) {
  const yaml::Node* amount = pair.limit != nullptr ? pair.limit : pair.request;
  return k8s::ResourceAmount{pair.name, amount}.is_requested();
}

/// Whether a Node of the workspace offers the resource.
static bool is_offered(std::string_view name, const ClusterScope& scope) {
  return std::ranges::any_of(scope.objects(), [&](const k8s::Object& object) {
    if (!object.is("", "Node")) return false;
    const yaml::Node& status = object["status"];
    return status["allocatable"].under(name) || status["capacity"].under(name);
  });
}

/// Renames the request and the limit, unless the correct name is also requested.
static void add_fix(const ResourcePair& pair, const NameProblem& problem,
                    Findings::Finding& finding) {
  if (problem.is_guess || accelerators::resource_name_problem(problem.replacement)) return;
  std::vector<yaml::Change> changes;
  for (const yaml::Node* amount : {pair.request, pair.limit}) {
    if (amount == nullptr) continue;
    if (amount->parent() == nullptr || (*amount->parent()).under(problem.replacement)) return;
    changes.push_back(yaml::to_rename(*amount, problem.replacement));
  }
  finding.fix(Safety::unsafe, fmt::format("write '{}'", problem.replacement), std::move(changes));
}

static void report_name(const ResourcePair& pair, const NameProblem& problem, Findings& findings) {
  const yaml::Node& amount = pair.limit != nullptr ? *pair.limit : *pair.request;
  auto finding = findings.add_at_key(
      amount, "{} '{}': {}{}",
      problem.rejected ? "the API server rejects the resource" : "no node offers", pair.name,
      problem.reason, problem.rejected ? "" : ", so the pod stays Pending");
  if (problem.rejected) finding.severity(Severity::error);
  if (pair.limit != nullptr && pair.request != nullptr && pair.request->key() != nullptr) {
    finding.note(*pair.request->key(), "the request is set here");
  }
  if (problem.replacement.empty()) return;
  finding.help("write '{}'", problem.replacement);
  add_fix(pair, problem, finding);
}

static void check(const Workload& workload, Findings& findings) {
  for (const k8s::Container& container : workload.own.all_containers()) {
    for (const ResourcePair& pair : resource_pairs(container)) {
      const auto problem = accelerators::resource_name_problem(pair.name);
      if (!problem || (!problem->rejected && !is_wanted(pair))) continue;
      if (is_offered(pair.name, findings.scope())) continue;
      report_name(pair, *problem, findings);
    }
  }
}

extern constinit const Rule rule = {
    .id = "unadvertised-resource",
    .severity = Severity::warning,
    .fix = Safety::unsafe,
    .check = check,
};

}  // namespace cnsched::rules::unadvertised_resource

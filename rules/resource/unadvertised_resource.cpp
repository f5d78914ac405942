#include <algorithm>
#include <vector>

#include "core/accelerators/resource_name.h"
#include "rules/resource/amounts.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule resource_unadvertised_resource = {
    .id = "unadvertised-resource",
    .severity = Severity::warning,
    .summary = "a resource name that no device plugin advertises",
    .details =
        "The severity is error if the API server rejects the name. It rejects a name "
        "without a domain ('must be a standard resource for containers'), with the prefix "
        "'requests.', or with an invalid character. For example, nvidia-smi prints "
        "1g.5gb+me, and '+' is invalid.",
    .why =
        "Kubernetes accepts any name with a domain as an extended resource, even a "
        "misspelled one. No node advertises that name, so the pod stays Pending with "
        "'Insufficient nvidia.com/gpus'.\n\n"
        "intel.com/gpu is such a name too, although KServe has it in its list of GPU "
        "resources. Intel's plugin advertises gpu.intel.com/i915 and gpu.intel.com/xe.",
    .limits =
        "The rule does not report unknown names that are not similar to a known one. It "
        "does not report names that a Node in the linted files or the --cluster files "
        "offers, nor amounts of 0.",
    .bad = R"(
model:
  modelFormat: {name: huggingface}
  resources:
    limits: {nvidia.com/gpus: 1}
)",
    .good = R"(
model:
  modelFormat: {name: huggingface}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .source = "https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/",
    .check = check,
    .fix = Safety::unsafe,
    .admission =
        AdmissionCheck{
            .errors = R"cel(
pod.allContainers.map(c, amounts(c).map(m, m.map(n, string(n)).filter(n, !is_placeholder(n) && !is_standard_resource(n))
  .map(n, [n, !n.contains('/') ? "only cpu, memory, ephemeral-storage and hugepages-* have no domain; others need one, as in 'nvidia.com/gpu'" :
    n.startsWith('requests.') ? "the prefix 'requests.' is for quotas only; write '" + n.substring(9) + "'" : label_key_problem(n)])
  .filter(p, p[1] != '').map(p, "the API server rejects the resource '" + p[0] + "': " + (p[1].matches('^(o|the p)') ? '' : 'it ') + p[1]).join('\n')).join('\n')))cel",
            .warnings = R"cel(
pod.allContainers.map(c, [map_of(c.?resources.?limits), map_of(c.?resources.?requests)].map(m, m.filter(n, is_extended_resource(n) && is_positive(m[n]) && (!(n in map_of(c.?resources.?limits)) || is_positive(c.resources.limits[n])) ||
    n in variables.misnamedResources && is_label_key(n) && is_positive(m[n])).map(n, [string(n),
    (variables.misnamedResources[?n].hasValue() ? [variables.misnamedResources[n]] :
     n in variables.advertisedResources || n.startsWith('nvidia.com/mig-') || n.matches('^nvidia.com/[vpc]gpu$') ? [] :
     variables.advertisedResources.filter(a, is_misspelling(n, a))).join(' ').split(' ')[0]])
  .filter(p, p[1] != '').map(p, "no node offers '" + p[0] + "': no device plugin advertises it, so the pod stays Pending; write '" + p[1] + "'").join('\n')).join('\n')))cel",
        },
};

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
    return status["allocatable"][name] || status["capacity"][name];
  });
}

/// Renames the request and the limit, unless the correct name is also requested.
static void add_fix(const ResourcePair& pair, const NameProblem& problem,
                    Report::Finding& finding) {
  if (problem.is_guess || accelerators::resource_name_problem(problem.replacement)) return;
  std::vector<yaml::Change> changes;
  for (const yaml::Node* amount : {pair.request, pair.limit}) {
    if (amount == nullptr) continue;
    if (amount->parent() == nullptr || (*amount->parent())[problem.replacement]) return;
    changes.push_back(yaml::to_rename(*amount, problem.replacement));
  }
  finding.fix(Safety::unsafe, fmt::format("write '{}'", problem.replacement), std::move(changes));
}

static void report_name(const ResourcePair& pair, const NameProblem& problem, Report& report) {
  const yaml::Node& amount = pair.limit != nullptr ? *pair.limit : *pair.request;
  auto finding = report.add_at_key(
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

static void check(const Workload& workload, Report& report) {
  for (const k8s::Container& container : workload.own.all_containers()) {
    for (const ResourcePair& pair : resource_pairs(container)) {
      const auto problem = accelerators::resource_name_problem(pair.name);
      if (!problem || (!problem->rejected && !is_wanted(pair))) continue;
      if (is_offered(pair.name, report.scope())) continue;
      report_name(pair, *problem, report);
    }
  }
}

}  // namespace cnsched::rules

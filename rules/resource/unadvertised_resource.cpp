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
    .why =
        "The pod stays Pending with 'Insufficient nvidia.com/gpus': Kubernetes takes any name "
        "with a domain for an extended resource, so a slip is accepted, and no node offers "
        "it. intel.com/gpu is such a name too, although KServe lists it: Intel's plugin "
        "advertises gpu.intel.com/i915 and gpu.intel.com/xe.\n\n"
        "Names that are merely unknown are not reported, nor those that a Node in the linted "
        "files or those given by --cluster offers. An error where the API server refuses the "
        "name: without a domain ('must be a standard resource for containers'), with "
        "'requests.' in front, or with a character that no name has, such as the '+' of "
        "nvidia-smi's 1g.5gb+me.",
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
};

using accelerators::NameProblem;

/// Who asks for none of it may only want to be rid of what is inherited.
static bool is_wanted(const ResourcePair& pair) {
  const yaml::Node* amount = pair.limit != nullptr ? pair.limit : pair.request;
  return k8s::ResourceAmount{pair.name, amount}.is_wanted();
}

/// Whether a node of the run has it to offer.
static bool is_offered(std::string_view name, const Workspace& run) {
  return std::ranges::any_of(run.objects(), [&](const k8s::Object& object) {
    if (!object.is("", "Node")) return false;
    const yaml::Node& status = object["status"];
    return status["allocatable"][name] || status["capacity"][name];
  });
}

/// Gives the request and the limit the name that was meant, unless that is asked for beside it.
static void add_fix(const ResourcePair& pair, const NameProblem& problem,
                    Report::Finding& finding) {
  if (problem.is_guess || accelerators::resource_name_problem(problem.instead)) return;
  std::vector<yaml::Change> changes;
  for (const yaml::Node* amount : {pair.request, pair.limit}) {
    if (amount == nullptr) continue;
    if (amount->parent() == nullptr || (*amount->parent())[problem.instead]) return;
    changes.push_back(yaml::to_rename(*amount, problem.instead));
  }
  finding.fix(Safety::unsafe, fmt::format("write '{}'", problem.instead), std::move(changes));
}

static void report_name(const ResourcePair& pair, const NameProblem& problem, Report& report) {
  const yaml::Node& amount = pair.limit != nullptr ? *pair.limit : *pair.request;
  auto finding = report.add_at_key(
      amount, "{} '{}': {}{}",
      problem.refused ? "the API server refuses the resource" : "no node offers", pair.name,
      problem.why, problem.refused ? "" : ", so the pod stays Pending");
  if (problem.refused) finding.severity(Severity::error);
  if (pair.limit != nullptr && pair.request != nullptr && pair.request->key() != nullptr) {
    finding.note(*pair.request->key(), "and requested here");
  }
  if (problem.instead.empty()) return;
  finding.help("write '{}'", problem.instead);
  add_fix(pair, problem, finding);
}

static void check(const Workload& workload, Report& report) {
  for (const k8s::Container& container : workload.own.all_containers()) {
    for (const ResourcePair& pair : resource_pairs(container)) {
      const auto problem = accelerators::resource_name_problem(pair.name);
      if (!problem || (!problem->refused && !is_wanted(pair))) continue;
      if (is_offered(pair.name, report.run())) continue;
      report_name(pair, *problem, report);
    }
  }
}

}  // namespace cnsched::rules

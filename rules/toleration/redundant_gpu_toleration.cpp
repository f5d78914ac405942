#include <algorithm>
#include <map>
#include <vector>

#include "core/k8s/admission.h"
#include "rules/common/tolerations.h"
#include "rules/findings.h"
#include "rules/rule.h"

namespace cnsched::rules::redundant_gpu_toleration {

/// Whether the pod would inherit the tolerations of a base layer without this object's own list.
static bool replaces_inherited_tolerations(const Workload& workload) {
  return workload.is_incomplete() || std::ranges::any_of(workload.bases, [](const k8s::Base& base) {
           return !base.pod["tolerations"].is_empty();
         });
}

namespace {

/// A toleration that admission adds anyway, and the request that it adds it for.
struct Redundant {
  k8s::Toleration toleration;
  const yaml::Node* request = nullptr;
};

}  // namespace

static std::vector<Redundant> redundant_of(const Workload& workload) {
  std::map<std::string_view, const yaml::Node*> requests;  // by the name of the resource
  for (const k8s::Toleration& added : k8s::resource_tolerations(workload.pod)) {
    requests.try_emplace(added.key, added.node);
  }
  std::vector<Redundant> redundant;
  for (const k8s::Toleration& t : workload.own.tolerations()) {
    const bool is_added = t.effect == k8s::kNoSchedule && (t.op == "Exists" || t.op == "Equal");
    const auto request = requests.find(t.key);
    if (is_added && request != requests.end()) redundant.push_back({t, request->second});
  }
  return redundant;
}

static void check(const Workload& workload, Findings& findings) {
  if (findings.facts().extended_resource_toleration != true) return;
  if (replaces_inherited_tolerations(workload)) return;
  const std::vector<Redundant> redundant = redundant_of(workload);
  const yaml::Node& list = workload.own["tolerations"];
  const bool all = redundant.size() == list.items().size();
  // Without a list of its own, the pod would inherit that of an unknown runtime.
  const bool may_inherit = all && workload.has_unknown(k8s::Unknown::Kind::chosen);
  for (const auto& [toleration, request] : redundant) {
    findings
        .add((*toleration.node)["key"],
             "toleration of '{}' is redundant: the admission plugin ExtendedResourceToleration "
             "adds it",
             toleration.key)
        .note(*request, "the plugin adds the toleration for this request")
        .help("remove the toleration, or keep it for clusters without ExtendedResourceToleration")
        .fix(may_inherit ? Safety::unsafe : Safety::safe, "remove the toleration",
             {to_erase_item(*toleration.node)});
  }
}

extern constinit const Rule rule = {
    .id = "redundant-gpu-toleration",
    .severity = Severity::info,
    .depends_on_workspace = true,
    .of = Domain::scheduled,
    .fix = Safety::safe,
    .check = check,
};

}  // namespace cnsched::rules::redundant_gpu_toleration

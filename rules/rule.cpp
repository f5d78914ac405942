#include "rules/rule.h"

#include <tuple>

namespace cnsched::rules {

bool is_in(Domain domain, const k8s::Object& object, const ClusterScope& scope) {
  if (asks_for(domain, Domain::kserve) && object.group() != "serving.kserve.io") return false;
  return !asks_for(domain, Domain::no_patches) || !scope.is_patch(object);
}

bool is_in(Domain domain, const Workload& workload) {
  if (domain == Domain::all) return true;
  const k8s::Object& object = *workload.object;
  const ClusterScope& scope = *workload.scope;
  // The cheap ones first.
  if (asks_for(domain, Domain::whole) && workload.fragment) return false;
  if (asks_for(domain, Domain::built) && !workload.is_built()) return false;
  if (asks_for(domain, Domain::complete) && workload.is_incomplete()) return false;
  if (asks_for(domain, Domain::scheduled) && object.kind == "DaemonSet") return false;
  if (asks_for(domain, Domain::serving) && !workload.is_serving()) return false;
  const bool is_over_config =
      object.group() == "mlops.seldon.io" && workload.own.node().is_mapping();
  if (asks_for(domain, Domain::over_config) && !is_over_config) return false;
  if (!is_in(domain, object, scope)) return false;
  if (asks_for(domain, Domain::unused_parts) && workload.fragment && scope.is_built_on(object)) {
    return false;
  }
  if (asks_for(domain, Domain::placed) && !workload.takes_placement_advice()) return false;
  return !asks_for(domain, Domain::no_patches) || !is_patch(workload, scope);
}

Domain domain_of(const Workload& workload) {
  Domain all = Domain::all;
  for (std::uint16_t bit = 1; bit <= static_cast<std::uint16_t>(kLastDomain);
       bit = static_cast<std::uint16_t>(bit << 1U)) {
    if (is_in(Domain(bit), workload)) all = all | Domain(bit);
  }
  return all;
}

Reported::Reported(const Workspace& workspace, std::span<const Diagnostic> findings) {
  using Name = std::tuple<std::string_view, std::string_view, std::string_view>;
  std::map<Name, std::set<std::string_view>> by_subject;
  for (const Diagnostic& finding : findings) {
    if (finding.severity != Severity::error) continue;
    const Subject& subject = finding.subject;
    by_subject[{subject.kind, subject.ns, subject.name}].insert(subject.component);
    if (const k8s::Object* object = workspace.object_around(finding.where)) {
      components_[object].insert(subject.component);
    }
  }
  if (by_subject.empty()) return;
  for (const k8s::Object& object : workspace.objects()) {
    const auto found = by_subject.find({object.kind, object.ns.name, object.name});
    if (found != by_subject.end()) components_[&object].merge(std::set(found->second));
  }
}

bool Reported::has_error(const Workload& workload) const {
  const auto found = components_.find(workload.object);
  return found != components_.end() &&
         (found->second.contains("") || found->second.contains(workload.component));
}

}  // namespace cnsched::rules

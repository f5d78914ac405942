#include "rules/rule.h"

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

}  // namespace cnsched::rules

#include "core/base/quantity.h"
#include "rules/resource/amounts.h"
#include "rules/rule.h"

namespace cnsched::rules::accelerator_not_integer {

static bool is_fraction(const yaml::Node* amount) {
  if (amount == nullptr || !amount->is_scalar()) return false;
  const auto quantity = Quantity::parse(amount->text());
  return quantity && !quantity->is_integer();
}

static void report_fraction(const ResourcePair& pair, Findings& findings) {
  const bool in_limit = is_fraction(pair.limit);
  const yaml::Node& amount = in_limit ? *pair.limit : *pair.request;
  auto finding = findings.add(amount, "'{}: {}' is not an integer: the API server rejects the pod",
                              pair.name, amount.text());
  if (in_limit && is_fraction(pair.request))
    finding.note(*pair.request, "the request is not an integer either");
  finding.help("request whole devices{}",
               pair.name == "nvidia.com/gpu"
                   ? "; a part of a GPU is a MIG slice (nvidia.com/mig-1g.10gb: 1), or one of the "
                     "replicas of a device plugin with time-slicing (nvidia.com/gpu: 1)"
                   : "");
}

static void check(const Workload& workload, Findings& findings) {
  for (const k8s::Container& container : workload.pod.all_containers()) {
    for (const ResourcePair& pair : resource_pairs(container)) {
      if (!k8s::is_extended_resource(pair.name)) continue;
      if (is_fraction(pair.limit) || is_fraction(pair.request)) report_fraction(pair, findings);
    }
  }
}

extern constinit const Rule rule = {
    .id = "accelerator-not-integer",
    .severity = Severity::error,
    .decided_by_subject = true,
    .check = check,
};

}  // namespace cnsched::rules::accelerator_not_integer

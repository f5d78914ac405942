#include "core/base/quantity.h"
#include "rules/resource/amounts.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule resource_accelerator_not_integer = {
    .id = "accelerator-not-integer",
    .severity = Severity::error,
    .summary = "a fraction of an extended resource",
    .why =
        "The pod is not created: the API server rejects it with 'must be an integer', because "
        "extended resources are counted in whole units. A part of a GPU has its own resource "
        "name, such as the MIG slice nvidia.com/mig-1g.5gb, or is one of the replicas that a "
        "time-slicing device plugin advertises.",
    .limits =
        "Resources that Kubernetes itself defines, such as cpu, may be fractions and are not "
        "checked.",
    .bad = R"(
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: "0.5"}
)",
    .good = R"(
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/mig-1g.5gb: 1}
)",
    .source =
        "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/"
        "#extended-resources",
    .check = check,
    .admission =
        AdmissionCheck{
            .errors = R"cel(
pod.allContainers.map(c, {'limits': map_of(c.?resources.?limits), 'requests': map_of(c.?resources.?requests)})
  .map(r, (r.limits.map(n, dyn(n)) + r.requests.filter(n, !(n in r.limits)).map(n, dyn(n)))
    .filter(n, is_extended_resource(n) && (is_fraction(r.limits[?n]) || is_fraction(r.requests[?n])))
    .map(n, "'" + n + ': ' + (is_fraction(r.limits[?n]) ? string(r.limits[n]) : string(r.requests[n])) +
      "' is not an integer: the API server rejects the pod; request whole devices" +
      (n == 'nvidia.com/gpu' ? '; a part of a GPU is a MIG slice (nvidia.com/mig-1g.10gb: 1), or one of the replicas of a device plugin with time-slicing (nvidia.com/gpu: 1)' : ''))
    .join('\n')))cel",
        },
};

static bool is_fraction(const yaml::Node* amount) {
  if (amount == nullptr || !amount->is_scalar()) return false;
  const auto quantity = Quantity::parse(amount->text());
  return quantity && !quantity->is_integer();
}

static void report_fraction(const ResourcePair& pair, Report& report) {
  const bool in_limit = is_fraction(pair.limit);
  const yaml::Node& amount = in_limit ? *pair.limit : *pair.request;
  auto finding = report.add(amount, "'{}: {}' is not an integer: the API server rejects the pod",
                            pair.name, amount.text());
  if (in_limit && is_fraction(pair.request))
    finding.note(*pair.request, "the request is not an integer either");
  finding.help("request whole devices{}",
               pair.name == "nvidia.com/gpu"
                   ? "; a part of a GPU is a MIG slice (nvidia.com/mig-1g.10gb: 1), or one of the "
                     "replicas of a device plugin with time-slicing (nvidia.com/gpu: 1)"
                   : "");
}

static void check(const Workload& workload, Report& report) {
  for (const k8s::Container& container : workload.pod.all_containers()) {
    for (const ResourcePair& pair : resource_pairs(container)) {
      if (!k8s::is_extended_resource(pair.name)) continue;
      if (is_fraction(pair.limit) || is_fraction(pair.request)) report_fraction(pair, report);
    }
  }
}

}  // namespace cnsched::rules

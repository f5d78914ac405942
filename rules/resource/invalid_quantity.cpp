#include "core/base/quantity.h"
#include "core/k8s/label.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule resource_invalid_quantity = {
    .id = "invalid-quantity",
    .severity = Severity::error,
    .summary = "a resource amount that is not a valid quantity",
    .details =
        "A quantity is a non-negative number with at most one suffix and no spaces. The suffixes "
        "are n, u, m, k, M, G, T, P, E for powers of ten and Ki, Mi, Gi, Ti, Pi, Ei for powers of "
        "two, without a B at the end.",
    .why =
        "The pods are not created: the API server rejects the object, or the pods that are created "
        "from it.",
    .limits =
        "Placeholders such as ${NAME} and quantities outside of pods are reported by "
        "invalid-value.",
    .bad = R"(
model:
  modelFormat: {name: onnx}
  resources:
    limits: {memory: 16GB, nvidia.com/gpu: 1}
)",
    .good = R"(
model:
  modelFormat: {name: onnx}
  resources:
    limits: {memory: 16Gi, nvidia.com/gpu: 1}
)",
    .source = "https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/",
    .check = check,
    .admission =
        AdmissionCheck{
            .errors = R"cel(
(pod.allContainers + [dyn(pod.spec), dyn({'resources': {'limits': map_of(pod.spec.?overhead)}})] +
 list(pod.spec.?volumes).filter(v, is_set(v.?emptyDir.?sizeLimit)).map(v, dyn({'resources': {'limits': {'sizeLimit': v.emptyDir.sizeLimit}}})))
.map(c, amounts(c).map(m, m.map(n, is_scalar(m[n]), [string(n), string(m[n])])
  .filter(a, !is_placeholder(a[1]) && (!isQuantity(a[1]) || sign(quantity(a[1])) < 0))
  .map(a, "the API server rejects this amount of '" + a[0] + "': '" + a[1] + "' " +
    (a[1] == '' ? 'is empty, so it is not a quantity' : isQuantity(a[1]) ? 'is negative' :
     !a[1].matches('^[-+]?[.]?[0-9]') ? 'is not a quantity: it does not begin with a number' :
     a[1].matches('^[-+]?[0-9]*[.][0-9]*[.]') ? 'is not a quantity: it contains two dots' :
     "has unknown suffix '" + a[1].find('[^-+0-9.].*$') + "'" + [a[1].find('[^-+0-9. ].*$').lowerAscii().trim()].map(s,
       a[1].matches(' ([numkMGTPE]|[KMGTPE]i)$') ? ", did you mean '" + a[1].find('[^ ]*$') + "'?" :
       s in ['k', 'kb'] ? ", did you mean 'Ki' or 'k'?" : s in ['ki', 'kib'] ? ", did you mean 'Ki'?" :
       s.matches('^[mgtpe](b|i|ib)?$') ? ", did you mean '" + s.upperAscii().substring(0, 1) + "i' or '" + s.upperAscii().substring(0, 1) + "'?" : '')[0]))
  .join('\n')).join('\n')))cel",
        },
};

static void check_amount(const yaml::Node& amount, std::string_view name, Report& report) {
  if (!amount.is_scalar() || k8s::is_placeholder(amount.text())) return;
  const auto quantity = Quantity::parse(amount.text());
  if (!quantity) {
    report.add(amount, "the API server rejects this amount of '{}': {}", name,
               quantity.error().message);
  } else if (quantity->is_negative()) {
    report.add(amount, "the API server rejects this amount of '{}': '{}' is negative", name,
               amount.text());
  }
}

static void check_resources(const yaml::Node& resources, Report& report) {
  for (const std::string_view list : {"requests", "limits"}) {
    for (const yaml::Entry& entry : resources[list].entries()) {
      if (!entry.overridden) check_amount(*entry.value, entry.key->text(), report);
    }
  }
}

static void check(const Workload& workload, Report& report) {
  for (const k8s::Container& container : workload.pod.all_containers()) {
    check_resources((*container.node)["resources"], report);
  }
  check_resources(workload.pod["resources"], report);
  for (const yaml::Entry& entry : workload.pod["overhead"].entries()) {
    check_amount(*entry.value, entry.key->text(), report);
  }
  for (const yaml::Node* volume : workload.pod["volumes"].items()) {
    check_amount((*volume)["emptyDir"]["sizeLimit"], "sizeLimit", report);
  }
}

}  // namespace cnsched::rules

#include "core/base/quantity.h"
#include "core/k8s/label.h"
#include "rules/rule.h"

namespace cnsched::rules::invalid_quantity {

static void check_amount(const yaml::Node& amount, std::string_view name, Findings& findings) {
  if (!amount.is_scalar() || k8s::is_placeholder(amount.text())) return;
  const auto quantity = Quantity::parse(amount.text());
  if (!quantity) {
    findings.add(amount, "the API server rejects this amount of '{}': {}", name,
                 quantity.error().message);
  } else if (quantity->is_negative()) {
    findings.add(amount, "the API server rejects this amount of '{}': '{}' is negative", name,
                 amount.text());
  }
}

static void check_resources(const yaml::Node& resources, Findings& findings) {
  for (const std::string_view list : {"requests", "limits"}) {
    for (const yaml::Entry& entry : resources.under(list).entries()) {
      if (!entry.overridden) check_amount(*entry.value, entry.key->text(), findings);
    }
  }
}

static void check(const Workload& workload, Findings& findings) {
  for (const k8s::Container& container : workload.pod.all_containers()) {
    check_resources((*container.node)["resources"], findings);
  }
  check_resources(workload.pod["resources"], findings);
  for (const yaml::Entry& entry : workload.pod["overhead"].entries()) {
    check_amount(*entry.value, entry.key->text(), findings);
  }
  for (const yaml::Node* volume : workload.pod["volumes"].items()) {
    check_amount((*volume)["emptyDir"]["sizeLimit"], "sizeLimit", findings);
  }
}

extern constinit const Rule rule = {
    .id = "invalid-quantity",
    .severity = Severity::error,
    .decided_by_subject = true,
    .check = check,
};

}  // namespace cnsched::rules::invalid_quantity

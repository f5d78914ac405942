#include "core/base/quantity.h"
#include "core/k8s/label.h"
#include "rules/rule.h"

namespace cnsched::rules::invalid_quantity {

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

extern constinit const Rule rule = {
    .id = "invalid-quantity",
    .severity = Severity::error,
    .check = check,
};

}  // namespace cnsched::rules::invalid_quantity

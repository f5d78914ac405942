#include "core/base/quantity.h"
#include "core/yaml/tree.h"
#include "rules/common/wording.h"
#include "rules/resource/amounts.h"
#include "rules/rule.h"

namespace cnsched::rules::accelerator_request_limit {

static bool cannot_overcommit(std::string_view name) {
  return k8s::is_extended_resource(name) || name.starts_with("hugepages-");
}

/// Which other object may set the limit; empty if none does.
static std::string doubt_about_limit(const Workload& workload) {
  if (workload.fragment) return unless_user_sets(workload, "one");
  const bool chosen = workload.object->kind == "InferenceService" &&
                      workload.has_unknown(k8s::Unknown::Kind::chosen);
  return chosen ? ", unless the cluster's runtime sets one" : "";
}

/// Adds a fix that writes the amount under `list` as well.
static void repeat_under(std::string_view list, const ResourcePair& pair, const yaml::Node& amount,
                         std::string_view title, Findings& findings, Findings::Finding& finding) {
  const auto quantity = Quantity::parse(amount.text());
  if (!quantity || !quantity->is_integer() || amount.parent() == nullptr) return;
  // The amount of a HardwareProfile is in no list of a container.
  if (amount.key() == nullptr || amount.key()->text() != pair.name) return;
  const yaml::Node* resources = amount.parent()->parent();
  if (resources == nullptr || resources->under(list).is_scalar()) return;
  Arena& arena = findings.values();
  const yaml::Node& other = resources->under(list);
  const yaml::Node& only =
      yaml::with(arena, yaml::mapping_like(arena, yaml::nowhere(), {}), pair.name, amount);
  finding.fix(Safety::unsafe, std::string(title),
              {other ? yaml::to_add_entry(other, pair.name, amount)
                     : yaml::to_add_entry(*resources, list, only)});
}

/// Where one of the two amounts is inherited, the amount of the pod's own object counts as
/// intended.
static void prefer_own(const Workload& workload, const ResourcePair& pair, Findings& findings,
                       Findings::Finding& finding) {
  const bool own_request = setter_of(*pair.request, findings) == workload.object;
  const bool own_limit = setter_of(*pair.limit, findings) == workload.object;
  if (own_request == own_limit) return;
  const std::string_view list = own_limit ? "requests" : "limits";
  const yaml::Node& amount = own_limit ? *pair.limit : *pair.request;
  const std::string title = fmt::format("write '{}: {}' under {} of {} as well", pair.name,
                                        amount.text(), list, named(*workload.object));
  repeat_under(list, pair, amount, title, findings, finding);
}

static void check_pair(const Workload& workload, const ResourcePair& pair, Findings& findings) {
  if (pair.request == nullptr || !pair.request->is_scalar()) return;
  if (pair.limit == nullptr) {
    if (workload.is_incomplete()) return;  // the unknown base may set it
    if (findings.workspace().may_get_field(*workload.object, "limits")) return;
    const std::string doubt = doubt_about_limit(workload);
    auto finding = findings.add_at_key(*pair.request, "'{}' has a request but no limit: {}{}",
                                       pair.name, rejection_of(workload), doubt);
    const std::string advice =
        fmt::format("write '{}: {}' under limits as well", pair.name, pair.request->text());
    finding.help("{}", advice);
    repeat_under("limits", pair, *pair.request, advice, findings, finding);
    if (!doubt.empty()) finding.severity(Severity::warning);
    return;
  }
  const auto request = Quantity::parse(pair.request->text());
  const auto limit = Quantity::parse(pair.limit->text());
  if (!request || !limit || *request == *limit) return;
  if (!request->is_integer() || !limit->is_integer()) return;  // accelerator-not-integer
  auto finding =
      findings.add(*pair.request, "'{}' has request {} and limit {}, which must be equal: {}",
                   pair.name, pair.request->text(), pair.limit->text(), rejection_of(workload));
  finding.note(*pair.limit, "the limit is set here").help("write the same amount in both places");
  prefer_own(workload, pair, findings, finding);
}

static void check(const Workload& workload, Findings& findings) {
  for (const k8s::Container& container : workload.pod.all_containers()) {
    for (const ResourcePair& pair : resource_pairs(container)) {
      if (cannot_overcommit(pair.name)) check_pair(workload, pair, findings);
    }
  }
}

extern constinit const Rule rule = {
    .id = "accelerator-request-limit",
    .severity = Severity::error,
    .decided_by_subject = true,
    .of = Domain::unused_parts,
    .fix = Safety::unsafe,
    .check = check,
};

}  // namespace cnsched::rules::accelerator_request_limit

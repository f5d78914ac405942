// A controller merges requests and limits separately, so two valid objects can result in an invalid
// pod. The finding is at the amount of the pod's own object; a note points at the other one.
#include <algorithm>
#include <array>

#include "core/base/quantity.h"
#include "core/kserve/fields.h"
#include "core/kserve/runtime.h"
#include "core/workspace/shipped_base.h"
#include "rules/common/wording.h"
#include "rules/rule.h"

namespace cnsched::rules::request_above_limit {

using kserve::DeploymentMode;
using yaml::Node;

namespace {

/// One resource of a container, or of a pod as a whole.
struct Amounts {
  std::string_view name;
  const Node& request;
  const Node& limit;
  bool may_be_dropped = false;  ///< by Knative, if that is the deployment mode
};

}  // namespace

/// Not extended resources and huge pages: accelerator-request-limit.
static constexpr auto kNames =
    std::to_array<std::string_view>({"cpu", "memory", "ephemeral-storage"});

static bool is_above(std::string_view request, std::string_view limit) {
  if (request.empty() || limit.empty() || request == limit) return false;
  const auto requested = Quantity::parse(request);
  const auto limited = Quantity::parse(limit);
  return requested && limited && !limited->is_negative() && *requested > *limited;
}

static bool is_constant(const Node& amount) { return amount.span == Span(); }

/// Who rejects the pod, and when.
static std::string outcome(const Workload& workload, const Amounts& amounts) {
  if (workload.fragment) {
    return "the API server rejects the pod" + unless_user_sets(workload, "other amounts");
  }
  if (amounts.may_be_dropped) {
    return "the API server rejects the pod, or Knative mode silently drops both amounts";
  }
  return std::string(rejection_of(workload));
}

/// Why the automatically chosen runtime is uncertain; null if it is certain.
static const k8s::Unknown* doubt_about_runtime(const Workload& workload) {
  if (workload.object->kind != "InferenceService" || workload.bases.empty()) return nullptr;
  if (!kserve::runtime_name(*workload.written).empty()) return nullptr;
  const auto doubt = std::ranges::find_if(
      workload.unknown, [](const k8s::Unknown& u) { return u.kind == k8s::Unknown::Kind::chosen; });
  return doubt == workload.unknown.end() ? nullptr : &*doubt;
}

/// Whether the amount is a default that the cluster may have changed. Old releases of KServe have
/// fixed defaults.
static bool is_assumed(const Node& amount, const Findings& findings) {
  constexpr Version kConfigurable{0, 15, 0};
  return is_constant(amount) && is_at_least(findings.facts().releases().kserve, kConfigurable);
}

static void set_severity(const Workload& workload, const Amounts& amounts, bool inherited,
                         Findings& findings, Findings::Finding& finding) {
  const k8s::Unknown* doubt = inherited ? doubt_about_runtime(workload) : nullptr;
  if (doubt != nullptr) {
    const Node& block = kserve::framework_block(*workload.written);
    finding.note(block.key() != nullptr ? *block.key() : amounts.request,
                 "'runtime' is not set, and it is unknown {}", doubt->what);
  }
  if (workload.fragment || amounts.may_be_dropped || doubt != nullptr ||
      is_assumed(amounts.request, findings) || is_assumed(amounts.limit, findings)) {
    finding.severity(Severity::warning);
  }
}

/// How messages describe the amount: "its", "KServe's default".
static std::string_view owner_of(const Node& amount, const Workload& workload) {
  if (!is_constant(amount)) return "its";
  const bool kserve = kserve::is_kserve_group(workload.object->group());
  return kserve ? "KServe's default" : "Seldon's default";
}

/// Notes the origin of the other amount, if it is written in a manifest.
static void note_other_side(const Node& amount, const Node& near, std::string_view what,
                            Findings& findings, Findings::Finding& finding) {
  if (is_constant(amount)) return;
  const k8s::Object* setter = setter_of(amount, findings);
  if (setter == nullptr || setter == setter_of(near, findings)) {
    finding.note(amount, "the {} is set here", what);
  } else if (setter->kind == "ConfigMap") {
    finding.note(amount, "KServe's configuration sets the {} here", what);
  } else {
    finding.note(amount, "{} sets the {} here", named(*setter), what);
  }
}

static void report_request(const Workload& workload, const Amounts& amounts, Findings& findings) {
  const auto& [name, request, limit, _] = amounts;
  const bool inherited = setter_of(limit, findings) != setter_of(request, findings);
  auto finding = findings.add(request, "the request '{}: {}' is above {} limit of {}: {}", name,
                              request.text(), owner_of(limit, workload), limit.text(),
                              outcome(workload, amounts));
  note_other_side(limit, request, "limit", findings, finding);
  set_severity(workload, amounts, inherited, findings, finding);
  if (inherited) {
    finding.help("in {}, add '{}: {}' or more under limits", named(*workload.object), name,
                 request.text());
  } else {
    finding.help("raise the limit, or lower the request to {}", limit.text());
  }
}

/// Only the limit is in the pod's own object: the finding is there.
static void report_limit(const Workload& workload, const Amounts& amounts, Findings& findings) {
  const auto& [name, request, limit, _] = amounts;
  auto finding =
      findings.add(limit, "'{}' has limit {}, below {} request of {}: {}", name, limit.text(),
                   owner_of(request, workload), request.text(), outcome(workload, amounts));
  note_other_side(request, limit, "request", findings, finding);
  set_severity(workload, amounts, true, findings, finding);
  finding.help("in {}, add '{}: {}' or less under requests", named(*workload.object), name,
               limit.text());
}

static void check_amounts(const Workload& workload, const Amounts& amounts, Findings& findings) {
  const auto& [name, request, limit, _] = amounts;
  if (!is_above(request.text(), limit.text())) return;
  const bool by_controller = request.made && limit.made;
  if (by_controller && (is_constant(request) || is_constant(limit))) return;
  const bool only_limit_is_own = setter_of(limit, findings) == workload.object &&
                                 setter_of(request, findings) != workload.object;
  only_limit_is_own ? report_limit(workload, amounts, findings)
                    : report_request(workload, amounts, findings);
}

static void check_resources(const Workload& workload, const Node& resources, bool may_be_dropped,
                            Findings& findings) {
  for (const std::string_view name : kNames) {
    check_amounts(
        workload,
        {name, resources["requests"].under(name), resources["limits"].under(name), may_be_dropped},
        findings);
  }
}

/// One amount is written, and the other comes from a shipped base that the workspace does not have.
static void check_against_shipped(const k8s::ShippedBase& base, const k8s::ShippedAmount& amount,
                                  const Node& resources, Findings& findings) {
  const Node& request = resources["requests"].under(amount.name);
  const Node& limit = resources["limits"].under(amount.name);
  const bool high = !limit && is_above(request.text(), amount.limit);
  const bool low = !request && is_above(amount.request, limit.text());
  if (!high && !low) return;
  const Node& written = high ? request : limit;
  const std::string_view other = high ? "limit" : "request";
  findings
      .add(written,
           "'{}' has {} {}, {} the {} of {} in {}: the API server rejects the pod unless the "
           "cluster has another",
           amount.name, high ? "request" : "limit", written.text(), high ? "above" : "below", other,
           high ? amount.limit : amount.request, base.what)
      .severity(Severity::warning)
      .help("add '{}: {}' under {}s, or pass the cluster's objects with --cluster", amount.name,
            written.text(), other);
}

static void check_shipped_base(const Workload& workload, Findings& findings) {
  const auto base = shipped_base(workload, findings.scope().index());
  if (!base) return;
  const Node& container = k8s::item_named(workload.pod["containers"], base->container);
  for (const k8s::ShippedAmount& amount : base->amounts) {
    check_against_shipped(*base, amount, container["resources"], findings);
  }
}

static void check(const Workload& workload, Findings& findings) {
  for (const k8s::Container& container : workload.pod.all_containers()) {
    check_resources(workload, (*container.node)["resources"], false, findings);
  }
  check_resources(workload, workload.pod["resources"],
                  workload.mode.mode == DeploymentMode::unknown, findings);
  check_shipped_base(workload, findings);
}

extern constinit const Rule rule = {
    .id = "request-above-limit",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .of = Domain::built | Domain::unused_parts,
    .check = check,
};

}  // namespace cnsched::rules::request_above_limit

// A controller merges requests and limits apart from each other, so two objects that are fine by
// themselves may make a pod that is not. The finding is at the amount that the pod's own object
// states; the other one is noted, wherever it is.
#include <algorithm>
#include <array>

#include "core/k8s/quantity.h"
#include "core/kserve/fields.h"
#include "core/kserve/runtime.h"
#include "core/workloads/shipped_base.h"
#include "rules/resource/origin.h"
#include "rules/resource/refusal.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule resource_request_above_limit = {
    .id = "request-above-limit",
    .severity = Severity::error,
    .depends_on_run = true,
    .summary = "more CPU, memory or storage requested than the limit allows",
    .why =
        "The API server refuses such a pod: 'must be less than or equal to memory limit of "
        "2Gi'. KServe and Seldon accept the manifest all the same; the InferenceService then "
        "stays at PredictorReady False with ReconcileFailed, and a StatefulSet before "
        "Kubernetes 1.34 silently has no pods.\n\n"
        "The other amount is often inherited, for requests and limits are merged separately: "
        "a service that raises only its memory request keeps the limit of its runtime or "
        "ServerConfig, and KServe fills in 1 CPU and 2Gi for what a custom container leaves "
        "out. A warning where one of the two is a default that the cluster may have changed, "
        "or comes from a runtime that KServe may not choose.",
    .bad = R"(
model:
  modelFormat: {name: sklearn}
  resources:
    requests: {memory: 8Gi}
    limits: {memory: 4Gi}
)",
    .good = R"(
model:
  modelFormat: {name: sklearn}
  resources:
    requests: {memory: 8Gi}
    limits: {memory: 8Gi}
)",
    .source =
        "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/"
        "#requests-and-limits",
    .check = check,
};

using kserve::DeploymentMode;
using yaml::Node;

namespace {

/// One resource of a container, or of a pod as a whole.
struct Amounts {
  std::string_view name;
  const Node& request;
  const Node& limit;
  bool perhaps_dropped = false;  ///< by Knative, if that is the deployment mode
};

}  // namespace

/// Extended resources and huge pages must be equal instead: accelerator-request-limit.
static constexpr auto kNames =
    std::to_array<std::string_view>({"cpu", "memory", "ephemeral-storage"});

static bool is_above(std::string_view request, std::string_view limit) {
  const auto requested = k8s::Quantity::parse(request);
  const auto limited = k8s::Quantity::parse(limit);
  return requested && limited && !limited->is_negative() && *requested > *limited;
}

static bool is_constant(const Node& amount) { return amount.span == Span(); }

/// What becomes of the pod, and who says so.
static std::string outcome(const Workload& workload, const Amounts& amounts) {
  if (workload.fragment) {
    return "the API server refuses the pod" + unless_user_sets(workload, "other amounts");
  }
  if (amounts.perhaps_dropped) {
    return "the API server refuses the pod, or, in serverless (Knative) mode, Knative silently "
           "drops both";
  }
  return std::string(refusal_of(workload));
}

/// An automatically chosen runtime of which the run cannot tell whether it is the one.
static const k8s::Unknown* doubt_about_runtime(const Workload& workload) {
  if (workload.object->kind != "InferenceService" || workload.bases.empty()) return nullptr;
  if (!kserve::runtime_name(*workload.written).empty()) return nullptr;
  const auto doubt = std::ranges::find_if(
      workload.unknown, [](const k8s::Unknown& u) { return u.kind == k8s::Unknown::Kind::chosen; });
  return doubt == workload.unknown.end() ? nullptr : &*doubt;
}

/// Whether the run does not tell what the controller fills in; old releases of KServe have no
/// choice.
static bool is_assumed(const Node& amount, const Report& report) {
  constexpr Version kConfigurable{0, 15, 0};
  const std::optional<Version>& kserve = report.facts().kserve;
  return is_constant(amount) && (!kserve || *kserve >= kConfigurable);
}

static void weigh(const Workload& workload, const Amounts& amounts, bool inherited, Report& report,
                  Report::Finding& finding) {
  const k8s::Unknown* doubt = inherited ? doubt_about_runtime(workload) : nullptr;
  if (doubt != nullptr) {
    const Node& block = kserve::framework_block(*workload.written);
    finding.note(block.key() != nullptr ? *block.key() : amounts.request,
                 "'runtime' is not set, and it is not known {}", doubt->what);
  }
  if (workload.fragment || amounts.perhaps_dropped || doubt != nullptr ||
      is_assumed(amounts.request, report) || is_assumed(amounts.limit, report)) {
    finding.severity(Severity::warning);
  }
}

/// Whose limit or request it is: "its", "KServe's default".
static std::string_view owner_of(const Node& amount, const Workload& workload) {
  if (!is_constant(amount)) return "its";
  const bool kserve = kserve::is_kserve_group(workload.object->group());
  return kserve ? "KServe's default" : "Seldon's default";
}

/// Notes where the amount that `near` disagrees with comes from, if it is written anywhere.
static void note_other_side(const Node& amount, const Node& near, std::string_view what,
                            Report& report, Report::Finding& finding) {
  if (is_constant(amount)) return;
  const k8s::Object* setter = setter_of(amount, report);
  if (setter == nullptr || setter == setter_of(near, report)) {
    finding.note(amount, "the {} is here", what);
  } else if (setter->kind == "ConfigMap") {
    finding.note(amount, "KServe's configuration sets the {} here", what);
  } else {
    finding.note(amount, "{} sets the {} here", named(*setter), what);
  }
}

static void report_request(const Workload& workload, const Amounts& amounts, Report& report) {
  const auto& [name, request, limit, _] = amounts;
  const bool inherited = setter_of(limit, report) != setter_of(request, report);
  auto finding =
      report.add(request, "'{}' requests {}, above {} limit of {}: {}", name, request.text(),
                 owner_of(limit, workload), limit.text(), outcome(workload, amounts));
  note_other_side(limit, request, "limit", report, finding);
  weigh(workload, amounts, inherited, report, finding);
  if (inherited) {
    finding.help("write '{}: {}' or more under limits as well", name, request.text());
  } else {
    finding.help("raise the limit, or request {} at most", limit.text());
  }
}

/// The object itself writes only the limit: that is where to mend it.
static void report_limit(const Workload& workload, const Amounts& amounts, Report& report) {
  const auto& [name, request, limit, _] = amounts;
  auto finding =
      report.add(limit, "'{}' is limited to {}, below {} request of {}: {}", name, limit.text(),
                 owner_of(request, workload), request.text(), outcome(workload, amounts));
  note_other_side(request, limit, "request", report, finding);
  weigh(workload, amounts, true, report, finding);
  finding.help("write '{}: {}' or less under requests as well", name, limit.text());
}

static void check_amounts(const Workload& workload, const Amounts& amounts, Report& report) {
  const auto& [name, request, limit, _] = amounts;
  if (!is_above(request.text(), limit.text())) return;
  const bool invented = request.made && limit.made;  // by the controller, which knows what it does
  if (invented && (is_constant(request) || is_constant(limit))) return;
  const bool only_limit_is_own =
      setter_of(limit, report) == workload.object && setter_of(request, report) != workload.object;
  only_limit_is_own ? report_limit(workload, amounts, report)
                    : report_request(workload, amounts, report);
}

static void check_resources(const Workload& workload, const Node& resources, bool perhaps_dropped,
                            Report& report) {
  for (const std::string_view name : kNames) {
    check_amounts(workload,
                  {name, resources["requests"][name], resources["limits"][name], perhaps_dropped},
                  report);
  }
}

/// One side is written, and the other comes from a base that the run does not hold.
static void check_against_shipped(const ShippedBase& base, const ShippedAmount& amount,
                                  const Node& resources, Report& report) {
  const Node& request = resources["requests"][amount.name];
  const Node& limit = resources["limits"][amount.name];
  const bool high = !limit && is_above(request.text(), amount.limit);
  const bool low = !request && is_above(amount.request, limit.text());
  if (!high && !low) return;
  const Node& written = high ? request : limit;
  const std::string_view other = high ? "limit" : "request";
  report
      .add(written,
           "'{}' {} {}, {} the {} of {} in {}: unless the cluster has another, the API server "
           "refuses the pod",
           amount.name, high ? "requests" : "is limited to", written.text(),
           high ? "above" : "below", other, high ? amount.limit : amount.request, base.what)
      .severity(Severity::warning)
      .help("write '{}: {}' under {}s as well, or pass what the cluster has with --cluster",
            amount.name, written.text(), other);
}

static void check_shipped_base(const Workload& workload, Report& report) {
  const auto base = shipped_base(workload, report.run().index());
  if (!base) return;
  const Node& container = k8s::item_called(workload.pod["containers"], base->container);
  for (const ShippedAmount& amount : base->amounts) {
    check_against_shipped(*base, amount, container["resources"], report);
  }
}

static void check(const Workload& workload, Report& report) {
  if (!workload.never_created.empty()) return;
  if (workload.fragment && report.run().is_built_on(*workload.object)) return;
  for (const k8s::Container& container : workload.pod.all_containers()) {
    check_resources(workload, (*container.node)["resources"], false, report);
  }
  check_resources(workload, workload.pod["resources"],
                  workload.mode.mode == DeploymentMode::unknown, report);
  check_shipped_base(workload, report);
}

}  // namespace cnsched::rules

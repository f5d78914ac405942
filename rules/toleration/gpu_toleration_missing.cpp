#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "core/accelerators/catalogue.h"
#include "core/accelerators/conflict.h"
#include "core/base/text.h"
#include "core/facts/known_pools.h"
#include "core/k8s/admission.h"
#include "core/k8s/label.h"
#include "core/k8s/selector.h"
#include "core/k8s/taint.h"
#include "core/kserve/knative_features.h"
#include "core/workspace/toleration_change.h"
#include "core/workspace/workload.h"
#include "core/yaml/tree.h"
#include "rules/common/tolerations.h"
#include "rules/common/wording.h"
#include "rules/rule.h"

namespace cnsched::rules::gpu_toleration_missing {

using accelerators::Vendor;
using k8s::Taint;
using k8s::Toleration;

namespace {

/// The pod's tolerations, without and with those that admission adds.
struct Tolerated {
  std::vector<Toleration> own;
  std::vector<Toleration> with_admission;
  std::optional<bool> admission_adds;  ///< unset: depends on the platform of the pool

  const std::vector<Toleration>& on(const facts::KnownPools::Pool& pool) const {
    return admission_adds.value_or(pool.extended_resource_toleration) ? with_admission : own;
  }
};

/// A pool that matches the pod, and the taints that the pod does not tolerate.
struct UntoleratedPool {
  const facts::NodePool* pool = nullptr;
  std::vector<Taint> taints;
  std::string text;         ///< of the first taint
  bool is_only_one = true;  ///< no other pool has the same first taint
};

}  // namespace

/// The first request for an accelerator of each vendor.
using Requests = std::map<Vendor, k8s::ResourceAmount>;

static Requests first_requests(const k8s::PodSpec& pod) {
  Requests requests;
  for (const k8s::Container& container : pod.all_containers()) {
    for (const k8s::ResourceAmount& amount : container.amounts()) {
      const auto* resource = accelerators::find_resource(amount.name);
      if (resource != nullptr && amount.is_requested()) requests.emplace(resource->vendor, amount);
    }
  }
  return requests;
}

/// Whether the pool's labels exclude the requested accelerator: a slice of a card that is not
/// partitioned.
static bool lacks(const facts::NodePool& pool, const k8s::ResourceAmount& request) {
  return std::ranges::any_of(pool.labels, [&](const k8s::Label& label) {
    const auto conflict = accelerators::conflict_with_device(k8s::requirement_of(label),
                                                             {request.name, 1, request.node});
    return conflict && !conflict->unless_shared;
  });
}

/// Whether nodes of a Karpenter pool get the labels that the pod selects. A label that is not well
/// known has to be listed by the pool.
static bool provides_labels(const facts::NodePool& pool, const k8s::PodSpec& pod) {
  return std::ranges::all_of(pod.node_selector(), [&](const k8s::Label& label) {
    if (label.key == "karpenter.sh/nodepool") return label.value == pool.name;
    return label.key.find("kubernetes.io/") != std::string_view::npos ||
           label.key.starts_with("karpenter.") || label.key.starts_with("eks.amazonaws.com/") ||
           std::ranges::find(pool.labels, label.key, &k8s::Label::key) != pool.labels.end();
  });
}

static bool tolerates_all(const std::vector<Toleration>& tolerations,
                          const facts::KnownPools::Pool& pool) {
  return std::ranges::all_of(
      pool.taints, [&](const Taint& taint) { return k8s::tolerated(taint, tolerations); });
}

/// The taints of the pool that `tolerations` does not match; there is at least one.
static UntoleratedPool untolerated_pool(const std::vector<Toleration>& tolerations,
                                        const facts::KnownPools::Pool& pool) {
  UntoleratedPool untolerated{pool.pool};
  for (const Taint& taint : pool.taints) {
    if (!k8s::tolerated(taint, tolerations)) untolerated.taints.push_back(taint);
  }
  const bool all = untolerated.taints.size() == pool.taints.size();
  untolerated.text = all ? pool.first_taint : to_string(untolerated.taints.front());
  return untolerated;
}

/// The pools with accelerators that match the pod, one for each taint, if the pod tolerates the
/// taints of none of them; empty if one may accept it.
static std::vector<UntoleratedPool> untolerated_pools(const k8s::PodSpec& pod,
                                                      const Requests& requests,
                                                      const Tolerated& tolerated,
                                                      const facts::KnownPools& pools) {
  constexpr std::size_t kMaxPools = 10;
  const k8s::NodeRequirements required(pod);
  for (const facts::KnownPools::Pool& pool : pools.perhaps_with_accelerators()) {
    if (!tolerates_all(tolerated.on(pool), pool)) continue;
    if (pool.pool->meets(required) != Truth::no && provides_labels(*pool.pool, pod)) return {};
  }
  std::vector<UntoleratedPool> result;
  for (const facts::KnownPools::Pool& pool : pools.with_accelerators()) {
    const auto request = requests.find(*pool.pool->vendor);
    if (request == requests.end()) continue;
    // Comparing labels and accelerators is the slowest test, so it comes last.
    const auto has_device = [&] { return !lacks(*pool.pool, request->second); };
    const std::vector<Toleration>& tolerations = tolerated.on(pool);
    if (tolerates_all(tolerations, pool)) {
      if (pool.pool->meets(required) != Truth::no && has_device()) return {};
      continue;
    }
    UntoleratedPool untolerated = untolerated_pool(tolerations, pool);
    const auto same = std::ranges::find(result, untolerated.text, &UntoleratedPool::text);
    const bool is_listed = same == result.end() ? result.size() == kMaxPools : !same->is_only_one;
    const bool is_reserved = std::ranges::any_of(
        untolerated.taints, [](const Taint& taint) { return k8s::reserves_nodes(taint.key); });
    if (is_listed || is_reserved) continue;
    if (pool.pool->meets(required) != Truth::yes || !has_device()) continue;
    if (same == result.end()) {
      result.push_back(std::move(untolerated));
    } else {
      same->is_only_one = false;
    }
  }
  return result;
}

/// Whether another pod of the object tolerates the taint: rules such as worker-unpinned report that
/// the two differ.
static bool differs_from_head(const Workload& workload, const Taint& taint,
                              const Findings& findings) {
  if (!workload.component.ends_with("worker") && workload.component != "prefill") return false;
  const auto pods = findings.scope().workloads_of(*workload.object);
  return std::ranges::any_of(
      pods, [&](const Workload* other) { return k8s::tolerated(taint, other->pod.tolerations()); });
}

/// Whether another rule reports why the pod does not tolerate the taint: its toleration has the
/// wrong value, or was lost in a merge.
static bool is_reported_by_other_rule(const Workload& workload, const Taint& taint,
                                      const facts::KnownPools& pools, const Findings& findings) {
  const auto is_trap = [&](const Toleration& t) {
    return t.key == taint.key && tolerates_one_value(t) && !pools.carries(t.key, t.value);
  };
  const auto is_lost = [&](const k8s::Base& base) {
    return k8s::tolerated(taint, base.pod.tolerations());
  };
  return std::ranges::any_of(workload.pod.tolerations(), is_trap) ||
         std::ranges::any_of(workload.bases, is_lost) ||
         differs_from_head(workload, taint, findings);
}

/// The place to add a list of tolerations to, as a message names it.
static std::string owner_text(const Workload& workload) {
  return workload.component.empty()
             ? fmt::format("{} '{}'", workload.object->kind, workload.object->name)
             : fmt::format("the {}", workload.component);
}

/// Whether Knative is known to reject tolerations in this pod.
static bool knative_rejects_tolerations(const Workload& workload, const Findings& findings) {
  if (!workload.may_be_serverless()) return false;
  const auto verdict =
      kserve::verdict_on(*kserve::find_knative_flag("kubernetes.podspec-tolerations"),
                         findings.facts().knative_features);
  return verdict.accepts == Truth::no;
}

static void add_fix(const Workload& workload, const std::vector<UntoleratedPool>& untolerated,
                    const std::vector<Toleration>& remedies, const std::string& title,
                    Findings& findings, Findings::Finding& finding) {
  if (untolerated.size() > 1) return;          // it is not known which of the nodes are intended
  constexpr std::size_t kMaxTolerations = 20;  // longer lists are not written by hand
  if (inherited_tolerations(workload).size() + remedies.size() > kMaxTolerations) return;
  if (!std::ranges::all_of(remedies, can_be_written)) return;
  if (knative_rejects_tolerations(workload, findings)) return;
  auto changes = changes_to_tolerate(workload, remedies, findings.values());
  if (!changes.empty()) finding.fix(Safety::unsafe, title, std::move(changes));
}

static std::string help_with(const Workload& workload, const std::vector<std::string>& remedies) {
  if (!workload.own["tolerations"].is_empty())
    return fmt::format("add {} to this list", join_words(remedies));
  if (inherited_tolerations(workload).empty()) {
    return fmt::format("add 'tolerations: [{}]' to {}", fmt::join(remedies, ", "),
                       owner_text(workload));
  }
  return fmt::format(
      "in {}, repeat the inherited tolerations, which a list of its own replaces, and add {}",
      owner_text(workload), join_words(remedies));
}

static void report_untolerated(const Workload& workload,
                               const std::vector<UntoleratedPool>& untolerated,
                               const k8s::ResourceAmount& request, bool admission_may_add,
                               Findings& findings) {
  const std::vector<Taint>& taints = untolerated.front().taints;
  const yaml::Node& own = workload.own["tolerations"];
  auto finding = findings.add_at_key(
      own.is_empty() ? *request.node : own,
      "the pod does not tolerate the taint '{}'{} of the known nodes with '{}': it stays Pending{}",
      to_string(taints.front()),
      taints.size() == 1 ? "" : fmt::format(" (and {} more)", taints.size() - 1), request.name,
      admission_may_add
          ? " unless the admission plugin ExtendedResourceToleration adds the toleration"
          : "");
  for (const UntoleratedPool& c : untolerated) {
    finding.note(place_of_taint(c.taints.front()), "{} {} the taint '{}'", pool_called(*c.pool),
                 c.is_only_one ? "has" : "and others have", to_string(c.taints.front()));
  }
  std::vector<Toleration> remedies;
  std::vector<std::string> texts;
  for (const Taint& taint : taints) {
    const Toleration remedy = toleration_of(taint);
    std::string text = toleration_text(remedy);
    if (std::ranges::find(texts, text) != texts.end()) continue;
    remedies.push_back(remedy);
    texts.push_back(std::move(text));
  }
  const std::string help = help_with(workload, texts);
  finding.help("{}", help);
  add_fix(workload, untolerated, remedies, help, findings, finding);
}

/// Whether the pod is completely known and the scheduler chooses its node.
static bool is_checked(const Workload& workload) {
  if (!workload.pod["nodeName"].is_empty()) return false;
  if (gets_placement_from_others(workload)) return false;
  return std::ranges::none_of(workload.pod.tolerations(), [](const Toleration& t) {
    return k8s::is_placeholder(t.key) || k8s::is_placeholder(t.value);
  });
}

static void check_pod(const Workload& workload, const facts::KnownPools& pools,
                      Findings& findings) {
  const Requests requests = first_requests(workload.pod);
  if (requests.empty() || !is_checked(workload)) return;
  Tolerated tolerated{workload.pod.tolerations(), k8s::resource_tolerations(workload.pod),
                      findings.facts().extended_resource_toleration};
  tolerated.with_admission.insert(tolerated.with_admission.end(), tolerated.own.begin(),
                                  tolerated.own.end());

  const auto untolerated = untolerated_pools(workload.pod, requests, tolerated, pools);
  for (const UntoleratedPool& c : untolerated) {
    if (is_reported_by_other_rule(workload, c.taints.front(), pools, findings)) return;
  }
  if (untolerated.empty()) return;
  if (findings.workspace().may_get_field(*workload.object, "tolerations")) return;
  const bool may_depend_on_admission = !tolerated.admission_adds;
  tolerated.admission_adds = true;
  const bool admission_may_add =
      may_depend_on_admission &&
      untolerated_pools(workload.pod, requests, tolerated, pools).empty();
  const k8s::ResourceAmount& request = requests.at(*untolerated.front().pool->vendor);
  report_untolerated(workload, untolerated, request, admission_may_add, findings);
}

static void check(const ClusterScope& scope, Findings& findings) {
  facts::KnownPoolsOf known;
  each_linted_pod(
      scope, findings, Domain::finished | Domain::scheduled,
      [&](const Workload& workload) { check_pod(workload, known[findings.facts()], findings); });
}

extern constinit const Rule rule = {
    .id = "gpu-toleration-missing",
    .severity = Severity::warning,
    .depends_on_workspace = true,
    .fix = Safety::unsafe,
    .check = check,
};

}  // namespace cnsched::rules::gpu_toleration_missing

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "core/accelerators/catalogue.h"
#include "core/k8s/admission.h"
#include "core/k8s/pod_spec.h"
#include "core/kserve/fields.h"
#include "core/yaml/tree.h"
#include "rules/common/tolerations.h"
#include "rules/rule.h"

namespace cnsched::rules::worker_unpinned {

using yaml::Node;

namespace {

/// Whether every node, or every node with the accelerator, has the label, so that requesting the
/// device selects the same nodes.
bool is_implied(std::string_view key) {
  const accelerators::NodeLabel* label = accelerators::find_label(key);
  return (label != nullptr && label->meaning == accelerators::LabelMeaning::present) ||
         key == "kubernetes.io/os" || key == "beta.kubernetes.io/os";
}

/// The key of a label that restricts the pod to certain nodes, or null.
const yaml::Node* pin_of(const k8s::PodSpec& pod) {
  for (const k8s::Requirement& r : pod.required_labels()) {
    if (!r.requires_label() || is_implied(r.key)) continue;
    const Node* key = r.node->key();  // null for an expression
    return key != nullptr ? key : &(*r.node)["key"];
  }
  return nullptr;
}

/// Whether the worker's node selector has all labels of the head's, so that both select the same
/// nodes.
bool selects_same_nodes(const k8s::PodSpec& head, const k8s::PodSpec& worker) {
  std::set<std::pair<std::string_view, std::string_view>> labels;
  for (const k8s::Label& label : worker.node_selector()) labels.insert({label.key, label.value});
  const auto selector = head.node_selector();
  return !selector.empty() && std::ranges::all_of(selector, [&](const k8s::Label& label) {
    return labels.contains({label.key, label.value});
  });
}

/// An accelerator that both request, or "".
std::string_view shared_accelerator(const k8s::PodSpec& head, const k8s::PodSpec& worker) {
  std::set<std::string_view> requested;
  const auto gather = [&](std::string_view name) {
    if (accelerators::is_accelerator(name)) requested.insert(name);
    return false;
  };
  (void)head.requests_resource(gather);
  std::string_view shared;
  (void)worker.requests_resource([&](std::string_view name) {
    if (!requested.contains(name)) return false;
    shared = name;
    return true;
  });
  return shared;
}

/// The components whose placement a component is expected to repeat.
struct Heads {
  std::string_view component;
  std::string_view pods;  ///< name in messages
  std::string_view first;
  std::string_view second;  ///< if the first has no placement
};

}  // namespace

constexpr auto kHeads =
    std::to_array<Heads>({{"worker", "the workers", "predictor", "template"},
                          {"prefill", "the prefill pods", "template", ""},
                          {"prefill worker", "the prefill workers", "prefill", "template"}});

static const Heads* heads_of(const Workload& worker) {
  const auto* heads = std::ranges::find(kHeads, worker.component, &Heads::component);
  return heads == kHeads.end() ? nullptr : heads;
}

/// Whether the pod has a placement of its own, by the author or by another controller.
static bool is_placed_otherwise(const Workload& worker) {
  const k8s::PodSpec& pod = worker.pod;
  const std::string_view scheduler = pod["schedulerName"].text();
  return !pod["nodeSelector"].is_empty() || !pod.node_affinity().is_empty() ||
         !pod["affinity"]["podAffinity"].is_empty() || !pod["nodeName"].text().empty() ||
         !pod["resourceClaims"].is_empty() || !pod["runtimeClassName"].text().empty() ||
         (!scheduler.empty() && scheduler != "default-scheduler") ||
         (*worker.labels)["kueue.x-k8s.io/queue-name"] ||
         worker.object->labels()["kueue.x-k8s.io/queue-name"];
}

/// Whether the LeaderWorkerSet runs the whole group in one topology domain.
static bool has_exclusive_topology(const Workload& worker) {
  constexpr std::string_view kExclusive = "leaderworkerset.sigs.k8s.io/exclusive-topology";
  return worker.component.ends_with("worker") &&
         (worker.object->annotations().under(kExclusive) || worker.annotations->under(kExclusive));
}

/// The worker's section, in the object or in its base layer.
static const Node& section_of(const Workload& worker) {
  const Node* section = &worker.own.node();
  if (section->is_missing() && !worker.bases.empty()) section = &worker.bases.back().pod.node();
  if (section->is_missing()) section = worker.written;
  const bool inner = worker.component == "prefill" && section->parent() != nullptr &&
                     section->parent()->key() != nullptr &&
                     section->parent()->key()->text() == "prefill";
  return inner ? *section->parent() : *section;
}

/// The tolerations that the head has and the worker does not.
static std::vector<MissingToleration> not_repeated(const Workload& worker, const Workload& head,
                                                   const Findings& findings) {
  std::vector<k8s::Toleration> list = worker.pod.tolerations();
  if (findings.facts().extended_resource_toleration == true) {
    const auto added = k8s::resource_tolerations(worker.pod);
    list.insert(list.end(), added.begin(), added.end());
  }
  return missing_tolerations(head.pod.tolerations(), list);
}

constexpr std::size_t kMaxNotes = 10;  ///< of one finding

/// Adds notes about missing tolerations to a finding about the selector.
static void note_tolerations(const std::vector<MissingToleration>& missing,
                             Findings::Finding& finding) {
  for (const MissingToleration& m : std::span(missing).first(std::min(missing.size(), kMaxNotes))) {
    finding.note(*m.toleration.node, "the toleration of '{}' is not inherited either",
                 taint_text(m));
  }
}

static const Node& key_of(const Node& value) {
  return value.key() == nullptr ? value : *value.key();
}

/// Notes what is unknown: whether workers exist depends on the deployment mode. The presets of an
/// LLMInferenceService have no placement.
static void note_unknown(const Workload& worker, Findings::Finding& finding) {
  if (worker.object->kind != "InferenceService") return;
  for (const k8s::Unknown& unknown : worker.unknown) {
    finding.note(key_of(section_of(worker)), "unknown: {}", unknown.what);
  }
}

namespace {

/// Changes that repeat the placement of the head in the worker's own section.
class PlacementFix {
 public:
  PlacementFix(const Workload& worker, Findings& findings)
      : own_(worker.own.node()), pod_(worker.pod), findings_(findings) {}

  void selector(const Node& selector) {
    if (!selector.is_empty()) put(own_, "nodeSelector", selector);
  }

  /// Only node affinity: pod affinity and anti-affinity concern other pods.
  void node_affinity(const Node& affinity) {
    if (affinity.is_empty()) return;
    const Node& own = own_["affinity"];
    if (own.is_mapping() && !own.is_empty()) return put(own, "nodeAffinity", affinity);
    Arena& arena = findings_.values();
    put(own_, "affinity",
        yaml::with(arena, yaml::mapping_like(arena, yaml::nowhere(), {}), "nodeAffinity"_key,
                   affinity));
  }

  /// Includes the inherited tolerations, because the list replaces that of a runtime.
  void tolerations(const std::vector<MissingToleration>& missing) {
    if (missing.empty()) return;
    const Node& own = own_["tolerations"];
    if (!own.is_empty()) {
      for (const MissingToleration& m : missing) {
        changes_.push_back(yaml::to_add_item(own, *m.toleration.node));
      }
      return;
    }
    const auto inherited = pod_["tolerations"].items();
    std::vector<const Node*> items(inherited.begin(), inherited.end());
    for (const MissingToleration& m : missing) items.push_back(m.toleration.node);
    put(own_, "tolerations", yaml::sequence_like(findings_.values(), yaml::nowhere(), items));
  }

  /// Adds nothing if the worker has no section of its own.
  void add_to(const std::string& title, Findings::Finding& finding) {
    if (own_.is_mapping()) finding.fix(Safety::unsafe, title, std::move(changes_));
  }

 private:
  /// Adds the entry, or replaces it if it exists: it is empty then.
  void put(const Node& mapping, std::string_view key, const Node& value) {
    const Node& old = mapping.under(key);
    changes_.push_back(old ? yaml::to_set(old, value) : yaml::to_add_entry(mapping, key, value));
  }

  const Node& own_;
  const k8s::PodSpec& pod_;
  Findings& findings_;
  std::vector<yaml::Change> changes_;
};

}  // namespace

static void check_selector(const Workload& worker, const Workload& head, const Node& pin,
                           Findings& findings) {
  auto finding =
      findings.add_at_key(section_of(worker),
                          "'{}' of the {} is not inherited: {} have no node selector and "
                          "may run on any node with the accelerator",
                          pin.text(), head.component, heads_of(worker)->pods);
  finding.note(pin, "this selects the nodes of the {}", head.component);
  note_tolerations(not_repeated(worker, head, findings), finding);
  note_unknown(worker, finding);
  const std::string advice =
      fmt::format("repeat nodeSelector, affinity and tolerations of the {} here", head.component);
  finding.help("{}", advice);
  PlacementFix placement(worker, findings);
  placement.selector(head.pod["nodeSelector"]);
  placement.node_affinity(head.pod.node_affinity());
  placement.tolerations(not_repeated(worker, head, findings));
  placement.add_to(advice, finding);
}

static void check_tolerations(const Workload& worker, const Workload& head, Findings& findings) {
  const auto missing = not_repeated(worker, head, findings);
  if (missing.empty()) return;
  const MissingToleration& first = missing.front();
  const bool added =
      missing_tolerations({first.toleration}, k8s::resource_tolerations(worker.pod)).empty();
  auto finding = findings.add_at_key(
      section_of(worker),
      "the toleration of '{}' is not inherited from the {}: {} cannot run on the nodes with that "
      "taint{}",
      taint_text(first), head.component, heads_of(worker)->pods,
      added ? " unless the admission plugin ExtendedResourceToleration adds the toleration" : "");
  for (const MissingToleration& m : std::span(missing).first(std::min(missing.size(), kMaxNotes))) {
    finding.note(*m.toleration.node, "only the {} tolerates this", head.component);
  }
  note_unknown(worker, finding);
  const std::string advice =
      fmt::format("repeat the toleration here: {}", toleration_text(first.toleration));
  finding.help("{}", advice);
  PlacementFix placement(worker, findings);
  placement.tolerations(missing);
  placement.add_to(missing.size() == 1
                       ? advice
                       : fmt::format("repeat the tolerations of the {} here", head.component),
                   finding);
}

static const Workload* component_called(std::string_view name, const k8s::Object& object,
                                        const Findings& findings) {
  const auto pods = findings.scope().workloads_of(object);
  const auto found = std::ranges::find(pods, name, &Workload::component);
  return name.empty() || found == pods.end() ? nullptr : *found;
}

/// The pod whose placement this one should repeat, or null.
static const Workload* head_of(const Workload& worker, const Findings& findings) {
  const Heads* heads = heads_of(worker);
  if (heads == nullptr) return nullptr;
  const Workload* first = component_called(heads->first, *worker.object, findings);
  if (first != nullptr && (pin_of(first->pod) != nullptr || !first->pod.tolerations().empty())) {
    return first;
  }
  return component_called(heads->second, *worker.object, findings);
}

/// Whether an unknown runtime or config may set the placement.
static bool may_be_placed_by_unknown(const Workload& worker) {
  return worker.is_incomplete() ||
         (worker.object->kind == "InferenceService" && worker.bases.empty() &&
          worker.has_unknown(k8s::Unknown::Kind::chosen));
}

static void check(const Workload& workload, Findings& findings) {
  if (!kserve::is_kserve_group(workload.object->group())) return;
  const Workload* head = head_of(workload, findings);
  if (head == nullptr || may_be_placed_by_unknown(workload) || has_exclusive_topology(workload))
    return;
  if (!workload.pod.requests_resource(accelerators::is_accelerator)) return;
  const Node* pin = pin_of(head->pod);
  if (!is_placed_otherwise(workload)) {
    if (pin != nullptr) return check_selector(workload, *head, *pin, findings);
    if (!workload.pod.tolerations().empty()) return;
    if (shared_accelerator(head->pod, workload.pod).empty()) return;
    return check_tolerations(workload, *head, findings);
  }
  if (selects_same_nodes(head->pod, workload.pod)) check_tolerations(workload, *head, findings);
}

extern constinit const Rule rule = {
    .id = "worker-unpinned",
    .severity = Severity::warning,
    .depends_on_workspace = true,
    .of = Domain::built | Domain::whole,
    .fix = Safety::unsafe,
    .check = check,
};

}  // namespace cnsched::rules::worker_unpinned

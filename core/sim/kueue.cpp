// Quota in use is never known offline: the result is the set of flavors that Kueue may assign.
#include "core/sim/kueue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/accelerators/catalogue.h"
#include "core/base/quantity.h"
#include "core/base/text.h"
#include "core/facts/known_pools.h"
#include "core/kserve/hardware_profile.h"

namespace cnsched::sim {

namespace {

using k8s::Label;
using k8s::Object;
using yaml::Node;

constexpr std::string_view kGroup = "kueue.x-k8s.io";
constexpr std::size_t kMaxChoices = 32;

/// The LocalQueue `default` of the namespace, which gets everything without a queue label.
const Object* default_queue(const Workload& workload, const k8s::Objects& objects) {
  const Object& object = *workload.object;
  if (object.kind == "DaemonSet") return nullptr;
  const Object* queue = objects.find(kGroup, "LocalQueue", object.ns, "default", object);
  return queue != nullptr && queue->ns == object.ns ? queue : nullptr;
}

std::string_view topology_of(const Object& flavor) { return flavor.spec()["topologyName"].text(); }

bool wants_topology(const Workload& workload) {
  constexpr auto kAnnotations = std::to_array<std::string_view>(
      {"kueue.x-k8s.io/podset-required-topology", "kueue.x-k8s.io/podset-preferred-topology",
       "kueue.x-k8s.io/podset-unconstrained-topology"});
  return std::ranges::any_of(
      kAnnotations, [&](std::string_view key) { return bool(workload.annotations->under(key)); });
}

const Label* label_of(const std::vector<Label>& labels, std::string_view key) {
  const auto found = std::ranges::find(labels, key, &Label::key);
  return found == labels.end() ? nullptr : &*found;
}

/// Why the pod's nodeSelector excludes a flavor's labels; empty if it does not. Labels that the
/// flavor does not have do not count.
std::string selector_conflict(const Pod& pod, const std::vector<Label>& labels) {
  for (const Label& wanted : pod.spec.node_selector()) {
    const Label* label = label_of(labels, wanted.key);
    if (label == nullptr || label->value == wanted.value) continue;
    return fmt::format("its label '{}' is '{}', but the pod selects '{}'", wanted.key, label->value,
                       wanted.value);
  }
  return {};
}

/// Whether required node affinity admits the labels. A term without a key of the flavor admits
/// every flavor.
bool affinity_admits(const Pod& pod, const std::vector<Label>& labels) {
  const auto& terms = pod.requirements.terms;
  return !terms || std::ranges::any_of(*terms, [&](const k8s::NodeSelectorTerm& term) {
    return std::ranges::all_of(term.expressions, [&](const k8s::Requirement& r) {
      return r.matches(labels, false) != Truth::no;
    });
  });
}

/// The taint of the flavor that neither the pod nor the flavor tolerates, or null.
const k8s::Taint* untolerated(const Pod& pod, const Object& flavor,
                              const std::vector<k8s::Taint>& taints) {
  std::vector<k8s::Toleration> tolerations = pod.tolerations;
  const auto added = k8s::tolerations_in(flavor.spec()["tolerations"]);
  tolerations.insert(tolerations.end(), added.begin(), added.end());
  const auto found = std::ranges::find_if(taints, [&](const k8s::Taint& taint) {
    return taint.effect != k8s::kPreferNoSchedule && !k8s::tolerated(taint, tolerations);
  });
  return found == taints.end() ? nullptr : &*found;
}

class QueueSearch {
 public:
  QueueSearch(const Workload& workload, const Pod& pod, const k8s::Objects& objects)
      : workload_(workload), pod_(pod), objects_(objects) {}

  QueueOutlook result() && {
    result_.queue = queue_label(workload_).text();
    const Object* queue = nullptr;
    bool may_be_unmanaged = false;
    if (result_.queue.empty()) {
      queue = default_queue(workload_, objects_);
      if (queue == nullptr) return std::move(result_);
      result_.queue = queue->name;
      may_be_unmanaged = true;
    } else {
      queue = find("LocalQueue", workload_.object->ns, result_.queue);
    }
    if (queue != nullptr) follow(*queue);
    if (may_be_unmanaged) add_unmanaged();
    return std::move(result_);
  }

 private:
  /// Notes the name of an object that is not found.
  const Object* find(std::string_view kind, const k8s::Objects::Of& ns, std::string_view name) {
    const Object* found = objects_.find(kGroup, kind, ns, name, *workload_.object);
    if (found == nullptr && result_.unknown.empty()) {
      result_.unknown = fmt::format("{} '{}'", kind, name);
    }
    return found;
  }

  void block(std::string why) {
    if (result_.blocked.empty()) result_.blocked = std::move(why);
  }

  /// Kueue may be too old, or not manage the namespace: without a queue label nothing shows that it
  /// does.
  void add_unmanaged() {
    result_.blocked.clear();
    result_.choices.push_back({});
  }

  void follow(const Object& queue) {
    const Object* cluster_queue =
        find("ClusterQueue", std::nullopt, queue.spec()["clusterQueue"].text());
    if (cluster_queue == nullptr) return;
    check_stopped(queue);
    check_stopped(*cluster_queue);
    check_namespace(*cluster_queue);
    collect(*cluster_queue);
    if (!result_.blocked.empty() || !result_.unknown.empty()) result_.choices.clear();
  }

  void check_stopped(const Object& queue) {
    const std::string_view policy = queue.spec()["stopPolicy"].text();
    if (policy.empty() || policy == "None") return;
    block(fmt::format("{} '{}' is stopped (stopPolicy {})", queue.kind, queue.name, policy));
  }

  /// Of a namespace only its name is known.
  void check_namespace(const Object& queue) {
    const Node& selector = queue.spec()["namespaceSelector"];
    if (!selector.is_mapping()) {
      return block(fmt::format("ClusterQueue '{}' has no namespaceSelector, so it admits nothing",
                               queue.name));
    }
    if (!pod_.ns.is_known()) return;
    for (const k8s::Requirement& r : k8s::label_selector_in(selector)) {
      if (r.key != "kubernetes.io/metadata.name" || r.matches_value(pod_.ns.name)) continue;
      block(fmt::format("the namespaceSelector of ClusterQueue '{}' excludes namespace '{}'",
                        queue.name, pod_.ns.name));
    }
  }

  bool is_requested(std::string_view resource) const {
    const k8s::Request* request = pod_.request(resource);
    return request != nullptr && (request->amount > 0 || !request->is_known);
  }

  /// Adds the combinations of flavors, one for each resource group that the pod needs.
  void collect(const Object& queue) {
    const auto groups = queue.spec()["resourceGroups"].items();
    for (const k8s::Request& request : pod_.requests) {
      const bool is_covered = std::ranges::any_of(
          groups, [&](const Node* group) { return covers(*group, request.name); });
      if (is_covered || !is_requested(request.name)) continue;
      // Kueue's configuration transforms those of HAMi, such as gpucores to total-gpucores.
      if (accelerators::is_resource_of_scheduler(request.name)) {
        result_.unknown = "Kueue's Configuration";
        continue;
      }
      block(
          fmt::format("the pod requests '{}', which no resource group of ClusterQueue '{}' covers",
                      request.name, queue.name));
    }
    const bool topology_only = has_only_topologies(groups);
    result_.choices = {{}};
    for (const Node* group : groups) {
      const bool is_needed = std::ranges::any_of(pod_.requests, [&](const k8s::Request& request) {
        return is_requested(request.name) && covers(*group, request.name);
      });
      if (is_needed) multiply(possible_flavors(queue, *group, topology_only));
    }
    std::erase_if(result_.choices, [](const FlavorChoice& c) { return c.flavors.empty(); });
  }

  static bool covers(const Node& group, std::string_view resource) {
    return std::ranges::any_of(group["coveredResources"].items(),
                               [&](const Node* covered) { return covered->text() == resource; });
  }

  void multiply(const std::vector<const Object*>& flavors) {
    std::vector<FlavorChoice> all;
    for (const FlavorChoice& choice : result_.choices) {
      for (const Object* flavor : flavors) {
        if (all.size() == kMaxChoices) {
          result_.is_cut = true;
          break;
        }
        all.push_back(choice);
        all.back().flavors.push_back(flavor);
      }
    }
    result_.choices = std::move(all);
  }

  bool has_only_topologies(std::span<const Node* const> groups) {
    return std::ranges::all_of(groups, [&](const Node* group) {
      return std::ranges::all_of((*group)["flavors"].items(), [&](const Node* item) {
        const Object* flavor = find("ResourceFlavor", std::nullopt, (*item)["name"].text());
        return flavor != nullptr && !topology_of(*flavor).empty();
      });
    });
  }

  std::vector<const Object*> possible_flavors(const Object& queue, const Node& group,
                                              bool topology_only) {
    std::vector<const Object*> possible;
    std::vector<std::string> excluded;
    for (const Node* item : group["flavors"].items()) {
      const Object* flavor = find("ResourceFlavor", std::nullopt, (*item)["name"].text());
      if (flavor == nullptr) continue;
      std::string why = exclusion(queue, *item, *flavor, topology_only);
      if (why.empty()) {
        possible.push_back(flavor);
      } else {
        excluded.push_back(fmt::format("'{}' ({})", flavor->name, why));
      }
    }
    if (possible.empty() && result_.unknown.empty()) {
      block(fmt::format("no ResourceFlavor of ClusterQueue '{}' takes it: {}", queue.name,
                        join_words(excluded)));
    }
    return possible;
  }

  /// Why Kueue does not assign the flavor to the pod; empty if it may.
  std::string exclusion(const Object& queue, const Node& item, const Object& flavor,
                        bool topology_only) const {
    const std::vector<k8s::Taint> taints = k8s::taints_in(flavor.spec()["nodeTaints"]);
    if (const k8s::Taint* taint = untolerated(pod_, flavor, taints)) {
      return fmt::format("its taint '{}' is not tolerated", to_string(*taint));
    }
    const std::vector<Label> labels = k8s::labels_in(flavor.spec()["nodeLabels"]);
    if (std::string conflict = selector_conflict(pod_, labels); !conflict.empty()) return conflict;
    if (!affinity_admits(pod_, labels)) return "required node affinity excludes its labels";
    const bool wants = wants_topology(workload_);
    const bool has = !topology_of(flavor).empty();
    if (wants && !has) return "it has no topologyName, but the pod requests a topology";
    if (!wants && has && !topology_only) return "it has a topologyName, but the pod requests none";
    return shortage(queue, item);
  }

  /// Which request is larger than all quota of the flavor. A cohort may lend more.
  std::string shortage(const Object& queue, const Node& item) const {
    if (queue.spec()["cohort"] || queue.spec()["cohortName"]) return {};
    for (const Node* quota : item["resources"].items()) {
      const std::string_view name = (*quota)["name"].text();
      const k8s::Request* request = pod_.request(name);
      const auto amount = Quantity::parse((*quota)["nominalQuota"].text());
      if (request == nullptr || !request->is_known || !amount) continue;
      if (request->amount <= k8s::amount_of(name, *amount)) continue;
      return fmt::format("its quota of '{}' is {}, but one pod requests {}", name,
                         (*quota)["nominalQuota"].text(), k8s::shown_amount(name, request->amount));
    }
    return {};
  }

  const Workload& workload_;
  const Pod& pod_;
  const k8s::Objects& objects_;
  QueueOutlook result_;
};

/// The labels that a node must have to be part of the flavor's topology.
void add_levels(const Object& flavor, const Workload& workload, const k8s::Objects& objects,
                Pod& pod) {
  const std::string_view name = topology_of(flavor);
  if (name.empty()) return;
  pod.assumptions.push_back(fmt::format(
      "Kueue selects a domain of Topology '{}' among these nodes before it removes the scheduling "
      "gate kueue.x-k8s.io/topology",
      printable(name)));
  const Object* topology = objects.find(kGroup, "Topology", std::nullopt, name, *workload.object);
  if (topology == nullptr) {
    pod.unfiltered.push_back(
        fmt::format("Topology '{}' is unknown: it may exclude the node", printable(name)));
    return;
  }
  for (const Node* level : topology->spec()["levels"].items()) {
    pod.requirements.selector.push_back({.key = (*level)["nodeLabel"].text(), .op = "Exists"});
  }
}

/// Two flavors that set one label to different values: which one wins differs by run.
void add_label(const Label& label, Pod& pod) {
  std::vector<k8s::Requirement>& selector = pod.requirements.selector;
  const auto other = std::ranges::find_if(
      selector, [&](const k8s::Requirement& r) { return r.key == label.key && !r.values.empty(); });
  if (other == selector.end()) {
    selector.push_back(k8s::requirement_of(label));
  } else if (!other->matches_value(label.value)) {
    pod.unfiltered.push_back(
        fmt::format("whether Kueue sets '{}' to '{}' or to '{}' is not known: two ResourceFlavors "
                    "differ",
                    printable(label.key), first_values(*other, 1), printable(label.value)));
  }
}

}  // namespace

const Node& queue_label(const Workload& workload) {
  constexpr auto kManagedKinds =
      std::to_array<std::string_view>({"Deployment", "StatefulSet", "Job", "LeaderWorkerSet"});
  const Object& object = *workload.object;
  if (std::ranges::find(kManagedKinds, object.kind) != kManagedKinds.end()) {
    const Node& own = object.labels().under(kserve::kQueueLabel);
    if (!own.text().empty()) return own;
  }
  return workload.labels->under(kserve::kQueueLabel);
}

std::string FlavorChoice::text() const {
  if (flavors.empty()) return "without Kueue";
  std::vector<std::string> names;
  for (const Object* flavor : flavors)
    names.push_back(fmt::format("'{}'", printable(flavor->name)));
  return join_words(names);
}

QueueOutlook queue_outlook(const Workload& workload, const Pod& pod, const k8s::Objects& objects) {
  return QueueSearch(workload, pod, objects).result();
}

Pod with_flavors(Pod pod, const FlavorChoice& choice, const Workload& workload,
                 const k8s::Objects& objects) {
  for (const Object* flavor : choice.flavors) {
    for (const Label& label : k8s::labels_in(flavor->spec()["nodeLabels"])) add_label(label, pod);
    for (const k8s::Toleration& t : k8s::tolerations_in(flavor->spec()["tolerations"])) {
      pod.tolerations.push_back(t);
    }
    add_levels(*flavor, workload, objects, pod);
  }
  return pod;
}

}  // namespace cnsched::sim

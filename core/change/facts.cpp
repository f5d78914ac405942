#include "core/change/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/change/totals.h"
#include "core/k8s/pod_resources.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"

namespace cnsched::change {

namespace {

using yaml::Node;

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

/// Whether a place for readers is known.
bool has_span(const Node& node) { return node && node.span != Span{}; }

/// The first of these that is in a file.
const Node& first_written(std::initializer_list<const Node*> nodes) {
  for (const Node* node : nodes) {
    if (has_span(*node)) return *node;
  }
  return yaml::missing_node();
}

/// What names the object that the pod is merged with.
const Node& reference_to_base(const Workload& workload) {
  if (workload.bases.empty() && workload.unknown.empty()) return yaml::missing_node();
  const Node& spec = workload.object->spec();
  return first_written(
      {&(*workload.written)["model"]["runtime"], &spec["baseRefs"], &spec["serverConfig"]});
}

class Collector {
 public:
  Collector(const sim::Simulated& simulated, const LabelKeys& selected)
      : workload_(*simulated.workload),
        pod_(simulated.pod),
        queue_(simulated.queue),
        simulated_(simulated),
        selected_(selected) {}

  std::vector<Fact> result() && {
    add_controller();
    add_node_constraints();
    add_affinity();
    for (const k8s::Toleration& t : pod_.tolerations) add_toleration(t);
    if (pod_.has_resource_tolerations == Truth::yes) {
      for (const k8s::Toleration& t : pod_.resource_tolerations) add_toleration(t);
    }
    for (const Node* item : pod_.spec["topologySpreadConstraints"].items()) {
      add(Part::topology_spread,
          entry_name("topologySpreadConstraints", (*item)["topologyKey"].text()),
          spread_text(*item), item);
    }
    add_scheduling();
    add_resources();
    add_volumes();
    add_unknown();
    std::ranges::sort(facts_);
    drop_repeated();
    return std::move(facts_);
  }

 private:
  void add(Part part, std::string name, std::string value, const Node* node) {
    facts_.push_back(
        {.part = part, .name = std::move(name), .value = std::move(value), .node = node});
  }
  /// A field with a text; without one, it is not set.
  void add_field(Part part, std::string_view field) {
    const Node& node = pod_.spec.node().under(field);
    if (!node.text().empty()) add(part, std::string(field), word(node.text()), &node);
  }

  void add_controller() {
    if (workload_.mode.mode != kserve::DeploymentMode::standard || workload_.is_serving()) {
      add(Part::mode, "deployment mode", std::string(kserve::name_of(workload_.mode.mode)),
          workload_.mode.node);
    }
    const Replicas replicas = replicas_of(simulated_);
    if (!replicas.is_known) return;
    add(Part::replicas, "replicas", fmt::to_string(replicas.min), replicas.min_node);
    if (replicas.max != replicas.min) {
      add(Part::replicas, "replicas at most", fmt::to_string(replicas.max), replicas.max_node);
    }
  }

  void add_node_constraints() {
    if (!pod_.node_name.empty()) {
      add(Part::node_name, "nodeName", word(pod_.node_name), &pod_.spec["nodeName"]);
    }
    for (const k8s::Requirement& r : pod_.requirements.selector) {
      const bool is_label = !r.values.empty();
      add(Part::node_selector, is_label ? entry_name("nodeSelector", r.key) : "topology of Kueue",
          word(is_label ? r.values.front()->text() : r.key), r.node);
    }
  }

  void add_affinity() {
    if (const auto& terms = pod_.requirements.terms) {
      for (const k8s::NodeSelectorTerm& term : *terms) {
        add(Part::affinity, "nodeAffinity, required", term_text(term), term.node);
      }
      if (terms->empty()) {
        add(Part::affinity, "nodeAffinity, required", "no term", &pod_.spec.node_affinity());
      }
    }
    for (const sim::PreferredTerm& preferred : pod_.preferred_terms) {
      add(Part::affinity, "nodeAffinity, preferred",
          fmt::format("{} (weight {})", term_text(preferred.term), preferred.weight),
          preferred.term.node);
    }
    for (const std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
      const Node& affinity = pod_.spec["affinity"].under(kind);
      for (const Node* term : affinity.under(kRequired).items()) {
        add(Part::affinity, fmt::format("{}, required", kind),
            affinity_term_text(*term, pod_.ns.name), term);
      }
      for (const Node* item : affinity.under(kPreferred).items()) {
        add(Part::affinity, fmt::format("{}, preferred", kind),
            fmt::format("{} (weight {})",
                        affinity_term_text((*item)["podAffinityTerm"], pod_.ns.name),
                        word((*item)["weight"].text())),
            item);
      }
    }
  }

  static std::string term_text(const k8s::NodeSelectorTerm& term) {
    const std::string fields = conjunction(term.fields);
    std::string text = conjunction(term.expressions);
    if (!fields.empty()) text += fmt::format("{}fields ({})", text.empty() ? "" : ", ", fields);
    return text.empty() ? "an empty term" : text;
  }

  void add_toleration(const k8s::Toleration& t) {
    add(Part::tolerations, t.key.empty() ? "tolerations" : entry_name("tolerations", t.key),
        toleration_text(t), t.node);
  }

  void add_scheduling() {
    add_field(Part::runtime_class, "runtimeClassName");
    const PodPriority& priority = pod_.priority;
    const Node& name = pod_.spec["priorityClassName"];
    if (!name.text().empty()) {
      add(Part::priority, "priorityClassName",
          priority.value ? fmt::format("{} (priority {})", word(name.text()), *priority.value)
                         : word(name.text()),
          &name);
    } else if (priority.value && *priority.value != 0) {
      add(Part::priority, "priority", fmt::to_string(*priority.value), &pod_.spec["priority"]);
    }
    if (priority.never_preempts) {
      add(Part::priority, "preemptionPolicy", "Never", &pod_.spec["preemptionPolicy"]);
    }
    if (!pod_.scheduler.empty()) {
      add(Part::scheduler, "schedulerName", word(pod_.scheduler), &pod_.spec["schedulerName"]);
    }
    for (const Node* gate : pod_.spec["schedulingGates"].items()) {
      add(Part::gates, "schedulingGates", word((*gate)["name"].text()), gate);
    }
    if (!queue_.queue.empty()) {
      add(Part::queue, "queue of Kueue", word(queue_.queue), &sim::queue_label(workload_));
    }
    for (const k8s::Label& label : pod_.labels) {
      if (!selected_.contains(label.key)) continue;
      add(Part::labels, entry_name("labels", label.key), word(label.value), label.node);
    }
    for (const Node* claim : pod_.spec["resourceClaims"].items()) {
      add(Part::claims, entry_name("resourceClaims", (*claim)["name"].text()), flow_text(*claim),
          claim);
    }
  }

  void add_resources() {
    for (const k8s::Container& container : pod_.spec.init_containers()) {
      add_container(container, "init container");
      const Node& policy = (*container.node)["restartPolicy"];
      if (policy.text() == "Always") {
        add(Part::resources,
            fmt::format("restartPolicy of init container {}", quoted(container.name())), "Always",
            &policy);
      }
    }
    for (const k8s::Container& container : pod_.spec.containers()) {
      add_container(container, "container");
    }
    const Node& of_pod = pod_.spec["resources"];
    const auto requests = k8s::amounts_in(of_pod["requests"]);
    const auto limits = k8s::amounts_in(of_pod["limits"]);
    add_amounts("requests", k8s::with_limits(requests, limits), "the pod", {});
    add_amounts("limits", limits, "the pod", {});
    for (const k8s::ResourceAmount& amount : k8s::amounts_in(*pod_.overhead)) {
      add_amount(Part::overhead, entry_name("overhead", amount.name), amount, {});
    }
    for (const k8s::Request& request : pod_.requests) {
      add(Part::total, entry_name("requests of the pod", request.name),
          fmt::format("{}{}", request.amount, request.is_known ? "" : " and more"),
          request.written.empty() ? nullptr : request.written.front());
      facts_.back().shown = k8s::shown_amount(request.name, request.amount);
    }
  }

  void add_container(const k8s::Container& container, std::string_view kind) {
    const std::string of = fmt::format("{} {}", kind, quoted(container.name()));
    const auto limits = container.limits();
    add_amounts("requests", k8s::with_limits(container.requests(), limits), of, container.name());
    add_amounts("limits", limits, of, container.name());
    for (const Node* claim : (*container.node)["resources"]["claims"].items()) {
      add(Part::claims, fmt::format("claims of {}", of), flow_text(*claim), claim);
    }
  }

  void add_amounts(std::string_view list, const std::vector<k8s::ResourceAmount>& amounts,
                   std::string_view of, std::string_view group) {
    for (const k8s::ResourceAmount& amount : amounts) {
      add_amount(Part::resources, fmt::format("{} of {}", entry_name(list, amount.name), of),
                 amount, group);
    }
  }

  void add_amount(Part part, std::string name, const k8s::ResourceAmount& amount,
                  std::string_view group) {
    Amount parsed = amount_in(*amount.node);
    facts_.push_back({.part = part,
                      .name = std::move(name),
                      .value = std::move(parsed.value),
                      .shown = std::move(parsed.shown),
                      .node = amount.node,
                      .group = group});
  }

  void add_volumes() {
    if (yaml::boolean_of(pod_.spec["hostNetwork"].text()) == true) {
      add(Part::host_ports, "hostNetwork", "true", &pod_.spec["hostNetwork"]);
    }
    for (const sim::HostPort& port : pod_.host_ports) {
      add(Part::host_ports, "hostPort",
          fmt::format("{}/{}{}", port.number, word(port.protocol),
                      port.ip.empty() ? "" : " of " + word(port.ip)),
          port.written);
    }
    for (const sim::PodVolume& volume : pod_.volumes) {
      const Node& node = *volume.node;
      std::string name = entry_name("volumes", volume.name);
      switch (volume.kind) {
        case sim::PodVolume::Kind::claim:
          add(Part::volumes, std::move(name), "claim " + word(volume.claim),
              &node["persistentVolumeClaim"]["claimName"]);
          break;
        case sim::PodVolume::Kind::ephemeral:
        case sim::PodVolume::Kind::of_set:
          add(Part::volumes, std::move(name), "new claim " + flow_text((*volume.made_from)["spec"]),
              &node);
          break;
        case sim::PodVolume::Kind::disk:
          add(Part::volumes, std::move(name), flow_text(node), &node);
          break;
      }
    }
  }

  void add_unknown() {
    for (const auto& [what, kind, fact] : workload_.unknown) {
      const bool may_add = kind == k8s::Unknown::Kind::named || kind == k8s::Unknown::Kind::chosen;
      if (may_add) add(Part::unknown, "unknown", what, &reference_to_base(workload_));
    }
  }

  /// A second equal entry changes nothing, except of preferences, whose weights add up.
  void drop_repeated() {
    const auto rest = std::ranges::unique(facts_, [](const Fact& a, const Fact& b) {
      return a == b && !a.name.ends_with("preferred");
    });
    facts_.erase(rest.begin(), rest.end());
  }

  const Workload& workload_;
  const sim::Pod& pod_;
  const sim::QueueOutlook& queue_;
  const sim::Simulated& simulated_;
  const LabelKeys& selected_;
  std::vector<Fact> facts_;
};

void add_keys_of_selector(const Node& holder, LabelKeys& keys) {
  for (const k8s::Requirement& r : k8s::label_selector_in(holder["labelSelector"])) {
    keys.emplace(r.key);
  }
  for (const std::string_view field : {"matchLabelKeys", "mismatchLabelKeys"}) {
    for (const Node* key : holder.under(field).items()) keys.emplace(key->text());
  }
}

void add_keys_of_pod(const k8s::PodSpec& spec, LabelKeys& keys) {
  for (const Node* constraint : spec["topologySpreadConstraints"].items()) {
    add_keys_of_selector(*constraint, keys);
  }
  const Node& affinity = spec["affinity"];
  if (affinity.is_empty()) return;
  for (const std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    for (const Node* term : affinity.under(kind).under(kRequired).items())
      add_keys_of_selector(*term, keys);
    for (const Node* item : affinity.under(kind).under(kPreferred).items()) {
      add_keys_of_selector((*item)["podAffinityTerm"], keys);
    }
  }
}

const Node& container_named(const k8s::PodSpec& spec, std::string_view name) {
  for (const std::string_view list : {"containers", "initContainers"}) {
    const Node& found = k8s::item_named(spec.node().under(list), name);
    if (found) return found;
  }
  return yaml::missing_node();
}

const Node& field_around(const Fact& fact, const k8s::PodSpec& spec) {
  switch (fact.part) {
    case Part::node_selector:
      return spec["nodeSelector"];
    case Part::affinity:
      return first_written(
          {&spec["affinity"].under(fact.name.substr(0, fact.name.find(','))), &spec["affinity"]});
    case Part::tolerations:
      return spec["tolerations"];
    case Part::topology_spread:
      return spec["topologySpreadConstraints"];
    case Part::gates:
      return spec["schedulingGates"];
    case Part::claims:
      return spec["resourceClaims"];
    case Part::volumes:
      return spec["volumes"];
    case Part::resources: {
      const Node& container = container_named(spec, fact.group);
      const Node& resources = fact.group.empty() ? spec["resources"] : container["resources"];
      const std::string_view list = fact.name.starts_with("limits") ? "limits" : "requests";
      return first_written({&resources.under(list), &resources, &container});
    }
    default:
      return yaml::missing_node();
  }
}

}  // namespace

std::string_view name_of(Part part) {
  constexpr auto kNames = std::to_array<std::string_view>({"deploymentMode",
                                                           "replicas",
                                                           "nodeName",
                                                           "nodeSelector",
                                                           "affinity",
                                                           "tolerations",
                                                           "topologySpreadConstraints",
                                                           "runtimeClassName",
                                                           "priority",
                                                           "schedulerName",
                                                           "schedulingGates",
                                                           "queue",
                                                           "labels",
                                                           "resourceClaims",
                                                           "resources",
                                                           "overhead",
                                                           "hostPorts",
                                                           "volumes",
                                                           "total",
                                                           "unknown",
                                                           "node"});
  return kNames[static_cast<std::size_t>(part)];
}

void add_selected_keys(const sim::Simulation& simulation, LabelKeys& keys) {
  std::set<const sim::Cluster*> seen;
  for (const sim::Simulated& simulated : simulation.workloads()) {
    add_keys_of_pod(simulated.workload->pod, keys);
    if (!seen.insert(simulated.cluster).second) continue;
    for (const sim::RunningPod& running : simulated.cluster->pods()) {
      add_keys_of_pod(running.pod.spec, keys);
    }
  }
}

std::vector<Fact> facts_of(const sim::Simulated& pod, const LabelKeys& selected) {
  if (pod.workload->never_created) return {};
  return Collector(pod, selected).result();
}

const Node& nearest_to(const Fact& fact, const sim::Simulated& pod) {
  const Workload& workload = *pod.workload;
  const bool is_of_pod = fact.part != Part::replicas && fact.part != Part::mode;
  return first_written({is_of_pod ? &field_around(fact, pod.pod.spec) : &yaml::missing_node(),
                        is_of_pod ? &reference_to_base(workload) : &yaml::missing_node(),
                        workload.written, workload.object->root});
}

}  // namespace cnsched::change

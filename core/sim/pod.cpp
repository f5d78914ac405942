// The parts of admission that affect where a pod runs [P26, P28, P29, P31, P32]. Sources:
// pkg/apis/core/v1/defaults.go;
// plugin/pkg/admission/{defaulttolerationseconds,extendedresourcetoleration,runtimeclass};
// pkg/controller/daemon/util/daemonset_util.go.
#include "core/sim/pod.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/base/text.h"
#include "core/k8s/admission.h"
#include "core/k8s/limit_range.h"
#include "core/workspace/admitted_pod.h"
#include "core/workspace/shipped_base.h"
#include "core/yaml/scalar.h"

namespace cnsched::sim {

namespace {

using yaml::Node;

/// Of init containers, only sidecars keep their ports while the pod runs.
std::vector<HostPort> host_ports_of(const k8s::PodSpec& spec) {
  const bool on_host = yaml::boolean_of(spec["hostNetwork"].text()) == true;
  std::vector<HostPort> ports;
  const auto add = [&](const k8s::Container& container) {
    for (const Node* port : (*container.node)["ports"].items()) {
      const Node& host = (*port)["hostPort"];
      const bool is_set = host.is_scalar() && yaml::integer_of(host) != 0;
      const Node& number = is_set || !on_host ? host : (*port)["containerPort"];
      const auto parsed = yaml::integer_of(number);
      if (!parsed || *parsed <= 0) continue;
      const std::string_view protocol = (*port)["protocol"].text();
      std::string_view ip = (*port)["hostIP"].text();
      if (ip == "0.0.0.0") ip = {};
      ports.push_back({ip, protocol.empty() ? "TCP" : protocol, *parsed, &number});
    }
  };
  for (const k8s::Container& container : spec.init_containers()) {
    if (container.is_sidecar()) add(container);
  }
  for (const k8s::Container& container : spec.containers()) add(container);
  return ports;
}

std::vector<PreferredTerm> preferred_terms_of(const k8s::PodSpec& spec) {
  std::vector<PreferredTerm> terms;
  const Node& list = spec.node_affinity()["preferredDuringSchedulingIgnoredDuringExecution"];
  const std::vector<k8s::NodeSelectorTerm> preferences = spec.preferred_terms();
  for (std::size_t i = 0; i < preferences.size(); ++i) {
    const auto weight = k8s::parse_int64(list.at(i)["weight"].text());
    terms.push_back({weight.value_or(0), preferences[i]});
  }
  return terms;
}

/// The part that future pods and running pods share.
Pod read(const k8s::PodSpec& spec, const Node& labels) {
  Pod pod;
  pod.spec = spec;
  pod.labels = k8s::labels_in(labels);
  std::ranges::sort(pod.labels, {}, &k8s::Label::key);
  pod.node_name = spec["nodeName"].text();
  pod.node_selector = spec.node_selector();
  pod.required_terms = spec.required_terms();
  pod.has_required_terms =
      !spec.node_affinity()["requiredDuringSchedulingIgnoredDuringExecution"].is_empty();
  pod.preferred_terms = preferred_terms_of(spec);
  pod.tolerations = spec.tolerations();
  pod.host_ports = host_ports_of(spec);
  return pod;
}

/// Whether the API server has already admitted the Pod, which was printed from a cluster.
bool is_printed(const Workload& workload) {
  return workload.object->is("", "Pod") && (*workload.object)["metadata"]["uid"];
}

void reject(const Workload& workload, std::string reason, const yaml::Node* in_pod, Pod& pod) {
  pod.not_created = not_created(workload, std::move(reason), nullptr);
  pod.not_created.in_pod = in_pod;
}

/// Adds what admission adds whatever the namespace is.
void add_admitted(const Workload& workload, const Admission& admission, Pod& pod) {
  Admitted admitted = admit(workload, admission.runtime_classes);
  pod.class_selector = k8s::labels_in(*admitted.runtime_labels);
  pod.overhead = admitted.overhead;
  pod.tolerations.insert(pod.tolerations.end(), admitted.tolerations.begin(),
                         admitted.tolerations.end());
  pod.resource_tolerations = std::move(admitted.resource_tolerations);
  pod.has_resource_tolerations = admission.extended_resource_toleration;
  if (!admitted.is_runtime_class_unknown) return;
  const yaml::Node& written = pod.spec["runtimeClassName"];
  const std::string name = printable(written.text());
  if (!admission.has_all_runtime_classes || is_printed(workload)) {
    pod.unfiltered.push_back(
        fmt::format("RuntimeClass '{}' is unknown: it may add a node selector and overhead", name));
  } else if (pod.not_created.reason.empty()) {
    reject(workload, fmt::format("pod rejected: RuntimeClass \"{}\" not found", name), &written,
           pod);
  }
}

/// Notes what is unknown about the workload. It makes the verdict unknown if the manifest names it
/// or if creation of the pod depends on it. If a controller chooses it, the usual choice is
/// assumed. Images do not affect placement.
void note_unknown(const Workload& workload, const std::optional<k8s::ShippedBase>& base, Pod& pod) {
  using Kind = k8s::Unknown::Kind;
  for (const auto& [what, kind, fact] : workload.unknown) {
    if (kind == Kind::named && pod.unknown_base.empty()) pod.unknown_base = what;
    if (fact == k8s::Unknown::Fact::hardware_profile) pod.unknown_profile = what;
    if (kind == Kind::creation) {
      pod.creation_unknown.push_back(fmt::format("{} is not known", printable(what)));
    }
    if (kind == Kind::chosen && !base) {
      pod.assumptions.push_back(
          fmt::format("{} adds no fields (it is not among the files)", printable(what)));
    }
    if (kind == Kind::mode) {
      pod.assumptions.push_back(
          fmt::format("{} is not known: simulated as Standard", printable(what)));
    }
  }
  if (base) {
    std::vector<std::string> amounts;
    for (const k8s::ShippedAmount& amount : base->amounts) {
      amounts.push_back(fmt::format("{} {}", amount.request, amount.name));
    }
    pod.assumptions.push_back(
        fmt::format("the defaults of {}: {}", printable(base->what), join_words(amounts)));
  }
}

void add_priority(const Workload& workload, const PriorityClasses& classes, Pod& pod) {
  const k8s::Object& object = *workload.object;
  pod.priority = is_printed(workload) ? priority_of_running(pod.spec, classes)
                                      : priority_of_new(pod.spec, classes);
  if (object.is("", "Pod")) pod.nominated_node = object["status"]["nominatedNodeName"].text();
  if (!pod.priority.rejection.empty()) {
    reject(workload, pod.priority.rejection, pod.priority.rejected, pod);
  } else if (!pod.priority.value) {
    pod.assumptions.push_back(
        fmt::format("PriorityClass '{}' exists (it is not among the files: whether the pod "
                    "preempts others is unknown)",
                    printable(pod.spec["priorityClassName"].text())));
  }
}

/// "Error creating: pods \"web-\"" and what the API server says of it. Sources: pkg/controller
/// (RealPodControl), pkg/controller/statefulset/stateful_pod_control.go; of a Pod itself, the
/// client prints it.
std::string rejection_event(const Workload& workload, const std::string& text,
                            std::string_view resource = "pods") {
  const k8s::Object& object = *workload.object;
  if (object.is("", "Pod")) {
    const std::string_view name =
        object.name.empty() ? (*object.root)["metadata"]["generateName"].text() : object.name;
    return fmt::format("{} \"{}\"{}", resource, printable(name), text);
  }
  const std::string name = printable(workload.name);
  if (object.is("apps", "StatefulSet")) {
    return fmt::format("create Pod {}-0 in StatefulSet {} failed error: {} \"{}-0\"{}", name, name,
                       resource, name, text);
  }
  return fmt::format("Error creating: {} \"{}-\"{}", resource, name, text);
}

/// What the LimitRanges of the pod's namespace set, or why they reject it. The stored pod has
/// everything that is `unwritten` but the overhead.
void apply_policy(const Workload& workload, const Admission& admission, k8s::Unwritten& unwritten,
                  Arena& arena, Pod& pod) {
  pod.policy = policy_for(pod.ns, admission.policies);
  const NamespacePolicy& policy = pod.policy;
  if (!policy.unknown.empty()) {
    pod.creation_unknown.push_back(policy.unknown + " is not known");
  }
  if (policy.objects.empty()) return;
  if (policy.is_assumed) {
    pod.assumptions.push_back(
        fmt::format("the pod is created in namespace '{}', whose LimitRanges and ResourceQuotas "
                    "are given (the manifest names no namespace)",
                    printable(policy.ns.name)));
  }
  const std::vector<const k8s::Object*>& limit_ranges = policy.objects.limit_ranges;
  pod.spec = k8s::PodSpec(k8s::with_default_resources(pod.spec, unwritten, limit_ranges, arena));
  unwritten.base.reset();
  unwritten.sidecar_cpu = {};
  k8s::Violation violation = k8s::violation_of(pod.spec, limit_ranges);
  if (violation.reason.empty()) return;
  if (violation.is_invalid) {
    pod.not_created.event = rejection_event(workload, " is invalid: " + violation.reason, "Pod");
    pod.not_created.reason = std::move(violation.reason);
    pod.not_created.by = violation.by;
  } else {
    pod.not_created = not_created(workload, std::move(violation.reason), violation.by);
  }
  pod.not_created.in_pod = violation.in_pod;
}

}  // namespace

const k8s::Request* Pod::request(std::string_view resource) const {
  const auto found = std::ranges::find(requests, resource, &k8s::Request::name);
  return found == requests.end() ? nullptr : &*found;
}

std::optional<std::string_view> Pod::label(std::string_view key) const {
  const auto found = std::ranges::lower_bound(labels, key, {}, &k8s::Label::key);
  return found == labels.end() || found->key != key ? std::nullopt : std::optional(found->value);
}

NotCreated not_created(const Workload& workload, std::string reason, const k8s::Object* by) {
  NotCreated result{.event = rejection_event(workload, " is forbidden: " + reason), .by = by};
  result.reason = std::move(reason);
  return result;
}

Pod admitted(const Workload& workload, const Admission& admission, const k8s::Objects& objects,
             Arena& arena) {
  Pod pod = read(workload.pod, *workload.labels);
  pod.ns = workload.object->ns;
  pod.name = workload.name;
  pod.has_all_labels = workload.object->is("", "Pod");
  pod.has_controller = !pod.has_all_labels;
  if (!pod.has_controller) {
    pod.uid = (*workload.object)["metadata"]["uid"].text();
    pod.status = &(*workload.object)["status"];
  }
  pod.volumes = volumes_of(pod.spec, *workload.claim_templates, pod.name,
                           workload.object->spec()["ordinals"]["start"]);
  // In the order of the plugins; what LimitRanger reports comes first.
  add_priority(workload, admission.priority_classes, pod);
  add_admitted(workload, admission, pod);
  k8s::Unwritten unwritten;
  unwritten.overhead = pod.overhead;
  const std::optional<k8s::ShippedBase> base = shipped_base(workload, objects);
  unwritten.base = base;
  if (is_on_knative(workload)) unwritten.sidecar_cpu = kQueueProxyCpu;
  if (!admission.policies.empty()) apply_policy(workload, admission, unwritten, arena, pod);
  pod.requests = requests_of(pod.spec, unwritten);
  note_unknown(workload, base, pod);
  pod.scheduler = pod.spec["schedulerName"].text();
  if (pod.scheduler == "default-scheduler") pod.scheduler = {};
  pod.is_gated = !pod.spec["schedulingGates"].is_empty();
  return pod;
}

Pod running(const k8s::Object& object, const Admission& admission) {
  Pod pod = read(k8s::PodSpec(object.spec()), object.labels());
  pod.ns = object.ns;
  pod.name = object.name;
  pod.uid = object["metadata"]["uid"].text();
  pod.volumes = volumes_of(pod.spec);
  pod.overhead = &pod.spec["overhead"];
  pod.status = &object["status"];
  pod.requests = requests_of(pod.spec, {.overhead = pod.overhead, .status = pod.status});
  pod.priority = priority_of_running(pod.spec, admission.priority_classes);
  return pod;
}

// Source: plugin/pkg/admission/priority/admission.go; pkg/apis/scheduling/types.go; of Kubernetes
// 1.36.

namespace {

constexpr std::int64_t kSystemClusterCritical = 2'000'000'000;
constexpr std::int64_t kSystemNodeCritical = 2'000'001'000;

bool is_never(const yaml::Node& policy) { return policy.text() == "Never"; }

std::string_view policy_name(bool never_preempts) {
  return never_preempts ? "Never" : "PreemptLowerPriority";
}

}  // namespace

PriorityClasses::PriorityClasses(const std::vector<const k8s::Object*>& objects, bool is_complete)
    : is_complete_(is_complete) {
  // The API server creates both at its start.
  by_name_ = {{"system-cluster-critical", {kSystemClusterCritical}},
              {"system-node-critical", {kSystemNodeCritical}}};
  bool has_default = false;
  for (const k8s::Object* object : objects) {
    const yaml::Node& root = *object->root;
    const Class read{yaml::integer_of(root["value"]).value_or(0),
                     is_never(root["preemptionPolicy"])};
    if (!by_name_.try_emplace(object->name, read).second) continue;
    if (yaml::boolean_of(root["globalDefault"].text()) != true) continue;
    // Of several that were created at the same time, the lowest one counts.
    if (!has_default || read.value < default_.value) default_ = read;
    has_default = true;
  }
}

std::optional<PriorityClasses::Class> PriorityClasses::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

PodPriority priority_of_running(const k8s::PodSpec& spec, const PriorityClasses& classes) {
  PodPriority priority{yaml::integer_of(spec["priority"]), is_never(spec["preemptionPolicy"])};
  if (priority.value) return priority;
  const std::string_view name = spec["priorityClassName"].text();
  const auto of_pod = name.empty() ? classes.global_default() : classes.find(name);
  if (!of_pod) return priority;
  return {of_pod->value, of_pod->never_preempts};
}

PodPriority priority_of_new(const k8s::PodSpec& spec, const PriorityClasses& classes) {
  const std::string_view name = spec["priorityClassName"].text();
  const auto of_pod = name.empty() ? classes.global_default() : classes.find(name);
  if (!of_pod && classes.is_complete()) {
    return {.rejection = fmt::format("no PriorityClass with name {} was found", printable(name)),
            .rejected = &spec["priorityClassName"]};
  }
  if (!classes.is_complete()) {
    // Without the PriorityClasses, what the manifest says is the best guess.
    if (of_pod && !name.empty()) return {of_pod->value, of_pod->never_preempts};
    return priority_of_running(spec, classes);
  }
  const auto written = yaml::integer_of(spec["priority"]);
  if (written && *written != of_pod->value) {
    return {.rejection = fmt::format("the integer value of priority ({}) must not be provided in "
                                     "pod spec; priority admission controller computed {} from "
                                     "the given PriorityClass name",
                                     *written, of_pod->value),
            .rejected = &spec["priority"]};
  }
  const std::string_view policy = spec["preemptionPolicy"].text();
  if (!policy.empty() && policy != policy_name(of_pod->never_preempts)) {
    return {.rejection = fmt::format("the string value of PreemptionPolicy ({}) must not be "
                                     "provided in pod spec; priority admission controller "
                                     "computed {} from the given PriorityClass name",
                                     printable(policy), policy_name(of_pod->never_preempts)),
            .rejected = &spec["preemptionPolicy"]};
  }
  return {of_pod->value, of_pod->never_preempts};
}

}  // namespace cnsched::sim

#include "core/sim/pod.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
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
  pod.requirements = k8s::NodeRequirements(spec);
  pod.preferred_terms = preferred_terms_of(spec);
  pod.tolerations = spec.tolerations();
  pod.host_ports = host_ports_of(spec);
  return pod;
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

/// Notes what admission depends on and is unknown, and what it assumes.
void note_admission(const AdmittedPod& admitted, Pod& pod) {
  const std::string_view priority_class = pod.spec["priorityClassName"].text();
  if (!pod.priority.value && pod.priority.rejection.empty()) {
    pod.assumptions.push_back(
        fmt::format("PriorityClass '{}' exists (it is not among the files: whether the pod "
                    "preempts others is unknown)",
                    printable(priority_class)));
  }
  if (!admitted.unknown_runtime_class.empty()) {
    pod.unfiltered.push_back(
        fmt::format("RuntimeClass '{}' is unknown: it may add a node selector and overhead",
                    printable(admitted.unknown_runtime_class)));
  }
  const NamespacePolicy& policy = pod.policy;
  if (!policy.unknown.empty()) pod.creation_unknown.push_back(policy.unknown + " is not known");
  if (policy.is_assumed) {
    pod.assumptions.push_back(
        fmt::format("the pod is created in namespace '{}', whose LimitRanges and ResourceQuotas "
                    "are given (the manifest names no namespace)",
                    printable(policy.ns.name)));
  }
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

Pod admitted(const Workload& workload, const Admission& admission, const k8s::Objects& objects,
             Arena& arena) {
  const std::optional<k8s::ShippedBase> base = shipped_base(workload, objects);
  AdmittedPod admitted = admit(workload, admission, arena, base);
  Pod pod = read(admitted.spec, *workload.labels);
  pod.ns = workload.object->ns;
  pod.name = workload.name;
  pod.has_all_labels = workload.object->is("", "Pod");
  pod.has_controller = !pod.has_all_labels;
  if (!pod.has_controller) {
    const Node& status = (*workload.object)["status"];
    pod.uid = (*workload.object)["metadata"]["uid"].text();
    pod.status = &status;
    pod.nominated_node = status["nominatedNodeName"].text();
  }
  pod.volumes = volumes_of(pod.spec, *workload.claim_templates, pod.name,
                           workload.object->spec()["ordinals"]["start"]);
  std::ranges::transform(k8s::labels_in(*admitted.runtime_labels),
                         std::back_inserter(pod.requirements.selector), k8s::requirement_of);
  pod.overhead = admitted.unwritten.overhead;
  pod.tolerations.insert(pod.tolerations.end(), admitted.tolerations.begin(),
                         admitted.tolerations.end());
  pod.has_resource_tolerations = admission.extended_resource_toleration;
  pod.priority = std::move(admitted.priority);
  pod.policy = std::move(admitted.policy);
  pod.not_created = std::move(admitted.not_created);
  pod.requests = requests_of(pod.spec, admitted.unwritten);
  note_admission(admitted, pod);
  pod.resource_tolerations = std::move(admitted.resource_tolerations);
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

}  // namespace cnsched::sim

#include "core/workspace/admission.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/facts/known_pools.h"
#include "core/k8s/admission.h"
#include "core/k8s/limit_range.h"
#include "core/yaml/tree.h"

namespace cnsched {

namespace {

using k8s::Toleration;
using yaml::Node;

/// Makes nodes that no file has.
class Nodes {
 public:
  explicit Nodes(Arena& arena) : arena_(arena) {}

  const Node& text(std::string_view value) const {
    return yaml::string_like(arena_, yaml::nowhere(), value);
  }
  yaml::Entry entry(yaml::Key key, const Node& value) const {
    return yaml::entry_of(arena_, key, value);
  }
  const Node& mapping(const std::vector<yaml::Entry>& entries) const {
    return yaml::mapping_like(arena_, yaml::nowhere(), entries);
  }
  const Node& integer(std::int64_t value) const {
    return yaml::integer_like(arena_, yaml::nowhere(), value);
  }
  const Node& list(const Node& item) const {
    return yaml::sequence_like(arena_, yaml::nowhere(), {&item});
  }
  const Node& toleration(const Toleration& t) const {
    if (t.node != nullptr && t.node->is_mapping()) return *t.node;
    std::vector<yaml::Entry> entries = {entry("key"_key, text(t.key)),
                                        entry("operator"_key, text(t.op)),
                                        entry("effect"_key, text(t.effect))};
    if (t.seconds) entries.push_back(entry("tolerationSeconds"_key, integer(*t.seconds)));
    const Node& like = t.node != nullptr ? *t.node : yaml::nowhere();
    return yaml::mapping_like(arena_, like, entries);
  }

 private:
  Arena& arena_;
};

/// Whether Knative runs the pod.
bool is_on_knative(const Workload& workload) {
  return workload.mode.mode == kserve::DeploymentMode::knative &&
         !workload.component.ends_with("worker");
}

/// The container of Knative, and its preference to spread the pods of a revision over nodes if they
/// have no affinity [N14, N20].
const Node& with_knative(const Workload& workload, const Admission& admission, Arena& arena) {
  const Nodes make(arena);
  const Node& requests = make.mapping({make.entry("cpu"_key, make.text("25m"))});
  const Node& proxy = make.mapping(
      {make.entry("name"_key, make.text("queue-proxy")),
       make.entry("resources"_key, make.mapping({make.entry("requests"_key, requests)}))});
  const Node& spec = workload.pod.node();
  const Node& with_proxy =
      yaml::with(arena, spec, "containers"_key, yaml::with_item(arena, spec["containers"], proxy));
  if (spec["affinity"] || !admission.does_knative_spread) return with_proxy;
  constexpr std::string_view kRevision = "serving.knative.dev/revision";
  const Node& labels = make.mapping({{make.text(kRevision), workload.labels->under(kRevision)}});
  const Node& selector = make.mapping({make.entry("matchLabels"_key, labels)});
  const Node& term = make.mapping(
      {make.entry("weight"_key, make.integer(100)),
       make.entry(
           "podAffinityTerm"_key,
           make.mapping({make.entry("labelSelector"_key, selector),
                         make.entry("topologyKey"_key, make.text("kubernetes.io/hostname"))}))});
  const Node& preference = make.mapping(
      {make.entry("preferredDuringSchedulingIgnoredDuringExecution"_key, make.list(term))});
  return yaml::with(arena, with_proxy, "affinity"_key,
                    make.mapping({make.entry("podAntiAffinity"_key, preference)}));
}

/// Whether the API server has already admitted the Pod, which was printed from a cluster.
bool is_printed(const Workload& workload) {
  return workload.object->is("", "Pod") && (*workload.object)["metadata"]["uid"];
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

/// The plugins in their order. Of several that reject the pod, LimitRanger is reported, else the
/// first one.
class Admitter {
 public:
  Admitter(const Workload& workload, const Admission& admission, Arena& arena)
      : workload_(workload), admission_(admission), arena_(arena) {
    pod_.spec = is_on_knative(workload) ? k8s::PodSpec(with_knative(workload, admission, arena))
                                        : workload.pod;
  }

  AdmittedPod result(const std::optional<k8s::ShippedBase>& base) && {
    add_priority();
    add_tolerations();
    add_runtime_class();
    pod_.unwritten.base = base;
    apply_limit_ranges();
    return std::move(pod_);
  }

 private:
  void reject(std::string reason, const Node* in_pod) {
    if (!pod_.not_created.reason.empty()) return;
    pod_.not_created = not_created(workload_, std::move(reason), nullptr);
    pod_.not_created.in_pod = in_pod;
  }

  void add_priority() {
    const PriorityClasses& classes = admission_.priority_classes;
    pod_.priority = is_printed(workload_) ? priority_of_running(pod_.spec, classes)
                                          : priority_of_new(pod_.spec, classes);
    if (!pod_.priority.rejection.empty()) reject(pod_.priority.rejection, pod_.priority.rejected);
  }

  void add_tolerations() {
    if (workload_.object->kind == "DaemonSet") {
      pod_.tolerations = k8s::daemon_tolerations(pod_.spec);
    }
    std::vector<Toleration> own = pod_.spec.tolerations();
    own.insert(own.end(), pod_.tolerations.begin(), pod_.tolerations.end());
    const std::vector<Toleration> defaults = k8s::default_tolerations(own);
    pod_.tolerations.insert(pod_.tolerations.end(), defaults.begin(), defaults.end());
    pod_.resource_tolerations = k8s::resource_tolerations(pod_.spec);
  }

  /// Source: plugin/pkg/admission/runtimeclass/admission.go, of Kubernetes 1.36.
  void add_runtime_class() {
    pod_.unwritten.overhead = &pod_.spec["overhead"];
    const Node& name = pod_.spec["runtimeClassName"];
    if (name.text().empty()) return;
    const k8s::Object* known = k8s::runtime_class_of(pod_.spec, admission_.runtime_classes);
    if (known == nullptr) {
      if (!admission_.has_all_runtime_classes || is_printed(workload_)) {
        pod_.unknown_runtime_class = name.text();
      } else {
        reject(fmt::format("pod rejected: RuntimeClass \"{}\" not found", printable(name.text())),
               &name);
      }
      return;
    }
    const Node& scheduling = (*known)["scheduling"];
    pod_.runtime_labels = &scheduling["nodeSelector"];
    const std::vector<Toleration> added = k8s::tolerations_in(scheduling["tolerations"]);
    pod_.tolerations.insert(pod_.tolerations.end(), added.begin(), added.end());
    const Node& overhead = (*known)["overhead"]["podFixed"];
    if (!overhead.is_empty()) pod_.unwritten.overhead = &overhead;
  }

  /// Those of the pod's namespace set amounts, or reject the pod. The stored pod has everything
  /// that is unwritten but the overhead.
  void apply_limit_ranges() {
    pod_.policy = policy_for(workload_.object->ns, admission_.policies);
    if (pod_.policy.objects.empty()) return;
    const std::vector<const k8s::Object*>& limit_ranges = pod_.policy.objects.limit_ranges;
    pod_.spec = k8s::PodSpec(
        k8s::with_default_resources(pod_.spec, pod_.unwritten.base, limit_ranges, arena_));
    pod_.unwritten.base.reset();
    k8s::Violation violation = k8s::violation_of(pod_.spec, limit_ranges);
    if (violation.reason.empty()) return;
    NotCreated& why = pod_.not_created;
    if (violation.is_invalid) {
      why = {.event = rejection_event(workload_, " is invalid: " + violation.reason, "Pod"),
             .by = violation.by};
      why.reason = std::move(violation.reason);
    } else {
      why = not_created(workload_, std::move(violation.reason), violation.by);
    }
    why.in_pod = violation.in_pod;
  }

  const Workload& workload_;
  const Admission& admission_;
  Arena& arena_;
  AdmittedPod pod_;
};

}  // namespace

Admission admission_of(const ClusterScope& scope, const facts::ClusterFacts& facts,
                       const KnownObjects& objects) {
  using enum k8s::SchedulingKind;
  Admission admission;
  const std::optional<bool>& stated = facts.extended_resource_toleration;
  if (stated || std::ranges::any_of(facts.pools, facts::has_extended_resource_toleration)) {
    admission.extended_resource_toleration = truth_of(stated.value_or(true));
  }
  admission.runtime_classes = facts.runtime_classes;
  admission.has_all_runtime_classes =
      !facts.unread_types.contains("runtimeclasses.node.k8s.io") &&
      (objects.is_dump() ||
       std::ranges::any_of(facts.runtime_classes,
                           [&](const k8s::Object* object) { return scope.is_fact(*object); }));
  admission.priority_classes =
      PriorityClasses(objects[priority_class], objects.knows_all(priority_class));
  admission.policies = policy_objects(objects[limit_range], objects[resource_quota]);
  constexpr Version kSpreads{1, 15, 0};
  admission.does_knative_spread = !facts.knative || *facts.knative >= kSpreads;
  return admission;
}

Admission admission_for(const Workload& workload) {
  const ClusterScope& scope = *workload.scope;
  const facts::ClusterFacts& facts = scope.facts(*workload.object);
  return admission_of(scope, facts, KnownObjects(scope, facts));
}

NotCreated not_created(const Workload& workload, std::string reason, const k8s::Object* by) {
  NotCreated result{.event = rejection_event(workload, " is forbidden: " + reason), .by = by};
  result.reason = std::move(reason);
  return result;
}

AdmittedPod admit(const Workload& workload, const Admission& admission, Arena& arena,
                  const std::optional<k8s::ShippedBase>& base) {
  return Admitter(workload, admission, arena).result(base);
}

std::string runtime_class_conflict(const k8s::PodSpec& pod,
                                   const std::vector<const k8s::Object*>& runtime_classes) {
  if (pod["runtimeClassName"].text().empty()) return {};
  const k8s::Object* known = k8s::runtime_class_of(pod, runtime_classes);
  if (known == nullptr) return {};
  for (const yaml::Entry& label : (*known)["scheduling"]["nodeSelector"].entries()) {
    const Node& own = pod["nodeSelector"].under(label.key->text());
    if (!own || own.text() == label.value->text()) continue;
    return fmt::format(
        "pod rejected: conflict: runtimeClass.scheduling.nodeSelector[{0}] = {1}; "
        "pod.spec.nodeSelector[{0}] = {2}",
        printable(label.key->text()), printable(label.value->text()), printable(own.text()));
  }
  return {};
}

Workload admitted_workload(const Workload& workload, const Admission& admission, Arena& arena) {
  const AdmittedPod pod = admit(workload, admission, arena);
  Workload admitted = workload;
  if (const NotCreated& why = pod.not_created; !why.reason.empty()) {
    const std::string by = why.by == nullptr
                               ? "the API server rejects it"
                               : fmt::format("LimitRange '{}' rejects it", printable(why.by->name));
    admitted.never_created = k8s::NeverCreated{fmt::format("{}: {}", by, why.reason),
                                               k8s::NeverCreated::By::api_server, why.in_pod};
    return admitted;
  }
  const auto note_unknown = [&](std::string what, k8s::Unknown::Fact fact) {
    admitted.unknown.push_back({std::move(what), k8s::Unknown::Kind::creation, fact});
  };
  const Node* spec = &pod.spec.node();
  const auto set = [&](yaml::Key field, const Node& value) {
    spec = &yaml::with(arena, *spec, field, value);
  };
  if (!pod.runtime_labels->is_empty()) {
    yaml::Overlay selector(arena);
    selector.add_all((*spec)["nodeSelector"]);
    selector.add_all(*pod.runtime_labels);
    set("nodeSelector"_key, selector.mapping(*pod.runtime_labels));
  }
  if (!pod.unwritten.overhead->is_empty()) set("overhead"_key, *pod.unwritten.overhead);
  const Nodes make(arena);
  if (pod.priority.value && admission.priority_classes.find((*spec)["priorityClassName"].text())) {
    set("priority"_key, make.integer(*pod.priority.value));
    set("preemptionPolicy"_key,
        make.text(pod.priority.never_preempts ? "Never" : "PreemptLowerPriority"));
  }
  std::vector<Toleration> tolerations = pod.tolerations;
  if (admission.extended_resource_toleration == Truth::yes) {
    tolerations.insert(tolerations.end(), pod.resource_tolerations.begin(),
                       pod.resource_tolerations.end());
  } else if (admission.extended_resource_toleration == Truth::unknown &&
             !pod.resource_tolerations.empty()) {
    note_unknown("whether the admission plugin ExtendedResourceToleration adds tolerations",
                 k8s::Unknown::Fact::admission_plugin);
  }
  for (const Toleration& t : tolerations) {
    set("tolerations"_key, yaml::with_item(arena, (*spec)["tolerations"], make.toleration(t)));
  }
  if (!pod.unknown_runtime_class.empty()) {
    note_unknown(fmt::format("what RuntimeClass '{}' adds", printable(pod.unknown_runtime_class)),
                 k8s::Unknown::Fact::runtime_class);
  }
  if (pod.policy.is_assumed) {
    note_unknown(fmt::format("whether the pod is created in namespace '{}', whose LimitRanges are "
                             "given (--namespace says it)",
                             printable(pod.policy.ns.name)),
                 k8s::Unknown::Fact::object);
  } else if (!pod.policy.unknown.empty()) {
    note_unknown(pod.policy.unknown, k8s::Unknown::Fact::object);
  }
  admitted.pod = k8s::PodSpec(*spec);
  return admitted;
}

}  // namespace cnsched

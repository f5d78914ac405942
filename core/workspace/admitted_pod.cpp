#include "core/workspace/admitted_pod.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/k8s/admission.h"
#include "core/k8s/limit_range.h"
#include "core/yaml/tree.h"

namespace cnsched {

namespace {

using k8s::Toleration;
using yaml::Node;

class Admitter {
 public:
  Admitter(const Workload& workload, const facts::ClusterFacts& facts, Arena& arena)
      : admitted_(workload), facts_(facts), arena_(arena), spec_(&workload.pod.node()) {}

  Workload result() && {
    const Admitted admitted = admit(admitted_, facts_.runtime_classes);
    if (is_on_knative(admitted_)) add_knative();
    apply_limit_ranges();
    if (admitted.is_runtime_class_unknown) {
      note_unknown(fmt::format("what RuntimeClass '{}' adds",
                               printable((*spec_)["runtimeClassName"].text())),
                   k8s::Unknown::Fact::runtime_class);
    }
    if (!admitted.runtime_labels->is_empty()) {
      yaml::Overlay selector(arena_);
      selector.add_all((*spec_)["nodeSelector"]);
      selector.add_all(*admitted.runtime_labels);
      set("nodeSelector"_key, selector.mapping(*admitted.runtime_labels));
    }
    if (!admitted.overhead->is_empty()) set("overhead"_key, *admitted.overhead);
    add_tolerations(admitted.tolerations);
    add_resource_tolerations(admitted.resource_tolerations);
    admitted_.pod = k8s::PodSpec(*spec_);
    return std::move(admitted_);
  }

 private:
  const Node& text(std::string_view value) const {
    return yaml::string_like(arena_, yaml::nowhere(), value);
  }
  yaml::Entry entry(yaml::Key key, const Node& value) const {
    return yaml::entry_of(arena_, key, value);
  }
  const Node& mapping(const std::vector<yaml::Entry>& entries) const {
    return yaml::mapping_like(arena_, yaml::nowhere(), entries);
  }
  void set(yaml::Key field, const Node& value) {
    spec_ = &yaml::with(arena_, *spec_, field, value);
  }
  void note_unknown(std::string what, k8s::Unknown::Fact fact) {
    admitted_.unknown.push_back({std::move(what), k8s::Unknown::Kind::creation, fact});
  }

  /// Those of the pod's namespace set amounts, or reject the pod.
  void apply_limit_ranges() {
    std::vector<const k8s::Object*> limit_ranges;
    for (const k8s::Object* each : facts_.scheduling[k8s::SchedulingKind::limit_range]) {
      if (each->ns == admitted_.object->ns) limit_ranges.push_back(each);
    }
    if (limit_ranges.empty()) return;
    spec_ = &k8s::with_default_resources(k8s::PodSpec(*spec_), {}, limit_ranges, arena_);
    const k8s::Violation violation = k8s::violation_of(k8s::PodSpec(*spec_), limit_ranges);
    if (violation.reason.empty()) return;
    const std::string by = violation.by == nullptr ? "the API server rejects it"
                                                   : fmt::format("LimitRange '{}' rejects it",
                                                                 printable(violation.by->name));
    admitted_.never_created = k8s::NeverCreated{fmt::format("{}: {}", by, violation.reason),
                                                k8s::NeverCreated::By::api_server};
  }

  /// Knative spreads the pods of a revision over nodes if they have no affinity.
  void add_knative() {
    const Node& proxy = mapping(
        {entry("name"_key, text("queue-proxy")),
         entry(
             "resources"_key,
             mapping({entry("requests"_key, mapping({entry("cpu"_key, text(kQueueProxyCpu))}))}))});
    set("containers"_key, yaml::with_item(arena_, (*spec_)["containers"], proxy));
    constexpr Version kSpreads{1, 15, 0};
    if ((*spec_)["affinity"] || (facts_.knative && *facts_.knative < kSpreads)) return;
    constexpr std::string_view kRevision = "serving.knative.dev/revision";
    const Node& labels = mapping({{&text(kRevision), &(*admitted_.labels)[kRevision]}});
    const Node& term = mapping(
        {entry("weight"_key, yaml::integer_like(arena_, yaml::nowhere(), 100)),
         entry("podAffinityTerm"_key,
               mapping({entry("labelSelector"_key, mapping({entry("matchLabels"_key, labels)})),
                        entry("topologyKey"_key, text("kubernetes.io/hostname"))}))});
    set("affinity"_key,
        mapping({entry("podAntiAffinity"_key,
                       mapping({entry("preferredDuringSchedulingIgnoredDuringExecution"_key,
                                      yaml::sequence_like(arena_, yaml::nowhere(), {&term}))}))}));
  }

  void add_resource_tolerations(const std::vector<Toleration>& tolerations) {
    if (tolerations.empty() || facts_.extended_resource_toleration == false) return;
    if (facts_.extended_resource_toleration == true) {
      add_tolerations(tolerations);
    } else {
      note_unknown("whether the admission plugin ExtendedResourceToleration adds tolerations",
                   k8s::Unknown::Fact::admission_plugin);
    }
  }

  void add_tolerations(const std::vector<Toleration>& tolerations) {
    for (const Toleration& t : tolerations) {
      const Node* list = &(*spec_)["tolerations"];
      set("tolerations"_key, yaml::with_item(arena_, *list, node_of(t)));
    }
  }

  const Node& node_of(const Toleration& t) const {
    if (t.node != nullptr && t.node->is_mapping()) return *t.node;
    std::vector<yaml::Entry> entries = {entry("key"_key, text(t.key)),
                                        entry("operator"_key, text(t.op)),
                                        entry("effect"_key, text(t.effect))};
    if (t.seconds) {
      entries.push_back(
          entry("tolerationSeconds"_key, yaml::integer_like(arena_, yaml::nowhere(), *t.seconds)));
    }
    const Node& like = t.node != nullptr ? *t.node : yaml::nowhere();
    return yaml::mapping_like(arena_, like, entries);
  }

  Workload admitted_;
  const facts::ClusterFacts& facts_;
  Arena& arena_;
  const Node* spec_;
};

}  // namespace

bool is_on_knative(const Workload& workload) {
  return workload.mode.mode == kserve::DeploymentMode::knative &&
         !workload.component.ends_with("worker");
}

namespace {

/// Source: plugin/pkg/admission/runtimeclass/admission.go, of Kubernetes 1.36.
void add_runtime_class(const k8s::Object& runtime_class, const k8s::PodSpec& pod,
                       Admitted& admitted) {
  const Node& scheduling = runtime_class["scheduling"];
  admitted.runtime_labels = &scheduling["nodeSelector"];
  const std::vector<Toleration> tolerations = k8s::tolerations_in(scheduling["tolerations"]);
  admitted.tolerations.insert(admitted.tolerations.end(), tolerations.begin(), tolerations.end());
  for (const yaml::Entry& label : admitted.runtime_labels->entries()) {
    const Node& own = pod["nodeSelector"][label.key->text()];
    if (!own || own.text() == label.value->text()) continue;
    admitted.rejection = fmt::format(
        "pod rejected: conflict: runtimeClass.scheduling.nodeSelector[{0}] = {1}; "
        "pod.spec.nodeSelector[{0}] = {2}",
        printable(label.key->text()), printable(label.value->text()), printable(own.text()));
  }
  const Node& overhead = runtime_class["overhead"]["podFixed"];
  if (!overhead.is_empty()) admitted.overhead = &overhead;
}

}  // namespace

Admitted admit(const Workload& workload, const std::vector<const k8s::Object*>& runtime_classes) {
  const k8s::PodSpec& pod = workload.pod;
  Admitted admitted{.overhead = &pod["overhead"]};
  if (workload.object->kind == "DaemonSet") admitted.tolerations = k8s::daemon_tolerations(pod);
  std::vector<Toleration> own = pod.tolerations();
  own.insert(own.end(), admitted.tolerations.begin(), admitted.tolerations.end());
  const std::vector<Toleration> defaults = k8s::default_tolerations(own);
  admitted.tolerations.insert(admitted.tolerations.end(), defaults.begin(), defaults.end());
  admitted.resource_tolerations = k8s::resource_tolerations(pod);
  if (pod["runtimeClassName"].text().empty()) return admitted;
  if (const k8s::Object* known = k8s::runtime_class_of(pod, runtime_classes)) {
    add_runtime_class(*known, pod, admitted);
  } else {
    admitted.is_runtime_class_unknown = true;
  }
  return admitted;
}

Workload admitted_workload(const Workload& workload, const facts::ClusterFacts& facts,
                           Arena& arena) {
  return Admitter(workload, facts, arena).result();
}

}  // namespace cnsched

#include "core/workspace/admitted_pod.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/k8s/admission.h"
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
    if (is_on_knative(admitted_)) add_knative();
    const k8s::PodSpec before(*spec_);
    std::vector<Toleration> tolerations;
    if (admitted_.object->kind == "DaemonSet") tolerations = k8s::daemon_tolerations(before);
    add_runtime_class(tolerations);
    std::vector<Toleration> own = before.tolerations();
    own.insert(own.end(), tolerations.begin(), tolerations.end());
    const std::vector<Toleration> defaults = k8s::default_tolerations(own);
    tolerations.insert(tolerations.end(), defaults.begin(), defaults.end());
    add_resource_tolerations(tolerations);
    add_tolerations(tolerations);
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

  void add_runtime_class(std::vector<Toleration>& tolerations) {
    const Node& name = (*spec_)["runtimeClassName"];
    if (name.text().empty()) return;
    const k8s::Object* found = k8s::runtime_class_of(k8s::PodSpec(*spec_), facts_.runtime_classes);
    if (found == nullptr) {
      note_unknown(fmt::format("what RuntimeClass '{}' adds", printable(name.text())),
                   k8s::Unknown::Fact::runtime_class);
      return;
    }
    const Node& scheduling = (*found)["scheduling"];
    if (const Node& labels = scheduling["nodeSelector"]; !labels.is_empty()) {
      yaml::Overlay selector(arena_);
      selector.add_all((*spec_)["nodeSelector"]);
      selector.add_all(labels);
      set("nodeSelector"_key, selector.mapping(labels));
    }
    tolerations = k8s::tolerations_in(scheduling["tolerations"]);
    if (const Node& overhead = (*found)["overhead"]["podFixed"]; !overhead.is_empty()) {
      set("overhead"_key, overhead);
    }
  }

  void add_resource_tolerations(std::vector<Toleration>& tolerations) {
    const std::vector<Toleration> more = k8s::resource_tolerations(k8s::PodSpec(*spec_));
    if (more.empty() || facts_.extended_resource_toleration == false) return;
    if (facts_.extended_resource_toleration == true) {
      tolerations.insert(tolerations.end(), more.begin(), more.end());
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

Workload admitted_workload(const Workload& workload, const facts::ClusterFacts& facts,
                           Arena& arena) {
  return Admitter(workload, facts, arena).result();
}

}  // namespace cnsched

#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/k8s/selector.h"
#include "core/k8s/taint.h"
#include "core/sim/simulation.h"
#include "core/yaml/node.h"

namespace cnsched::change {

/// The parts of a pod that decide where it runs, in the order in which changes are shown.
enum class Part : unsigned char {
  mode,  ///< KServe's deployment mode
  replicas,
  node_name,
  node_selector,
  affinity,
  tolerations,
  topology_spread,
  runtime_class,
  priority,
  scheduler,
  gates,
  queue,   ///< of Kueue
  labels,  ///< that selectors of pods read
  claims,  ///< of dynamic resource allocation
  resources,
  overhead,
  host_ports,
  volumes,
  total,    ///< the requests of the whole pod
  unknown,  ///< which facts about the pod are unknown
  node,     ///< not of a pod: a label, a taint or a resource of a node or a pool
};
/// "nodeSelector": for JSON.
std::string_view name_of(Part part);

/// One value that decides where a pod runs, in canonical words: two pods with the same facts are
/// the same for placement. A name may occur several times (tolerations, terms).
struct Fact {
  Part part = Part::mode;
  std::string name;                  ///< "nodeSelector['pool']"
  std::string value;                 ///< "l4"; not yet printable
  std::string shown{};               ///< the value for readers, if it differs
  const yaml::Node* node = nullptr;  ///< that has the value; null: no input has it
  std::string_view group{};          ///< of amounts of a container, its name

  const std::string& text() const { return shown.empty() ? value : shown; }
  friend bool operator==(const Fact& a, const Fact& b) {
    return a.part == b.part && a.name == b.name && a.value == b.value;
  }
  friend auto operator<=>(const Fact& a, const Fact& b) {
    return std::tie(a.part, a.name, a.value) <=> std::tie(b.part, b.name, b.value);
  }
};

/// The keys of labels that selectors of a simulation's pods read. Other labels of pods do not
/// affect placement.
using LabelKeys = std::set<std::string, std::less<>>;
void add_selected_keys(const sim::Simulation& simulation, LabelKeys& keys);

/// The facts about a pod and its replicas, sorted. None if the pod is never created.
std::vector<Fact> facts_of(const sim::Simulated& pod, const LabelKeys& selected);

/// The list or object of the pod that is nearest to such a fact, which the pod does not have.
const yaml::Node& nearest_to(const Fact& fact, const sim::Simulated& pod);

// Texts that are equal only for values that mean the same to the scheduler: defaults are written
// out, and what has no order is sorted. Readers see them, too.

/// `text`, in quotes if it has characters that labels and names do not have.
std::string word(std::string_view text);
/// The same, always in quotes: 'main'.
std::string quoted(std::string_view text);
/// "nodeSelector['pool']".
std::string entry_name(std::string_view map, std::string_view key);

/// "a=b, pool in (a100, l4), !spot". Empty for no requirement.
std::string conjunction(const std::vector<k8s::Requirement>& requirements);
/// As kubectl describes it: "dedicated=ml:NoSchedule", "nvidia.com/gpu:NoSchedule op=Exists".
std::string toleration_text(const k8s::Toleration& toleration);
/// "dedicated=ml:NoSchedule".
std::string taint_text(const k8s::Taint& taint);
/// A term of podAffinity or podAntiAffinity of a pod of namespace `ns`.
std::string affinity_term_text(const yaml::Node& term, std::string_view ns);
/// "maxSkew 1, DoNotSchedule: app=a".
std::string spread_text(const yaml::Node& constraint);

/// Any value on one line, keys sorted, without null values and empty maps and lists. Cut at a depth
/// and a size that no honest manifest reaches.
std::string flow_text(const yaml::Node& node);

/// An amount of a resource.
struct Amount {
  std::string value;  ///< equal for equal amounts: "1500m", "1073741824"
  std::string shown;  ///< in the notation of the manifest: "1Gi"
};
Amount amount_in(const yaml::Node& quantity);

}  // namespace cnsched::change

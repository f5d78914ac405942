// Filters pseudo-random clusters and pods twice: with the simulator, which works on sets of nodes,
// and with a reference implementation that filters pair by pair, as kube-scheduler does.

#include "testdata/chance.h"
#include "testdata/scenario.h"

namespace cnsched::sim::properties_test {

using Labels = std::map<std::string, std::string>;

struct AnyTaint {
  std::string key;
  std::string effect;
};

struct AnyNode {
  std::string name;
  Labels labels;
  std::vector<AnyTaint> taints;
  bool is_cordoned = false;
  int cpu = 0;
  int pods = 0;
  int devices = 0;
};

/// A PersistentVolume that the nodes of one zone can mount.
struct AnyVolume {
  std::string zone;
  int size = 0;
  bool is_bound = false;
};

/// matchLabels. labelSelector is null if it is not written.
struct AnySelector {
  bool is_written = true;
  Labels labels;
};

struct AnyTerm {
  std::string key;
  AnySelector selector;
  std::set<std::string> namespaces;
  bool has_all_namespaces = false;
};

struct AnyConstraint {
  std::string key;
  int max_skew = 1;
  int min_domains = 1;
  AnySelector selector;
  bool ignores_affinity = false;
  bool honors_taints = false;
};

struct AnyPod {
  std::string ns;
  Labels labels;
  int cpu = 0;
  int port = 0;
  int devices = 0;
  std::vector<AnyTerm> near;
  std::vector<AnyTerm> apart;
  // Only for pods to schedule:
  Labels selector;
  std::vector<AnyTaint> tolerations;
  std::vector<AnyConstraint> spread;
  std::optional<std::size_t> volume;  ///< a volume to which its claim is bound
  std::vector<int> sizes;             ///< of claims that wait for a node
  // Only for running pods:
  std::size_t node = 0;
  bool is_terminating = false;
};

struct AnyCluster {
  std::vector<AnyNode> nodes;
  std::vector<AnyPod> pods;
  std::vector<AnyVolume> volumes;
};

// Random clusters and pods.

AnyNode any_node(Chance& chance, std::size_t i) {
  AnyNode node{.name = fmt::format("n{}", i)};
  if (!chance.one_in(6)) node.labels["zone"] = chance.any_of({"a", "b", "c"});
  if (!chance.one_in(6)) node.labels["host"] = node.name;
  if (chance.one_in(2)) node.labels["pool"] = chance.any_of({"p", "q"});
  if (chance.one_in(4)) {
    node.taints.push_back({"k", chance.any_of({"NoSchedule", "NoExecute", "PreferNoSchedule"})});
  }
  node.is_cordoned = chance.one_in(10);
  node.cpu = static_cast<int>(2 + chance.below(4));
  node.pods = static_cast<int>(2 + chance.below(6));
  node.devices = static_cast<int>(chance.below(4));
  return node;
}

AnySelector any_selector(Chance& chance) {
  AnySelector selector{.is_written = !chance.one_in(12)};
  if (!chance.one_in(8)) selector.labels["app"] = chance.any_of({"x", "y"});
  if (chance.one_in(5)) selector.labels["tier"] = "t";
  return selector;
}

std::vector<AnyTerm> any_terms(Chance& chance, std::size_t one_in) {
  std::vector<AnyTerm> terms;
  while (chance.one_in(one_in) && terms.size() < 2) {
    AnyTerm term{.key = chance.any_of({"zone", "host"}), .selector = any_selector(chance)};
    if (chance.one_in(4)) term.namespaces = {chance.any_of({"n1", "n2"})};
    term.has_all_namespaces = chance.one_in(6);
    terms.push_back(std::move(term));
  }
  return terms;
}

constexpr std::size_t kVolumes = 5;

AnyPod any_pod(Chance& chance) {
  AnyPod pod{.ns = chance.any_of({"n1", "n1", "n2"})};
  pod.labels["app"] = chance.any_of({"x", "y", "z"});
  if (chance.one_in(3)) pod.labels["tier"] = "t";
  pod.cpu = static_cast<int>(chance.below(3));
  if (chance.one_in(6)) pod.port = static_cast<int>(80 + chance.below(2));
  return pod;
}

AnyPod any_new_pod(Chance& chance) {
  AnyPod pod = any_pod(chance);
  pod.near = any_terms(chance, 3);
  pod.apart = any_terms(chance, 3);
  if (chance.one_in(4)) pod.selector["pool"] = "p";
  if (chance.one_in(2)) pod.tolerations.push_back({"k", chance.any_of({"", "NoSchedule"})});
  while (chance.one_in(2) && pod.spread.size() < 2) {
    pod.spread.push_back({.key = pod.spread.empty() ? "zone" : "host",
                          .max_skew = static_cast<int>(1 + chance.below(2)),
                          .min_domains = static_cast<int>(1 + chance.below(4)),
                          .selector = any_selector(chance),
                          .ignores_affinity = chance.one_in(3),
                          .honors_taints = chance.one_in(3)});
  }
  if (chance.one_in(5)) pod.volume = chance.below(kVolumes);
  while (chance.one_in(4) && pod.sizes.size() < 2) {
    pod.sizes.push_back(static_cast<int>(1 + chance.below(4)));
  }
  if (chance.one_in(4)) pod.devices = static_cast<int>(1 + chance.below(2));
  return pod;
}

AnyCluster any_cluster(Chance& chance) {
  AnyCluster cluster;
  const std::size_t nodes = 1 + chance.below(9);
  for (std::size_t i = 0; i < nodes; ++i) cluster.nodes.push_back(any_node(chance, i));
  const std::size_t pods = 1 + chance.below(10);
  for (std::size_t i = 0; i < pods; ++i) {
    AnyPod pod = any_pod(chance);
    pod.apart = any_terms(chance, 5);
    pod.node = chance.below(nodes);
    pod.is_terminating = chance.one_in(6);
    pod.devices = chance.one_in(3) && cluster.nodes[pod.node].devices > 0 ? 1 : 0;
    cluster.nodes[pod.node].devices += pod.devices == 0 ? 0 : 1;  // there is one for each
    cluster.pods.push_back(std::move(pod));
  }
  for (std::size_t i = 0; i < kVolumes; ++i) {
    cluster.volumes.push_back({.zone = chance.any_of({"a", "b", "c"}),
                               .size = static_cast<int>(1 + chance.below(4)),
                               .is_bound = chance.one_in(2)});
  }
  return cluster;
}

// Conversion to manifests.

std::string written(const Labels& labels) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : labels) parts.push_back(fmt::format("{}: {}", key, value));
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

std::string written(const std::vector<AnyTaint>& taints, const std::string& more) {
  std::string text;
  for (const AnyTaint& taint : taints) {
    text += fmt::format("{{key: {}{}{}}}, ", taint.key, more,
                        taint.effect.empty() ? "" : ", effect: " + taint.effect);
  }
  return "[" + text + "]";
}

std::string written(const AnySelector& selector) {
  return selector.is_written ? "labelSelector: {matchLabels: " + written(selector.labels) + "}"
                             : "labelSelector: null";
}

std::string written(const std::vector<AnyTerm>& terms) {
  std::string text;
  for (const AnyTerm& term : terms) {
    text += fmt::format("{{topologyKey: {}, {}, namespaces: [{}]{}}}, ", term.key,
                        written(term.selector), fmt::join(term.namespaces, ", "),
                        term.has_all_namespaces ? ", namespaceSelector: {}" : "");
  }
  return "{requiredDuringSchedulingIgnoredDuringExecution: [" + text + "]}";
}

std::string written(const std::vector<AnyConstraint>& constraints) {
  std::string text;
  for (const AnyConstraint& c : constraints) {
    text += fmt::format(
        "{{topologyKey: {}, maxSkew: {}, minDomains: {}, whenUnsatisfiable: DoNotSchedule, "
        "{}{}{}}}, ",
        c.key, c.max_skew, c.min_domains, written(c.selector),
        c.ignores_affinity ? ", nodeAffinityPolicy: Ignore" : "",
        c.honors_taints ? ", nodeTaintsPolicy: Honor" : "");
  }
  return "[" + text + "]";
}

/// `name` is the pod's, and begins the names of its claims.
std::string spec_of(const AnyPod& pod, const std::string& name) {
  std::vector<std::string> claims;
  if (pod.volume) claims.push_back(fmt::format("bound-{}", *pod.volume));
  for (std::size_t i = 0; i < pod.sizes.size(); ++i) {
    claims.push_back(fmt::format("{}-{}", name, i));
  }
  std::string volumes;
  for (const std::string& claim : claims) {
    volumes += fmt::format("{{name: {0}, persistentVolumeClaim: {{claimName: {0}}}}}, ", claim);
  }
  return fmt::format(
      "containers: [{{name: c, image: i, resources: {{requests: {{cpu: {}}}}}, ports: [{{hostPort: "
      "{}}}]}}], affinity: {{podAffinity: {}, podAntiAffinity: {}}}, nodeSelector: {}, "
      "tolerations: "
      "{}, topologySpreadConstraints: {}, volumes: [{}], resourceClaims: [{}]",
      pod.cpu, pod.port, written(pod.near), written(pod.apart), written(pod.selector),
      written(pod.tolerations, ", operator: Exists"), written(pod.spread), volumes,
      pod.devices == 0 ? "" : fmt::format("{{name: g, resourceClaimName: {}}}", name));
}

std::string claim_of_volume(const std::string& name, const std::string& ns, const std::string& more,
                            const std::string& annotations = "") {
  return fmt::format(
      "---\n{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: {}, namespace: {}, "
      "annotations: {{{}}}}}, spec: {{storageClassName: disk, accessModes: [ReadWriteOnce], {}}}\n",
      name, ns, annotations, more);
}

/// The claims of a pod, as the API server has them. `status`: of its claim for devices.
std::string claims_of(const AnyPod& pod, const std::string& name, const std::string& status) {
  std::string text;
  for (std::size_t i = 0; i < pod.sizes.size(); ++i) {
    text += claim_of_volume(
        fmt::format("{}-{}", name, i), pod.ns,
        fmt::format("resources: {{requests: {{storage: {}Gi}}}}}}, status: {{phase: Pending}}",
                    pod.sizes[i]));
  }
  if (pod.devices == 0) return text;
  return text +
         fmt::format(
             "---\n{{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: {}, "
             "namespace: {}}}, spec: {{devices: {{requests: [{{name: r, exactly: "
             "{{deviceClassName: gpu, allocationMode: ExactCount, count: {}}}}}]}}}}{}}}\n",
             name, pod.ns, pod.devices, status);
}

std::string written(const AnyVolume& volume, std::size_t i) {
  std::string text = fmt::format(
      "---\n{{apiVersion: v1, kind: PersistentVolume, metadata: {{name: v{}}}, spec: {{"
      "storageClassName: disk, accessModes: [ReadWriteOnce], capacity: {{storage: {}Gi}}, "
      "local: {{path: /x}}, nodeAffinity: {{required: {{nodeSelectorTerms: [{{matchExpressions: "
      "[{{key: zone, operator: In, values: [{}]}}]}}]}}}}{}}}, status: {{phase: {}}}}}\n",
      i, volume.size, volume.zone,
      volume.is_bound ? fmt::format(", claimRef: {{name: bound-{}, namespace: n1}}", i) : "",
      volume.is_bound ? "Bound" : "Available");
  for (const char* ns : {"n1", "n2"}) {
    text += claim_of_volume(
        fmt::format("bound-{}", i), ns,
        fmt::format(
            "volumeName: v{}, resources: {{requests: {{storage: 1Gi}}}}}}, status: {{phase: "
            "Bound}}",
            i),
        "pv.kubernetes.io/bind-completed: 'yes'");
  }
  return text;
}

constexpr std::string_view kClasses =
    "---\n{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: disk}, provisioner: "
    "kubernetes.io/no-provisioner, volumeBindingMode: WaitForFirstConsumer}\n"
    "---\n{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}}\n";

std::string slice_of(const AnyNode& node) {
  std::string devices;
  for (int i = 0; i < node.devices; ++i) devices += fmt::format("{{name: d{}}}, ", i);
  return fmt::format(
      "---\n{{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {{name: {0}}}, spec: "
      "{{driver: d, nodeName: {0}, pool: {{name: {0}, generation: 1, resourceSliceCount: 1}}, "
      "devices: [{1}]}}}}\n",
      node.name, devices);
}

std::string facts_of(const AnyCluster& cluster) {
  std::string text(kClasses);
  for (const AnyNode& node : cluster.nodes) {
    text += slice_of(node);
    const std::string labels = written(node.labels);
    text += test::node(
        node.name, labels.substr(1, labels.size() - 2),
        fmt::format("unschedulable: {}, taints: {}", node.is_cordoned, written(node.taints, "")),
        fmt::format("cpu: {}, pods: {}", node.cpu, node.pods));
  }
  for (std::size_t i = 0; i < cluster.volumes.size(); ++i) text += written(cluster.volumes[i], i);
  std::map<std::size_t, int> devices;  // in use, by node
  for (std::size_t i = 0; i < cluster.pods.size(); ++i) {
    const AnyPod& pod = cluster.pods[i];
    const std::string& on = cluster.nodes[pod.node].name;
    const std::string name = fmt::format("r{}", i);
    text += claims_of(
        pod, name,
        fmt::format(
            ", status: {{allocation: {{devices: {{results: [{{request: r, driver: d, pool: "
            "{}, device: d{}}}]}}}}, reservedFor: [{{resource: pods, name: {}, uid: {}}}]}}",
            on, pod.devices == 0 ? 0 : devices[pod.node]++, name, name));
    text += fmt::format(
        "---\n{{apiVersion: v1, kind: Pod, metadata: {{name: {}, namespace: {}, labels: {}{}}}, "
        "spec: {{nodeName: {}, {}}}, status: {{phase: Running}}}}\n",
        name, pod.ns, written(pod.labels),
        pod.is_terminating ? ", deletionTimestamp: \"2026-01-01T00:00:00Z\"" : "", on,
        spec_of(pod, name));
  }
  return text;
}

// A reference implementation that filters pair by pair.

bool has_all(const Labels& labels, const Labels& required) {
  return std::ranges::all_of(required, [&](const auto& label) {
    const auto found = labels.find(label.first);
    return found != labels.end() && found->second == label.second;
  });
}

bool selects(const AnySelector& selector, const AnyPod& pod) {
  return selector.is_written && has_all(pod.labels, selector.labels);
}

bool selects(const AnyTerm& term, const AnyPod& owner, const AnyPod& other) {
  const bool is_own = term.namespaces.empty() && !term.has_all_namespaces;
  const bool in_namespace = term.has_all_namespaces || term.namespaces.contains(other.ns) ||
                            (is_own && owner.ns == other.ns);
  return in_namespace && selects(term.selector, other);
}

bool has_untolerated_taint(const AnyPod& pod, const AnyNode& node) {
  return std::ranges::any_of(node.taints, [&](const AnyTaint& taint) {
    if (taint.effect == "PreferNoSchedule") return false;
    return std::ranges::none_of(pod.tolerations, [&](const AnyTaint& toleration) {
      return toleration.effect.empty() || toleration.effect == taint.effect;
    });
  });
}

/// Kubernetes' filters, one pod and one node at a time.
class Reference {
 public:
  Reference(const AnyPod& pod, const AnyCluster& cluster) : pod_(pod), cluster_(cluster) {}

  std::string verdict(const AnyNode& node) const {
    if (node.is_cordoned) return "node(s) were unschedulable";
    if (has_untolerated_taint(pod_, node)) return "node(s) had untolerated taint(s)";
    if (!has_all(node.labels, pod_.selector)) {
      return "node(s) didn't match Pod's node affinity/selector";
    }
    for (const std::string& why : {ports(node), resources(node), volumes(node), spread(node),
                                   pod_affinity(node), devices(node)}) {
      if (!why.empty()) return why;
    }
    return "ok";
  }

 private:
  const AnyNode& node_of(const AnyPod& running) const { return cluster_.nodes[running.node]; }
  bool runs_on(const AnyPod& running, const AnyNode& node) const {
    return node_of(running).name == node.name;
  }

  std::string ports(const AnyNode& node) const {
    for (const AnyPod& other : cluster_.pods) {
      if (runs_on(other, node) && pod_.port != 0 && pod_.port == other.port) {
        return "node(s) didn't have free ports for the requested pod ports";
      }
    }
    return "";
  }

  std::string resources(const AnyNode& node) const {
    int cpu = node.cpu;
    int pods = node.pods;
    for (const AnyPod& other : cluster_.pods) {
      if (!runs_on(other, node)) continue;
      cpu -= other.cpu;
      --pods;
    }
    const bool is_full = pods < 1;
    const bool is_short = pod_.cpu > 0 && pod_.cpu > cpu;
    if (is_full && is_short) return "Too many pods; Insufficient cpu";
    if (is_full) return "Too many pods";
    return is_short ? "Insufficient cpu" : "";
  }

  std::string volumes(const AnyNode& node) const {
    const auto zone = node.labels.find("zone");
    const auto can_mount = [&](const AnyVolume& volume) {
      return zone != node.labels.end() && volume.zone == zone->second;
    };
    std::string why;
    if (pod_.volume && !can_mount(cluster_.volumes[*pod_.volume])) {
      why = "node(s) didn't match PersistentVolume's node affinity";
    }
    // The smallest claim takes the smallest volume.
    std::vector<int> free;
    for (const AnyVolume& volume : cluster_.volumes) {
      if (!volume.is_bound && can_mount(volume)) free.push_back(volume.size);
    }
    std::vector<int> sizes = pod_.sizes;
    std::ranges::sort(sizes);
    std::ranges::sort(free);
    for (const int size : sizes) {
      const auto volume = std::ranges::lower_bound(free, size);
      if (volume == free.end()) {
        return why + (why.empty() ? "" : "; ") +
               "node(s) didn't find available persistent volumes to bind";
      }
      free.erase(volume);
    }
    return why;
  }

  std::string devices(const AnyNode& node) const {
    int free = node.devices;
    for (const AnyPod& other : cluster_.pods) free -= runs_on(other, node) ? other.devices : 0;
    return pod_.devices > free ? "cannot allocate all claims" : "";
  }

  bool is_eligible(const AnyNode& node, const AnyConstraint& c) const {
    for (const AnyConstraint& each : pod_.spread) {
      if (!node.labels.contains(each.key)) return false;
    }
    if (!c.ignores_affinity && !has_all(node.labels, pod_.selector)) return false;
    return !c.honors_taints || !has_untolerated_taint(pod_, node);
  }

  std::string spread(const AnyNode& node) const {
    for (const AnyConstraint& c : pod_.spread) {
      constexpr const char* kReason = "node(s) didn't match pod topology spread constraints";
      if (!node.labels.contains(c.key)) return std::string(kReason) + " (missing required label)";
      std::map<std::string, int> domains;
      for (const AnyNode& each : cluster_.nodes) {
        if (is_eligible(each, c)) domains.try_emplace(each.labels.at(c.key), 0);
      }
      for (const AnyPod& other : cluster_.pods) {
        if (!is_eligible(node_of(other), c) || other.ns != pod_.ns || other.is_terminating)
          continue;
        if (c.selector.labels.empty() || !selects(c.selector, other)) continue;
        ++domains[node_of(other).labels.at(c.key)];
      }
      int least = domains.empty() ? 0 : 1000;
      for (const auto& [value, count] : domains) least = std::min(least, count);
      if (static_cast<int>(domains.size()) < c.min_domains) least = 0;
      const auto here = domains.find(node.labels.at(c.key));
      const int count = here == domains.end() ? 0 : here->second;
      if (count + (selects(c.selector, pod_) ? 1 : 0) - least > c.max_skew) return kReason;
    }
    return "";
  }

  /// Whether a pod for which `matches` is true runs on a node with the same value.
  template <typename Matches>
  bool is_beside(const AnyNode& node, const std::string& key, Matches matches) const {
    const auto value = node.labels.find(key);
    return value != node.labels.end() &&
           std::ranges::any_of(cluster_.pods, [&](const AnyPod& other) {
             const auto found = node_of(other).labels.find(key);
             return found != node_of(other).labels.end() && found->second == value->second &&
                    matches(other);
           });
  }

  bool is_wanted(const AnyPod& other) const {
    return std::ranges::all_of(pod_.near,
                               [&](const AnyTerm& term) { return selects(term, pod_, other); });
  }

  bool is_near(const AnyNode& node) const {
    bool all = true;
    for (const AnyTerm& term : pod_.near) {
      if (!node.labels.contains(term.key)) return false;
      all = all && is_beside(node, term.key, [&](const AnyPod& p) { return is_wanted(p); });
    }
    if (all) return true;
    const bool is_any = std::ranges::any_of(cluster_.pods, [&](const AnyPod& other) {
      return is_wanted(other) && std::ranges::any_of(pod_.near, [&](const AnyTerm& term) {
               return node_of(other).labels.contains(term.key);
             });
    });
    return !is_any && is_wanted(pod_);
  }

  std::string pod_affinity(const AnyNode& node) const {
    if (!is_near(node)) return "node(s) didn't match pod affinity rules";
    for (const AnyTerm& term : pod_.apart) {
      if (is_beside(node, term.key, [&](const AnyPod& p) { return selects(term, pod_, p); })) {
        return "node(s) didn't match pod anti-affinity rules";
      }
    }
    for (const AnyPod& other : cluster_.pods) {
      for (const AnyTerm& term : other.apart) {
        const auto is_that_one = [&](const AnyPod& p) { return &p == &other; };
        if (selects(term, other, pod_) && is_beside(node, term.key, is_that_one)) {
          return "node(s) didn't satisfy existing pods anti-affinity rules";
        }
      }
    }
    return "";
  }

  const AnyPod& pod_;
  const AnyCluster& cluster_;
};

TEST_CASE("filters sets of nodes like each node alone") {
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Chance chance(seed);
    const AnyCluster cluster = any_cluster(chance);
    std::vector<AnyPod> pods;
    std::string manifests;
    std::string facts = facts_of(cluster);
    for (int i = 0; i < 5; ++i) {
      pods.push_back(any_new_pod(chance));
      const AnyPod& pod = pods.back();
      const std::string labels = written(pod.labels);
      const std::string name = fmt::format("p{}", i);
      facts += claims_of(pod, name, "");
      manifests += test::pod(spec_of(pod, name), labels.substr(1, labels.size() - 2), pod.ns);
    }
    const Scenario scenario(facts, manifests);
    REQUIRE(scenario.simulation().workloads().size() == pods.size());
    for (std::size_t i = 0; i < pods.size(); ++i) {
      const Reference naive(pods[i], cluster);
      const CausesByNode causes =
          causes_on(scenario.cluster().all(), scenario.pod(i), scenario.cluster());
      for (std::size_t n = 0; n < cluster.nodes.size(); ++n) {
        const std::string expected = naive.verdict(cluster.nodes[n]);
        const std::string got = scenario.on(cluster.nodes[n].name, i);
        ++seen[expected];
        if (got != expected) {
          INFO("seed ", seed, ", pod ", i, ", node ", cluster.nodes[n].name, "\n", facts,
               spec_of(pods[i], fmt::format("p{}", i)));
          CHECK(got == expected);
        }
        // A node has causes if and only if it is rejected.
        CHECK(causes[n].empty() == (expected == "ok"));
        // Nodes share causes only if they have the same.
        const std::vector<Cause> alone = causes_on(n, scenario.pod(i), scenario.cluster());
        CHECK(joined(causes[n], &Cause::text, "\n") == joined(alone, &Cause::text, "\n"));
      }
    }
  }
  // The random clusters must cover all reasons.
  for (const char* reason :
       {"ok", "node(s) were unschedulable", "node(s) had untolerated taint(s)",
        "node(s) didn't match Pod's node affinity/selector",
        "node(s) didn't have free ports for the requested pod ports", "Insufficient cpu",
        "Too many pods", "node(s) didn't match pod topology spread constraints",
        "node(s) didn't match pod topology spread constraints (missing required label)",
        "node(s) didn't match pod affinity rules", "node(s) didn't match pod anti-affinity rules",
        "node(s) didn't satisfy existing pods anti-affinity rules",
        "node(s) didn't match PersistentVolume's node affinity",
        "node(s) didn't find available persistent volumes to bind", "cannot allocate all claims"}) {
    CAPTURE(reason);
    CHECK(seen[reason] > 10);
  }
}

}  // namespace cnsched::sim::properties_test

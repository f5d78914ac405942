// Sources: pkg/scheduler/framework/plugins/volumebinding/{volume_binding,binder}.go;
// k8s.io/component-helpers storage/volume/pv_helpers.go, FindMatchingVolume; storage/ephemeral.
// kube-scheduler looks for volumes node by node; this goes once through the volumes, smallest
// first, and gives each to the nodes that can use it and have none yet.

#include "core/sim/volume_binder.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/text.h"
#include "core/yaml/scalar.h"

namespace cnsched::sim {

namespace {

using k8s::SchedulingKind;
using yaml::Node;
using ConflictKind = VolumeBinder::Conflict::Kind;

constexpr auto kNoVolume = static_cast<std::uint32_t>(-1);
constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";

/// The PV controller marks what it has bound. Snapshots of older releases do not have its
/// annotation, nor uids.
bool is_fully_bound(const Claim& claim) {
  if (claim.spec()["volumeName"].text().empty()) return false;
  if (claim.annotation("pv.kubernetes.io/bind-completed")) return true;
  return !claim.metadata()["uid"] && (*claim.root)["status"]["phase"].text() == "Bound";
}

/// Why podHasPVCs rejects the pod because of a claim.
std::string problem_of(const Claim& claim, const Pod& pod) {
  const bool is_ephemeral = claim.volume->kind == PodVolume::Kind::ephemeral;
  const std::string name = printable(claim.name());
  if (claim.state == Claim::State::missing) {
    return is_ephemeral ? fmt::format(
                              "waiting for ephemeral volume controller to create the "
                              "persistentvolumeclaim \"{}\"",
                              name)
                        : fmt::format("persistentvolumeclaim \"{}\" not found", name);
  }
  if (!claim.is_given()) return {};
  if ((*claim.root)["status"]["phase"].text() == "Lost") {
    return fmt::format("persistentvolumeclaim \"{}\" bound to non-existent persistentvolume \"{}\"",
                       name, printable(claim.spec()["volumeName"].text()));
  }
  if (claim.metadata()["deletionTimestamp"].is_scalar()) {
    return fmt::format("persistentvolumeclaim \"{}\" is being deleted", name);
  }
  if (!is_ephemeral || is_owner(claim, pod)) return {};
  return not_owned(claim, pod);
}

bool is_bound_to(const Volume& volume, const Claim& claim) {
  const std::string_view uid = volume.object->spec()["claimRef"]["uid"].text();
  return uid.empty() || uid == claim.metadata()["uid"].text();
}

std::string text_of_volume(const k8s::Object& volume) {
  return fmt::format("PersistentVolume '{}'", printable(volume.name));
}

std::string text_of_class(const StorageClass& storage_class) {
  return fmt::format("StorageClass '{}'", printable(storage_class.name));
}

/// Whether every volume in the topologies can be used in all of them: there is only one.
bool is_one_topology(const Node& topologies) {
  if (topologies.items().size() != 1) return false;
  const Node& expressions = topologies.at(0)["matchLabelExpressions"];
  return std::ranges::all_of(expressions.items(),
                             [](const Node* e) { return (*e)["values"].items().size() == 1; });
}

/// Whether the driver makes volumes that all nodes can use: it has no topology keys, or all nodes
/// are in one topology. Not known, and so false, if no node has the driver.
bool is_usable_everywhere(std::string_view driver, const Cluster& cluster) {
  bool everywhere = false;
  for (const k8s::Object* csi_node : cluster.objects(SchedulingKind::csi_node)) {
    for (const Node* each : csi_node->spec()["drivers"].items()) {
      if ((*each)["name"].text() != driver) continue;
      for (const Node* key : (*each)["topologyKeys"].items()) {
        const LabelColumn* column = cluster.label(key->text());
        if (column == nullptr || column->values() != 1) return false;
      }
      everywhere = true;
    }
  }
  return everywhere;
}

/// What a claim asks of a volume, apart from where it can be used.
class Wanted {
 public:
  explicit Wanted(const Claim& claim)
      : size_(claim.size()),
        mode_(claim.spec()["volumeMode"].is_scalar() ? claim.spec()["volumeMode"].text()
                                                     : "Filesystem"),
        attributes_class_(claim.spec()["volumeAttributesClassName"].text()),
        access_modes_(access_modes_in(claim.spec()["accessModes"])),
        labels_(k8s::label_selector_in(claim.spec()["selector"])) {}

  const Quantity& size() const { return size_; }
  /// What a volume must have even if it names the claim.
  bool is_met_by(const Volume& volume) const {
    return !volume.is_deleted && volume.capacity >= size_ && volume.mode == mode_ &&
           volume.attributes_class == attributes_class_;
  }
  /// What any other volume must have.
  bool is_fully_met_by(const Volume& volume) const {
    if ((volume.access_modes & access_modes_) != access_modes_ || !is_met_by(volume)) return false;
    return std::ranges::all_of(labels_, [&](const k8s::Requirement& r) {
      const Node& value = volume.object->labels().under(r.key);
      return r.matches_value(value ? std::optional(value.text()) : std::nullopt);
    });
  }

 private:
  Quantity size_;
  std::string_view mode_;
  std::string_view attributes_class_;
  std::uint8_t access_modes_;
  std::vector<k8s::Requirement> labels_;
};

}  // namespace

std::string not_owned(const Claim& claim, const Pod& pod) {
  return fmt::format("PVC {} was not created for pod {}/{} (pod is not owner)",
                     printable(claim.key), printable(pod.ns.name), printable(pod.name));
}

/// A pod that does not exist yet has no uid.
bool is_owner(const Claim& claim, const Pod& pod) {
  for (const Node* owner : claim.metadata()["ownerReferences"].items()) {
    if (yaml::boolean_of((*owner)["controller"].text()) != true) continue;
    const std::string_view uid = (*owner)["uid"].text();
    if (!pod.uid.empty() && !uid.empty()) return uid == pod.uid;
    return (*owner)["kind"].text() == "Pod" && (*owner)["name"].text() == pod.name;
  }
  return false;
}

VolumeBinder::VolumeBinder(const Pod& pod, const Cluster& cluster)
    : cluster_(cluster), storage_(cluster.storage()), scope_(cluster.all()) {
  for (const PodVolume& volume : pod.volumes) {
    if (volume.has_claim()) claims_.push_back(storage_.claim_of(volume, pod, cluster));
  }
  for (const Claim& claim : claims_) {
    rejection_ = problem_of(claim, pod);
    if (!rejection_.empty()) return;
  }
  sort_claims();
}

void VolumeBinder::add(ConflictKind kind, NodeSet nodes, std::string reason, const Claim& claim,
                       const k8s::Object* bound_volume) {
  nodes &= scope_;
  if (nodes.empty()) return;
  conflicts_.push_back(
      {kind, std::move(nodes), std::move(reason), claim.volume->node, bound_volume});
}

/// Source: binder.go, GetPodVolumeClaims.
void VolumeBinder::sort_claims() {
  for (const Claim& claim : claims_) sort_claim(claim);
  std::ranges::stable_sort(delayed_, {}, &Delayed::size);
}

void VolumeBinder::sort_claim(const Claim& claim) {
  if (claim.state == Claim::State::unknown) {
    return add(ConflictKind::unknown, cluster_.all(), claim.doubt, claim);
  }
  if (const SettledClaim* settled = storage_.settled(claim.key);
      settled != nullptr && !claim.volume->is_own()) {
    settled_.emplace_back(&claim, settled);
    return;
  }
  const std::string_view volume_name = claim.spec()["volumeName"].text();
  if (is_fully_bound(claim) || (!claim.is_given() && !volume_name.empty())) {
    bound_.emplace_back(&claim, storage_.facts().volume(volume_name).value_or(kNoVolume));
    return;
  }
  const auto class_name = storage_.class_of(claim, cluster_);
  if (!class_name) {
    return add(ConflictKind::unknown, cluster_.all(),
               not_given(fmt::format("the default StorageClass of {} is not known: "
                                     "StorageClasses are not given",
                                     claim.text()),
                         "storageclasses"),
               claim);
  }
  sort_unbound(claim, *class_name);
}

void VolumeBinder::sort_unbound(const Claim& claim, std::string_view class_name) {
  const StorageClass* storage_class = storage_.facts().storage_class(class_name);
  const bool is_known = class_name.empty() || storage_class != nullptr ||
                        cluster_.knows_all(SchedulingKind::storage_class);
  if (!is_known) {
    return add(ConflictKind::unknown, cluster_.all(),
               not_given(fmt::format("StorageClass '{}' of {} is not given", printable(class_name),
                                     claim.text()),
                         "storageclasses"),
               claim);
  }
  const bool is_prebound = !claim.spec()["volumeName"].text().empty();
  if (storage_class != nullptr && storage_class->waits_for_consumer && !is_prebound) {
    Delayed delayed{&claim, storage_class, claim.size()};
    delayed.unmatched = delayed.perhaps = cluster_.none();
    delayed_.push_back(std::move(delayed));
  } else if (claim.is_given()) {
    rejection_ = "pod has unbound immediate PersistentVolumeClaims";
  } else {
    future_.emplace_back(&claim, class_name);
  }
}

const std::vector<VolumeBinder::Conflict>& VolumeBinder::conflicts() {
  if (is_done_) return conflicts_;
  is_done_ = true;
  check_bound();
  check_future();
  for (const auto& [claim, settled] : settled_) {
    if (!settled->volume) check_settled(*claim, *settled);
  }
  if (delayed_.empty()) return conflicts_;
  NodeSet nodes = scope_;
  check_selected(nodes);
  find_volumes(nodes);
  provision(std::move(nodes));
  return conflicts_;
}

NodeBounds VolumeBinder::bounds(const Reach& reach) const {
  NodeBounds result{cluster_.none(), {}};
  for (const std::uint32_t node : reach.certain) result.certain.insert(node);
  result.possible = result.certain;
  for (const std::uint32_t node : reach.possible) result.possible.insert(node);
  return result;
}

/// Source: binder.go, tryTranslatePVToCSI.
NodeBounds VolumeBinder::usable_on(const Volume& volume) const {
  NodeBounds usable = bounds(storage_.facts().reach(volume.reach));
  if (volume.translated_reach == volume.reach) return usable;
  const NodeSet* migrated = storage_.facts().migrated(volume.plugin);
  NodeBounds translated = bounds(storage_.facts().reach(volume.translated_reach));
  const auto combined = [&](const NodeSet& before, const NodeSet& after) {
    return (before - *migrated) | (after & *migrated);
  };
  return {combined(usable.certain, translated.certain),
          combined(usable.possible, translated.possible)};
}

/// The first claim that does not fit decides. Source: binder.go, checkBoundClaims.
void VolumeBinder::check_bound() {
  NodeSet nodes = scope_;
  for (const auto& [claim, volume] : bound_) {
    if (volume != kNoVolume) {
      check_volume(*claim, volume, nodes);
      continue;
    }
    const std::string_view name = claim->spec()["volumeName"].text();
    if (cluster_.knows_all(SchedulingKind::volume) && claim->is_given()) {
      add(ConflictKind::no_volume, nodes,
          fmt::format("PersistentVolume '{}' of {} does not exist", printable(name), claim->text()),
          *claim);
      nodes = cluster_.none();
      continue;
    }
    add(ConflictKind::unknown, nodes,
        not_given(
            fmt::format("PersistentVolume '{}' of {} is not given", printable(name), claim->text()),
            "pv"),
        *claim);
  }
  for (const auto& [claim, settled] : settled_) {
    if (settled->volume) check_volume(*claim, *settled->volume, nodes);
  }
}

void VolumeBinder::check_volume(const Claim& claim, std::uint32_t index, NodeSet& nodes) {
  const Volume& volume = storage_.facts().volumes()[index];
  if (!volume.untranslatable.empty()) {
    NodeSet failing = nodes & *storage_.facts().migrated(volume.plugin);
    add(ConflictKind::error, failing,
        fmt::format("running \"VolumeBinding\" filter plugin: could not translate pv: {}",
                    volume.untranslatable),
        claim);
    nodes -= failing;
  }
  const NodeBounds usable = usable_on(volume);
  add(ConflictKind::affinity, nodes - usable.possible,
      fmt::format("{} of {} cannot be used on the node", text_of_volume(*volume.object),
                  claim.text()),
      claim, volume.object);
  add(ConflictKind::unknown, nodes & (usable.possible - usable.certain),
      fmt::format("unknown whether the pool's nodes can use {} of {}: the pool does not list the "
                  "labels of its node affinity",
                  text_of_volume(*volume.object), claim.text()),
      claim);
  nodes &= usable.possible;
}

/// The driver decides which other nodes can use a volume that it provisions for one.
void VolumeBinder::check_settled(const Claim& claim, const SettledClaim& settled) {
  NodeSet others = cluster_.all();
  if (cluster_.generation(settled.node) == settled.generation) {
    NodeSet selected = cluster_.none();
    selected.insert(settled.node);
    others -= selected;
  }
  add(ConflictKind::unknown, std::move(others),
      fmt::format("the volume of {} is provisioned for node '{}', where another pod with it is "
                  "placed: whether other nodes can use it is not known",
                  claim.text(), printable(cluster_.node(settled.node).name)),
      claim);
}

/// A claim with the annotation waits for a volume for that node.
void VolumeBinder::check_selected(NodeSet& nodes) {
  for (const Delayed& delayed : delayed_) {
    const Node& selected = delayed.claim->annotation(kSelectedNode);
    if (!selected) continue;
    NodeSet others = nodes;
    if (const auto node = cluster_.find(selected.text())) {
      NodeSet only = cluster_.none();
      only.insert(*node);
      others -= only;
    }
    add(ConflictKind::unbound, others,
        fmt::format("the volume of {} is provisioned for node '{}' (annotation '{}')",
                    delayed.claim->text(), printable(selected.text()), kSelectedNode),
        *delayed.claim);
    nodes -= others;
  }
}

void VolumeBinder::find_volumes(const NodeSet& nodes) {
  for (std::size_t i = 0; i < delayed_.size(); ++i) {
    Delayed& delayed = delayed_[i];
    if (delayed.claim->annotation(kSelectedNode)) {
      delayed.unmatched = nodes;
    } else {
      delayed.volume_on.assign(cluster_.size(), kNoVolume);
      match(delayed, i, nodes);
    }
  }
}

/// The volumes that the claim can have, best first: one that names it, or the smallest.
std::vector<std::uint32_t> VolumeBinder::candidates(const Claim& claim,
                                                    std::string_view class_name) const {
  const StorageFacts& facts = storage_.facts();
  const Wanted wanted(claim);
  for (const std::uint32_t i : facts.volumes_for(claim.key)) {
    const Volume& volume = facts.volumes()[i];
    if (volume.class_name == class_name && is_bound_to(volume, claim) && !storage_.is_taken(i) &&
        wanted.is_met_by(volume)) {
      return {i};
    }
  }
  const std::vector<std::uint32_t>& free = facts.free_volumes(class_name);
  const auto first = std::ranges::lower_bound(
      free, wanted.size(), {}, [&](std::uint32_t i) { return facts.volumes()[i].capacity; });
  cluster_.steps().spend(static_cast<std::uint64_t>(free.end() - first));
  std::vector<std::uint32_t> found;
  std::copy_if(first, free.end(), std::back_inserter(found), [&](std::uint32_t i) {
    return wanted.is_fully_met_by(facts.volumes()[i]) && !storage_.is_taken(i);
  });
  return found;
}

/// Gives the volume to the nodes that can use it. Returns whether it was the best for all of them.
bool VolumeBinder::assign(Delayed& delayed, std::size_t index, std::uint32_t volume,
                          NodeSet& left) {
  const Reach& reach = storage_.facts().reach(storage_.facts().volumes()[volume].reach);
  const auto is_chosen_on = [&](std::uint32_t node) {
    for (std::size_t i = 0; i < index; ++i) {
      if (!delayed_[i].volume_on.empty() && delayed_[i].volume_on[node] == volume) return true;
    }
    return std::ranges::find(chosen_early_, volume) != chosen_early_.end();
  };
  bool is_complete = true;
  for (const std::uint32_t node : reach.certain) {
    if (!left.contains(node)) continue;
    if (is_chosen_on(node)) {
      is_complete = false;
      continue;
    }
    delayed.volume_on[node] = volume;
    left.erase(node);
  }
  for (const std::uint32_t node : reach.possible) delayed.perhaps.insert(node);
  return is_complete;
}

/// Source: pv_helpers.go, FindMatchingVolume.
void VolumeBinder::match(Delayed& delayed, std::size_t index, NodeSet left) {
  std::vector<bool> is_complete(storage_.facts().reaches());
  for (const std::uint32_t volume : candidates(*delayed.claim, delayed.storage_class->name)) {
    const std::uint32_t reach = storage_.facts().volumes()[volume].reach;
    if (is_complete[reach]) continue;
    is_complete[reach] = assign(delayed, index, volume, left);
    if (left.empty()) break;
  }
  delayed.perhaps &= left;
  delayed.unmatched = std::move(left);
}

void VolumeBinder::fail(const Delayed& delayed, ConflictKind kind, const NodeSet& nodes,
                        std::string reason) {
  const bool knows_volumes = cluster_.knows_all(SchedulingKind::volume);
  const NodeSet unknown = knows_volumes ? nodes & delayed.perhaps : nodes;
  add(ConflictKind::unknown, unknown,
      knows_volumes
          ? fmt::format("unknown whether the pool's nodes can use a volume for {}: the pool does "
                        "not list the labels of its node affinity",
                        delayed.claim->text())
          : not_given(fmt::format("PersistentVolumes for {} are not given", delayed.claim->text()),
                      "pv"),
      *delayed.claim);
  add(kind, nodes - unknown, std::move(reason), *delayed.claim);
}

/// Claims for which a node is selected come first. The first claim that fails decides. Source:
/// binder.go, checkVolumeProvisions.
void VolumeBinder::provision(NodeSet nodes) {
  std::vector<const Delayed*> in_order;
  for (const bool is_selected : {true, false}) {
    for (const Delayed& delayed : delayed_) {
      if (!delayed.claim->annotation(kSelectedNode).is_missing() == is_selected) {
        in_order.push_back(&delayed);
      }
    }
  }
  for (const Delayed* delayed : in_order) {
    const StorageClass& storage_class = *delayed->storage_class;
    NodeSet needed = delayed->unmatched & nodes;
    if (needed.empty()) continue;
    NodeSet outside = storage_class.provisions() ? needed - storage_class.allowed.possible : needed;
    fail(
        *delayed, ConflictKind::unbound, outside,
        fmt::format("no PersistentVolume for {} is available to the node, and {} provisions none{}",
                    delayed->claim->text(), text_of_class(storage_class),
                    storage_class.provisions() ? " there (allowedTopologies)" : ""));
    nodes -= outside;
    needed -= outside;
    add(ConflictKind::unknown,
        storage_class.provisions()
            ? needed & (storage_class.allowed.possible - storage_class.allowed.certain)
            : cluster_.none(),
        fmt::format("unknown whether the pool's nodes are in allowedTopologies of {}: the pool "
                    "does not list the labels",
                    text_of_class(storage_class)),
        *delayed->claim);
    nodes -= without_space(*delayed, needed);
  }
}

/// Source: binder.go, hasEnoughCapacity. Drivers of in-tree plugins are never asked.
NodeSet VolumeBinder::without_space(const Delayed& delayed, const NodeSet& nodes) {
  const StorageClass& storage_class = *delayed.storage_class;
  const Claim& claim = *delayed.claim;
  const Node& requested = claim.spec()["resources"]["requests"]["storage"];
  if (nodes.empty() || !requested.is_scalar()) return cluster_.none();
  const auto checks = storage_.facts().checks_capacity(storage_class.provisioner);
  const bool is_csi = !storage_class.provisioner.starts_with("kubernetes.io/");
  if (checks == Truth::unknown && is_csi && !cluster_.knows_all(SchedulingKind::csi_driver)) {
    add(ConflictKind::unknown, nodes,
        not_given(fmt::format("whether {} has capacity for {} is not known: CSIDriver '{}' is not "
                              "given",
                              text_of_class(storage_class), claim.text(),
                              printable(storage_class.provisioner)),
                  "csidrivers"),
        claim);
  }
  if (checks != Truth::yes) return cluster_.none();
  NodeSet lacking = nodes;
  NodeSet unlisted = cluster_.none();
  const std::int64_t size = delayed.size.value();
  const std::vector<StorageCapacity>& all = storage_.facts().capacities(storage_class.name);
  for (std::uint32_t i = 0; i < all.size() && !lacking.empty(); ++i) {
    const std::int64_t used = storage_.used(storage_class.name, i);
    if (!all[i].largest_volume || *all[i].largest_volume < size) continue;
    if (used > 0 && all[i].free.value_or(0) - used < size) continue;
    for (const std::uint32_t node : storage_.facts().reach(all[i].reach).certain) {
      lacking.erase(node);
    }
    for (const std::uint32_t node : storage_.facts().reach(all[i].reach).possible) {
      unlisted.insert(node);
    }
  }
  const std::string reason =
      fmt::format("no CSIStorageCapacity of {} that includes the node has {} for {}",
                  text_of_class(storage_class), printable(requested.text()), claim.text());
  unlisted &= lacking;
  if (!cluster_.knows_all(SchedulingKind::storage_capacity)) unlisted = lacking;
  add(ConflictKind::unknown, unlisted,
      unlisted == lacking && all.empty()
          ? not_given(fmt::format("CSIStorageCapacities of {} are not given",
                                  text_of_class(storage_class)),
                      "csistoragecapacities -A")
          : "unknown whether " + reason.substr(std::string_view("no ").size()),
      claim);
  fail(delayed, ConflictKind::space, lacking - unlisted, reason);
  return lacking;
}

/// Claims that the PV controller binds, or a driver provisions, before the pod is scheduled. Which
/// of several volumes a claim gets is not known.
void VolumeBinder::check_future() {
  for (const auto& [claim, class_name] : future_) {
    std::vector<std::uint32_t> volumes = candidates(*claim, class_name);
    std::erase_if(volumes, [&](std::uint32_t i) {
      return std::ranges::find(chosen_early_, i) != chosen_early_.end();
    });
    chosen_early_.push_back(volumes.empty() ? kNoVolume : volumes.front());
    const StorageClass* storage_class = storage_.facts().storage_class(class_name);
    if (volumes.empty() && storage_class != nullptr && storage_class->provisions()) {
      check_provisioned(*claim, *storage_class);
      continue;
    }
    if (volumes.empty()) {
      add(ConflictKind::unknown, cluster_.all(),
          fmt::format("no PersistentVolume for {} is given: the pod waits until there is one",
                      claim->text()),
          *claim);
      continue;
    }
    NodeSet by_all = cluster_.all();
    NodeSet by_any = cluster_.none();
    std::vector<bool> is_seen(storage_.facts().reaches());
    for (const std::uint32_t i : volumes) {
      const std::uint32_t reach = storage_.facts().volumes()[i].reach;
      if (is_seen[reach]) continue;
      is_seen[reach] = true;
      const NodeBounds usable = bounds(storage_.facts().reach(reach));
      by_all &= usable.certain;
      by_any |= usable.possible;
    }
    const k8s::Object& first = *storage_.facts().volumes()[volumes.front()].object;
    add(ConflictKind::affinity, cluster_.all() - by_any,
        fmt::format("no PersistentVolume for {} can be used on the node", claim->text()), *claim,
        volumes.size() == 1 ? &first : nullptr);
    add(ConflictKind::unknown, by_any - by_all,
        fmt::format("{} may get a PersistentVolume that the node cannot use", claim->text()),
        *claim);
  }
}

void VolumeBinder::check_provisioned(const Claim& claim, const StorageClass& storage_class) {
  const bool is_restricted = !storage_class.allowed_topologies->items().empty();
  const bool everywhere = is_usable_everywhere(storage_class.provisioner, cluster_);
  add(ConflictKind::affinity, cluster_.all() - storage_class.allowed.possible,
      fmt::format("{} provisions the volume of {} elsewhere (allowedTopologies)",
                  text_of_class(storage_class), claim.text()),
      claim);
  if (everywhere && !is_restricted) return;
  const bool is_one = is_restricted && is_one_topology(*storage_class.allowed_topologies);
  add(ConflictKind::unknown,
      is_one ? storage_class.allowed.possible - storage_class.allowed.certain
             : storage_class.allowed.possible,
      fmt::format("unknown on which nodes the volume can be used that {} will provision for {}",
                  text_of_class(storage_class), claim.text()),
      claim);
}

VolumeChoices VolumeBinder::choices_on(std::size_t node) {
  scope_ = cluster_.none();
  scope_.insert(node);
  conflicts();
  VolumeChoices result;
  for (std::size_t i = 0; i < chosen_early_.size(); ++i) {
    if (chosen_early_[i] == kNoVolume) continue;
    result.choices.push_back({*future_[i].first, future_[i].second, chosen_early_[i], {}});
  }
  for (const Delayed& delayed : delayed_) {
    VolumeChoices::Choice choice{*delayed.claim, delayed.storage_class->name, {}, {}};
    if (!delayed.volume_on.empty() && delayed.volume_on[node] != kNoVolume) {
      choice.volume = delayed.volume_on[node];
    } else if (storage_.facts().checks_capacity(delayed.storage_class->provisioner) == Truth::yes) {
      choice.capacity = capacity_for(delayed, node);
    }
    result.choices.push_back(std::move(choice));
  }
  return result;
}

std::optional<std::uint32_t> VolumeBinder::capacity_for(const Delayed& delayed,
                                                        std::size_t node) const {
  const std::string_view name = delayed.storage_class->name;
  const std::vector<StorageCapacity>& all = storage_.facts().capacities(name);
  const std::int64_t size = delayed.size.value();
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const std::int64_t used = storage_.used(name, i);
    if (!all[i].largest_volume || *all[i].largest_volume < size) continue;
    if (used > 0 && all[i].free.value_or(0) - used < size) continue;
    const std::vector<std::uint32_t>& nodes = storage_.facts().reach(all[i].reach).certain;
    if (std::ranges::binary_search(nodes, static_cast<std::uint32_t>(node))) return i;
  }
  return std::nullopt;
}

}  // namespace cnsched::sim

// PersistentVolumes, their claims and classes as kube-scheduler's listers and caches show them.
// Sources: k8s.io/component-helpers storage/volume/{helpers,pv_helpers}.go; pkg/volume/util/
// storageclass.go, GetDefaultClass; pkg/scheduler/framework/plugins/volumebinding/binder.go. The
// objects are indexed once: a cluster may have thousands of volumes for one node each.

#include "core/sim/storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

#include "core/base/text.h"
#include "core/sim/cluster.h"
#include "core/sim/csi_translation.h"
#include "core/sim/node_match.h"
#include "core/sim/pod_selector.h"
#include "core/yaml/scalar.h"

namespace cnsched::sim {

namespace {

using k8s::SchedulingKind;
using yaml::Node;

constexpr std::string_view kBetaClass = "volume.beta.kubernetes.io/storage-class";
constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";

std::string claim_key(const k8s::Namespace& ns, std::string_view name) {
  return fmt::format("{}/{}", ns.key(), name);
}

std::string_view class_of_volume(const k8s::Object& volume) {
  const Node& beta = volume.annotations().under(kBetaClass);
  return beta ? beta.text() : volume.spec()["storageClassName"].text();
}

Quantity amount_in(const Node& node) {
  const auto amount = Quantity::parse(node.text());
  return amount ? *amount : Quantity();
}

std::optional<std::int64_t> bytes_in(const Node& node) {
  const auto amount = Quantity::parse(node.text());
  return amount ? std::optional(amount->value()) : std::nullopt;
}

/// Equal only for equal terms.
std::string identity_of(bool is_limited, const std::vector<k8s::NodeSelectorTerm>& terms) {
  std::string identity = is_limited ? "limited" : "everywhere";
  for (const k8s::NodeSelectorTerm& term : terms) {
    append_identity("term", identity);
    for (const auto* requirements : {&term.expressions, &term.fields}) {
      append_identity(requirements == &term.fields ? "fields" : "labels", identity);
      for (const k8s::Requirement& r : *requirements) {
        append_identity(r.key, identity);
        append_identity(r.op, identity);
        append_identity(std::to_string(r.values.size()), identity);
        for (const Node* value : r.values) append_identity(value->text(), identity);
      }
    }
  }
  return identity;
}

/// A volume's terms are matched against the labels alone, so the node has no name. Source:
/// helpers.go, CheckNodeAffinity.
bool matches_nameless(const k8s::Requirement& field) {
  return field.key == "metadata.name" && field.values.size() == 1 && field.op == "NotIn";
}

/// A node that does not exist yet has none of the names that a volume is made for.
NodeBounds nodes_with(const k8s::Requirement& r, const Cluster& cluster) {
  NodeBounds nodes = nodes_matching(r, cluster);
  if (r.key == "kubernetes.io/hostname" && r.op == "In") nodes.possible -= cluster.autoscaled();
  return nodes;
}

NodeBounds nodes_with(const std::vector<k8s::Requirement>& requirements, const Cluster& cluster) {
  NodeBounds nodes{cluster.all(), cluster.all()};
  for (const k8s::Requirement& r : requirements) nodes &= nodes_with(r, cluster);
  return nodes;
}

NodeBounds nodes_of(const std::vector<k8s::NodeSelectorTerm>& terms, const Cluster& cluster) {
  NodeBounds nodes{cluster.none(), cluster.none()};
  for (const k8s::NodeSelectorTerm& term : terms) {
    if (term.is_empty() || !std::ranges::all_of(term.fields, matches_nameless)) continue;
    nodes |= nodes_with(term.expressions, cluster);
  }
  return nodes;
}

/// Source: pkg/apis/core/v1/helper/helpers.go, MatchTopologySelectorTerms.
NodeBounds nodes_in_topologies(const Node& topologies, const Cluster& cluster) {
  if (topologies.items().empty()) return {cluster.all(), cluster.all()};
  NodeBounds nodes{cluster.none(), cluster.none()};
  for (const Node* term : topologies.items()) {
    const Node& expressions = (*term)["matchLabelExpressions"];
    if (expressions.items().empty()) continue;
    std::vector<k8s::Requirement> requirements = k8s::requirements_in(expressions);
    for (k8s::Requirement& r : requirements) r.op = "In";
    nodes |= nodes_with(requirements, cluster);
  }
  return nodes;
}

Reach reach_in(const NodeBounds& bounds) {
  Reach reach;
  bounds.certain.each([&](std::size_t n) { reach.certain.push_back(static_cast<uint32_t>(n)); });
  (bounds.possible - bounds.certain).each([&](std::size_t n) {
    reach.possible.push_back(static_cast<std::uint32_t>(n));
  });
  return reach;
}

/// The only requirement of the terms if it lists values of a label.
const k8s::Requirement* only_list(const std::vector<k8s::NodeSelectorTerm>& terms) {
  if (terms.size() != 1 || !terms[0].fields.empty() || terms[0].expressions.size() != 1) {
    return nullptr;
  }
  const k8s::Requirement& r = terms[0].expressions[0];
  return r.op == "In" ? &r : nullptr;
}

bool is_default(const k8s::Object& storage_class) {
  constexpr auto kMarks =
      std::to_array<std::string_view>({"storageclass.kubernetes.io/is-default-class",
                                       "storageclass.beta.kubernetes.io/is-default-class"});
  return std::ranges::any_of(kMarks, [&](std::string_view mark) {
    return storage_class.annotations().under(mark).text() == "true";
  });
}

/// Of several default classes, the newest counts. What a manifest describes is newer than all.
bool is_preferred(const k8s::Object& a, const k8s::Object& b) {
  const auto created = [](const k8s::Object& object) {
    return object["metadata"]["creationTimestamp"].text();
  };
  const auto rank = [&](const k8s::Object& object) {
    return std::tuple(created(object).empty(), created(object));
  };
  if (rank(a) != rank(b)) return rank(a) > rank(b);
  return a.name < b.name;
}

template <typename Map, typename Key>
const typename Map::mapped_type& found_or_empty(const Map& map, const Key& key) {
  static const typename Map::mapped_type kEmpty;
  const auto found = map.find(key);
  return found == map.end() ? kEmpty : found->second;
}

}  // namespace

std::string not_given(std::string_view what, std::string_view plural) {
  return fmt::format("{} (kubectl get {} -o yaml prints {})", what, plural,
                     what.ends_with("is not given") ? "it" : "them");
}

std::uint8_t access_modes_in(const Node& list) {
  constexpr auto kModes = std::to_array<std::string_view>(
      {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"});
  std::uint8_t modes = 0;
  for (const Node* item : list.items()) {
    const auto at = std::ranges::find(kModes, item->text()) - kModes.begin();
    modes |= static_cast<std::uint8_t>(1U << static_cast<unsigned>(at));
  }
  return modes;
}

bool StorageClass::provisions() const {
  return !provisioner.empty() && provisioner != kNoProvisioner;
}

std::string Claim::text() const {
  const std::string_view shown = key.starts_with('#') ? name() : std::string_view(key);
  return fmt::format("PersistentVolumeClaim '{}'", printable(shown));
}

bool Claim::has_access_mode(std::string_view mode) const {
  return std::ranges::any_of(spec()["accessModes"].items(),
                             [&](const Node* item) { return item->text() == mode; });
}

Quantity Claim::size() const { return amount_in(spec()["resources"]["requests"]["storage"]); }

StorageFacts::StorageFacts(const Cluster& cluster, const ClusterScope& scope) {
  add_future(cluster, scope);
  add_classes(cluster);
  add_csi(cluster);
  add_volumes(cluster);
  add_capacities(cluster);
  add_claims(cluster);
  nodes_by_label_.clear();
}

void StorageFacts::add_future(const Cluster& cluster, const ClusterScope& scope) {
  for (const SchedulingKind kind : {SchedulingKind::volume, SchedulingKind::volume_claim}) {
    for (const k8s::Object* object : cluster.objects(kind)) {
      const bool is_printed = (*object)["status"]["phase"].is_scalar();
      if (!scope.is_fact(*object) && !is_printed) future_.insert(object);
    }
  }
}

void StorageFacts::add_classes(const Cluster& cluster) {
  const k8s::Object* best = nullptr;
  for (const k8s::Object* object : cluster.objects(SchedulingKind::storage_class)) {
    StorageClass added{object->name, (*object)["provisioner"].text()};
    added.waits_for_consumer = (*object)["volumeBindingMode"].text() == "WaitForFirstConsumer";
    added.allowed_topologies = &(*object)["allowedTopologies"];
    added.allowed = nodes_in_topologies(*added.allowed_topologies, cluster);
    if (!classes_.try_emplace(object->name, std::move(added)).second) continue;
    if (is_default(*object) && (best == nullptr || is_preferred(*object, *best))) best = object;
  }
  if (best != nullptr) default_class_ = &classes_.at(best->name);
}

void StorageFacts::add_csi(const Cluster& cluster) {
  for (const k8s::Object* object : cluster.objects(SchedulingKind::csi_driver)) {
    const bool checks = yaml::boolean_of(object->spec()["storageCapacity"].text()) == true;
    drivers_.try_emplace(object->name, checks);
  }
  for (const k8s::Object* object : cluster.objects(SchedulingKind::csi_node)) {
    const auto node = cluster.find(object->name);
    if (!node) continue;
    const std::string_view plugins =
        object->annotations()["storage.alpha.kubernetes.io/migrated-plugins"].text();
    if (plugins.empty()) continue;
    for (const std::string_view plugin : split(plugins, ',')) {
      migrated_.try_emplace(plugin, cluster.none()).first->second.insert(*node);
    }
  }
}

std::uint32_t StorageFacts::reach_of(bool is_limited,
                                     const std::vector<k8s::NodeSelectorTerm>& terms,
                                     const Cluster& cluster) {
  const auto [found, is_new] = reach_by_terms_.try_emplace(
      identity_of(is_limited, terms), static_cast<std::uint32_t>(reaches_.size()));
  if (!is_new) return found->second;
  const k8s::Requirement* list = is_limited ? only_list(terms) : nullptr;
  const LabelColumn* column = list == nullptr ? nullptr : cluster.label(list->key);
  if (column == nullptr || list->values.size() != 1 || !cluster.autoscaled().empty()) {
    reaches_.push_back(
        reach_in(is_limited ? nodes_of(terms, cluster) : NodeBounds{cluster.all(), cluster.all()}));
    return found->second;
  }
  const auto [by_value, is_new_label] = nodes_by_label_.try_emplace(list->key);
  if (is_new_label) {
    column->nodes().each([&](std::size_t node) {
      by_value->second[*column->value_of(node)].push_back(static_cast<std::uint32_t>(node));
    });
  }
  reaches_.push_back({found_or_empty(by_value->second, list->values.front()->text()), {}});
  return found->second;
}

void StorageFacts::add_volume(const k8s::Object& object, const Cluster& cluster) {
  const Node& spec = object.spec();
  const Node& required = spec["nodeAffinity"]["required"];
  Volume volume{&object, class_of_volume(object), amount_in(spec["capacity"]["storage"])};
  volume.access_modes = access_modes_in(spec["accessModes"]);
  volume.mode = spec["volumeMode"].is_scalar() ? spec["volumeMode"].text() : "Filesystem";
  volume.attributes_class = spec["volumeAttributesClassName"].text();
  volume.is_deleted = object["metadata"]["deletionTimestamp"].is_scalar();
  volume.reach = volume.translated_reach =
      reach_of(required.is_mapping(), k8s::terms_in(required), cluster);
  volume.plugin = plugin_of(spec);
  if (!volume.plugin.empty() && migrated(volume.plugin) != nullptr) {
    const auto translated = csi_volume_of(object);
    if (!translated) volume.untranslatable = translated.error().message;
    const TranslatedAffinity affinity(object);
    volume.translated_reach = reach_of(affinity.is_required(), affinity.terms(), cluster);
  }
  volumes_.push_back(std::move(volume));
}

void StorageFacts::add_volumes(const Cluster& cluster) {
  for (const k8s::Object* object : cluster.objects(SchedulingKind::volume)) {
    const auto index = static_cast<std::uint32_t>(volumes_.size());
    if (!volume_by_name_.try_emplace(object->name, index).second) continue;
    add_volume(*object, cluster);
    const Volume& volume = volumes_.back();
    const Node& claim = object->spec()["claimRef"];
    if (claim.is_mapping()) {
      volumes_by_claim_[claim_key({claim["namespace"].text()}, claim["name"].text())].push_back(
          index);
    } else if (!volume.is_deleted &&
               (is_future(*object) || (*object)["status"]["phase"].text() == "Available")) {
      free_volumes_[volume.class_name].push_back(index);
    }
  }
  for (auto& [name, list] : free_volumes_) {
    std::ranges::stable_sort(list, {}, [&](std::uint32_t i) { return volumes_[i].capacity; });
  }
}

/// Only matching by labels is supported. Source: binder.go, nodeHasAccess and volumeLimit.
void StorageFacts::add_capacities(const Cluster& cluster) {
  for (const k8s::Object* object : cluster.objects(SchedulingKind::storage_capacity)) {
    const Node& topology = (*object)["nodeTopology"];
    if (!topology.is_mapping()) continue;
    StorageCapacity capacity;
    capacity.free = bytes_in((*object)["capacity"]);
    const Node& largest = (*object)["maximumVolumeSize"];
    capacity.largest_volume = largest.is_scalar() ? bytes_in(largest) : capacity.free;
    k8s::NodeSelectorTerm term{.expressions = k8s::label_selector_in(topology)};
    const bool is_limited = !term.expressions.empty();
    capacity.reach = reach_of(is_limited, {std::move(term)}, cluster);
    capacities_[(*object)["storageClassName"].text()].push_back(capacity);
  }
}

void StorageFacts::add_claims(const Cluster& cluster) {
  for (const k8s::Object* object : cluster.objects(SchedulingKind::volume_claim)) {
    claims_[object->name].push_back(object);
  }
}

const NodeSet* StorageFacts::migrated(std::string_view plugin) const {
  const auto found = migrated_.find(plugin);
  return found == migrated_.end() ? nullptr : &found->second;
}

std::optional<std::uint32_t> StorageFacts::volume(std::string_view name) const {
  const auto found = volume_by_name_.find(name);
  return found == volume_by_name_.end() ? std::nullopt : std::optional(found->second);
}

const std::vector<std::uint32_t>& StorageFacts::volumes_for(const std::string& claim) const {
  return found_or_empty(volumes_by_claim_, claim);
}

const std::vector<std::uint32_t>& StorageFacts::free_volumes(std::string_view class_name) const {
  return found_or_empty(free_volumes_, class_name);
}

const StorageClass* StorageFacts::storage_class(std::string_view name) const {
  const auto found = classes_.find(name);
  return found == classes_.end() ? nullptr : &found->second;
}

const std::vector<StorageCapacity>& StorageFacts::capacities(std::string_view class_name) const {
  return found_or_empty(capacities_, class_name);
}

Truth StorageFacts::checks_capacity(std::string_view driver) const {
  const auto found = drivers_.find(driver);
  return found == drivers_.end() ? Truth::unknown : truth_of(found->second);
}

const std::vector<const k8s::Object*>& StorageFacts::claims(std::string_view name) const {
  return found_or_empty(claims_, name);
}

Storage::Storage(const Cluster& cluster, const ClusterScope& scope)
    : facts_(std::make_shared<const StorageFacts>(cluster, scope)),
      attachments_(cluster, *facts_) {}

Claim Storage::claim_of(const PodVolume& volume, const Pod& pod, const Cluster& cluster) const {
  using Kind = PodVolume::Kind;
  constexpr std::uint64_t kStepsOfClaim = 60;
  cluster.steps().spend(kStepsOfClaim);
  Claim claim{.volume = &volume};
  std::string name = volume.claim;
  if (volume.kind == Kind::of_set) {
    const auto placed = placed_.find(&pod.spec.node());
    name += std::to_string(volume.first_ordinal + (placed == placed_.end() ? 0 : placed->second));
  } else if (volume.kind == Kind::ephemeral) {
    name = std::string(pod.name) + name;
  }
  claim.key = claim_key(pod.ns, name);
  const bool is_made_later = volume.kind == Kind::ephemeral && pod.has_controller;
  k8s::FoundIn found;
  if (!is_made_later) found = k8s::find_in(pod.ns, facts_->claims(name));
  if (found.is_doubtful) {
    claim.doubt = fmt::format("whether {} is in the pod's namespace is not known", claim.text());
  } else if (found.object != nullptr) {
    claim.object = found.object;
    claim.root = claim.object->root;
    claim.key = claim_key(claim.object->ns, name);
    claim.state = facts_->is_future(*claim.object) ? Claim::State::future : Claim::State::given;
  } else if (is_made_later || volume.kind == Kind::of_set ||
             (volume.kind == Kind::ephemeral && !cluster.knows_all(SchedulingKind::volume_claim))) {
    claim.root = volume.made_from;
    claim.state = Claim::State::future;
  } else if (cluster.knows_all(SchedulingKind::volume_claim)) {
    claim.state = Claim::State::missing;
  } else {
    claim.doubt = not_given(claim.text() + " is not given", "pvc -A");
  }
  return claim;
}

/// Admission sets the default class of a new claim. Sources: helpers.go,
/// GetPersistentVolumeClaimClass; plugin/pkg/admission/storage/storageclass/setdefault.
std::optional<std::string_view> Storage::class_of(const Claim& claim,
                                                  const Cluster& cluster) const {
  if (const Node& beta = claim.annotation(kBetaClass)) return beta.text();
  const Node& written = claim.spec()["storageClassName"];
  if (written.is_scalar() || claim.is_given()) return written.text();
  if (facts_->default_class() != nullptr) return facts_->default_class()->name;
  if (cluster.knows_all(SchedulingKind::storage_class)) return std::string_view();
  return std::nullopt;
}

const SettledClaim* Storage::settled(const std::string& claim) const {
  const auto found = settled_.find(claim);
  return found == settled_.end() ? nullptr : &found->second;
}

std::int64_t Storage::used(std::string_view class_name, std::uint32_t capacity) const {
  const auto found = used_.find({class_name, capacity});
  return found == used_.end() ? 0 : found->second;
}

const std::vector<std::uint32_t>& Storage::users(const std::string& claim) const {
  return found_or_empty(users_, claim);
}

void Storage::add_running(const Cluster& cluster) {
  const auto index = static_cast<std::uint32_t>(cluster.pods().size() - 1);
  const Pod& pod = cluster.pods().back().pod;
  bool has_disk = false;
  for (const PodVolume& volume : pod.volumes) {
    if (volume.kind == PodVolume::Kind::disk) has_disk = true;
    if (volume.kind != PodVolume::Kind::claim) continue;
    const std::string key =
        !pod.ns.is_known() ? claim_of(volume, pod, cluster).key : claim_key(pod.ns, volume.claim);
    std::vector<std::uint32_t>& users = users_[key];
    if (users.empty() || users.back() != index) users.push_back(index);
  }
  if (has_disk) disk_users_.push_back(index);
  attachments_.add_running(index, cluster, *this);
}

void Storage::add_replica(std::uint32_t index, const Cluster& cluster) {
  attachments_.add_replica(index, cluster);
}

void Storage::take(const Pod& pod, const VolumeChoices& choices, std::size_t node,
                   std::uint32_t generation) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  ++placed_[&pod.spec.node()];
  for (const VolumeChoices::Choice& choice : choices.choices) {
    if (choice.volume) taken_.insert(*choice.volume);
    if (choice.capacity) {
      const std::string_view class_name = choice.class_name;
      std::int64_t& used = used_[{class_name, *choice.capacity}];
      used += std::min(choice.claim.size().value(), kMax - used);
    }
    if (!choice.claim.volume->is_own()) {
      settled_.try_emplace(choice.claim.key, SettledClaim{choice.volume, node, generation});
    }
  }
}

}  // namespace cnsched::sim

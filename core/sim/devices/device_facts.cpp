// Source of the devices in use: pkg/scheduler/framework/plugins/dynamicresources
// allocateddevices.go, foreachAllocatedDevice.

#include "core/sim/devices/device_facts.h"

#include <algorithm>
#include <set>

#include "core/sim/cluster.h"
#include "core/sim/devices/claims.h"
#include "core/yaml/scalar.h"

namespace cnsched::sim::devices {

namespace {

using ObjectsByName = std::unordered_map<std::string_view, DeviceFacts::Objects>;

/// Of two objects of one name, the first counts.
ObjectsByName by_name(const DeviceFacts::Objects& objects) {
  ObjectsByName named;
  for (const k8s::Object* object : objects) {
    DeviceFacts::Objects& same = named[object->name];
    if (std::ranges::find(same, object->ns, &k8s::Object::ns) == same.end()) same.push_back(object);
  }
  return named;
}

const DeviceFacts::Objects& named(const ObjectsByName& objects, std::string_view name) {
  static const DeviceFacts::Objects kNone;
  const auto found = objects.find(name);
  return found == objects.end() ? kNone : found->second;
}

}  // namespace

const DeviceFacts::Objects& DeviceFacts::Access::claims(std::string_view name) const {
  return named(facts_.claims_, name);
}

const DeviceFacts::Objects& DeviceFacts::Access::templates(std::string_view name) const {
  return named(facts_.templates_, name);
}

const yaml::Node& DeviceFacts::Access::allocation(const k8s::Object& claim) const {
  const yaml::Node& allocation = claim["status"]["allocation"];
  const bool counts = facts_.state_ == State::read && allocation.is_mapping();
  return counts ? allocation : yaml::missing_node();
}

bool DeviceFacts::Access::has_extended_resource_claim(std::string_view uid) const {
  return std::ranges::any_of(facts_.made_claims_, [&](const MadeClaim& made) {
    return (*made.owner)["uid"].text() == uid;
  });
}

const k8s::Object* DeviceFacts::Access::extended_resource_claim(const k8s::Namespace& ns,
                                                                std::string_view pod) const {
  const auto found = std::ranges::find_if(facts_.made_claims_, [&](const MadeClaim& made) {
    return made.claim->ns.may_be(ns) && (*made.owner)["name"].text() == pod;
  });
  return found == facts_.made_claims_.end() ? nullptr : found->claim;
}

DevicesInUse DeviceFacts::Access::in_use_without(const k8s::Object& without) const {
  DevicesInUse in_use;
  in_use.dedicated.resize(facts_.inventory_->ids());
  for (const auto& [name, claims] : facts_.claims_) {
    for (const k8s::Object* claim : claims) {
      if (claim != &without) facts_.add_use(*claim, in_use);
    }
  }
  return in_use;
}

DeviceFacts::Access DeviceFacts::access(const Cluster& cluster) {
  Access access(*this);
  if (inventory_ == nullptr) load(cluster);
  return access;
}

void DeviceFacts::load(const Cluster& cluster) {
  using enum k8s::SchedulingKind;
  inventory_ = std::make_unique<Inventory>(cluster.objects(resource_slice), cluster);
  in_use_.dedicated.resize(inventory_->ids());
  claims_ = by_name(cluster.objects(device_claim));
  templates_ = by_name(cluster.objects(device_claim_template));
  if (state_ == State::ignored) return;
  constexpr std::string_view kAnnotation = "resource.kubernetes.io/extended-resource-claim";
  for (const auto& [name, claims] : claims_) {
    for (const k8s::Object* claim : claims) {
      add_use(*claim, in_use_);
      if (claim->annotations().under(kAnnotation).text() != "true") continue;
      for (const yaml::Node* owner : (*claim)["metadata"]["ownerReferences"].items()) {
        if ((*owner)["controller"].text() != "true") continue;
        made_claims_.push_back({claim, owner});
      }
    }
  }
}

void DeviceFacts::add_use(const k8s::Object& claim, DevicesInUse& in_use) const {
  for (const yaml::Node* result : claim["status"]["allocation"]["devices"]["results"].items()) {
    const yaml::Node& used = *result;
    if (yaml::boolean_of(used["adminAccess"].text()) == true) continue;
    const auto id =
        inventory_->find_id(used["driver"].text(), used["pool"].text(), used["device"].text());
    if (!id) continue;
    if (!used["shareID"].is_scalar()) {
      in_use.dedicated[*id] = true;
      continue;
    }
    SharedUse& shared = in_use.shared[*id];
    const yaml::Node& consumed = used["consumedCapacity"];
    if (!consumed.is_mapping()) continue;
    shared.is_counted = true;
    add_amounts(quantities_in(consumed), shared.consumed);
  }
}

}  // namespace cnsched::sim::devices

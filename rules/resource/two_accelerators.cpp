// Resources are merged by name, so the accelerator of a runtime remains beside the service's own.
// The finding is at the entry of the pod's own object; a note points at the other one.
#include <algorithm>
#include <unordered_set>
#include <vector>

#include "core/accelerators/catalogue.h"
#include "rules/common/wording.h"
#include "rules/rule.h"

namespace cnsched::rules::two_accelerators {

using accelerators::Vendor;

namespace {

/// An accelerator that a container requests.
struct Device {
  std::string_view name;
  std::string_view maker;  ///< the vendor, or the resource's domain if the catalogue has no vendor
  const yaml::Node* amount = nullptr;
  const k8s::Object* setter = nullptr;
  bool may_be_beside_others = false;  ///< Intel's GPUs are part of many processors
};

}  // namespace

static std::string_view maker_of(std::string_view name, Vendor vendor) {
  return vendor == Vendor::other ? name.substr(0, name.find('/')) : accelerators::name_of(vendor);
}

/// The accelerators of the container. If limit and request differ, the limit counts.
static std::vector<Device> devices_of(const k8s::Container& container, const Findings& findings) {
  std::vector<Device> devices;
  std::unordered_set<std::string_view> seen;
  for (const k8s::ResourceAmount& amount : container.amounts()) {
    const auto& [name, node] = amount;
    const accelerators::Resource* resource = accelerators::find_resource(name);
    if (resource == nullptr || accelerators::is_auxiliary_resource(name)) continue;
    if (!seen.insert(name).second || !amount.is_known_positive()) continue;
    devices.push_back({name, maker_of(name, resource->vendor), node, setter_of(*node, findings),
                       resource->vendor == Vendor::intel});
  }
  return devices;
}

static void note_other(const Device& other, const Workload& workload, Findings::Finding& finding) {
  const yaml::Node& key = other.amount->key() != nullptr ? *other.amount->key() : *other.amount;
  if (other.amount->made) {
    finding.note(key, "KServe sets '{}' for this, to distribute the model over nodes", other.name);
  } else if (other.setter == nullptr || other.setter == workload.object) {
    finding.note(key, "'{}' is set here", other.name);
  } else {
    finding.note(key, "{} sets '{}'", named(*other.setter), other.name);
  }
}

static void advise(const Device& own, const Device& other, const Workload& workload,
                   Findings::Finding& finding) {
  if (other.setter == workload.object || own.setter != workload.object) {
    finding.help("keep the accelerator that the model server uses");
  } else {
    finding.help(
        "to remove the inherited '{}', set it to 0 under limits, and under requests if it is set "
        "there",
        other.name);
  }
}

static void report_two_makers(const k8s::Container& container, const Device& own,
                              const Device& other, const Workload& workload, Findings& findings) {
  const bool possible = own.may_be_beside_others || other.may_be_beside_others;
  auto finding = findings.add_at_key(
      *own.amount, "container '{}' requests '{}' and '{}', accelerators of two vendors: {}",
      container.name(), own.name, other.name,
      possible ? "the pod stays Pending unless a node has both"
               : "the pod stays Pending because no node has both");
  if (possible) finding.severity(Severity::warning);
  note_other(other, workload, finding);
  advise(own, other, workload, finding);
}

/// Two resources of one vendor can be intended, unless one of them is inherited.
static void report_inherited(const k8s::Container& container, const Device& own,
                             const Device& other, const Workload& workload, Findings& findings) {
  auto finding = findings.add_at_key(*own.amount,
                                     "container '{}' requests '{}' in addition to the inherited "
                                     "'{}': the pod stays Pending unless a node has both",
                                     container.name(), own.name, other.name);
  finding.severity(Severity::warning);
  note_other(other, workload, finding);
  advise(own, other, workload, finding);
}

static void check_container(const k8s::Container& container, const Workload& workload,
                            Findings& findings) {
  const std::vector<Device> devices = devices_of(container, findings);
  if (devices.size() < 2) return;
  const auto is_own = [&](const Device& d) {
    return d.setter == workload.object && !d.amount->made;
  };
  const auto first_own = std::ranges::find_if(devices, is_own);
  const Device& own = first_own == devices.end() ? devices.front() : *first_own;
  const auto of_another =
      std::ranges::find_if(devices, [&](const Device& d) { return d.maker != own.maker; });
  if (of_another != devices.end()) {
    return report_two_makers(container, own, *of_another, workload, findings);
  }
  const auto inherited = std::ranges::find_if_not(devices, is_own);
  if (is_own(own) && inherited != devices.end() && !inherited->amount->made) {
    report_inherited(container, own, *inherited, workload, findings);
  }
}

static void check(const Workload& workload, Findings& findings) {
  for (const k8s::Container& container : workload.pod.all_containers()) {
    check_container(container, workload, findings);
  }
}

extern constinit const Rule rule = {
    .id = "two-accelerators",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .decided_by_subject = true,
    .of = Domain::built | Domain::unused_parts,
    .check = check,
};

}  // namespace cnsched::rules::two_accelerators

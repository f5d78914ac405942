#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/accelerators/records.h"

namespace cnsched::accelerators {

/// A machine type of a cloud with accelerators, from machines.table.
struct MachineType {
  std::string_view name;
  const Machine* accelerators = nullptr;  ///< never null
  std::string_view resource{};            ///< that a container requests to get one
  std::int64_t vcpus = 0;
  std::int64_t mebibytes = 0;
  std::int64_t pods = 0;            ///< that a node can run; 0: unknown
  std::int64_t nvme_gigabytes = 0;  ///< of local disks; 0: none
  std::string_view cpu_maker{};     ///< "amd"; empty: unknown
  std::string_view hypervisor{};

  bool is_arm() const { return cpu_maker == "aws"; }
  /// What a node of the type has, as Karpenter counts it against the limits of a NodePool: of the
  /// memory, on AWS 7.5 % are assumed to be missing.
  std::int64_t capacity_bytes() const;
  /// What remains for pods in the default configuration of the provider, without DaemonSets: CPU in
  /// thousandths, memory in bytes.
  std::int64_t allocatable_millicpus() const;
  std::int64_t allocatable_bytes() const;
};

/// All of them. The smallest of each provider and accelerator come first.
std::span<const MachineType> machine_types();
/// The machine type of this name, or null.
const MachineType* find_machine_type(std::string_view name);

/// The labels that Karpenter gives a node of a type of AWS, with `prefix` ("karpenter.k8s.aws/", of
/// EKS Auto Mode "eks.amazonaws.com/") where they are of AWS; with every one of AWS that it knows
/// from machines.table.
std::vector<std::pair<std::string, std::string>> karpenter_labels(const MachineType& type,
                                                                  std::string_view prefix);
/// Whether karpenter_labels knows for every type whether it has the label `key`.
bool is_known_karpenter_label(std::string_view key, std::string_view prefix);

}  // namespace cnsched::accelerators

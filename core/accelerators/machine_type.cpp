// What Karpenter derives from a machine type. Sources: aws/karpenter-provider-aws 1d927085d,
// pkg/providers/instancetype/types.go, computeRequirements, kubeReservedResources, memory and
// evictionThreshold; for Google and Azure, Google's page "About node sizes", whose reservations are
// the larger ones.

#include "core/accelerators/machine_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

#include "core/accelerators/node_profile.h"
#include "core/base/text.h"

namespace cnsched::accelerators {

namespace {

constexpr std::string_view kMachineTable =
#include "core/accelerators/machines.table"
    ;

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;
constexpr std::int64_t kMilli = 1000;

std::int64_t number_in(std::string_view word, std::string_view line) {
  if (const auto value = whole_number<std::int64_t>(word)) return *value;
  throw std::logic_error(fmt::format("machines.table: '{}' is not a number in '{}'", word, line));
}

std::string_view resource_on(const Machine& machine) {
  const auto device = std::ranges::find(records().devices, machine.accelerator, &Device::name);
  return device == records().devices.end() ? find_plugin(Vendor::nvidia)->resource
                                           : device->resource;
}

MachineType machine_type_in(std::string_view line) {
  enum Column : std::size_t { name, vcpus, mebibytes, pods, nvme, maker, hypervisor, kColumns };
  const auto words = split(line, ' ');
  const auto& machines = records().machines;
  const auto machine = std::ranges::find(machines, words[name], &Machine::type);
  if (machine == machines.end() || (words.size() != pods && words.size() != kColumns)) {
    throw std::logic_error(fmt::format("machines.table: '{}'", line));
  }
  MachineType type{.name = words[name], .accelerators = &*machine};
  type.resource = resource_on(*machine);
  type.vcpus = number_in(words[vcpus], line);
  type.mebibytes = number_in(words[mebibytes], line);
  if (words.size() != kColumns) return type;
  type.pods = number_in(words[pods], line);
  if (words[nvme] != "-") type.nvme_gigabytes = number_in(words[nvme], line);
  type.cpu_maker = words[maker];
  if (words[hypervisor] != "-") type.hypervisor = words[hypervisor];
  return type;
}

std::vector<MachineType> read_machine_types() {
  std::vector<MachineType> types;
  for (const std::string_view line : rows_of(kMachineTable)) types.push_back(machine_type_in(line));
  return types;
}

/// A share of the part of an amount that is above `from`, up to the next bracket.
struct Bracket {
  std::int64_t from = 0;
  std::int64_t per_10000 = 0;
};

template <std::size_t kCount>
std::int64_t reserved(std::int64_t amount, const std::array<Bracket, kCount>& brackets) {
  constexpr std::int64_t kWhole = 10'000;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::int64_t to = i + 1 < kCount ? std::min(amount, brackets[i + 1].from) : amount;
    if (to > brackets[i].from) sum += (to - brackets[i].from) * brackets[i].per_10000 / kWhole;
  }
  return sum;
}

/// MiB that nodes of Google and Azure reserve.
std::int64_t reserved_mebibytes(std::int64_t mebibytes) {
  constexpr std::int64_t kGibibyte = 1024;
  static constexpr auto kBrackets = std::to_array<Bracket>({{0, 2500},
                                                            {4 * kGibibyte, 2000},
                                                            {8 * kGibibyte, 1000},
                                                            {16 * kGibibyte, 600},
                                                            {128 * kGibibyte, 200}});
  constexpr std::int64_t kEviction = 100;
  return reserved(mebibytes, kBrackets) + kEviction;
}

/// The word of the family's category in Karpenter: "g" of g6e, "trn" of trn1n.
std::string_view category_of(std::string_view family) {
  return family.substr(0, std::min(family.find_first_of("0123456789"), family.size()));
}

/// "6" of g6e: the number after the category.
std::string_view generation_of(std::string_view family) {
  const std::string_view rest = family.substr(category_of(family).size());
  return rest.substr(0, std::min(rest.find_first_not_of("0123456789"), rest.size()));
}

constexpr auto kKnownOfAmazon = std::to_array<std::string_view>(
    {"instance-category", "instance-family", "instance-generation", "instance-size", "instance-cpu",
     "instance-cpu-manufacturer", "instance-memory", "instance-local-nvme", "instance-hypervisor",
     "instance-gpu-name", "instance-gpu-manufacturer", "instance-gpu-count", "instance-gpu-memory",
     "instance-accelerator-name", "instance-accelerator-manufacturer",
     "instance-accelerator-count"});
constexpr auto kKnownOfAll = std::to_array<std::string_view>(
    {"node.kubernetes.io/instance-type", "kubernetes.io/arch", "kubernetes.io/os"});

/// Collects the labels of one type.
class LabelWriter {
 public:
  LabelWriter(const MachineType& type, std::string_view prefix) : type_(type), prefix_(prefix) {}

  std::vector<std::pair<std::string, std::string>> written() && {
    labels_.emplace_back("node.kubernetes.io/instance-type", type_.name);
    labels_.emplace_back("kubernetes.io/arch", type_.is_arm() ? "arm64" : "amd64");
    labels_.emplace_back("kubernetes.io/os", "linux");
    const std::size_t dot = type_.name.find('.');
    const std::string_view family = type_.name.substr(0, dot);
    add("instance-family", family);
    add("instance-size", type_.name.substr(dot + 1));
    add("instance-category", category_of(family));
    add("instance-generation", generation_of(family));
    add("instance-cpu", std::to_string(type_.vcpus));
    add("instance-cpu-manufacturer", type_.cpu_maker);
    add("instance-memory", std::to_string(type_.mebibytes));
    if (type_.nvme_gigabytes != 0) {
      add("instance-local-nvme", std::to_string(type_.nvme_gigabytes));
    }
    add("instance-hypervisor", type_.hypervisor);
    add_accelerators();
    return std::move(labels_);
  }

 private:
  void add(std::string_view name, std::string_view value) {
    labels_.emplace_back(fmt::format("{}{}", prefix_, name), value);
  }

  void add_accelerators() {
    const auto found = find_accelerator(type_.accelerators->accelerator);
    if (!found) return;
    const Accelerator& accelerator = **found;
    const std::string count = std::to_string(type_.accelerators->devices);
    if (accelerator.card) {
      add_gpu(karpenter_name(*accelerator.card).value_or(""), "nvidia", count,
              mebibytes_of(*accelerator.card, Naming::karpenter).value_or(0));
      return;
    }
    const Device& device = *accelerator.device;
    if (device.vendor == Vendor::amd) {
      add_gpu(device.label_value, "amd", count, device.karpenter_mib);
    } else {
      add("instance-accelerator-name", device.label_value);
      add("instance-accelerator-manufacturer", "aws");
      add("instance-accelerator-count", count);
    }
  }

  void add_gpu(std::string_view name, std::string_view maker, const std::string& count,
               unsigned mebibytes) {
    add("instance-gpu-name", name);
    add("instance-gpu-manufacturer", maker);
    add("instance-gpu-count", count);
    if (mebibytes != 0) add("instance-gpu-memory", std::to_string(mebibytes));
  }

  const MachineType& type_;
  std::string_view prefix_;
  std::vector<std::pair<std::string, std::string>> labels_;
};

}  // namespace

std::int64_t MachineType::capacity_bytes() const {
  constexpr std::int64_t kMissing = 75;
  constexpr std::int64_t kArmMebibytes = 64;  // that the CMA of Linux takes
  if (accelerators->provider != Provider::amazon) return mebibytes * kMebibyte;
  const std::int64_t given = mebibytes - (is_arm() ? kArmMebibytes : 0);
  return (given - (given * kMissing + kMilli - 1) / kMilli) * kMebibyte;
}

std::int64_t MachineType::allocatable_millicpus() const {
  static constexpr auto kBrackets =
      std::to_array<Bracket>({{0, 600}, {kMilli, 100}, {2 * kMilli, 50}, {4 * kMilli, 25}});
  return vcpus * kMilli - reserved(vcpus * kMilli, kBrackets);
}

std::int64_t MachineType::allocatable_bytes() const {
  constexpr std::int64_t kEviction = 100;
  constexpr std::int64_t kBase = 255;
  constexpr std::int64_t kEachPod = 11;
  if (pods == 0) return (mebibytes - reserved_mebibytes(mebibytes)) * kMebibyte;
  return capacity_bytes() - (kEviction + kBase + kEachPod * pods) * kMebibyte;
}

std::span<const MachineType> machine_types() {
  static const std::vector<MachineType> kTypes = read_machine_types();
  return kTypes;
}

const MachineType* find_machine_type(std::string_view name) {
  static const std::map<std::string_view, const MachineType*> kByName = [] {
    std::map<std::string_view, const MachineType*> by_name;
    for (const MachineType& type : machine_types()) by_name.emplace(type.name, &type);
    return by_name;
  }();
  const auto found = kByName.find(name);
  return found == kByName.end() ? nullptr : found->second;
}

std::vector<std::pair<std::string, std::string>> karpenter_labels(const MachineType& type,
                                                                  std::string_view prefix) {
  auto labels = LabelWriter(type, prefix).written();
  std::erase_if(labels, [](const auto& label) { return label.second.empty(); });
  return labels;
}

bool is_known_karpenter_label(std::string_view key, std::string_view prefix) {
  if (is_one_of(key, kKnownOfAll)) return true;
  return key.starts_with(prefix) && is_one_of(key.substr(prefix.size()), kKnownOfAmazon);
}

}  // namespace cnsched::accelerators

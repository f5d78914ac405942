#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/accelerators/catalogue.h"
#include "core/base/result.h"

namespace cnsched::accelerators {

/// Where a cluster runs, as far as it decides how nodes with accelerators are labelled and tainted.
enum class Platform : unsigned char { gke, eks, karpenter, aks, gpu_operator, generic };

/// "gke", "gpu-operator".
std::string_view name_of(Platform platform);
/// "Google Kubernetes Engine: GKE labels and taints the nodes itself".
std::string_view describe(Platform platform);
std::span<const Platform> platforms();
std::optional<Platform> platform_named(std::string_view name);

/// How MIG slices are advertised: as nvidia.com/gpu (single), or each profile by a resource of its
/// own (mixed).
enum class MigStrategy : unsigned char { single, mixed };

/// What a pod asks for.
struct Wanted {
  std::vector<std::string> accelerators;            ///< names; any one of them will do
  std::int64_t count = 1;                           ///< devices for each pod
  std::optional<MigStrategy> mig_strategy;          ///< nothing: what is usual on the platform
  std::optional<std::int64_t> more_than_mebibytes;  ///< of memory on each card
};

struct LabelValue {
  std::string key;
  std::string value;
};

/// A demand on a label of the node: any of `values`, or, if it has none, more than `more_than`, or
/// that there is no such label.
struct LabelDemand {
  enum class Operator : unsigned char { in, greater_than, not_in, does_not_exist };
  std::string key;
  Operator op = Operator::in;
  std::vector<std::string> values;  ///< of greater_than, one integer
};

struct NodeTaint {
  std::string key;
  std::string value;
  std::string effect = "NoSchedule";
};

/// A toleration for NoSchedule: of any value if it has none.
struct NodeToleration {
  std::string key;
  std::string value;
};

/// What a pod has to say on a platform to get an accelerator, and what its nodes look like there.
struct Placement {
  std::vector<std::string> accelerators;  ///< by the catalogue's names
  Vendor vendor = Vendor::nvidia;
  std::string resource;                ///< what a container asks for
  std::vector<LabelDemand> demands;    ///< all of them hold on the nodes, sorted by key
  std::vector<LabelDemand> elsewhere;  ///< keep a pod away from all nodes with such accelerators
  /// What nobody but the owner puts on the nodes; of several accelerators, those with the first.
  std::vector<LabelValue> to_be_labelled;
  NodeTaint taint;                      ///< by the platform, or by convention
  bool tolerated_by_admission = false;  ///< ExtendedResourceToleration is on, and covers the taint
  /// What the pod has to say because admission does not, of that taint or of others that nodes with
  /// one of the accelerators are sure to have.
  std::vector<NodeToleration> tolerations;
  std::vector<NodeToleration> plugin_tolerations;  ///< what the device plugin has to tolerate
  /// The smallest machine with so many of the first accelerator, where that is known.
  std::optional<std::string> machine_type;
};

/// Fails, with the reason and what is possible instead, if the platform has no such accelerator,
/// not by that many, or no label to tell it by. Reasons quote names as they are in `wanted`; one
/// that leaves the size open is of the only size that the platform has. Throws std::logic_error if
/// none is wanted.
Result<Placement> place(Platform platform, const Wanted& wanted);

/// An accelerator by the name that users know, whole or a slice of it.
struct Product {
  /// "nvidia-a100-80gb", "nvidia-a100-80gb-mig-3g.40gb", "google-tpu-v5e"; and, for those cards of
  /// which GPU feature discovery or GKE tell several kinds, one such kind: "NVIDIA-A100-SXM4-40GB".
  std::string name;
  Vendor vendor = Vendor::nvidia;
  std::string title;  ///< "NVIDIA A100 with 80 GB"
};

/// Every accelerator that the catalogue offers on some platform, sorted by vendor and name.
const std::vector<Product>& products();
/// By its name or any spelling that a platform has for it, ignoring case; the first of those that
/// the name leaves open; null if there is none.
const Product* product_named(std::string_view name);
/// Why the platform has no such product, or nothing if it has it.
std::optional<std::string> refusal(Platform platform, const Product& product);

}  // namespace cnsched::accelerators

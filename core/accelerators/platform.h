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

/// Where a cluster runs, which decides how nodes with accelerators are labelled and tainted.
enum class Platform : unsigned char { gke, eks, karpenter, aks, gpu_operator, generic };

/// "gke", "gpu-operator".
std::string_view name_of(Platform platform);
/// "Google Kubernetes Engine: GKE labels and taints the nodes itself".
std::string_view describe(Platform platform);
std::span<const Platform> platforms();
std::optional<Platform> platform_named(std::string_view name);

/// How MIG slices are advertised: as nvidia.com/gpu (single), or each profile as a separate
/// resource (mixed).
enum class MigStrategy : unsigned char { single, mixed };

/// What a pod requests.
struct PlacementRequest {
  std::vector<std::string> accelerators;            ///< names; the pod gets any one of them
  std::int64_t count = 1;                           ///< devices for each pod
  std::optional<MigStrategy> mig_strategy;          ///< nothing: the usual one of the platform
  std::optional<std::int64_t> more_than_mebibytes;  ///< of memory on each card
};

struct LabelValue {
  std::string key;
  std::string value;
};

/// A demand on a label of the node.
struct LabelDemand {
  enum class Operator : unsigned char { in, greater_than, not_in, does_not_exist };
  std::string key;
  Operator op = Operator::in;
  std::vector<std::string> values;  ///< one integer for greater_than
};

struct NodeTaint {
  std::string key;
  std::string value;
  std::string effect = "NoSchedule";
};

/// A toleration for NoSchedule, of any value if `value` is empty.
struct NodeToleration {
  std::string key;
  std::string value;
};

/// What a pod needs to get an accelerator on a platform, and what its nodes look like.
struct Placement {
  std::vector<std::string> accelerators;  ///< names of products
  Vendor vendor = Vendor::nvidia;
  std::string resource;                ///< that a container requests
  std::vector<LabelDemand> demands;    ///< the nodes meet all of them; sorted by key
  std::vector<LabelDemand> elsewhere;  ///< exclude all nodes with such accelerators
  /// Labels that only the owner of the nodes can set; of several accelerators, for the first.
  std::vector<LabelValue> owner_labels;
  NodeTaint taint;  ///< set by the platform, or by convention
  bool tolerated_by_admission =
      false;  ///< ExtendedResourceToleration is enabled, and covers the taint
  /// Tolerations that the pod needs because admission does not add them, for that taint and for
  /// others that nodes with one of the accelerators always have.
  std::vector<NodeToleration> tolerations;
  std::vector<NodeToleration> plugin_tolerations;  ///< that the device plugin needs
  /// The smallest machine type with as many of the first accelerator, where that is known.
  std::optional<std::string> machine_type;
};

/// Fails, with the reason and the alternatives, if the platform does not have the accelerator, not
/// as many, or no label that identifies it. Reasons quote names as they are in the request. A name
/// without size means the only size that the platform has. Throws std::logic_error if the request
/// has no accelerator.
Result<Placement> place(Platform platform, const PlacementRequest& request);

/// An accelerator, or a slice of one, by the name that users know.
struct Product {
  /// "nvidia-a100-80gb", "nvidia-a100-80gb-mig-3g.40gb", "google-tpu-v5e". Where GPU feature
  /// discovery or GKE distinguish kinds of a card, also one such kind: "NVIDIA-A100-SXM4-40GB".
  std::string name;
  Vendor vendor = Vendor::nvidia;
  std::string title;  ///< "NVIDIA A100 with 80 GB"
};

/// Every accelerator that some platform has, sorted by vendor and name.
const std::vector<Product>& products();
/// By its name or any spelling, ignoring case. The first size if the name covers several. Null if
/// there is none.
const Product* product_named(std::string_view name);
/// Why the platform does not have the product; nothing if it does.
std::optional<std::string> reason_unavailable(Platform platform, const Product& product);

}  // namespace cnsched::accelerators

#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/accelerators/catalogue.h"

namespace cnsched::accelerators {

/// A way to divide a card.
struct MigProfile {
  std::string_view name;  ///< "1g.5gb"
  unsigned per_card = 0;  ///< how many such slices a whole card has
  bool on_gke = true;
};

/// One memory size of a card.
struct CardSize {
  unsigned gigabytes = 0;                ///< nominal
  unsigned feature_discovery_mib = 0;    ///< in the label of GPU feature discovery; 0: unknown
  unsigned karpenter_mib = 0;            ///< in the label of Karpenter; 0: unknown
  unsigned most_on_n1 = 0;               ///< cards that Google attaches to an N1 machine
  std::string_view autoscaler;           ///< name that the cluster autoscaler documents for AWS
  std::vector<MigProfile> mig_profiles;  ///< without variants such as 1g.5gb.me
};

/// A model of an NVIDIA card.
struct CardModel {
  std::string_view name;        ///< "A100"
  std::string_view family;      ///< as GPU feature discovery labels it: "ampere"
  std::vector<CardSize> sizes;  ///< the smallest first
  bool arm_on_gke = false;      ///< GKE has it in Arm machines only
  bool has_uncertain_names = false;

  const CardSize* find_size(unsigned gigabytes) const;
};

/// A card as a label identifies it.
struct Card {
  const CardModel* model = nullptr;
  unsigned gigabytes = 0;  ///< a size of the model; 0 where the name does not say

  friend bool operator==(const Card&, const Card&) = default;
};

/// The tools and platforms that write names of cards into labels.
enum class Naming : unsigned char { feature_discovery, gke, karpenter };

/// How one of them writes a card.
struct CardName {
  Naming naming;
  std::string_view value;
  Card card;               ///< the size is 0 only if the name covers several
  bool says_size = false;  ///< the size is certain although the name does not contain it
};

/// A name that users write and that GPU feature discovery does not.
struct InvalidProductName {
  std::string_view written;
  std::string_view correct;  ///< empty if several are possible
};

/// An accelerator that is not an NVIDIA card.
struct Device {
  std::string_view name;  ///< "amd-mi300x"
  Vendor vendor = Vendor::other;
  std::string_view title;
  std::string_view resource;   ///< that a container requests
  std::string_view label_key;  ///< of the label that identifies it; empty where none is known
  std::string_view label_value;
  unsigned karpenter_mib = 0;    ///< memory in the label of Karpenter; 0: no label
  std::vector<unsigned> counts;  ///< the numbers of devices that a pod can get; empty: any
};

/// A slice of TPUs on a single host.
struct TpuHost {
  std::string_view device;    ///< name of a Device
  std::string_view topology;  ///< value of cloud.google.com/gke-tpu-topology
  unsigned chips = 0;
};

enum class Provider : unsigned char { amazon, azure, google };

/// A machine type of a cloud, and its accelerators.
struct Machine {
  Provider provider;
  std::string_view type;
  unsigned devices = 0;     ///< whole ones
  std::string accelerator;  ///< name of a product
  Vendor vendor = Vendor::nvidia;
};

/// The records of accelerators.table, and the flat lists that lookups search. All text belongs to
/// the table. The format is documented at the top of accelerators.table.
class Records {
 public:
  /// Throws std::logic_error, with the line, if `table` does not follow the format.
  explicit Records(std::string_view table);
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;

  std::deque<CardModel> models;
  std::vector<CardName> card_names;
  std::vector<InvalidProductName> invalid_product_names;
  std::deque<Device> devices;
  std::vector<TpuHost> tpu_hosts;  ///< the smallest of each device first
  std::vector<Machine> machines;   ///< of one provider and accelerator: the smallest first

  struct ProductIndex;
  /// Derived when it is first needed (product.cpp).
  const ProductIndex& products() const;

 private:
  mutable std::once_flag products_made_;
  mutable std::shared_ptr<const ProductIndex> products_;
};

/// The text of accelerators.table.
std::string_view accelerators_table();

/// What every lookup reads: accelerators.table, parsed on first use.
const Records& records();

/// How many accelerators a machine of this type has, if that is certain.
std::optional<unsigned> devices_of_instance_type(std::string_view type);

/// While it exists, all lookups of the process read `replacement`. For tests only.
class RecordsReplacement {
 public:
  explicit RecordsReplacement(const Records& replacement);
  RecordsReplacement(const RecordsReplacement&) = delete;
  RecordsReplacement& operator=(const RecordsReplacement&) = delete;
  ~RecordsReplacement();
};

/// "nvidia-l40s", "nvidia-v100-32gb": the name of a card that does not depend on any platform.
std::string systematic_name(const Card& card);
/// The name of the product for any such card: GKE's name if it has one.
std::string product_name(const Records& records, const Card& card);

}  // namespace cnsched::accelerators

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/accelerators/card.h"
#include "core/k8s/pod_spec.h"

namespace cnsched::accelerators {

/// Something that a node has one value of, whichever label describes it.
enum class Trait : unsigned char {
  card,            ///< "A100"
  card_of_memory,  ///< "A100 with 40 GB"
  vendor,          ///< of its accelerators: "NVIDIA"
  cloud,           ///< "GKE"
};

inline constexpr auto kTraits =
    std::to_array<Trait>({Trait::card, Trait::card_of_memory, Trait::vendor, Trait::cloud});

/// The name of the trait in messages: "card", "cloud provider".
std::string_view name_of(Trait trait);

/// A prefix of labels that only the nodes of one provider have.
struct Cloud {
  std::string_view prefix;
  std::string_view name;
};
std::span<const Cloud> clouds();

/// The card of a node with `key`: `value`, if the label names a known one.
std::optional<Card> card_from_label(std::string_view key, std::string_view value);

/// The values that the trait may have on a node that satisfies `r`. Empty if `r` does not determine
/// the trait, or names a value that is not known [A33, A38, A39, A42].
std::vector<std::string> trait_values(const k8s::Requirement& r, Trait trait);

/// Whether both determine the trait, with no value in common.
bool differ_in(const k8s::Requirement& a, const k8s::Requirement& b, Trait trait);

/// Whether the pod can only run on nodes of a provider that itself taints its accelerator nodes
/// with this key and value: GKE sets nvidia.com/gpu=present and google.com/tpu=present
/// [A12].
bool is_provider_taint(std::string_view key, std::string_view value, const k8s::PodSpec& pod);

/// An example value of a node label that never has a whole number, so that Gt and Lt never match.
/// Empty if the label may have one, or is not known.
std::string_view example_without_number(std::string_view label);

/// A node label, and an example of its values.
struct LabelExample {
  std::string_view label;
  std::string_view value;
};
/// The labels that have such an example.
std::span<const LabelExample> labels_without_numbers();

/// Whether the label is an amount of memory in MiB.
bool counts_mebibytes(std::string_view label);

/// An amount of MiB that every card sold with `gigabytes` of memory exceeds, and no smaller card
/// does. Cards report a little less than they are sold with: an L4 of 24 GB has 22888 or 23034.
std::int64_t just_below_cards_of(std::int64_t gigabytes);

/// A whole amount of memory as people write it: "40Gi", "80GB", "16384MiB".
struct MemoryAmount {
  std::int64_t number = 0;
  bool in_gigabytes = false;  ///< otherwise in MiB
};
std::optional<MemoryAmount> memory_amount_in(std::string_view text);

}  // namespace cnsched::accelerators

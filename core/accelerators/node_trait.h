#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/accelerators/card.h"
#include "core/k8s/selector.h"

namespace cnsched::accelerators {

/// What a node has one of, whatever label tells it.
enum class Trait : unsigned char {
  card,            ///< "A100"
  card_of_memory,  ///< "A100 with 40 GB"
  vendor,          ///< of its accelerators: "NVIDIA"
  cloud,           ///< "GKE"
};

inline constexpr auto kTraits =
    std::to_array<Trait>({Trait::card, Trait::card_of_memory, Trait::vendor, Trait::cloud});

/// "card", "cloud provider": what a message calls it.
std::string_view name_of(Trait trait);

/// The card that a node with `key`: `value` has, where the label names one that is known.
std::optional<Card> card_told_by(std::string_view key, std::string_view value);

/// What the trait is, one of these, on every node that satisfies `r`; empty if `r` leaves it open,
/// or tells it by a name that is not known. Source: facts on labels by platform.
std::vector<std::string> told_by(const k8s::Requirement& r, Trait trait);

/// Whether both tell the trait, and nothing in common.
bool differ_in(const k8s::Requirement& a, const k8s::Requirement& b, Trait trait);

}  // namespace cnsched::accelerators

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace cnsched::accelerators {

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

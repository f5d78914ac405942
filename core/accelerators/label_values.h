#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cnsched::accelerators {

/// A value as a node's label has it, if none of its values is a whole number, so that Gt and Lt
/// never match; empty if they may be, or nothing is known.
std::string_view example_without_number(std::string_view label);

/// Whether the label counts memory, in MiB.
bool counts_mebibytes(std::string_view label);

/// MiB that every card sold with so many GB of memory has more than, and no smaller card has. They
/// have a little less than they are sold with: an L4 of 24 GB has 22888 or 23034.
std::int64_t just_below_cards_of(std::int64_t gigabytes);

/// A whole amount of memory as people write it: "40Gi", "80GB", "16384MiB".
struct MemoryAmount {
  std::int64_t number = 0;
  bool in_gigabytes = false;  ///< otherwise in MiB
};
std::optional<MemoryAmount> memory_amount_in(std::string_view text);

}  // namespace cnsched::accelerators

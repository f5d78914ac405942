#pragma once

#include "core/sim/devices/slices.h"

namespace cnsched::sim::devices {

/// What a request takes of each capacity of a device.
NamedQuantities consumed_by(const NamedQuantities& requested, const Device& device);

/// Whether the device has enough for `requested` besides what `used` and `more` take.
bool has_capacity_for(const NamedQuantities& requested, const Device& device,
                      const NamedQuantities* used, const NamedQuantities* more);

/// The amount of that name; null if there is none.
const Quantity* amount_in(const NamedQuantities& amounts, std::string_view name);
void add_amounts(const NamedQuantities& more, NamedQuantities& amounts);
void subtract_amounts(const NamedQuantities& less, NamedQuantities& amounts);

}  // namespace cnsched::sim::devices

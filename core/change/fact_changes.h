#pragma once

#include <utility>
#include <vector>

#include "core/change/facts.h"

namespace cnsched::change {

/// A fact of each side; null where the side has none of that name left.
using FactPair = std::pair<const Fact*, const Fact*>;

/// The facts of two sorted lists that differ. Of facts with one name, those that both have are left
/// out, and the others are paired in order.
std::vector<FactPair> differing_facts(const std::vector<Fact>& before,
                                      const std::vector<Fact>& after);

/// Whether all that facts are read from is written alike, so that the facts are equal. Much faster
/// than facts; false also for equal facts in other words.
bool is_written_alike(const sim::Simulated& a, const sim::Simulated& b);

}  // namespace cnsched::change

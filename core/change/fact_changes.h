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

}  // namespace cnsched::change

#include "core/change/fact_changes.h"

#include <algorithm>
#include <tuple>

namespace cnsched::change {

namespace {

auto name_key(const Fact& fact) { return std::tie(fact.part, fact.name); }

/// The facts from `first` on that have its name.
std::vector<const Fact*> same_named(const std::vector<Fact>& facts, std::size_t& first) {
  std::vector<const Fact*> named;
  const std::size_t begin = first;
  for (; first < facts.size() && name_key(facts[first]) == name_key(facts[begin]); ++first) {
    named.push_back(&facts[first]);
  }
  return named;
}

/// Removes the facts that both lists have, which are sorted by value.
void drop_common(std::vector<const Fact*>& a, std::vector<const Fact*>& b) {
  std::vector<const Fact*> only_a;
  std::vector<const Fact*> only_b;
  const auto is_less = [](const Fact* x, const Fact* y) { return x->value < y->value; };
  std::ranges::set_difference(a, b, std::back_inserter(only_a), is_less);
  std::ranges::set_difference(b, a, std::back_inserter(only_b), is_less);
  a = std::move(only_a);
  b = std::move(only_b);
}

}  // namespace

std::vector<FactPair> differing_facts(const std::vector<Fact>& before,
                                      const std::vector<Fact>& after) {
  std::vector<FactPair> pairs;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < before.size() || j < after.size()) {
    const bool has_before =
        i < before.size() && (j == after.size() || name_key(before[i]) <= name_key(after[j]));
    const bool has_after =
        j < after.size() && (i == before.size() || name_key(after[j]) <= name_key(before[i]));
    std::vector<const Fact*> a = has_before ? same_named(before, i) : std::vector<const Fact*>();
    std::vector<const Fact*> b = has_after ? same_named(after, j) : std::vector<const Fact*>();
    drop_common(a, b);
    for (std::size_t k = 0; k < std::max(a.size(), b.size()); ++k) {
      pairs.emplace_back(k < a.size() ? a[k] : nullptr, k < b.size() ? b[k] : nullptr);
    }
  }
  return pairs;
}

}  // namespace cnsched::change

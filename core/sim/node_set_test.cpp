#include "core/sim/node_set.h"

#include <doctest/doctest.h>

namespace cnsched::sim {

TEST_CASE("the rank of a node is how many of a set come before it, across words") {
  NodeSet set(200);
  for (const std::size_t node : {0, 5, 63, 64, 127, 128, 199}) set.insert(node);
  std::size_t rank = 0;
  set.each([&](std::size_t node) { CHECK(set.rank(node) == rank++); });
  CHECK(set.rank(1) == 1);
  CHECK(set.rank(65) == 4);
  CHECK(set.rank(198) == 6);
  CHECK(NodeSet(1).rank(0) == 0);
  CHECK(NodeSet::all(130).rank(129) == 129);
}

}  // namespace cnsched::sim

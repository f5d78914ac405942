#include "core/sim/node_set.h"
#include "testdata/support.h"

namespace cnsched::sim::node_set_test {

NodeSet set_of(std::size_t nodes, const std::vector<std::size_t>& members) {
  NodeSet set(nodes);
  for (const std::size_t node : members) set.insert(node);
  return set;
}

TEST_CASE("all(n) contains exactly n nodes for any n") {
  for (const std::size_t n : {0U, 1U, 63U, 64U, 65U, 127U, 128U, 129U}) {
    CAPTURE(n);
    const NodeSet all = NodeSet::all(n);
    CHECK(all.count() == n);
    CHECK(all.empty() == (n == 0));
    CHECK((all - all).empty());
    CHECK((NodeSet(n) | all) == all);
  }
}

TEST_CASE("visits nodes in order, across words") {
  const std::vector<std::size_t> members{0, 5, 63, 64, 100, 129};
  std::vector<std::size_t> visited;
  set_of(130, members).each([&](std::size_t node) { visited.push_back(node); });
  CHECK(visited == members);
}

TEST_CASE("computes union, intersection and difference") {
  const NodeSet a = set_of(70, {1, 2, 65});
  const NodeSet b = set_of(70, {2, 65, 66});
  CHECK((a | b) == set_of(70, {1, 2, 65, 66}));
  CHECK((a & b) == set_of(70, {2, 65}));
  CHECK((a - b) == set_of(70, {1}));
  CHECK(a.contains(65));
  CHECK_FALSE(a.contains(66));
}

TEST_CASE("ranks a node by the number of members before it") {
  const NodeSet a = set_of(130, {1, 63, 64, 129});
  CHECK(a.rank(1) == 0);
  CHECK(a.rank(63) == 1);
  CHECK(a.rank(64) == 2);
  CHECK(a.rank(129) == 3);
}

TEST_CASE("inserts a node if a condition is true") {
  NodeSet set(3);
  set.insert_if(0, false);
  set.insert_if(2, true);
  CHECK(set == set_of(3, {2}));
}

}  // namespace cnsched::sim::node_set_test

#include "core/base/parallel.h"

#include <atomic>

#include "testdata/support.h"

namespace cnsched::parallel_test {

TEST_CASE("runs every call once with any number of threads") {
  for (const std::size_t jobs : {0U, 1U, 2U, 7U, 100U}) {
    INFO(jobs);
    std::vector<std::atomic<int>> done(50);
    parallel_for(done.size(), jobs, [&](std::size_t i) { ++done[i]; });
    for (const std::atomic<int>& times : done) CHECK(times == 1);
  }
}

TEST_CASE("accepts no work") {
  parallel_for(0, 4, [](std::size_t) { FAIL("nothing to do"); });
}

TEST_CASE("rethrows an exception of a call") {
  const auto fail_at_three = [](std::size_t i) {
    if (i == 3) throw std::runtime_error("three");
  };
  CHECK_THROWS_WITH_AS(parallel_for(10, 4, fail_at_three), "three", std::runtime_error);
  CHECK_THROWS_WITH_AS(parallel_for(10, 1, fail_at_three), "three", std::runtime_error);
}

TEST_CASE("takes shares in order up to the one that exceeds the bound") {
  for (const std::size_t jobs : {1U, 2U, 7U}) {
    for (const std::size_t bound : {0U, 1U, 9U, 10U, 11U, 1000U}) {
      CAPTURE(jobs);
      CAPTURE(bound);
      std::vector<std::atomic<int>> done(20);
      std::vector<std::size_t> taken;
      const bool all = parallel_shares(
          done.size(), jobs, bound,
          [&](std::size_t i) {
            ++done[i];
            return i;
          },
          [&](std::size_t i) { taken.push_back(i); });
      std::size_t weight = 0;
      std::size_t expected = 0;
      while (expected < done.size() && weight <= bound) weight += expected++;
      REQUIRE(taken.size() == expected);
      CHECK(all == (expected == done.size()));
      for (std::size_t i = 0; i < taken.size(); ++i) {
        CHECK(taken[i] == i);
        CHECK(done[i] == 1);
      }
    }
  }
}

}  // namespace cnsched::parallel_test

#include "core/base/parallel.h"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace cnsched {

TEST_CASE("every piece of work is done once, whatever the number of threads") {
  for (const std::size_t jobs : {0, 1, 2, 7, 100}) {
    INFO(jobs);
    std::vector<std::atomic<int>> done(50);
    parallel_for(done.size(), jobs, [&](std::size_t i) { ++done[i]; });
    for (const std::atomic<int>& times : done) CHECK(times == 1);
  }
}

TEST_CASE("no work is fine") {
  parallel_for(0, 4, [](std::size_t) { FAIL("nothing to do"); });
}

TEST_CASE("an exception of the work comes out") {
  const auto fail_at_three = [](std::size_t i) {
    if (i == 3) throw std::runtime_error("three");
  };
  CHECK_THROWS_WITH_AS(parallel_for(10, 4, fail_at_three), "three", std::runtime_error);
  CHECK_THROWS_WITH_AS(parallel_for(10, 1, fail_at_three), "three", std::runtime_error);
}

}  // namespace cnsched

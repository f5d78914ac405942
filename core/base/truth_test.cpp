#include "core/base/truth.h"

#include <array>

#include "testdata/support.h"

namespace cnsched::truth_test {

using enum Truth;

static_assert((yes & unknown) == unknown && (no & unknown) == no && (yes & yes) == yes);
static_assert((yes | unknown) == yes && (no | unknown) == unknown && (no | no) == no);
static_assert((!yes) == no && (!no) == yes && (!unknown) == unknown);

TEST_CASE("the truth of all and of any item needs the items up to the decisive one") {
  int asked = 0;
  const auto itself = [&](Truth item) { return ++asked, item; };
  CHECK(truth_of_all(std::to_array({yes, unknown, no, yes}), itself) == no);
  CHECK(truth_of_any(std::to_array({no, unknown, yes, no}), itself) == yes);
  CHECK(asked == 6);
  CHECK(truth_of_all(std::to_array({yes, unknown}), itself) == unknown);
  CHECK(truth_of_any(std::to_array({no, unknown}), itself) == unknown);
  CHECK(truth_of_all(std::array<Truth, 0>(), itself) == yes);
  CHECK(truth_of_any(std::array<Truth, 0>(), itself) == no);
}

}  // namespace cnsched::truth_test

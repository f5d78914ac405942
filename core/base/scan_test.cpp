#include "core/base/scan.h"

#include <doctest/doctest.h>

#include <string>

namespace cnsched {

namespace {

unsigned char is_ab(const char* place) {
  return static_cast<unsigned char>((place[0] == 'a') & (place[1] == 'b'));
}

}  // namespace

TEST_CASE("a scan passes over the blocks without what is looked for, and over no other") {
  for (std::size_t size = 0; size < 400; ++size) {
    for (std::size_t at = 0; at + 1 < size; at += 7) {
      std::string text(size, '.');
      text[at] = 'a';
      text[at + 1] = 'b';
      const std::size_t stop = skip_blocks(text, 0, is_ab);
      CAPTURE(size);
      CAPTURE(at);
      CHECK(stop % kScanBlock == 0);
      CHECK(stop <= at);
      // It stops in the block of the place, or in front of the rest that it does not look at.
      const bool is_rest = stop + kScanBlock + kScanAhead > size;
      CHECK((at < stop + kScanBlock || is_rest));
    }
  }
  CHECK(skip_blocks(std::string(1000, '.'), 0, is_ab) > 1000 - kScanBlock - kScanAhead);
  CHECK(skip_blocks("", 0, is_ab) == 0);
}

}  // namespace cnsched

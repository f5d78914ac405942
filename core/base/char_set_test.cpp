#include "core/base/char_set.h"
#include "testdata/chance.h"
#include "testdata/support.h"

namespace cnsched::char_set_test {

TEST_CASE("a set of bytes finds the positions that std::string_view finds") {
  constexpr std::string_view kMembers("\0 a\xff", 4);
  constexpr CharSet kSet(kMembers);
  Chance chance(7);
  for (int round = 0; round < 2000; ++round) {
    std::string text(chance.below(6), ' ');
    for (char& c : text) c = "\0 ab\xff\x7f"[chance.below(6)];
    const std::size_t from = chance.below(4) == 0 ? std::string::npos : chance.below(8);
    CAPTURE(text);
    CAPTURE(from);
    CHECK(kSet.find_first_in(text, from) == text.find_first_of(kMembers, from));
    CHECK(kSet.find_first_not_in(text, from) == text.find_first_not_of(kMembers, from));
    CHECK(kSet.find_last_in(text, from) == text.find_last_of(kMembers, from));
    CHECK(kSet.find_last_not_in(text, from) == text.find_last_not_of(kMembers, from));
  }
}

}  // namespace cnsched::char_set_test

#include "core/base/scan.h"
#include "testdata/chance.h"
#include "testdata/support.h"

namespace cnsched::scan_test {

unsigned char is_ab(const char* place) {
  return static_cast<unsigned char>((place[0] == 'a') & (place[1] == 'b'));
}

TEST_CASE("a scan finds a match at every position") {
  for (std::size_t size = 0; size < 300; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      std::string text(size, '.');
      text.replace(at, 2, "ab", std::min<std::size_t>(2, size - at));
      const bool is_whole = at + 1 < size;
      const auto found = scan(text, at % 5, is_ab, [](std::size_t) { return true; });
      CAPTURE(size);
      CAPTURE(at);
      CHECK(found == (is_whole && at >= at % 5 ? at : std::string::npos));
    }
  }
}

TEST_CASE("a scan continues until the second test succeeds") {
  std::string text;
  for (int i = 0; i < 200; ++i) text += i % 7 == 0 ? "abab" : "cb.a";
  std::vector<std::size_t> all;
  const auto end = scan(text, 0, is_ab, [&](std::size_t at) {
    all.push_back(at);
    return false;
  });
  CHECK(end == std::string::npos);
  std::vector<std::size_t> expected;
  for (auto at = text.find("ab"); at != std::string::npos; at = text.find("ab", at + 1)) {
    expected.push_back(at);
  }
  CHECK(all == expected);
  CHECK(scan(text, 300, is_ab, [](std::size_t at) { return at > 400; }) == text.find("ab", 401));
}

TEST_CASE("a scan reads blanks after the text") {
  const auto is_last = [](const char* place) {
    return static_cast<unsigned char>((place[0] == 'a') & (place[1] == ' ') & (place[8] == ' '));
  };
  const auto first = [](std::size_t) { return true; };
  for (std::size_t size = 1; size < 200; ++size) {
    CHECK(scan(std::string(size, 'a'), 0, is_last, first) == size - 1);
  }
  CHECK(scan("", 0, is_last, first) == std::string::npos);
}

}  // namespace cnsched::scan_test

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
    CHECK(kSet.find_last_in(text) == text.find_last_of(kMembers));
    CHECK(kSet.find_last_not_in(text) == text.find_last_not_of(kMembers));
  }
}

}  // namespace cnsched::char_set_test

#include "cli/output/line_hash.h"
#include "testdata/support.h"

namespace cnsched::cli::line_hash_test {

using Hashes = std::vector<std::string>;

/// The hashes of all lines, at most twenty.
Hashes all_hashes(const std::string& text) {
  std::set<std::size_t> lines;
  for (std::size_t line = 1; line <= 20; ++line) lines.insert(line);
  Hashes result;
  for (const auto& [line, hash] : line_hashes(text, lines)) {
    CHECK(line == result.size() + 1);
    result.push_back(hash);
  }
  return result;
}

/// `text` with other line ends.
std::string with_ends(const std::string& text, const std::string& end) {
  std::string result;
  for (const char c : text) {
    if (c == '\n') {
      result += end;
    } else {
      result += c;
    }
  }
  return result;
}

TEST_CASE("line hashes equal GitHub's") {
  CHECK(all_hashes("") == Hashes{"c129715d7a2bc9a3:1"});
  CHECK(all_hashes(" a\nb\n  \t\tc\n d") == Hashes{"271789c17abda88f:1", "54703d4cd895b18:1",
                                                   "180aee12dab6264:1", "a23a3dc5e078b07b:1"});
  std::string lorem;
  for (int i = 0; i < 10; ++i) lorem += "Lorem ipsum dolor sit amet.\n";
  CHECK(all_hashes(lorem) ==
        Hashes{"a7f2ff13bc495cf2:1", "a7f2ff13bc495cf2:2", "a7f2ff13bc495cf2:3",
               "a7f2ff13bc495cf2:4", "a7f2ff13bc495cf2:5", "a7f2ff13bc495cf2:6",
               "a7f2ff1481e87703:1", "a9cf91f7bbf1862b:1", "55ec222b86bcae53:1",
               "cc97dc7b1d7d8f7b:1", "c129715d7a2bc9a3:1"});
}

TEST_CASE("the hash of a line does not depend on how lines end") {
  const std::string text = " hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End\n";
  for (const std::string end : {"\n", "\r", "\r\n"}) {
    CHECK(all_hashes(with_ends(text, end)) == Hashes{"e9496ae3ebfced30:1", "fb7c023a8b9ccb3f:1",
                                                     "ce8ba1a563dcdaca:1", "e20e36e16fcb0cc8:1",
                                                     "b3edc88f2938467e:1", "c8e28b0b4002a3a0:1",
                                                     "c129715d7a2bc9a3:1"});
  }
}

TEST_CASE("hashes are of UTF-16, as JavaScript reads the file") {
  CHECK(all_hashes("größe: 日本\n😀 x\n") ==
        Hashes{"ece7ddc34bc856c2:1", "6061da4448575c5e:1", "c129715d7a2bc9a3:1"});
  CHECK(all_hashes("\xEF\xBB\xBF"
                   "a\nb") == Hashes{"763375ab6ee38983:1", "8ee5a81e681643c1:1"});
  CHECK(all_hashes("a\xFF\nb") == Hashes{"85835f47cc721559:1", "8ee5a81e681643c1:1"});
}

TEST_CASE("returns only the requested lines, counted among all") {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "same\n";
  const auto hashes = line_hashes(text, {1, 100, 400});
  REQUIRE(hashes.size() == 2);
  CHECK(hashes.at(1).ends_with(":1"));
  CHECK(hashes.at(100) == hashes.at(1).substr(0, hashes.at(1).find(':')) + ":100");
}

}  // namespace cnsched::cli::line_hash_test

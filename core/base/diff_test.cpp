#include "core/base/diff.h"

#include <chrono>
#include <random>

#include "testdata/support.h"

namespace cnsched::base_diff_test {

std::string diff(std::string_view before, std::string_view after) {
  return unified_diff(before, after, "a/x", "b/x");
}

/// Removes the first line, with its line end, from `text`.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end == std::string_view::npos ? end : end + 1);
  text.remove_prefix(line.size());
  return line;
}

/// Applies a diff. Of its line numbers, reads only where each hunk begins.
class Patch {
 public:
  Patch(std::string_view text, std::string_view patch) : rest_(text) {
    while (!patch.empty()) {
      std::string_view line = next_line(patch);
      if (patch.starts_with("\\ ")) {
        line.remove_suffix(1);
        next_line(patch);
      }
      read(line);
    }
    result_ += rest_;
  }

  const std::string& result() const { return result_; }

 private:
  void read(std::string_view line) {
    if (line.starts_with("--- ") || line.starts_with("+++ ")) return;
    if (line.starts_with("@@ -")) return skip_to(line);
    if (line.front() == '+') {
      result_ += line.substr(1);
      return;
    }
    const std::string_view own = next_line(rest_);
    ++line_;
    CHECK(own == line.substr(1));
    if (line.front() == ' ') result_ += own;
  }

  void skip_to(std::string_view header) {
    const std::size_t number = std::stoul(std::string(header.substr(4)));
    const bool none = header.substr(0, header.find('+')).ends_with(",0 ");
    while (line_ < number - (none ? 0 : 1)) {
      result_ += next_line(rest_);
      ++line_;
    }
  }

  std::string_view rest_;
  std::size_t line_ = 0;
  std::string result_;
};

std::string numbered(int first, int last) {
  std::string text;
  for (int i = first; i <= last; ++i) text += fmt::format("{}\n", i);
  return text;
}

void check_applies(const std::string& before, const std::string& after) {
  const std::string patch = diff(before, after);
  CAPTURE(patch);
  CHECK(Patch(before, patch).result() == after);
}

TEST_CASE("a diff shows three lines around a change") {
  CHECK(diff(numbered(1, 9), numbered(1, 4) + "x\n" + numbered(6, 9)) ==
        "--- a/x\n+++ b/x\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n");
  CHECK(diff("a\nb\n", "a\n") == "--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n a\n-b\n");
}

TEST_CASE("equal texts have no diff") {
  CHECK(diff("a\n", "a\n").empty());
  CHECK(diff("", "").empty());
}

TEST_CASE("changes share a hunk if at most six lines are between them") {
  const std::string near = diff("x\n" + numbered(1, 6) + "y\n", numbered(1, 6));
  CHECK(near == "--- a/x\n+++ b/x\n@@ -1,8 +1,6 @@\n-x\n 1\n 2\n 3\n 4\n 5\n 6\n-y\n");
  const std::string far = diff("x\n" + numbered(1, 7) + "y\n", numbered(1, 7));
  CHECK(far ==
        "--- a/x\n+++ b/x\n@@ -1,4 +1,3 @@\n-x\n 1\n 2\n 3\n@@ -6,4 +5,3 @@\n 5\n 6\n 7\n-y\n");
}

TEST_CASE("names /dev/null for a new and a deleted file") {
  CHECK(unified_diff("", "a\nb\n", "/dev/null", "b/x") ==
        "--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n");
  CHECK(unified_diff("a\n", "", "a/x", "/dev/null") ==
        "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n");
}

TEST_CASE("marks a missing line end and keeps line ends") {
  CHECK(diff("a", "a\n") ==
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
  CHECK(diff("a\r\nb", "c\r\nb") ==
        "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\r\n+c\r\n b\n\\ No newline at end of file\n");
}

TEST_CASE("quotes unusual file names, or ends them with a tab") {
  CHECK(unified_diff("", "a\n", "my file", "say \"hi\"\n") ==
        "--- my file\t\n+++ \"say \\\"hi\\\"\\012\"\n@@ -0,0 +1 @@\n+a\n");
}

TEST_CASE("applying a diff gives the second text") {
  std::mt19937 random(1);
  const auto text = [&] {
    std::string lines;
    const std::size_t length = random() % 30;
    for (std::size_t i = 0; i < length; ++i) lines += "abc-+@ \\"[random() % 8] + std::string("\n");
    if (random() % 3 == 0 && !lines.empty()) lines.pop_back();
    return lines;
  };
  for (int i = 0; i < 500; ++i) check_applies(text(), text());
}

TEST_CASE("the script is the shortest one") {
  const std::string patch = diff("a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n");
  std::size_t changes = 0;
  for (const char* sign : {"\n-", "\n+"}) {
    for (std::size_t at = patch.find("@@"); (at = patch.find(sign, at)) != std::string::npos;
         ++at) {
      ++changes;
    }
  }
  CHECK(changes == 5);  // Myers' own example
}

TEST_CASE("replaces texts that have little in common quickly") {
  std::string before;
  std::string after;
  for (int i = 0; i < 200'000; ++i) {
    before += fmt::format("{}\n", i % 1000);
    after += fmt::format("{}\n", i % 999);
  }
  const auto start = std::chrono::steady_clock::now();
  check_applies("same\n" + before + "end\n", "same\n" + after + "end\n");
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}

TEST_CASE("what texts have in common at their ends does not overlap") {
  const auto ends = [](std::string_view a, std::string_view b) {
    const CommonEnds same = common_ends(a, b);
    return std::pair(same.begin, same.end);
  };
  CHECK(ends("abc", "axc") == std::pair<std::size_t, std::size_t>(1, 1));
  CHECK(ends("aa", "aaa") == std::pair<std::size_t, std::size_t>(2, 0));
  CHECK(ends("xa", "a") == std::pair<std::size_t, std::size_t>(0, 1));
  CHECK(ends("", "a") == std::pair<std::size_t, std::size_t>(0, 0));
}

}  // namespace cnsched::base_diff_test

#include "core/base/portability.h"

#include <atomic>

#include "testdata/support.h"

namespace cnsched::portability_test {

TEST_CASE("parses decimal numbers with each standard library alike") {
  const std::vector<std::pair<std::string, double>> numbers = {
      {"0", 0},           {"-1.5e3", -1500},      {".5", 0.5},    {"1.", 1},        {"5.E+3", 5000},
      {"1e-310", 1e-310}, {"4.9e-324", 4.9e-324}, {"0e99999", 0}, {"1e308", 1e308}, {"0.1", 0.1},
      {"007", 7},
  };
  for (const auto& [text, value] : numbers) {
    CAPTURE(text);
    CHECK(parse_double(text) == value);
  }
}

TEST_CASE("parses no number with other text, and none that a double cannot hold") {
  for (const char* text : {"", " 1", "1 ", "+1", "0x10", "1e", "e3", ".", "-", "1-", "inf", "-inf",
                           "nan", "1e999", "-1e999", "1e-999", "1,5", "1_000"}) {
    CAPTURE(text);
    CHECK(parse_double(text) == std::nullopt);
  }
}

TEST_CASE("the destructor of a thread waits for its end") {
  std::atomic<int> ended = 0;
  {
    std::vector<JoiningThread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&ended] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        ++ended;
      });
    }
  }
  CHECK(ended == 3);
}

}  // namespace cnsched::portability_test

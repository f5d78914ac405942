#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

namespace {

/// Writes "SECONDS NAME" for each test case to the file that CNSCHED_TEST_TIMES names, from which
/// tools/cmake/slowest_tests.cmake prints the slowest cases of all suites.
class Times : public doctest::IReporter {
 public:
  explicit Times(const doctest::ContextOptions&) {
    if (const char* path = std::getenv("CNSCHED_TEST_TIMES")) out_.open(path);
  }

  void test_case_start(const doctest::TestCaseData& test) override { name_ = test.m_name; }
  void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
    if (out_.is_open()) out_ << stats.seconds << ' ' << name_ << '\n';
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

 private:
  std::ofstream out_;
  const char* name_ = "";
};

REGISTER_LISTENER("times", 1, Times);

}  // namespace

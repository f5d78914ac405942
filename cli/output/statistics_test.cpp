#include "cli/output/output.h"
#include "testdata/support.h"

namespace cnsched::cli::statistics_test {

Diagnostic finding(std::string_view rule, Severity severity, std::optional<Safety> fix = {}) {
  Diagnostic result{.rule = rule, .severity = severity};
  if (fix) result.fix = Fix{.safety = *fix};
  return result;
}

std::string statistics_of(const std::vector<Diagnostic>& findings) {
  std::ostringstream out;
  write_statistics(findings, out);
  return out.str();
}

TEST_CASE("statistics count by rule and severity, the most frequent first, and what can be fixed") {
  Diagnostic hidden = finding("wrong-type", Severity::error);
  hidden.suppression = Suppression();
  CHECK(statistics_of({
            finding("wrong-type", Severity::error, Safety::safe),
            finding("deprecated-api", Severity::warning),
            finding("wrong-type", Severity::warning, Safety::unsafe),
            finding("wrong-type", Severity::error, Safety::unsafe),
            finding("deprecated-api", Severity::warning),
            finding("deprecated-api", Severity::warning),
            hidden,
        }) ==
        "  count  severity  rule            --fix  --unsafe-fixes\n"
        "      3  warning   deprecated-api\n"
        "      2  error     wrong-type          1               1\n"
        "      1  warning   wrong-type                          1\n");
}

TEST_CASE("statistics without findings are empty") { CHECK(statistics_of({}).empty()); }

}  // namespace cnsched::cli::statistics_test

#include "cli/output/rule_page.h"
#include "rules/registry.h"
#include "testdata/support.h"

namespace cnsched::cli::help_link_test {

TEST_CASE("help links lead to the site if there is one, else to the source of the rule") {
  const rules::Rule& rule = *rules::find_rule("invalid-toleration")->rule;
  CHECK(help_link(rule, "https://docs.example.invalid/cnsched") ==
        "https://docs.example.invalid/cnsched/rules/invalid-toleration/");
  CHECK(help_link(rule, "") == rule.source);
}

}  // namespace cnsched::cli::help_link_test

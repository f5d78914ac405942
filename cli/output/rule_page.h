#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/build_info.h"
#include "rules/registry.h"

namespace cnsched::cli {

/// "safe" or "unsafe": the safest fix that findings of the rule can have; empty if none has one.
std::string_view fix_of(const rules::Rule& rule);
/// ", safe fix" after a rule's severity; empty if no finding has a fix.
std::string described_fix(const rules::Rule& rule);

/// ", exported" if `cnsched export vap` writes the rule as a policy.
std::string_view described_export(const rules::Rule& rule);

/// One heading of a rule's page and what is below it.
struct RuleSection {
  enum class Form : unsigned char {
    prose,   ///< paragraphs, separated by empty lines
    yaml,    ///< an example
    output,  ///< of `cnsched lint`, printed unchanged
    rules,   ///< ids, separated by ", "
    link,    ///< an address
  };
  std::string_view heading;
  std::string text;
  Form form = Form::prose;
};

/// The page of a rule: the same headings in the same order for every rule. "How it is reported" and
/// "In the cluster" are left out without `reported`, the output of `cnsched lint` for the wrong
/// example. `with_cel`: with the expressions for the API server.
std::vector<RuleSection> rule_sections(const rules::Rule& rule,
                                       std::optional<std::string> reported = {},
                                       bool with_cel = false);

/// The ids of the rules to read next, at least three if the rule's group has so many: those that
/// the texts of the rule name, those whose texts name it, then the nearest of its group in
/// rules.def, which lists similar rules side by side.
std::vector<std::string_view> related_rules(const rules::Rule& rule);

/// The page as plain text, for reports that include the rules.
std::string rule_page(const rules::Rule& rule);
/// The page in GitHub's Markdown, for a place that shows the rule's id itself.
std::string markdown_rule_page(const rules::Rule& rule);
/// The page as a Markdown document with a title and headings. `reported` and `with_cel` as
/// in `rule_sections`.
std::string markdown_rule_document(const rules::Listed& listed, std::string reported,
                                   bool with_cel);

/// The page of the rule on the documentation's site, which stays at its address; without a site,
/// the upstream page that the rule cites.
std::string help_link(const rules::Rule& rule, std::string_view site = kBuildInfo.site);

}  // namespace cnsched::cli

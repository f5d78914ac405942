#include "cli/output/rule_page.h"

#include <fmt/format.h>

#include "cli/output/markdown.h"
#include "core/base/text.h"

namespace cnsched::cli {

namespace {

using Form = RuleSection::Form;

/// "Summary." and, as paragraphs of their own, the details.
std::string what_it_reports(const rules::Rule& rule) {
  std::string text(rule.summary);
  if (text.front() >= 'a' && text.front() <= 'z') text.front() += 'A' - 'a';
  text += '.';
  if (!rule.details.empty()) text += fmt::format("\n\n{}", rule.details);
  return text;
}

std::string_view how_to_fix(const rules::Rule& rule) {
  if (!rule.fix) return "No automatic fix. The finding says what to write instead.";
  if (*rule.fix == Safety::safe) {
    return "'cnsched lint --fix' applies the safe fixes of this rule. A finding without a safe fix "
           "says what to write instead.";
  }
  return "'cnsched lint --fix --unsafe-fixes' applies the fixes of this rule. Review them, because "
         "they may change what the manifest means. A finding without a fix says what to write "
         "instead.";
}

}  // namespace

std::string_view fix_of(const rules::Rule& rule) {
  if (!rule.fix) return {};
  return *rule.fix == Safety::safe ? "safe" : "unsafe";
}

std::string described_fix(const rules::Rule& rule) {
  return rule.fix ? fmt::format(", {} fix", fix_of(rule)) : std::string();
}

std::vector<RuleSection> rule_sections(const rules::Rule& rule, std::string reported) {
  std::vector<RuleSection> sections = {
      {"What it reports", what_it_reports(rule)},
      {"Why it matters", std::string(rule.why)},
      {"Limits", std::string(rule.limits)},
      {"Wrong", std::string(trim(rule.bad)), Form::yaml},
      {"Right", std::string(trim(rule.good)), Form::yaml},
  };
  if (!reported.empty()) {
    sections.push_back({"How it is reported", std::move(reported), Form::output});
  }
  sections.push_back({"Fix", std::string(how_to_fix(rule))});
  sections.push_back({"Source", std::string(rule.source)});
  return sections;
}

std::string rule_page(const rules::Rule& rule) {
  std::string page;
  for (const RuleSection& section : rule_sections(rule)) {
    page += fmt::format("{}{}:\n{}\n", page.empty() ? "" : "\n", section.heading, section.text);
  }
  return page;
}

std::string markdown_rule_page(const rules::Rule& rule) {
  std::string page;
  for (const RuleSection& section : rule_sections(rule)) {
    const std::string text = section.form == Form::yaml
                                 ? fmt::format("```yaml\n{}\n```", section.text)
                             : section.text == rule.source ? fmt::format("<{}>", section.text)
                                                           : markdown_text(section.text);
    page += fmt::format("{}**{}**\n\n{}\n", page.empty() ? "" : "\n", section.heading, text);
  }
  return page;
}

}  // namespace cnsched::cli

#include "cli/output/rule_page.h"

#include <fmt/format.h>

#include "cli/output/markdown.h"
#include "core/base/text.h"

namespace cnsched::cli {

std::string_view fix_of(const rules::Rule& rule) {
  if (!rule.fix) return {};
  return *rule.fix == Safety::safe ? "safe" : "unsafe";
}

std::string described_fix(const rules::Rule& rule) {
  return rule.fix ? fmt::format(", {} fix", fix_of(rule)) : std::string();
}

std::string rule_page(const rules::Rule& rule) {
  return fmt::format("{}\n\nWrong:\n{}\n\nRight:\n{}\n\nSource: {}\n", rule.why, trim(rule.bad),
                     trim(rule.good), rule.source);
}

std::string markdown_rule_page(const rules::Rule& rule) {
  return fmt::format(
      "{}\n\n**Wrong**\n\n```yaml\n{}\n```\n\n**Right**\n\n```yaml\n{}\n```\n\n[Source]({})\n",
      markdown_text(rule.why), trim(rule.bad), trim(rule.good), rule.source);
}

}  // namespace cnsched::cli

#pragma once

#include <string>
#include <string_view>

#include "rules/rule.h"

namespace cnsched::cli {

/// "safe" or "unsafe": whether findings of the rule can be mended; empty if they cannot.
std::string_view fix_of(const rules::Rule& rule);
/// ", safe fix", behind a rule's severity; or nothing.
std::string described_fix(const rules::Rule& rule);

// A rule's page for reports that carry it along: why, wrong, right, source. As `explain` has it,
// but for how it is reported, which they show themselves.
std::string rule_page(const rules::Rule& rule);
std::string markdown_rule_page(const rules::Rule& rule);

}  // namespace cnsched::cli

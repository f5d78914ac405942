#pragma once

#include <string>

#include "rules/rule.h"

namespace cnsched::cli {

// A rule's page for reports that carry it along: why, wrong, right, source. As `explain` has it,
// but for how it is reported, which they show themselves.
std::string rule_page(const rules::Rule& rule);
std::string markdown_rule_page(const rules::Rule& rule);

}  // namespace cnsched::cli

#include "cli/output/help_link.h"

#include <fmt/format.h>

#include "rules/engine/rule_set.h"
#include "rules/page.h"

namespace cnsched::cli {

std::string help_link(const rules::Rule& rule, std::string_view site) {
  const bool has_page = !site.empty() && !rules::is_policy(rule);
  return !has_page ? page_of(rule).source : fmt::format("{}/rules/{}/", site, rule.id);
}

}  // namespace cnsched::cli

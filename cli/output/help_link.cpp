#include "cli/output/help_link.h"

#include <fmt/format.h>

namespace cnsched::cli {

std::string help_link(const rules::Rule& rule, std::string_view site) {
  return site.empty() ? std::string(rule.source) : fmt::format("{}/rules/{}/", site, rule.id);
}

}  // namespace cnsched::cli

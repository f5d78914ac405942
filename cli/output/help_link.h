#pragma once

#include <string>
#include <string_view>

#include "cli/build_info.h"
#include "rules/rule.h"

namespace cnsched::cli {

/// The page of the rule on the documentation's site, which stays at its address; without a site,
/// the upstream page that the rule cites.
std::string help_link(const rules::Rule& rule, std::string_view site = kBuildInfo.site);

}  // namespace cnsched::cli

#pragma once

#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cnsched::rules {

/// "'rclone', 'agent', 'mlserver'"; of many names the first ones.
inline std::string first_names(const std::vector<std::string_view>& names, std::size_t most = 10) {
  const std::size_t shown = std::min(names.size(), most);
  return fmt::format("'{}'{}", fmt::join(std::span(names).first(shown), "', '"),
                     shown < names.size() ? ", …" : "");
}

}  // namespace cnsched::rules

#pragma once

#include <string>
#include <string_view>

#include "core/yaml/layout.h"

namespace cnsched::yaml {

/// `value` as it is to be written within brackets, in the place of `node` or beside it: as JSON in
/// JSON, in quotes where all is in quotes, on lines where JSON is on lines.
std::string flow_text(const Layout& layout, const Node& node, const Node& value);
/// A key, as the entries of `mapping` have theirs.
std::string flow_key(const Layout& layout, const Node& mapping, std::string_view key);

/// Lines that end with LF, with another end.
std::string in_line_breaks(std::string_view lines, std::string_view line_break);

}  // namespace cnsched::yaml

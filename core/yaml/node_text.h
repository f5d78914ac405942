#pragma once

#include <string>
#include <string_view>

#include "core/yaml/layout.h"
#include "core/yaml/node.h"

namespace cnsched::yaml {

/// `value` in flow style, in the place of `node` or beside it: as JSON in a JSON document, in
/// double quotes where other strings are, on several lines where other entries are.
std::string flow_text(const Layout& layout, const Node& node, const Node& value);
/// A key, quoted as the other keys of `mapping`.
std::string flow_key(const Layout& layout, const Node& mapping, std::string_view key);

/// `value`, a non-empty mapping or list, as lines in block style, each indented by `indent` and
/// ended by `line_break`.
std::string block_lines(const Node& value, std::size_t indent, std::string_view line_break);

/// Without the line break of the last line.
std::string without_last_break(std::string lines);
/// `lines`, which end with LF, with another line break.
std::string in_line_breaks(std::string_view lines, std::string_view line_break);

}  // namespace cnsched::yaml

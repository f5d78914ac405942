#pragma once

#include <string>
#include <string_view>

namespace cnsched::cli {

/// Text as it stands in GitHub's Markdown, in a table as well: nothing in it is markup, HTML or a
/// link.
std::string markdown_text(std::string_view text);

}  // namespace cnsched::cli

#pragma once

#include <string>
#include <string_view>

namespace cnsched::cli {

/// Escapes text for GitHub's Markdown, also in tables: it contains no markup, HTML or links.
std::string markdown_text(std::string_view text);

}  // namespace cnsched::cli

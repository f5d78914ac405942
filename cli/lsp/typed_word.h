#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cnsched::cli::lsp {

/// The key or value on a line of YAML that is being typed. Positions are bytes of the line.
struct TypedWord {
  std::size_t begin = 0;
  std::size_t end = 0;          ///< of the whole word, which the cursor may be within
  char quote = '\0';            ///< that is open before it
  bool is_quote_open = false;   ///< the line does not close it
  bool is_value = false;        ///< follows a "key:"
  bool is_item = false;         ///< follows a dash
  bool lacks_blank = false;     ///< follows the ':' or dash directly
  std::string open_brackets{};  ///< that the line opens before it

  bool is_in_flow() const { return !open_brackets.empty(); }
};

/// The word at the cursor, perhaps an empty one. Nothing in a comment and between complete words.
/// `in_flow`: the line is within brackets that another line opens.
std::optional<TypedWord> typed_word(std::string_view line, std::size_t cursor, bool in_flow);

}  // namespace cnsched::cli::lsp

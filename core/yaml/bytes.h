#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/yaml/document.h"

namespace cnsched::yaml {

/// The first byte that no YAML document may hold: control characters (yaml-cpp takes 0x04 for the
/// end of the input), invalid UTF-8, UTF-16 or UTF-32.
std::optional<Problem> find_bad_byte(const SourceFile& file, Span where);

/// JSON writes characters beyond U+FFFF as a pair of escapes (\ud83d\ude00), which yaml-cpp
/// refuses. `text` with each such pair replaced by as many bytes of private characters, or nothing
/// if it holds no pair.
std::optional<std::string> mask_surrogates(std::string_view text);

/// `value`, read from masked text, with the characters that were meant, or unless they are escapes
/// there, with what is written; `raw` is how it is written.
std::string unmask_surrogates(const std::string& value, std::string_view raw, bool are_escapes);

/// yaml-cpp reads the escapes \N and \_ as the single bytes 0x85 and 0xA0, which are no UTF-8.
/// `value` with the characters that were meant, U+0085 and U+00A0.
std::string with_whole_characters(std::string_view value);

}  // namespace cnsched::yaml

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/yaml/document.h"

namespace cnsched::yaml {

/// The first byte that is invalid in a YAML document: a control character (yaml-cpp takes 0x04 for
/// the end of the input), invalid UTF-8, UTF-16 or UTF-32.
std::optional<Problem> find_bad_byte(const SourceFile& file, Span where);

/// JSON writes characters beyond U+FFFF as a pair of escapes (\ud83d\ude00), which yaml-cpp
/// rejects. `text` with each such pair replaced by private characters of the same number of bytes,
/// or nothing if it has no pair.
std::optional<std::string> mask_surrogates(std::string_view text);

/// `value`, read from masked text whose original is `raw`, with each pair replaced by its
/// character, or, unless `are_escapes`, by the pair as written.
std::string unmask_surrogates(const std::string& value, std::string_view raw, bool are_escapes);

/// `value` with the bytes 0x85 and 0xA0 replaced by U+0085 and U+00A0: yaml-cpp reads the escapes
/// \N and \_ as these bytes, which are invalid UTF-8.
std::string with_whole_characters(std::string_view value);

}  // namespace cnsched::yaml

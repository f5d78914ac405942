#include "core/yaml/bytes.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/scan.h"
#include "core/base/text.h"

namespace cnsched::yaml {

namespace {

/// U+F8F0 … U+F8F3: twelve bytes, as many as the two escapes that they replace.
constexpr std::string_view kMask = "\xEF\xA3\xB0\xEF\xA3\xB1\xEF\xA3\xB2\xEF\xA3\xB3";
constexpr std::size_t kEscapeLength = 6;  // \uXXXX

/// The value of the \uXXXX at the start of `text`, or nothing.
std::optional<unsigned> unicode_escape(std::string_view text) {
  if (text.size() < kEscapeLength || !(text.starts_with("\\u"))) return std::nullopt;
  return whole_number<unsigned>(text.substr(2, kEscapeLength - 2), 16);
}

/// The code point of the surrogate pair at the start of `text`, or nothing.
std::optional<unsigned> surrogate_pair(std::string_view text) {
  const auto high = unicode_escape(text);
  if (!high || *high < 0xD800 || *high > 0xDBFF) return std::nullopt;
  const auto low = unicode_escape(text.substr(kEscapeLength));
  if (!low || *low < 0xDC00 || *low > 0xDFFF) return std::nullopt;
  return 0x10000 + ((*high - 0xD800) << 10U) + (*low - 0xDC00);
}

/// The next surrogate pair from `from` on. An escaped backslash does not begin one.
std::size_t find_pair(std::string_view text, std::size_t from) {
  for (std::size_t i = text.find('\\', from); i != std::string_view::npos;
       i = text.find('\\', i + 2)) {
    if (surrogate_pair(text.substr(i))) return i;
  }
  return std::string_view::npos;
}

Problem bad_byte(Span where, std::string message, std::string help) {
  return {.where = where, .message = std::move(message), .help = std::move(help)};
}

}  // namespace

std::optional<Problem> find_bad_byte(const SourceFile& file, Span where) {
  const std::string_view text = file.text(where);
  const auto at = [&](std::size_t offset, std::size_t length) {
    const auto begin = where.begin + static_cast<std::uint32_t>(offset);
    return Span{file.id(), begin, begin + static_cast<std::uint32_t>(length)};
  };
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") ||
      text.substr(0, 2).find('\0') != std::string_view::npos) {
    return bad_byte(at(0, 1), "the file is not UTF-8 (it looks like UTF-16 or UTF-32)",
                    "save it as UTF-8: iconv -f UTF-16 -t UTF-8");
  }
  // The mark of the file precedes the document; yaml-cpp would drop this one from its offsets.
  if (text.starts_with(kByteOrderMark)) {
    return bad_byte(at(0, kByteOrderMark.size()), "byte order mark at the start of a document",
                    "remove it");
  }
  const auto is_odd = [](const char* place) {
    const auto byte = static_cast<unsigned char>(*place);
    return static_cast<unsigned char>(((byte < 0x20) & (byte != '\n')) | (byte >= 0x7F));
  };
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (is_odd(&text[i]) == 0) {
      i = scan(text, i, is_odd, [](std::size_t) { return true; });
      continue;
    }
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0) {
      return bad_byte(at(i, 1), fmt::format("byte 0x{:02x} is not UTF-8", byte),
                      "save the file as UTF-8");
    }
    const bool c1_control =
        byte == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0 && text[i + 1] != '\x85';
    if ((byte < 0x20 && byte != '\t' && byte != '\r') || byte == 0x7F || c1_control) {
      return bad_byte(at(i, length),
                      fmt::format("control character {} is not allowed in YAML",
                                  printable(text.substr(i, length))),
                      "remove it, or write it as an escape in double quotes");
    }
    if (byte == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')) {
      return bad_byte(at(i, 1), "carriage return without a line feed", "end lines with LF or CRLF");
    }
    i += length;
  }
  return std::nullopt;
}

std::optional<std::string> mask_surrogates(std::string_view text) {
  std::size_t next = find_pair(text, 0);
  if (next == std::string_view::npos) return std::nullopt;
  std::string masked(text);
  for (; next != std::string_view::npos; next = find_pair(text, next + kMask.size())) {
    masked.replace(next, kMask.size(), kMask);
  }
  return masked;
}

std::string unmask_surrogates(const std::string& value, std::string_view raw, bool are_escapes) {
  std::string result;
  std::string_view rest = value;
  std::size_t pair = find_pair(raw, 0);
  for (std::size_t mask = rest.find(kMask);
       mask != std::string_view::npos && pair != std::string_view::npos; mask = rest.find(kMask)) {
    result += rest.substr(0, mask);
    const std::string_view written = raw.substr(pair, kMask.size());
    result += are_escapes ? utf8_of(*surrogate_pair(written)) : std::string(written);
    rest.remove_prefix(mask + kMask.size());
    pair = find_pair(raw, pair + kMask.size());
  }
  return result += rest;
}

std::string with_whole_characters(std::string_view value) {
  std::string result;
  while (!value.empty()) {
    const std::size_t length = utf8_length(value);
    if (length == 0) result += '\xC2';
    result += value.substr(0, std::max<std::size_t>(length, 1));
    value.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

}  // namespace cnsched::yaml

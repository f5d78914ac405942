#include "core/base/pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include "core/base/text.h"

namespace cnsched {

/// Keeps RE2's header out of ours.
struct Pattern::Compiled {
  Compiled(std::string_view text, const re2::RE2::Options& options)
      : expression(re2::StringPiece(text.data(), text.size()), options) {}

  re2::RE2 expression;
};

namespace {

/// For patterns of one expression; beyond it, RE2 reports "pattern too large".
constexpr std::int64_t kMaxPatternMemory = std::int64_t{2} << 20U;

/// `\C`, which matches a byte, is an extension of RE2. Go reports an error.
bool matches_single_bytes(std::string_view pattern) {
  for (std::size_t at = 0; at + 1 < pattern.size(); ++at) {
    if (pattern[at] != '\\') continue;
    ++at;
    if (pattern[at] == 'C') return true;
  }
  return false;
}

/// `text` as Go reads it: each invalid byte is U+FFFD.
std::string repaired(std::string_view text) {
  constexpr unsigned kReplacement = 0xFFFD;
  std::string valid;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      valid += utf8_of(kReplacement);
    } else {
      valid += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return valid;
}

re2::StringPiece piece_of(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

Pattern::Pattern(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}

Result<Pattern> Pattern::compile(std::string_view text) {
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(kMaxPatternMemory);
  if (matches_single_bytes(text)) {
    return Error{fmt::format("invalid escape sequence: \\C in '{}'", printable(text))};
  }
  auto compiled = std::make_shared<Compiled>(text, options);
  if (!compiled->expression.ok()) return Error{printable(compiled->expression.error())};
  return Pattern(std::move(compiled));
}

bool Pattern::matches(std::string_view text) const {
  if (!is_utf8(text)) return matches(repaired(text));
  return re2::RE2::PartialMatch(piece_of(text), compiled_->expression);
}

std::vector<std::string> Pattern::find_all(
    std::string_view text, std::size_t most,
    const std::function<bool(std::size_t)>& may_search) const {
  if (!is_utf8(text)) return find_all(repaired(text), most, may_search);
  std::vector<std::string> found;
  const re2::StringPiece whole = piece_of(text);
  std::size_t end_of_last = std::string_view::npos;
  for (std::size_t at = 0;
       at <= text.size() && found.size() < most && may_search(text.size() - at);) {
    re2::StringPiece match;
    const bool matched =
        compiled_->expression.Match(whole, at, text.size(), re2::RE2::UNANCHORED, &match, 1);
    if (!matched) break;
    const auto begin = static_cast<std::size_t>(match.data() - text.data());
    const std::size_t end = begin + match.size();
    // An empty match directly after another one does not count.
    if (!match.empty() || begin != end_of_last) found.emplace_back(match);
    end_of_last = end;
    at = end;
    if (match.empty()) at += end < text.size() ? utf8_length(text.substr(end)) : 1;
  }
  return found;
}

std::size_t Pattern::size() const {
  return static_cast<std::size_t>(compiled_->expression.ProgramSize());
}

}  // namespace cnsched

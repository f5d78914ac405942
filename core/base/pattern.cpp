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

Result<Pattern> Pattern::compile(std::string_view text) { return compile(text, Unit::code_point); }

Result<Pattern> Pattern::compile(std::string_view text, Unit unit) {
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(kMaxPatternMemory);
  if (unit == Unit::byte) options.set_encoding(re2::RE2::Options::EncodingLatin1);
  if (matches_single_bytes(text)) {
    return Error{fmt::format("invalid escape sequence: \\C in '{}'", printable(text))};
  }
  auto compiled = std::make_shared<Compiled>(text, options);
  if (!compiled->expression.ok()) return Error{printable(compiled->expression.error())};
  return Pattern(std::move(compiled));
}

bool Pattern::matches(std::string_view text) const {
  const bool is_of_bytes =
      compiled_->expression.options().encoding() == re2::RE2::Options::EncodingLatin1;
  if (!is_of_bytes && !is_utf8(text)) return matches(repaired(text));
  return re2::RE2::PartialMatch(piece_of(text), compiled_->expression);
}

bool Pattern::matches_whole(std::string_view text) const {
  if (!is_utf8(text)) return matches_whole(repaired(text));
  return re2::RE2::FullMatch(piece_of(text), compiled_->expression);
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

namespace {

std::string escaped(char c) { return fmt::format("\\x{:02x}", static_cast<unsigned char>(c)); }

/// "a-f" in a set; never the slash.
std::string range_in_set(char low, char high) {
  const auto first = static_cast<unsigned char>(low);
  const auto last = static_cast<unsigned char>(high);
  if (first > last) return {};
  if (first > '/' || last < '/') return fmt::format("\\x{:02x}-\\x{:02x}", first, last);
  return range_in_set(low, '/' - 1) + range_in_set('/' + 1, high);
}

/// The set `inner`, without its brackets, as a regular expression.
std::string regex_of_set(std::string_view inner) {
  const bool is_negated = inner.starts_with('!') || inner.starts_with('^');
  if (is_negated) inner.remove_prefix(1);
  std::string ranges;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] == '\\' && i + 1 < inner.size()) ++i;
    const bool is_range = i + 2 < inner.size() && inner[i + 1] == '-';
    ranges += range_in_set(inner[i], inner[is_range ? i + 2 : i]);
    if (is_range) i += 2;
  }
  if (is_negated) return fmt::format("[^/{}]", ranges);
  return ranges.empty() ? R"([^\x00-\xff])" : fmt::format("[{}]", ranges);
}

/// Where the set that opens at `open` ends; npos if it does not, so that the bracket is literal.
std::size_t find_set_end(std::string_view glob, std::size_t open) {
  std::size_t end = open + 1;
  if (end < glob.size() && (glob[end] == '!' || glob[end] == '^')) ++end;
  if (end < glob.size() && glob[end] == ']') ++end;  // a first ] is a member
  while (end < glob.size() && glob[end] != ']') end += glob[end] == '\\' ? 2 : 1;
  return end < glob.size() ? end : std::string_view::npos;
}

std::string regex_of_glob(std::string_view glob) {
  std::string regex = "(?s)^";
  for (std::size_t i = 0; i < glob.size(); ++i) {
    const std::string_view rest = glob.substr(i);
    const bool at_name_start = i == 0 || glob[i - 1] == '/';
    const std::size_t end_of_set = glob[i] == '[' ? find_set_end(glob, i) : std::string_view::npos;
    if (at_name_start && rest.starts_with("**/")) {
      regex += "(?:.*/)?";  // zero or more whole names
      i += 2;
    } else if (at_name_start && rest == "**") {
      regex += ".*";
      ++i;
    } else if (glob[i] == '*') {
      regex += "[^/]*";
    } else if (glob[i] == '?') {
      regex += "[^/]";
    } else if (end_of_set != std::string_view::npos) {
      regex += regex_of_set(glob.substr(i + 1, end_of_set - i - 1));
      i = end_of_set;
    } else {
      if (glob[i] == '\\' && i + 1 < glob.size()) ++i;
      regex += escaped(glob[i]);
    }
  }
  return regex + "$";
}

}  // namespace

Glob::Glob(std::string_view text) : literal_(text) {
  const auto is = [&](Form form, std::size_t front, std::size_t back) {
    if (text.size() < front + back) return false;
    const std::string_view rest = text.substr(front, text.size() - front - back);
    if (is_special(rest)) return false;
    form_ = form;
    literal_ = rest;
    return true;
  };
  if (is(Form::whole, 0, 0)) return;
  if (text.ends_with('*') && is(Form::beginning, 0, 1)) return;
  if (text.starts_with("**/*") && is(Form::ending, 4, 0)) return;
  if (text.starts_with("**/") && is(Form::names, 3, 0)) return;
  auto pattern = Pattern::compile(regex_of_glob(text), Pattern::Unit::byte);
  if (pattern) pattern_ = *std::move(pattern);
}

bool Glob::matches(std::string_view path) const {
  switch (form_) {
    case Form::whole:
      return path == literal_;
    case Form::beginning:
      return path.starts_with(literal_) &&
             path.find('/', literal_.size()) == std::string_view::npos;
    case Form::ending:
      return path.ends_with(literal_);
    case Form::names:
      return path.ends_with(literal_) &&
             (path.size() == literal_.size() || path[path.size() - literal_.size() - 1] == '/');
    case Form::other:
      break;
  }
  // A glob of some ten thousand characters is too large to be compiled.
  return pattern_ ? pattern_->matches(path) : path == literal_;
}

}  // namespace cnsched

#include "core/packages/marked_edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/base/text.h"
#include "core/source/path.h"
#include "core/yaml/node.h"

namespace cnsched::packages {

namespace {

constexpr std::size_t kMaxText = 1'000;                      ///< bytes of a text that is searched
constexpr std::size_t kMaxPlaces = 300;                      ///< of one text
constexpr std::size_t kMaxChanges = 4'000;                   ///< of one package
constexpr std::size_t kMaxSearched = std::size_t{1} << 30U;  ///< bytes, for all texts

/// A character within a word of a manifest: a text between such is a part of another word.
bool is_word(char c) {
  return is_alphanumeric(c) || static_cast<unsigned char>(c) >= 0x80 ||
         std::string_view("_.-/~@+").find(c) != std::string_view::npos;
}

/// Whether the text at `at` is no part of a longer word. A key may be a step of a JSON pointer.
bool is_bounded(std::string_view text, std::size_t at, std::size_t size, bool is_key) {
  const auto ends = [&](std::size_t outer, std::size_t inner) {
    return !is_word(text[outer]) || !is_word(text[inner]) || (is_key && text[outer] == '/');
  };
  const std::size_t end = at + size;
  return (at == 0 || ends(at - 1, at)) && (end == text.size() || ends(end, end - 1));
}

/// The number that a text begins with, if another one may stand for it, and what follows.
std::optional<std::int64_t> leading_number(std::string_view text, std::string_view& rest) {
  rest = text;
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  const bool is_octal = digits.size() > 1 && digits[0] == '0' && is_alphanumeric(digits[1]);
  if (is_octal || digits.empty() || !is_digit(digits.front())) return std::nullopt;
  const auto number = take_number<std::int64_t>(rest);
  constexpr std::int64_t kMax = 1'000'000'000'000;
  return number && std::abs(*number) < kMax ? number : std::nullopt;
}

void add_numbers(std::string_view text, std::unordered_set<std::string_view>& numbers) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t begin = at;
    while (at < text.size() && is_word(text[at])) ++at;
    if (at > begin && (is_digit(text[begin]) || text[begin] == '-')) {
      numbers.insert(text.substr(begin, at - begin));
    }
  }
}

void add_literals(const TemplateExpression& expression,
                  std::vector<const TemplateExpression*>& literals) {
  const bool is_literal = expression.kind == TemplateExpression::Kind::string ||
                          expression.kind == TemplateExpression::Kind::other_literal;
  if (is_literal) literals.push_back(&expression);
  for (const TemplateExpression& each : expression.arguments) add_literals(each, literals);
}

}  // namespace

MarkedEdits::MarkedEdits(bool is_chart, std::span<const PackageSource> sources,
                         std::string_view rendered)
    : sources_(sources), rendered_(rendered), templates_(sources.size()) {
  while (occurs(sign_)) sign_.insert(0, "z");
  for (std::size_t i = 0; is_chart && i < sources.size(); ++i) {
    const std::string directory = "/" + directory_of(sources[i].path) + "/";
    if (directory.find("/templates/") == std::string::npos) continue;
    templates_[i] = read_go_template(sources[i].bytes);
  }
}

bool MarkedEdits::occurs(std::string_view text) const {
  return rendered_.find(text) != std::string_view::npos ||
         std::ranges::any_of(sources_, [&](const PackageSource& source) {
           return source.bytes.find(text) != std::string::npos;
         });
}

const std::vector<std::size_t>& MarkedEdits::at_text(const std::string& text, bool is_key) {
  const auto [known, is_new] = by_text_.try_emplace({text, is_key});
  if (!is_new || text.empty() || text.size() > kMaxText) return known->second;
  std::set<std::string> spelled = {text};
  if (is_key) spelled.insert(yaml::pointer_step(text));
  for (std::size_t i = 0; i < sources_.size() && searched_ < kMaxSearched; ++i) {
    searched_ += sources_[i].bytes.size();
    for (const std::string& each : spelled) add_places(i, each, text, is_key, known->second);
  }
  return known->second;
}

void MarkedEdits::add_places(std::size_t source, const std::string& spelled,
                             const std::string& text, bool is_key,
                             std::vector<std::size_t>& places) {
  const std::string_view bytes = sources_[source].bytes;
  for (std::size_t at = bytes.find(spelled); at != std::string_view::npos;
       at = bytes.find(spelled, at + spelled.size())) {
    if (places.size() >= kMaxPlaces || changes_.size() >= kMaxChanges) return;
    if (!is_bounded(bytes, at, spelled.size(), is_key)) continue;
    const Span where{static_cast<FileId>(source), static_cast<std::uint32_t>(at),
                     static_cast<std::uint32_t>(at + spelled.size())};
    MarkedEdit change{{where, spelled}, text};
    bool is_bare = false;
    if (is_template(source) && !is_changeable(change, is_bare)) continue;
    const auto [known, is_new] = by_place_.try_emplace(where, changes_.size());
    if (is_new) {
      mark(change, is_bare);
      changes_.push_back(std::move(change));
    }
    places.push_back(known->second);
  }
}

/// Whether a place of a template is text or in a literal. `is_bare`: the literal has no quotes.
bool MarkedEdits::is_changeable(MarkedEdit& change, bool& is_bare) const {
  const GoTemplate& read = templates_[change.where.file];
  if (!read.is_complete) return false;
  const auto piece =
      std::ranges::lower_bound(read.pieces, change.where.end, {}, &TemplatePiece::end);
  if (piece == read.pieces.end() || piece->begin > change.where.begin) return false;
  change.is_literal = piece->kind == TemplatePiece::Kind::text;
  if (change.is_literal) return true;
  std::vector<const TemplateExpression*> literals;
  add_literals(piece->expression, literals);
  return std::ranges::any_of(literals, [&](const TemplateExpression* each) {
    is_bare = each->kind == TemplateExpression::Kind::other_literal;
    return is_bare ? each->begin == change.where.begin && each->end == change.where.end
                   : each->begin < change.where.begin && change.where.end < each->end;
  });
}

/// Chooses the marker and the text with it.
void MarkedEdits::mark(MarkedEdit& change, bool is_bare) {
  std::string_view rest;
  if (const auto number = leading_number(change.text, rest)) {
    std::int64_t& added = added_[change.text];
    do {
      ++added;
      const std::int64_t other = *number < 0 ? *number - added : *number + added;
      change.marker = fmt::format("{}{}", other, rest);
    } while (has_number(change.marker) || !used_.insert(change.marker).second);
    change.text = change.marker;
    change.is_number = true;
    return;
  }
  change.marker = fmt::format("{}{}z", sign_, changes_.size());
  change.text += change.marker;
  if (is_bare) change.text = '"' + change.text + '"';
}

bool MarkedEdits::has_number(std::string_view marker) {
  if (written_.empty()) {
    add_numbers(rendered_, written_);
    for (const PackageSource& source : sources_) add_numbers(source.bytes, written_);
  }
  return written_.contains(marker.substr(0, marker.find(' ')));
}

std::size_t MarkedEdits::at_action(std::size_t source, const TemplatePiece& action) {
  const Span where{static_cast<FileId>(source), action.begin, action.end};
  const auto [known, is_new] = by_place_.try_emplace(where, changes_.size());
  if (!is_new) return known->second;
  MarkedEdit change{{where, {}}};
  change.marker = fmt::format("{}a{}z", sign_, changes_.size());
  const std::string_view bytes = std::string_view(sources_[source].bytes).substr(0, action.end);
  const bool trims_before = bytes.substr(action.begin).starts_with("{{- ");
  change.text = fmt::format("{} \"{}\" {}", trims_before ? "{{-" : "{{", change.marker,
                            bytes.ends_with(" -}}") ? "-}}" : "}}");
  changes_.push_back(std::move(change));
  return known->second;
}

ReplacedTexts MarkedEdits::texts_with(std::span<const std::size_t> changes) const {
  std::map<FileId, std::vector<Edit>> edits;
  for (const std::size_t i : changes) edits[changes_[i].where.file].push_back(changes_[i]);
  ReplacedTexts texts;
  for (auto& [source, all] : edits) {
    texts[sources_[source].path] = cnsched::apply(sources_[source].bytes, std::move(all));
  }
  return texts;
}

std::size_t times_shown(std::string_view text, const MarkedEdit& change) {
  std::size_t times = 0;
  for (std::size_t at = text.find(change.marker); at != std::string_view::npos;
       at = text.find(change.marker, at + 1)) {
    if (!change.is_number || is_bounded(text, at, change.marker.size(), true)) ++times;
  }
  return times;
}

bool shows(std::string_view text, const MarkedEdit& change) {
  return times_shown(text, change) > 0;
}

}  // namespace cnsched::packages

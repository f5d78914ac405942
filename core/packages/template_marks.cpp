#include "core/packages/template_marks.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/yaml/split.h"

namespace cnsched::packages {

namespace {

/// Whether `below` may continue a plain scalar of `line`, which a comment would end.
bool may_continue(std::string_view line, std::string_view below) {
  line = trim(line);
  below = trim(below);
  if (line.ends_with(':') || below.empty()) return false;
  constexpr std::string_view kOthers = "#-[]{}\"'&*!|>%@";
  return kOthers.find(below.front()) == std::string_view::npos && !below.ends_with(':') &&
         below.find(": ") == std::string_view::npos;
}

std::string_view line_around(std::string_view text, std::size_t at) {
  const std::size_t end = std::min(text.find('\n', at), text.size());
  const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return text.substr(begin, end - begin);
}

}  // namespace

TemplateMarks::TemplateMarks(std::span<const PackageSource> sources,
                             std::span<const GoTemplate> templates, std::string sign)
    : sources_(sources), templates_(templates), sign_(" #" + std::move(sign)) {
  for (std::size_t i = 0; i < sources.size(); ++i) add_lines(i);
}

void TemplateMarks::add_lines(std::size_t source) {
  if (!templates_[source].is_complete) return;
  const std::string_view bytes = sources_[source].bytes;
  for (const TemplatePiece& piece : templates_[source].pieces) {
    if (piece.kind != TemplatePiece::Kind::text) continue;
    const std::string_view text = bytes.substr(0, piece.end);
    for (std::size_t at = text.find('\n', piece.begin); at != std::string_view::npos;
         at = text.find('\n', at + 1)) {
      add_line(source, piece, at > 0 && text[at - 1] == '\r' ? at - 1 : at);
    }
    const bool is_trimmed = piece.trims_before && piece.begin == piece.end;
    const bool ends_file = piece.end == bytes.size() && !bytes.ends_with('\n');
    if ((piece.trims_line_break && !is_trimmed) || ends_file) add_line(source, piece, piece.end);
  }
}

void TemplateMarks::add_line(std::size_t source, const TemplatePiece& text, std::size_t at) {
  const std::string_view bytes = sources_[source].bytes;
  const std::string_view line = line_around(bytes, at);
  const std::string_view words = trim(line);
  if (words.empty() || words.starts_with('#') || words.starts_with("---")) return;
  const auto begin = static_cast<std::uint32_t>(words.data() - bytes.data());
  const std::size_t next = static_cast<std::size_t>(line.data() - bytes.data()) + line.size() + 1;
  if (next < bytes.size() && may_continue(line, line_around(bytes, next))) return;
  const auto& pieces = templates_[source].pieces;
  TemplateLine found{.source = source, .begin = begin, .end = static_cast<std::uint32_t>(at)};
  found.is_defined = templates_[source].definition_of(text.block) != 0;
  bool prints = false;
  auto piece = std::ranges::upper_bound(pieces, begin, {}, &TemplatePiece::end);
  for (; piece != pieces.end() && piece->begin < at; ++piece) {
    if (piece->kind == TemplatePiece::Kind::output) {
      found.outputs.push_back(static_cast<std::size_t>(piece - pieces.begin()));
      found.begin = std::min(found.begin, piece->begin);
    }
    const std::uint32_t from = std::max(piece->begin, begin);
    const std::size_t size = std::min<std::size_t>(piece->end, at) - from;
    prints = prints || piece->kind == TemplatePiece::Kind::output ||
             (piece->kind == TemplatePiece::Kind::text && !trim(bytes.substr(from, size)).empty());
  }
  if (!prints) return;
  lines_.push_back(std::move(found));
  places_.push_back(static_cast<std::uint32_t>(at));
}

std::vector<std::size_t> TemplateMarks::sources() const {
  std::vector<std::size_t> sources;
  for (const TemplateLine& line : lines_) {
    if (sources.empty() || sources.back() != line.source) sources.push_back(line.source);
  }
  return sources;
}

std::string TemplateMarks::marked(std::size_t source) const {
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (lines_[i].source != source) continue;
    edits.push_back({{0, places_[i], places_[i]}, fmt::format("{}{}z", sign_, i)});
  }
  return cnsched::apply(sources_[source].bytes, std::move(edits));
}

bool TemplateMarks::read(const SourceFile& rendered, std::string_view marked) {
  std::string text;
  std::vector<std::pair<std::uint32_t, std::size_t>> marks;
  while (true) {
    const std::size_t at = marked.find(sign_);
    text += marked.substr(0, at);
    if (at == std::string_view::npos) break;
    marked.remove_prefix(at + sign_.size());
    const std::optional<std::size_t> line = take_number(marked);
    if (!line || *line >= lines_.size() || !marked.starts_with('z')) continue;
    marked.remove_prefix(1);
    marks.emplace_back(static_cast<std::uint32_t>(text.size()), *line);
  }
  const SourceFile unmarked(0, "", std::move(text));
  const std::vector<Span> documents = yaml::split(rendered);
  const std::vector<Span> same = yaml::split(unmarked);
  if (documents.size() != same.size()) return false;
  auto mark = marks.begin();
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const std::size_t first = rendered.line_of(documents[i].begin);
    const std::size_t first_unmarked = unmarked.line_of(same[i].begin);
    const bool has_same_lines = rendered.line_of(documents[i].end) - first ==
                                unmarked.line_of(same[i].end) - first_unmarked;
    for (; mark != marks.end() && mark->first <= same[i].end; ++mark) {
      if (mark->first < same[i].begin || !has_same_lines) continue;
      const std::size_t line = unmarked.line_of(mark->first);
      const std::size_t before = first + (line - first_unmarked);
      // Else another text, of a random value or a hash.
      if (unmarked.line(line) != rendered.line(before)) continue;
      printed_.emplace(rendered.line_start(before) + (mark->first - unmarked.line_start(line)),
                       mark->second);
    }
  }
  return true;
}

const TemplateLine* TemplateMarks::line_at(std::uint32_t end, std::uint32_t limit) const {
  const auto found = printed_.lower_bound(end);
  return found == printed_.end() || found->first > limit ? nullptr : &lines_[found->second];
}

}  // namespace cnsched::packages

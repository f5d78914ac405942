#include "core/packages/overlay/texts.h"

#include <algorithm>
#include <filesystem>

#include "core/source/path.h"
#include "core/yaml/parse.h"
#include "core/yaml/split.h"

namespace cnsched::overlay {

namespace {

std::size_t end_of_raw_line(std::string_view raw, std::size_t at) {
  return std::min(raw.find('\n', at), raw.size());
}

}  // namespace

ScalarBytes::ScalarBytes(std::string_view file, Span where, std::string_view text) {
  if (where.end > file.size() || where.begin >= where.end) return;
  const std::string_view raw = file.substr(where.begin, where.end - where.begin);
  if (raw.front() == '|') {
    if (!add_block_lines(raw, where.begin, text)) lines_.clear();
  } else if (raw == text) {
    lines_.push_back({0, where.begin, text.size()});
  } else if (raw.size() == text.size() + 2 && raw.substr(1, text.size()) == text) {
    lines_.push_back({0, where.begin + std::size_t{1}, text.size()});
  }
}

/// The lines below the header, each without the indentation of the first one with content.
bool ScalarBytes::add_block_lines(std::string_view raw, std::size_t begin, std::string_view text) {
  const std::size_t header_end = end_of_raw_line(raw, 0);
  const std::string_view header = raw.substr(0, std::min(raw.find('#'), header_end));
  if (header.find_first_of("123456789") != std::string_view::npos) return false;
  std::optional<std::size_t> indent;
  std::size_t line = header_end + 1;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (line >= raw.size()) {
      // The text may end with line breaks that are not part of the span.
      return text.find_first_not_of('\n', at) == std::string_view::npos;
    }
    std::string_view content = raw.substr(line, end_of_raw_line(raw, line) - line);
    if (content.ends_with('\r')) content.remove_suffix(1);
    const std::size_t spaces = std::min(content.find_first_not_of(' '), content.size());
    if (!indent && spaces < content.size()) indent = spaces;
    const std::size_t skipped = std::min(indent.value_or(spaces), spaces);
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (content.substr(skipped) != text.substr(at, end - at)) return false;
    lines_.push_back({at, begin + line + skipped, end - at});
    line = end_of_raw_line(raw, line) + 1;
    at = end;
  }
  return true;
}

std::optional<std::uint32_t> ScalarBytes::in_file(std::size_t in_text) const {
  const auto next = std::ranges::upper_bound(lines_, in_text, {}, &Line::text);
  if (next == lines_.begin()) return std::nullopt;
  const Line& line = *std::prev(next);
  if (in_text > line.text + line.size) return std::nullopt;
  return static_cast<std::uint32_t>(line.file + (in_text - line.text));
}

std::optional<std::uint32_t> ScalarBytes::in_text(std::size_t in_file) const {
  const auto next = std::ranges::upper_bound(lines_, in_file, {}, &Line::file);
  if (next == lines_.begin()) return std::nullopt;
  const Line& line = *std::prev(next);
  if (in_file > line.file + line.size) return std::nullopt;
  return static_cast<std::uint32_t>(line.text + (in_file - line.file));
}

std::string normalized(const std::string& path) {
  std::string result = std::filesystem::path(path).lexically_normal().string();
  while (result.size() > 1 && result.ends_with('/')) result.pop_back();
  return result == "." ? "" : result;
}

std::string path_in(const std::string& directory, std::string_view name) {
  return normalized(joined(directory, name));
}

Texts::Texts(std::span<const PackageSource> sources) {
  for (const PackageSource& source : sources) {
    const auto id = static_cast<FileId>(texts_.size());
    if (!by_path_.emplace(normalized(source.path), id).second) continue;
    texts_.push_back({.file = std::make_unique<SourceFile>(id, source.path, source.bytes)});
  }
}

std::optional<FileId> Texts::find(const std::string& path) const {
  const auto found = by_path_.find(path);
  if (found == by_path_.end()) return std::nullopt;
  return found->second;
}

FileId Texts::inside(const yaml::Node& scalar) {
  const auto id = static_cast<FileId>(texts_.size());
  const auto [known, is_new] = inside_.emplace(std::pair(scalar.span.file, scalar.span.begin), id);
  if (!is_new) return known->second;
  const Text& outer = texts_[scalar.span.file];
  texts_.push_back(
      {.file = std::make_unique<SourceFile>(id, outer.file->path(), std::string(scalar.text())),
       .outer = scalar.span,
       .map = std::make_unique<ScalarBytes>(outer.file->bytes(), scalar.span, scalar.text())});
  return id;
}

const std::vector<yaml::Document>& Texts::documents(FileId text) {
  Text& each = texts_[text];
  if (!each.documents) {
    each.documents.emplace();
    for (const Span where : yaml::split(*each.file)) {
      each.documents->push_back(yaml::parse(*each.file, where));
    }
  }
  return *each.documents;
}

bool Texts::has_problem(FileId text) {
  return std::ranges::any_of(documents(text),
                             [](const yaml::Document& each) { return !each.problems.empty(); });
}

bool Texts::is_used_again(Span where) const {
  auto next = uses_.upper_bound({where.file, where.begin});
  if (next == uses_.begin()) return false;
  --next;
  return next->first.first == where.file && next->second > 1;
}

const std::string& Texts::path(FileId text) const { return texts_[text].file->path(); }

std::optional<SourcePlace> Texts::place(Span where) const {
  const Text& text = texts_[where.file];
  if (text.map == nullptr) return SourcePlace{text.file->path(), where.begin, where.end};
  const auto begin = text.map->in_file(where.begin);
  const auto last =
      where.end > where.begin ? text.map->in_file(where.end - std::size_t{1}) : std::nullopt;
  if (!begin || (where.end > where.begin && !last)) return std::nullopt;
  return place({text.outer.file, *begin, last ? *last + 1 : *begin});
}

}  // namespace cnsched::overlay

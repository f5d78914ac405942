#include "rules/engine/sources.h"

#include <optional>
#include <set>
#include <string>

#include "core/base/text.h"
#include "core/packages/origin.h"
#include "core/workspace/rendered_origins.h"

namespace cnsched::rules {

namespace {

class Mover {
 public:
  explicit Mover(const Workspace& workspace) : workspace_(workspace), origins_(workspace) {}

  void move(Diagnostic& finding) const {
    for (Note& note : finding.notes) {
      if (!workspace_.is_rendered(note.where.file)) continue;
      const Origin origin = origins_.of(note.where, Aspect::value);
      if (const auto place = origins_.span_of(origin.place)) note.where = *place;
    }
    if (!workspace_.is_rendered(finding.where.file)) return;
    if (finding.fix) finding.fix = source_fix(*std::move(finding.fix));
    const bool is_about_type = finding.rule == "wrong-type";
    const Origin origin = origins_.of(finding.where, is_about_type ? Aspect::type : Aspect::value);
    if (!origin.file.empty()) finding.rendered_from = origin.file;
    const std::optional<Span> place = origins_.span_of(origin.place);
    if (!place) return;
    const Span rendered = finding.where;
    finding.where = *place;
    finding.rendered_from.clear();
    for (const OriginNote& note : origin.notes) {
      const auto where = origins_.span_of(note.place);
      if (!where) continue;
      finding.notes.push_back({*where, note.message});
      finding.printed_at.push_back(*where);
    }
    finding.printed_at.push_back(rendered);
    if (!origin.is_literal) finding.notes.push_back({rendered, "rendered as"});
  }

 private:
  /// The fix with edits of the sources; nothing if one of them is not of literal text.
  std::optional<Fix> source_fix(Fix fix) const {
    const SourceFile& file = workspace_.file_of(fix.document->span);
    const auto edits = yaml::edits_for(file, *fix.document, fix.changes, yaml::Comments::stay);
    if (!edits) return std::nullopt;
    for (const Edit& edit : *edits) {
      const std::optional<Span> where = source_of(file, edit);
      if (!where) return std::nullopt;
      fix.edits.push_back({*where, edit.text});
    }
    if (fix.edits.empty()) return std::nullopt;
    // An artifact of a report has one file.
    const FileId first = fix.edits.front().where.file;
    for (const Edit& edit : fix.edits) {
      if (edit.where.file != first) return std::nullopt;
    }
    fix.document = nullptr;
    fix.changes.clear();
    return fix;
  }

  /// The bytes of a source that the edit of a rendered file would replace there.
  std::optional<Span> source_of(const SourceFile& file, const Edit& edit) const {
    const Span where = edit.where;
    const std::string_view text = file.text(where);
    if (where.begin == where.end) return std::nullopt;
    if (text.find('\n') == std::string_view::npos) return literal_of(file, where);
    const std::size_t line = file.line_of(where.begin);
    const bool is_line = where.begin == file.line_start(line) && edit.text.empty() &&
                         text.find('\n') + 1 == text.size();
    return is_line ? literal_line_of(file, line) : std::nullopt;
  }

  /// A part of a line that a source has byte by byte.
  std::optional<Span> literal_of(const SourceFile& file, Span where) const {
    const Origin origin = origins_.of(where, Aspect::value);
    const std::optional<Span> place = origins_.span_of(origin.place);
    if (!place || !origin.is_literal) return std::nullopt;
    if (workspace_.file_of(*place).text(*place) != file.text(where)) return std::nullopt;
    return place;
  }

  /// A whole line, perhaps indented otherwise in the source.
  std::optional<Span> literal_line_of(const SourceFile& file, std::size_t line) const {
    const std::string_view content = trim(file.line(line));
    if (content.empty()) return std::nullopt;
    const std::uint32_t begin =
        file.line_start(line) + static_cast<std::uint32_t>(file.line(line).find(content));
    const std::optional<Span> place =
        literal_of(file, {file.id(), begin, begin + static_cast<std::uint32_t>(content.size())});
    if (!place) return std::nullopt;
    const SourceFile& source = workspace_.file_of(*place);
    const std::size_t number = source.line_of(place->begin);
    const bool is_alone = trim(source.line(number)) == content && number < source.line_count();
    if (!is_alone) return std::nullopt;
    return Span{place->file, source.line_start(number), source.line_start(number + 1)};
  }

  const Workspace& workspace_;
  RenderedOrigins origins_;
};

}  // namespace

void move_to_sources(const Workspace& workspace, std::vector<Diagnostic>& findings) {
  if (workspace.origins() == nullptr) return;
  std::set<std::string> files;
  const auto add = [&](Span where) {
    if (workspace.is_rendered(where.file)) files.insert(workspace.file_of(where).path());
  };
  for (const Diagnostic& finding : findings) {
    add(finding.where);
    for (const Note& note : finding.notes) add(note.where);
  }
  if (files.empty()) return;
  workspace.origins()->prepare(files);
  const Mover mover(workspace);
  for (Diagnostic& finding : findings) mover.move(finding);
}

}  // namespace cnsched::rules

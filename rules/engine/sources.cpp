#include "rules/engine/sources.h"

#include <optional>
#include <string>

#include "core/base/text.h"
#include "core/packages/origin.h"
#include "core/workspace/rendered_origins.h"

namespace cnsched::rules {

namespace {

class Mover {
 public:
  explicit Mover(const Workspace& workspace) : workspace_(workspace), origins_(workspace) {}

  /// Collects what `move` will ask for.
  void ask(const Diagnostic& finding) {
    for (const Note& note : finding.notes) origins_.ask(note.where, packages::Aspect::value);
    if (!workspace_.is_rendered(finding.where.file)) return;
    origins_.ask(finding.where, aspect_of(finding));
    if (!finding.fix) return;
    const SourceFile& file = workspace_.file_of(finding.fix->document->span);
    const auto edits = edits_of(file, *finding.fix);
    if (!edits) return;
    for (const Edit& edit : *edits) {
      const Span where = rendered_bytes(file, edit);
      if (where.begin < where.end) origins_.ask(where, packages::Aspect::value);
    }
  }
  void prepare() { origins_.prepare(); }

  void move(Diagnostic& finding) const {
    for (Note& note : finding.notes) {
      if (!workspace_.is_rendered(note.where.file)) continue;
      const packages::Origin origin = origins_.of(note.where, packages::Aspect::value);
      if (const auto place = origins_.span_of(origin.place)) note.where = *place;
    }
    if (!workspace_.is_rendered(finding.where.file)) return;
    if (finding.fix) finding.fix = source_fix(*std::move(finding.fix));
    const packages::Origin origin = origins_.of(finding.where, aspect_of(finding));
    if (!origin.file.empty()) finding.rendered_from = origin.file;
    const std::optional<Span> place = origins_.span_of(origin.place);
    if (!place) return;
    const Span rendered = finding.where;
    finding.where = *place;
    finding.rendered_from.clear();
    for (const packages::OriginNote& note : origin.notes) {
      const auto where = origins_.span_of(note.place);
      if (!where) continue;
      finding.notes.push_back({*where, note.message});
      finding.printed_at.push_back(*where);
    }
    finding.printed_at.push_back(rendered);
    if (!origin.is_literal) finding.notes.push_back({rendered, "rendered as"});
  }

 private:
  static packages::Aspect aspect_of(const Diagnostic& finding) {
    return finding.rule == "wrong-type" ? packages::Aspect::type : packages::Aspect::value;
  }

  static Result<std::vector<Edit>> edits_of(const SourceFile& file, const Fix& fix) {
    return yaml::edits_for(file, *fix.document, fix.changes, yaml::Comments::stay);
  }

  /// The fix with edits of the sources; nothing if one of them is not of literal text.
  std::optional<Fix> source_fix(Fix fix) const {
    const SourceFile& file = workspace_.file_of(fix.document->span);
    const auto edits = edits_of(file, fix);
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

  /// What of a rendered file the sources must have for the edit: its bytes, or the content of the
  /// line that it deletes. Empty if it is neither.
  static Span rendered_bytes(const SourceFile& file, const Edit& edit) {
    const std::string_view text = file.text(edit.where);
    if (text.find('\n') == std::string_view::npos) return edit.where;
    const std::size_t line = file.line_of(edit.where.begin);
    const bool is_line = edit.where.begin == file.line_start(line) && edit.text.empty() &&
                         text.find('\n') + 1 == text.size();
    if (!is_line) return {};
    const std::string_view content = trim(file.line(line));
    const auto begin = static_cast<std::uint32_t>(content.data() - file.bytes().data());
    return {file.id(), begin, begin + static_cast<std::uint32_t>(content.size())};
  }

  /// The bytes of a source that the edit of a rendered file would replace there.
  std::optional<Span> source_of(const SourceFile& file, const Edit& edit) const {
    const Span where = rendered_bytes(file, edit);
    if (where.begin == where.end) return std::nullopt;
    const packages::Origin origin = origins_.of(where, packages::Aspect::value);
    const std::optional<Span> place = origins_.span_of(origin.place);
    if (!place || !origin.is_literal) return std::nullopt;
    const SourceFile& source = workspace_.file_of(*place);
    if (source.text(*place) != file.text(where)) return std::nullopt;
    if (where == edit.where) return place;
    // The whole line, perhaps indented otherwise in the source.
    const std::size_t number = source.line_of(place->begin);
    const bool is_alone =
        trim(source.line(number)) == file.text(where) && number < source.line_count();
    if (!is_alone) return std::nullopt;
    return Span{place->file, source.line_start(number), source.line_start(number + 1)};
  }

  const Workspace& workspace_;
  RenderedOrigins origins_;
};

}  // namespace

void move_to_sources(const Workspace& workspace, std::vector<Diagnostic>& findings) {
  if (workspace.origins() == nullptr) return;
  Mover mover(workspace);
  for (const Diagnostic& finding : findings) mover.ask(finding);
  mover.prepare();
  for (Diagnostic& finding : findings) mover.move(finding);
}

}  // namespace cnsched::rules

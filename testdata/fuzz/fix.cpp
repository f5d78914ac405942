// Fuzzes --fix and --fix --unsafe-fixes with any bytes as manifests. Valid YAML remains valid YAML,
// documents without a fix keep their bytes, and a second run has nothing to fix.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/diff.h"
#include "core/base/text.h"
#include "core/yaml/split.h"
#include "rules/engine/fix.h"
#include "rules/engine/run.h"
#include "testdata/fuzz/fuzz.h"

namespace cnsched::fuzz {

namespace {

constexpr std::size_t npos = std::string::npos;

rules::RunResult found_in(const Workspace& workspace) {
  return rules::run(workspace, rules::Selection::everything());
}

std::string text_before(const std::vector<MemoryFile>& files, const std::string& path) {
  return std::ranges::find(files, path, &MemoryFile::path)->bytes;
}

/// The texts of the documents of a file, in their order.
std::vector<std::string> texts_of(const std::string& text) {
  const SourceFile file(0, "in.yaml", text);
  std::vector<std::string> texts;
  for (const Span where : yaml::split(file)) texts.emplace_back(file.text(where));
  return texts;
}

/// The index of the document in its file.
std::size_t place_of(const yaml::Document& document, const SourceFile& file) {
  const std::vector<Span> spans = yaml::split(file);
  return static_cast<std::size_t>(std::ranges::find(spans, document.span) - spans.begin());
}

/// Later passes may fix further documents, but a document out of scope changes only if it has a
/// suppression.
void check_documents(const Workspace& before, const std::string& path, const std::string& old_text,
                     const std::string& new_text) {
  const std::vector<std::string> old_texts = texts_of(old_text);
  const std::vector<std::string> new_texts = texts_of(new_text);
  require(old_texts.size() == new_texts.size(), "fixes change the number of documents");
  std::size_t i = 0;
  for (const auto& loaded : before.documents()) {
    if (before.file_of(loaded->document.span).path() != path) continue;
    const bool may_change =
        loaded->status == DocumentStatus::checked || old_texts[i].find("cnsched") != npos;
    require(may_change || old_texts[i] == new_texts[i], "a document out of scope changes");
    ++i;
  }
}

/// The edits of each fix are within its document, which remains valid YAML.
void check_first_pass(const Workspace& workspace, const std::vector<Diagnostic>& findings,
                      Safety least) {
  for (const Diagnostic& finding : findings) {
    if (!rules::is_wanted(finding, least)) continue;
    const yaml::Document& document = *finding.fix->document;
    const SourceFile& file = workspace.file_of(document.span);
    require(workspace.is_linted(file.id()), "a fix is for a file that is not linted");
    const auto edits = yaml::edits_for(file, document, finding.fix->changes);
    if (!edits) continue;
    for (const Edit& edit : *edits) {
      require(edit.where.file == file.id() && edit.where.begin >= document.span.begin &&
                  edit.where.end <= document.span.end,
              "an edit is outside of its document");
    }
    const Documents after(apply(file.bytes(), *edits));
    const std::size_t place = place_of(document, file);
    require(place < after.all.size() && after.all[place].problems.empty(),
            "a fix breaks its document");
  }
}

void check(const std::vector<MemoryFile>& files, Safety least) {
  Workspace before;
  before.load({.memory_files = files, .jobs = 1});
  const rules::RunResult found = found_in(before);
  check_first_pass(before, found.findings, least);
  const rules::FixResult fixed = rules::fix_all(before, found, least, found_in);
  require(fixed.texts.empty() == (fixed.workspace == nullptr),
          "there is a new workspace without changes");

  std::vector<MemoryFile> after_files = files;
  for (const auto& [path, text] : fixed.texts) {
    const std::string old_text = text_before(files, path);
    check_documents(before, path, old_text, text);
    require(!is_broken(*fixed.workspace, path) || is_broken(before, path), "fixes break a file");
    unified_diff(old_text, text, "a/" + path, "b/" + path);
    std::ranges::find(after_files, path, &MemoryFile::path)->bytes = text;
  }
  if (!fixed.failures.empty()) {
    for (const std::string& failure : fixed.failures) require_harmless(failure, "a failure");
    return;
  }
  Workspace after;
  after.load({.memory_files = after_files, .jobs = 1});
  const std::vector<Diagnostic> left = found_in(after).findings;
  require(left.size() == fixed.findings.size(),
          "the fixed files have other findings when they are read again");
  for (const Diagnostic& finding : left) {
    require(!rules::is_wanted(finding, least),
            fmt::format("a fix of {} remains after fixing", finding.rule));
  }
}

}  // namespace

}  // namespace cnsched::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cnsched;
  const auto files = fuzz::files_of(fuzz::text_of(data, size));
  fuzz::check(files, Safety::safe);
  fuzz::check(files, Safety::unsafe);
  return 0;
}

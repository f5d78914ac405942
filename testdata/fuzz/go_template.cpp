// Fuzzes the reading and marking of templates of charts. Pieces are in order and within the
// template, blocks nest, and a marked template without its marks is the template.
//
// The input is a template.
#include "core/base/go_template.h"

#include <algorithm>

#include "core/packages/template_marks.h"
#include "testdata/fuzz/fuzz.h"

namespace cnsched::fuzz {

namespace {

void check_pieces(const GoTemplate& read, std::size_t size) {
  std::uint32_t last = 0;
  for (const TemplatePiece& piece : read.pieces) {
    require(last <= piece.begin && piece.begin <= piece.end, "pieces are not in order");
    require(piece.end <= size, "a piece is outside of its template");
    require(piece.block < read.blocks.size(), "a piece has no block");
    last = piece.end;
  }
}

void check_blocks(const GoTemplate& read) {
  for (std::size_t i = 1; i < read.blocks.size(); ++i) {
    const TemplateBlock& block = read.blocks[i];
    require(block.parent < i, "a block is around the one before it");
    require(block.open < read.pieces.size(), "a block does not open");
    if (!read.is_complete) continue;
    require(block.open < block.close && block.close < read.pieces.size(), "a block does not close");
  }
}

/// What is rendered of a template that prints itself.
void check_marks(const GoTemplate& read, const std::string& text) {
  const std::vector<packages::PackageSource> sources = {{"c/templates/x.yaml", text}};
  if (text.find("zqm") != std::string::npos) return;
  packages::TemplateMarks marks(sources, {&read, 1}, "zqm");
  const std::string marked = marks.marked(0);
  require(marks.read(SourceFile(0, "", text), marked), "marks change a template");
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const auto byte = static_cast<std::uint32_t>(at);
    const packages::TemplateLine* line =
        marks.line_at(byte, static_cast<std::uint32_t>(text.size()));
    require(line == nullptr || line->end <= text.size(), "a line is outside of its template");
  }
}

}  // namespace

}  // namespace cnsched::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cnsched;
  const std::string text = fuzz::text_of(data, size);
  const GoTemplate read = read_go_template(text);
  fuzz::check_pieces(read, text.size());
  fuzz::check_blocks(read);
  fuzz::check_marks(read, text);
  return 0;
}

// Fuzzes the reading and marking of templates of charts. Pieces are in order and within the
// template, blocks nest, and a marked template without its marks is the template.
//
// The input is a template.
#include "core/base/go_template.h"

#include <algorithm>

#include "core/packages/marked_templates.h"
#include "core/packages/template_calls.h"
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

void check_marks(const MarkedTemplates& templates, const std::string& text) {
  for (const TemplateMark& mark : templates.marks) {
    require(mark.at <= text.size(), "a mark is outside of its template");
    require(!mark.parts.empty(), "a mark follows nothing");
    for (const PrintedPart& part : mark.parts) {
      require(part.begin < part.end && part.end <= text.size(),
              "a part is outside of its template");
    }
  }
  const auto marked = templates.texts.find(0);
  if (marked == templates.texts.end()) return;
  const MarkedText read = read_marked(marked->second, templates);
  require(read.text == text, "marks change a template");
  require(read.marks.size() == templates.marks.size(), "a mark is lost");
}

}  // namespace

}  // namespace cnsched::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cnsched;
  const std::string text = fuzz::text_of(data, size);
  const GoTemplate read = read_go_template(text);
  fuzz::check_pieces(read, text.size());
  fuzz::check_blocks(read);
  const std::vector<PackageSource> sources = {{"c/templates/x.yaml", text}};
  const MarkedTemplates templates = mark_templates(sources);
  fuzz::check_marks(templates, text);
  const TemplateCalls calls(sources, templates);
  for (std::size_t i = 0; i < templates.marks.size(); ++i) {
    for (const std::string_view name : calls.included_by(i)) calls.is_followed_by_caller(name);
  }
  return 0;
}

#include <fmt/format.h>

#include "core/yaml/append.h"
#include "core/yaml/edit.h"
#include "core/yaml/edited.h"
#include "core/yaml/extent.h"
#include "core/yaml/flow_text.h"
#include "core/yaml/tree.h"
#include "core/yaml/write.h"

namespace cnsched::yaml {

namespace {

/// Adds lines to a collection in block style.
class BlockAdd {
 public:
  BlockAdd(const Edited& edited, const Node& collection, std::string lines)
      : edited_(edited),
        layout_(edited.layout),
        column_(layout_.column(layout_.begin(collection))),
        end_(layout_.end(collection)),
        lines_(std::move(lines)) {}

  Ways ways() const {
    const std::size_t behind = layout_.next_line(end_);
    const std::size_t comments = end_of_comments(behind);
    return {at_line(comments),
            at_line(behind),
            at_line(layout_.skip_blank_lines(behind)),
            {insert(edited_, layout_.text.size(), std::string(layout_.line_break()) + lines_)}};
  }

 private:
  /// Behind the comments that belong to the collection: those further in, and those as far in that
  /// follow directly and say nothing about what is below them.
  std::size_t end_of_comments(std::size_t line) const {
    const std::size_t end = layout_.end_of_deeper_comments(line, column_);
    std::size_t at = end;
    while (at < layout_.text.size()) {
      const auto comment = layout_.comment_on_line(at);
      if (!comment || *comment - at != column_) break;
      at = layout_.next_line(at);
    }
    const bool about_next = at < layout_.text.size() && layout_.skip_spaces(at) - at == column_ &&
                            !layout_.is_blank_line(at);
    return about_next ? end : at;
  }

  /// In front of the line; behind the last one, which may lack its end.
  std::vector<Edit> at_line(std::size_t line) const {
    const std::string_view text = layout_.text;
    if (line < text.size() || text.ends_with('\n')) return {insert(edited_, line, lines_)};
    const std::string_view line_break = layout_.line_break();
    return {insert(edited_, line,
                   std::string(line_break) + lines_.substr(0, lines_.size() - line_break.size()))};
  }

  const Edited& edited_;
  const Layout& layout_;
  std::size_t column_;
  std::size_t end_;
  std::string lines_;
};

}  // namespace

Ways ways_to_append(const Edited& edited, const Node& collection, std::string lines) {
  return BlockAdd(edited, collection, std::move(lines)).ways();
}

std::vector<Edit> append_in_brackets(const Edited& edited, const Node& collection,
                                     const std::string& text) {
  const Layout& layout = edited.layout;
  const Node& last = *Layout::children(collection).back();
  const std::size_t begin = layout.begin_of_entry(last);
  const std::size_t end = layout.end(last);
  const auto comma = layout.comma(last);
  const std::size_t behind = comma ? *comma + 1 : end;
  const std::string closing = comma ? "," : "";
  if (!layout.begins_line(begin)) {
    return {insert(edited, behind, (comma ? " " : ", ") + text + closing)};
  }
  const std::size_t line = layout.line_begin(begin);
  const std::string line_text = std::string(layout.line_break()) +
                                std::string(layout.text.substr(line, begin - line)) + text +
                                closing;
  std::vector<Edit> edits;
  if (!comma) edits.push_back(insert(edited, end, ","));
  const std::size_t close = layout.end(collection) - 1;
  const std::size_t line_end = layout.line_end(behind);
  edits.push_back(insert(edited, line_end < close ? line_end : behind, line_text));
  return edits;
}

namespace {

/// The only entry or item of `alone`, as it is written beside the last one of `collection`.
std::string in_brackets(const Layout& layout, const Node& collection, const Node& alone) {
  const Node& last = *Layout::children(collection).back();
  if (alone.is_sequence()) return flow_text(layout, last, alone.at(0));
  const Entry& entry = alone.entries().front();
  return flow_key(layout, collection, entry.key->text()) + ": " +
         flow_text(layout, last, *entry.value);
}

/// `added` is what `collection` is to become, `alone` a collection of only what is new.
Result<std::vector<Edit>> add(const Edited& edited, const Node& collection, const Node& added,
                              const Node& alone) {
  const Layout& layout = edited.layout;
  if (auto error = edited.repetitions.obstacle(collection, Effect::more)) return *std::move(error);
  if (collection.anchored() != nullptr) {
    return Error{"what an alias repeats is changed where it is written"};
  }
  if (Layout::children(collection).empty() && !Layout::merges(collection)) {
    return set(edited, collection, added);
  }
  Ways ways;
  if (layout.has_brackets(collection) && !Layout::children(collection).empty()) {
    ways = {append_in_brackets(edited, collection, in_brackets(layout, collection, alone))};
  } else if (!layout.in_flow(collection)) {
    const std::size_t column = layout.column(layout.begin(collection));
    ways = ways_to_append(edited, collection, block_lines(alone, column, layout.line_break()));
  }
  return choose(edited, ways, {{&collection, &added}});
}

}  // namespace

Result<std::vector<Edit>> add_entry(const SourceFile& file, const Document& document,
                                    const Node& mapping, std::string_view key, const Node& value) {
  return add_entry(Edited(file, document), mapping, key, value);
}

Result<std::vector<Edit>> add_entry(const Edited& edited, const Node& mapping, std::string_view key,
                                    const Node& value) {
  if (!mapping.is_mapping() && !mapping.is_null()) return Error{"only a mapping has entries"};
  if (mapping[key]) return Error{fmt::format("the mapping has an entry '{}'", key)};
  Arena arena;
  const Entry entry = entry_of(arena, key, value);
  std::vector<Entry> entries(mapping.entries().begin(), mapping.entries().end());
  entries.push_back(entry);
  const Node& added = mapping_like(arena, mapping, entries);
  return add(edited, mapping, added, mapping_like(arena, mapping, {entry}));
}

Result<std::vector<Edit>> add_item(const SourceFile& file, const Document& document,
                                   const Node& sequence, const Node& value) {
  return add_item(Edited(file, document), sequence, value);
}

Result<std::vector<Edit>> add_item(const Edited& edited, const Node& sequence, const Node& value) {
  if (!sequence.is_sequence() && !sequence.is_null()) return Error{"only a list has items"};
  Arena arena;
  const Node& added = with_item(arena, sequence, value);
  return add(edited, sequence, added, sequence_like(arena, sequence, {&value}));
}

}  // namespace cnsched::yaml

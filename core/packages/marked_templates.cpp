#include "core/packages/marked_templates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/base/text.h"
#include "core/source/path.h"

namespace cnsched {

namespace {

constexpr std::string_view kMarkEnd = "⟧";
constexpr std::size_t kMaxMarks = 500'000;

bool is_blank(std::string_view text) { return trim(text).empty(); }

/// Whether `below` may continue a plain scalar of `line`, which a comment would end. It may as well
/// be a line of a block scalar: that does no harm.
bool may_continue(std::string_view line, std::string_view below) {
  line = trim(line);
  below = trim(below);
  if (line.empty() || below.empty() || line.ends_with(':') || line.starts_with('#')) return false;
  constexpr std::string_view kOthers = "#-[]{}\"'&*!|>%@";
  if (kOthers.find(below.front()) != std::string_view::npos && !below.starts_with("--")) {
    return false;
  }
  return !below.starts_with("---") && !below.ends_with(':') &&
         below.find(": ") == std::string_view::npos;
}

/// Whether Helm renders the file: it is below `templates/`, and what it prints is a manifest.
bool is_template(const std::string& path) {
  const std::string directory = "/" + directory_of(path) + "/";
  const std::string_view name = file_name_of(path);
  return directory.find("/templates/") != std::string::npos && !name.ends_with(".txt");
}

/// `print $.Template.BasePath "/x.yaml"`: a file, and no definition.
bool names_file(const TemplateExpression& expression) {
  if (std::ranges::find(expression.path, "BasePath") != expression.path.end()) return true;
  return std::ranges::any_of(expression.arguments, names_file);
}

/// Functions that print their last argument as it is, but for spaces.
bool keeps_lines(const TemplateExpression& call) {
  constexpr std::array<std::string_view, 4> kFunctions = {"nindent", "indent", "trim", "toString"};
  return call.kind == TemplateExpression::Kind::call &&
         std::ranges::find(kFunctions, call.text) != kFunctions.end();
}

/// Finds the templates whose text is not only printed.
class Compared {
 public:
  void add(const GoTemplate& read) {
    for (const TemplatePiece& piece : read.pieces) {
      const bool prints = piece.kind == TemplatePiece::Kind::output;
      look(piece.expression, prints);
      const std::size_t definition = read.definition_of(piece.block);
      if (definition == 0) continue;
      auto& used = uses_[read.blocks[definition].name];
      for (const std::string_view name : included_in(piece.expression)) used.emplace(name);
    }
  }

  /// With those that they include.
  std::set<std::string> names() const {
    std::set<std::string> all;
    std::vector<std::string> waiting(compared_.begin(), compared_.end());
    while (!waiting.empty()) {
      const std::string name = std::move(waiting.back());
      waiting.pop_back();
      if (!all.insert(name).second) continue;
      const auto used = uses_.find(name);
      if (used == uses_.end()) continue;
      waiting.insert(waiting.end(), used->second.begin(), used->second.end());
    }
    return all;
  }
  /// A name is computed, and its text is not only printed.
  bool may_be_any() const { return any_; }

 private:
  void look(const TemplateExpression& expression, bool prints) {
    if (is_include(expression)) {
      const TemplateExpression& name = expression.arguments.front();
      if (name.kind != TemplateExpression::Kind::string) {
        // The text of a file is hashed.
        any_ = any_ || (!prints && !names_file(name));
      } else if (!prints) {
        compared_.insert(name.text);
      }
      for (std::size_t i = 1; i < expression.arguments.size(); ++i) {
        look(expression.arguments[i], false);
      }
      return;
    }
    const bool keeps = prints && keeps_lines(expression);
    for (const TemplateExpression& argument : expression.arguments) look(argument, keeps);
  }

  std::set<std::string> compared_;
  std::map<std::string, std::set<std::string>> uses_;
  bool any_ = false;
};

/// Adds the marks to one template.
class Marker {
 public:
  Marker(std::size_t source, std::string_view text, const GoTemplate& read,
         const std::set<std::string>& compared, bool marks_definitions, MarkedTemplates& result)
      : source_(source),
        text_(text),
        read_(read),
        compared_(compared),
        marks_definitions_(marks_definitions),
        result_(result) {}

  std::string mark() {
    for (at_ = 0; at_ < read_.pieces.size(); ++at_) {
      const TemplatePiece& piece = read_.pieces[at_];
      switch (piece.kind) {
        case TemplatePiece::Kind::text:
          add_text(piece);
          break;
        case TemplatePiece::Kind::output:
          add_output(piece);
          break;
        case TemplatePiece::Kind::open:
          if (!take_block(piece)) begin_block();
          break;
        case TemplatePiece::Kind::otherwise:
        case TemplatePiece::Kind::jump:
          drop_line(piece.block);
          break;
        case TemplatePiece::Kind::close:
          end_block(piece);
          break;
        case TemplatePiece::Kind::assignment:
        case TemplatePiece::Kind::comment:
          break;
      }
    }
    // Helm ends the last line of a file that has no line break.
    const TemplatePiece& last = read_.pieces.back();
    const bool is_trimmed_away = last.trims_before && last.begin == last.end;
    if (!parts_.empty() && !is_trimmed_away) end_line(last.end, 0);
    return marked_ + std::string(text_.substr(copied_));
  }

 private:
  /// A block within one line becomes one part. False if it has several lines.
  bool take_block(const TemplatePiece& open) {
    const TemplateBlock& block = read_.blocks[open.block];
    if (block.kind == TemplateBlock::Kind::define || block.close == TemplateBlock::kNone) {
      return false;
    }
    const std::uint32_t end = read_.pieces[block.close].end;
    if (text_.substr(open.begin, end - open.begin).find('\n') != std::string_view::npos) {
      return false;
    }
    parts_.push_back({PrintedPart::Kind::blocks, at_, open.begin, end});
    at_ = block.close;
    return true;
  }

  void begin_block() {
    const std::size_t block = read_.pieces[at_].block;
    if (read_.blocks[block].kind == TemplateBlock::Kind::define) {
      drop_line(read_.blocks[block].parent);
    }
  }

  /// Forgets the parts of a line whose end gets no mark.
  void drop_line(std::size_t block) {
    if (is_visible()) add_unmarked(block);
    parts_.clear();
  }

  void add_unmarked(std::size_t block) {
    std::uint32_t begin = parts_.front().begin;
    const std::size_t definition = read_.definition_of(block);
    // In a loop all lines may follow it.
    for (std::size_t outer = block; outer != definition; outer = read_.blocks[outer].parent) {
      if (read_.blocks[outer].kind != TemplateBlock::Kind::range) continue;
      begin = std::min(begin, read_.pieces[read_.blocks[outer].open].begin);
    }
    const auto [found, is_new] = result_.unmarked.emplace(std::pair(source_, definition), begin);
    if (!is_new) found->second = std::min(found->second, begin);
  }

  /// The last line of a definition may end without a line break: what includes it adds one, as the
  /// lines before it show.
  void end_block(const TemplatePiece& close) {
    const TemplateBlock& block = read_.blocks[close.block];
    const bool has_lines = block.kind == TemplateBlock::Kind::define && last_mark_ > block.open;
    if (has_lines && is_visible() && at_ > 0) {
      const TemplatePiece& text = read_.pieces[at_ - 1];
      if (!(text.trims_before && text.begin == text.end)) {
        add_mark(text.end, close.block);
        parts_.clear();
      }
    }
    drop_line(close.block);
  }

  void add_text(const TemplatePiece& piece) {
    std::uint32_t begin = piece.begin;
    while (begin < piece.end) {
      const std::size_t found = text_.substr(0, piece.end).find('\n', begin);
      if (found == std::string_view::npos) break;
      auto end = static_cast<std::uint32_t>(found);
      const auto next = end + 1;
      if (end > begin && text_[end - 1] == '\r') --end;
      add_part(begin, end);
      const std::string_view below = text_.substr(next, piece.end - next);
      if (!may_continue(text_.substr(begin, end - begin), below.substr(0, below.find('\n')))) {
        end_line(end, piece.block);
      }
      begin = next;
    }
    add_part(begin, piece.end);
    const bool is_trimmed_away = piece.trims_before && piece.begin == piece.end;
    if (piece.trims_line_break && !is_trimmed_away && breaks_line_next()) {
      end_line(piece.end, piece.block);
    }
  }

  /// Whether the next thing that is printed begins with a line break, as far as can be seen: a
  /// comment within a line would hide the rest of the line.
  bool breaks_line_next() {
    if (next_printed_ <= at_) {
      next_printed_ = at_ + 1;
      while (next_printed_ < read_.pieces.size() && !is_printed(read_.pieces[next_printed_])) {
        ++next_printed_;
      }
    }
    if (next_printed_ == read_.pieces.size()) return true;
    const TemplatePiece& piece = read_.pieces[next_printed_];
    if (piece.kind == TemplatePiece::Kind::output) return piece.expression.text == "nindent";
    const std::string_view text = text_.substr(piece.begin, piece.end - piece.begin);
    return text.starts_with('\n') || text.starts_with("\r\n");
  }

  static bool is_printed(const TemplatePiece& piece) {
    return piece.kind == TemplatePiece::Kind::output ||
           (piece.kind == TemplatePiece::Kind::text && piece.begin < piece.end);
  }

  void add_part(std::uint32_t begin, std::uint32_t end) {
    if (end > begin) parts_.push_back({PrintedPart::Kind::text, at_, begin, end});
  }

  void end_line(std::uint32_t at, std::size_t block) {
    if (is_visible() && !is_separator()) add_mark(at, block);
    parts_.clear();
  }

  void add_output(const TemplatePiece& piece) {
    const bool begins_line = piece.expression.kind == TemplateExpression::Kind::call &&
                             piece.expression.text == "nindent";
    if (begins_line && is_visible() && at_ > 0) {
      const TemplatePiece& before = read_.pieces[at_ - 1];
      const bool is_text = before.kind == TemplatePiece::Kind::text &&
                           !(before.trims_before && before.begin == before.end);
      if (is_text) {
        add_mark(before.end, piece.block);
        parts_.clear();
      }
    }
    parts_.push_back({PrintedPart::Kind::action, at_, piece.begin, piece.end});
  }

  /// The block around the part.
  std::size_t block_of(const PrintedPart& part) const {
    const TemplatePiece& first = read_.pieces[part.first];
    return part.kind == PrintedPart::Kind::blocks ? read_.blocks[first.block].parent : first.block;
  }

  bool is_visible() const {
    return std::ranges::any_of(parts_, [&](const PrintedPart& part) {
      switch (part.kind) {
        case PrintedPart::Kind::text:
          return !is_blank(text_.substr(part.begin, part.end - part.begin));
        case PrintedPart::Kind::action:
          return true;
        case PrintedPart::Kind::blocks:
          break;
      }
      return prints(part);
    });
  }

  /// Whether something in the blocks may print. A mark for itself would make a document.
  bool prints(const PrintedPart& blocks) const {
    for (std::size_t i = blocks.first; i < read_.pieces.size(); ++i) {
      const TemplatePiece& piece = read_.pieces[i];
      if (piece.begin >= blocks.end) break;
      if (piece.kind == TemplatePiece::Kind::output) return true;
      const bool is_text = piece.kind == TemplatePiece::Kind::text;
      if (is_text && !is_blank(text_.substr(piece.begin, piece.end - piece.begin))) return true;
    }
    return false;
  }

  /// Helm divides the output at these lines.
  bool is_separator() const {
    return parts_.front().kind == PrintedPart::Kind::text &&
           text_.substr(parts_.front().begin).starts_with("---");
  }

  void add_mark(std::uint32_t at, std::size_t block) {
    const std::size_t definition = read_.definition_of(block);
    if (definition != 0 &&
        (!marks_definitions_ || compared_.contains(read_.blocks[definition].name))) {
      return;
    }
    if (result_.marks.size() >= kMaxMarks) return;
    if (std::ranges::any_of(parts_,
                            [&](const PrintedPart& part) { return block_of(part) != block; })) {
      add_unmarked(block);  // the line may end without this mark
    }
    marked_ += text_.substr(copied_, at - copied_);
    copied_ = at;
    marked_ += fmt::format("{}{}{}", result_.sign, result_.marks.size(), kMarkEnd);
    result_.marks.push_back({source_, block, at, parts_});
    last_mark_ = at_;
  }

  std::size_t source_;
  std::string_view text_;
  const GoTemplate& read_;
  const std::set<std::string>& compared_;
  bool marks_definitions_;
  MarkedTemplates& result_;
  std::string marked_;
  std::size_t copied_ = 0;  ///< bytes of the text
  std::size_t at_ = 0;      ///< the piece
  std::size_t last_mark_ = 0;
  std::size_t next_printed_ = 0;    ///< the first piece that prints something after one before it
  std::vector<PrintedPart> parts_;  ///< of the line so far
};

/// How often the sign that begins marks is repeated in the text without a break.
std::size_t longest_run(std::string_view text) {
  constexpr std::string_view kSign = "⟦";
  std::size_t longest = 0;
  for (std::size_t at = text.find(kSign); at != std::string_view::npos; at = text.find(kSign, at)) {
    std::size_t run = 0;
    for (; text.substr(at).starts_with(kSign); at += kSign.size()) ++run;
    longest = std::max(longest, run);
  }
  return longest;
}

/// A beginning of marks that no source contains; empty if it would be too long.
std::string unused_sign(std::span<const PackageSource> sources) {
  constexpr std::size_t kMaxRun = 20;
  std::string sign = " #⟦";
  for (const PackageSource& source : sources) {
    const std::size_t run = longest_run(source.bytes);
    if (run > kMaxRun) return {};
    while (sign.size() < std::string_view(" #").size() + (run + 1) * std::string_view("⟦").size()) {
      sign += "⟦";
    }
  }
  return sign;
}

}  // namespace

std::vector<std::string_view> included_in(const TemplateExpression& expression) {
  std::vector<std::string_view> names;
  if (is_include(expression) &&
      expression.arguments.front().kind == TemplateExpression::Kind::string) {
    names.push_back(expression.arguments.front().text);
  }
  for (const TemplateExpression& argument : expression.arguments) {
    for (const std::string_view name : included_in(argument)) names.push_back(name);
  }
  return names;
}

bool includes_computed_name(const TemplateExpression& expression) {
  if (is_include(expression)) {
    const TemplateExpression& name = expression.arguments.front();
    if (name.kind != TemplateExpression::Kind::string && !names_file(name)) return true;
  }
  return std::ranges::any_of(expression.arguments, includes_computed_name);
}

MarkedTemplates mark_templates(std::span<const PackageSource> sources) {
  MarkedTemplates result{.templates = std::vector<GoTemplate>(sources.size())};
  result.sign = unused_sign(sources);
  Compared compared;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (!is_template(sources[i].path)) continue;
    result.templates[i] = read_go_template(sources[i].bytes);
    compared.add(result.templates[i]);
  }
  const std::set<std::string> unmarked = compared.names();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (!result.templates[i].is_complete || result.sign.empty()) continue;
    result.texts[i] =
        Marker(i, sources[i].bytes, result.templates[i], unmarked, !compared.may_be_any(), result)
            .mark();
  }
  return result;
}

MarkedText read_marked(std::string_view rendered, const MarkedTemplates& templates) {
  MarkedText result;
  if (templates.sign.empty()) return {.text = std::string(rendered)};
  std::size_t copied = 0;
  while (true) {
    const std::size_t at = rendered.find(templates.sign, copied);
    result.text += rendered.substr(copied, at == std::string_view::npos ? at : at - copied);
    if (at == std::string_view::npos) return result;
    std::string_view rest = rendered.substr(at + templates.sign.size());
    const auto number = take_number<std::size_t>(rest);
    if (!number || *number >= templates.marks.size() || !rest.starts_with(kMarkEnd)) {
      result.text += templates.sign;
      copied = at + templates.sign.size();
      continue;
    }
    result.marks.push_back({*number, static_cast<std::uint32_t>(result.text.size())});
    copied = rendered.size() - rest.size() + kMarkEnd.size();
  }
}

}  // namespace cnsched

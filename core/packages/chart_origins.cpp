#include "core/packages/chart_origins.h"

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/source/path.h"
#include "core/source/span.h"
#include "core/yaml/scalar.h"
#include "core/yaml/split.h"

namespace cnsched {

namespace {

constexpr std::size_t kMaxNodes = 2'000;   ///< of a value in which a text is searched
constexpr std::size_t kMaxText = 100'000;  ///< bytes of a value in which a line is searched

constexpr const char* kPrintedHere = "this line of the template prints it";

DocumentOrder order_of(std::string_view document) {
  const auto line_with = [&](std::string_view start) {
    for (std::size_t at = document.find(start); at != std::string_view::npos;
         at = document.find(start, at + 1)) {
      if (at > 0 && document[at - 1] != '\n') continue;
      return document.substr(at, document.find('\n', at) - at);
    }
    return std::string_view();
  };
  return {.source = line_with("# Source: "),
          .kind = line_with("kind:"),
          .is_hook = document.find("helm.sh/hook") != std::string_view::npos};
}

/// A value of the rendered document, or the key of an entry.
struct RenderedNode {
  const yaml::Node* node = nullptr;
  bool is_key = false;
};

/// The smallest node with `where`.
RenderedNode node_around(const yaml::Node& root, Span where) {
  RenderedNode found{&root, false};
  while (true) {
    const yaml::Node& node = *found.node;
    const yaml::Node* next = nullptr;
    const auto items = node.items();
    const auto item = std::ranges::upper_bound(
        items, where.begin, {}, [](const yaml::Node* each) { return each->span.begin; });
    if (item != items.begin() && contains((*(item - 1))->span, where)) next = *(item - 1);
    // What `<<` merges in is at the end.
    const auto entries = node.entries();
    const auto entry = std::ranges::partition_point(entries, [&](const yaml::Entry& each) {
      return !each.merged && each.key->span.begin <= where.begin;
    });
    if (entry != entries.begin()) {
      const yaml::Entry& last = *(entry - 1);
      if (contains(last.key->span, where)) return {last.value, true};
      if (contains(last.value->span, where)) next = last.value;
    }
    if (next == nullptr || node.anchored() != nullptr) return found;
    found.node = next;
  }
}

/// Whether a scalar in the value has the text; also if there are too many.
bool may_contain(const yaml::Node& value, std::string_view text, std::size_t& looked_at) {
  if (++looked_at > kMaxNodes) return true;
  if (value.is_scalar()) return value.text() == text;
  const auto entries = value.entries();
  const auto items = value.items();
  return std::ranges::any_of(
             items, [&](const yaml::Node* item) { return may_contain(*item, text, looked_at); }) ||
         std::ranges::any_of(entries, [&](const yaml::Entry& entry) {
           return may_contain(*entry.key, text, looked_at) ||
                  may_contain(*entry.value, text, looked_at);
         });
}

/// What a finding is at: the first token of a mapping or list, which begins with it.
Span first_line_of(Span where, std::string_view text) {
  const std::size_t end = text.substr(0, where.end).find('\n', where.begin);
  if (end != std::string_view::npos) where.end = static_cast<std::uint32_t>(end);
  while (where.end > where.begin && is_space(text[where.end - 1])) --where.end;
  return where;
}

/// The place of a value, or of its key, in a values file.
SourcePlace place_in(const std::string& path, const yaml::Node& node, bool is_key) {
  const yaml::Node& written = node.anchored() != nullptr && !is_key ? *node.anchored() : node;
  const Span span = is_key && node.key() != nullptr ? node.key()->span : written.span;
  return {path, span.begin, span.end};
}

bool reads_other_text(const TemplateExpression& expression) {
  const bool is_file = std::ranges::find(expression.path, "Files") != expression.path.end();
  return is_include(expression) || is_call(expression, "tpl") || is_file ||
         std::ranges::any_of(expression.arguments, reads_other_text);
}

}  // namespace

/// The search for one origin.
class ChartOrigins::Search {
 public:
  Search(const ChartOrigins& all, const yaml::Document& document, Span where, Aspect aspect)
      : all_(all),
        document_(document),
        where_(first_line_of(where, all.rendered_.bytes())),
        whole_(where),
        aspect_(aspect) {}

  Origin find() {
    name_template();
    if (crd()) return origin_;
    const auto next = std::ranges::upper_bound(all_.marks_, where_.begin, {}, &RenderedMark::at);
    const std::size_t line = all_.rendered_.line_of(where_.begin);
    if (next == all_.marks_.end() || next->at > document_.span.end || all_.differs_[line]) {
      return origin_;
    }
    number_ = static_cast<std::size_t>(next - all_.marks_.begin());
    mark_ = &all_.templates_.marks[next->mark];
    const std::size_t definition = read().definition_of(mark_->block);
    // A comment `# Source:` of the chart's own may name another template.
    if (definition == 0 && source().path != origin_.file) return origin_;
    match();
    const std::vector<PrintedText> printed = printed_at();
    if (printed.empty()) return origin_;
    if (printed.size() == 1 && printed.front().part.kind == PrintedPart::Kind::text) {
      literal(printed.front());
    } else if (const PrintedText* action = only_action(printed)) {
      of_action(*action);
    } else {
      composed(printed);
    }
    return origin_;
  }

 private:
  const PackageSource& source() const { return all_.sources_[mark_->source]; }
  const GoTemplate& read() const { return all_.templates_.templates[mark_->source]; }
  std::string_view text_of(const PrintedPart& part) const {
    return std::string_view(source().bytes).substr(part.begin, part.end - part.begin);
  }
  std::string_view rendered(std::uint32_t begin, std::uint32_t end) const {
    return all_.rendered_.bytes().substr(begin, end - begin);
  }

  /// Reads the comment that Helm writes before each document: "llama/charts/tgi/templates/x.yaml".
  void name_template() {
    const std::vector<std::string_view> steps = split(document_.rendered_from, '/');
    std::size_t at = 1;
    for (; at + 1 < steps.size() && steps[at] == "charts"; at += 2) {
      charts_.emplace_back(steps[at + 1]);
    }
    if (at >= steps.size()) return;
    std::string path = all_.values_.directory_of_chart(charts_);
    for (; at < steps.size(); ++at) path = joined(path, steps[at]);
    if (all_.by_path_.contains(path)) origin_.file = path;
  }

  /// Helm prints CRDs as they are. Returns whether the document is in such a file.
  bool crd() {
    const auto found = all_.by_path_.find(origin_.file);
    if (found == all_.by_path_.end() || !all_.templates_.templates[found->second].pieces.empty()) {
      return false;
    }
    const std::string_view bytes = all_.sources_[found->second].bytes;
    const std::uint32_t begin = skipped(document_.span.begin);
    const std::string_view text = rendered(begin, document_.span.end);
    const std::size_t at = bytes.find(trim(text));
    if (trim(text).empty() || at == std::string_view::npos) return true;
    if (bytes.find(trim(text), at + 1) != std::string_view::npos) return true;
    const auto place = static_cast<std::uint32_t>(at);
    origin_.place = {origin_.file, place + (where_.begin - begin), place + (where_.end - begin)};
    origin_.is_literal = where_ == whole_;
    return true;
  }

  /// Matches the text between the mark before and this one with the line of the template.
  void match() {
    std::uint32_t begin = number_ == 0 ? 0 : all_.marks_[number_ - 1].at;
    begin = skipped(std::max(begin, document_.span.begin));
    const std::uint32_t end = all_.marks_[number_].at;
    if (begin > end) return;
    const std::size_t last = all_.rendered_.bytes().substr(0, end).rfind('\n');
    const bool is_line = last == std::string_view::npos || last < begin;
    const std::size_t definition = read().definition_of(mark_->block);
    const auto unmarked = all_.templates_.unmarked.find({mark_->source, definition});
    const bool may_follow_others =
        unmarked != all_.templates_.unmarked.end() && unmarked->second < mark_->at;
    if ((is_line || !may_follow_others) && match_from(begin, end)) return;
    // Before it may be text of a line that includes this one, which has its own mark.
    if (!is_line) match_from(skipped(static_cast<std::uint32_t>(last + 1)), end);
  }

  /// Skips blanks and what Helm writes before a document.
  std::uint32_t skipped(std::uint32_t at) const {
    const std::string_view text = all_.rendered_.bytes();
    while (at < text.size()) {
      if (is_space(text[at])) {
        ++at;
        continue;
      }
      const std::string_view rest = text.substr(at);
      if (!rest.starts_with("---\n") && !rest.starts_with("# Source: ")) break;
      const std::size_t end = rest.find('\n');
      if (end == std::string_view::npos) break;
      at += static_cast<std::uint32_t>(end + 1);
    }
    return at;
  }

  bool match_from(std::uint32_t begin, std::uint32_t end) {
    matched_.clear();
    std::vector<PrintedPart> parts = mark_->parts;
    // The first text is printed after a line break, perhaps with another indentation.
    while (!parts.empty() && parts.front().kind == PrintedPart::Kind::text) {
      PrintedPart& first = parts.front();
      const std::string_view text = text_of(first);
      first.begin +=
          static_cast<std::uint32_t>(std::min(text.find_first_not_of(" \t"), text.size()));
      if (first.begin < first.end) break;
      parts.erase(parts.begin());
    }
    const std::optional<std::vector<std::uint32_t>> forward = places(parts, begin, end, false);
    const std::optional<std::vector<std::uint32_t>> backward = places(parts, begin, end, true);
    // Only if each text is at one place it is known what the actions between them print.
    if (!forward || !backward || *forward != *backward) return false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool is_text = parts[i].kind == PrintedPart::Kind::text;
      const std::uint32_t from = is_text            ? (*forward)[i]
                                 : matched_.empty() ? begin
                                                    : matched_.back().end;
      std::uint32_t to = end;
      if (is_text) {
        to = from + (parts[i].end - parts[i].begin);
      } else {
        for (std::size_t next = i + 1; next < parts.size(); ++next) {
          if (parts[next].kind != PrintedPart::Kind::text) continue;
          to = (*forward)[next];
          break;
        }
      }
      matched_.push_back({parts[i], from, to});
    }
    return true;
  }

  /// Where each text of the parts is printed, the first or the last possible place.
  std::optional<std::vector<std::uint32_t>> places(const std::vector<PrintedPart>& parts,
                                                   std::uint32_t begin, std::uint32_t end,
                                                   bool last) const {
    std::vector<std::uint32_t> result(parts.size());
    std::uint32_t from = begin;
    std::uint32_t to = end;
    for (std::size_t n = 0; n < parts.size(); ++n) {
      const std::size_t i = last ? parts.size() - 1 - n : n;
      if (parts[i].kind != PrintedPart::Kind::text) continue;
      const std::string_view text = text_of(parts[i]);
      const std::string_view range = rendered(from, to);
      if (text.size() > range.size()) return std::nullopt;
      std::size_t at = last ? range.rfind(text) : range.find(text);
      if (i == 0) at = range.starts_with(text) ? 0 : std::string_view::npos;
      if (i + 1 == parts.size()) {
        at = range.ends_with(text) ? range.size() - text.size() : std::string_view::npos;
      }
      if (i == 0 && at != 0) return std::nullopt;
      if (at == std::string_view::npos) return std::nullopt;
      result[i] = from + static_cast<std::uint32_t>(at);
      if (last) {
        to = result[i];
      } else {
        from = result[i] + static_cast<std::uint32_t>(text.size());
      }
    }
    return result;
  }

  /// The parts of the line that print what the finding is at.
  std::vector<PrintedText> printed_at() const {
    std::vector<PrintedText> result;
    for (const PrintedText& each : matched_) {
      if (each.begin < where_.end && where_.begin < each.end) result.push_back(each);
    }
    const bool is_whole =
        !result.empty() && result.front().begin <= where_.begin && where_.end <= result.back().end;
    return is_whole ? result : std::vector<PrintedText>();
  }

  std::uint32_t in_template(const PrintedText& text, std::uint32_t at) const {
    return text.part.kind == PrintedPart::Kind::text ? text.part.begin + (at - text.begin)
                                                     : text.part.begin;
  }

  void literal(const PrintedText& text) {
    origin_.file = source().path;
    origin_.place = {source().path, in_template(text, where_.begin), in_template(text, where_.end)};
    origin_.is_literal = where_ == whole_;
  }

  /// The action that prints all of it but quotes.
  const PrintedText* only_action(const std::vector<PrintedText>& printed) const {
    const PrintedText* action = nullptr;
    for (const PrintedText& each : printed) {
      if (each.part.kind == PrintedPart::Kind::text) {
        const std::uint32_t begin = std::max(each.begin, where_.begin);
        const std::string_view text = rendered(begin, std::min(each.end, where_.end));
        if (text != "\"" && text != "'") return nullptr;
      } else {
        if (action != nullptr && (action->begin != each.begin || action->end != each.end)) {
          if (each.begin == each.end) continue;
          if (action->begin != action->end) return nullptr;
        }
        action = &each;
      }
    }
    if (action != nullptr && action->part.kind == PrintedPart::Kind::blocks) return nullptr;
    return action;
  }

  void of_action(const PrintedText& action) {
    const RenderedNode at = node_around(*document_.root, where_);
    shown_ = at.node;
    is_key_ = at.is_key;
    const TemplatePiece& piece = read().pieces[action.part.first];
    const SourcePlace line = {source().path, action.part.begin, action.part.end};
    bool is_known = true;
    const std::optional<SourcePlace> found = value_of(action, piece.expression, is_known);
    if (found) {
      origin_.place = *found;
      if (found->path != line.path || found->begin < line.begin || found->end > line.end) {
        origin_.notes.push_back({line, kPrintedHere});
      }
      origin_.file = found->path;
    } else if (is_known && !reads_other_text(piece.expression)) {
      origin_.file = source().path;
      origin_.place = line;
    }
  }

  /// The place of the value or the literal that the action prints. `is_known` becomes false if the
  /// expression has parts of which nothing can be said.
  std::optional<SourcePlace> value_of(const PrintedText& action,
                                      const TemplateExpression& expression, bool& is_known) {
    const std::optional<TemplateFrame> frame = frame_at(number_, action.part.first, 0);
    if (!frame) {
      is_known = false;
      return std::nullopt;
    }
    std::set<SourcePlace> places;
    for (const TemplateValue& value : all_.printed_values_.of(*frame, expression)) {
      collect(value, action, places, is_known);
    }
    if (places.size() == 1 && !places.begin()->path.empty()) return *places.begin();
    if (!places.empty()) is_known = false;
    return std::nullopt;
  }

  void collect(const TemplateValue& value, const PrintedText& action, std::set<SourcePlace>& places,
               bool& is_known) const {
    const std::size_t before = places.size();
    switch (value.kind) {
      case TemplateValue::Kind::unknown:
      case TemplateValue::Kind::context:
        is_known = false;
        break;
      case TemplateValue::Kind::computed:
        break;
      case TemplateValue::Kind::literal:
        if (prints(value.text)) places.insert(value.place);
        break;
      case TemplateValue::Kind::list:
      case TemplateValue::Kind::dict:
        for (const TemplateValue& item : any_item_of(value)) {
          collect(item, action, places, is_known);
        }
        break;
      case TemplateValue::Kind::value:
      case TemplateValue::Kind::key:
        add_value(value, action, places, is_known);
        break;
    }
    // A place that is none: with it no other one is certain.
    if (value.is_doubtful && places.size() > before) places.insert(SourcePlace{});
  }

  void add_value(const TemplateValue& value, const PrintedText& action,
                 std::set<SourcePlace>& places, bool& is_known) const {
    const std::optional<FoundValue> found = all_.values_.find(value.path);
    if (!found || found->node == nullptr) return;
    if (const auto place = place_of(value, *found, action)) {
      places.insert(*place);
    } else if (!found->node->is_scalar()) {
      // A part of it may be printed in a way that is not understood.
      if (holds_text(*found->node)) {
        places.insert(SourcePlace{});
      } else {
        is_known = false;
      }
    }
  }

  /// The key or the value of the rendered document.
  const yaml::Node& shown() const { return is_key_ ? *shown_->key() : *shown_; }

  /// Whether what is printed may be a part of the mapping or list.
  bool holds_text(const yaml::Node& written) const {
    std::size_t looked_at = 0;
    return shown().is_scalar() && may_contain(written, shown().text(), looked_at);
  }

  bool prints(std::string_view text) const { return shown().is_scalar() && shown().text() == text; }

  std::optional<SourcePlace> place_of(const TemplateValue& value, const FoundValue& found,
                                      const PrintedText& action) const {
    const yaml::Node& written = *found.node;
    if (value.kind == TemplateValue::Kind::key) {
      if (written.key() == nullptr || !prints(yaml::key_text(*written.key()))) return std::nullopt;
      return place_in(found.path, written, true);
    }
    if (!written.is_scalar()) return counterpart(value.path, found, action);
    if (!is_key_) return place_of_scalar(found, value);
    if (!prints(written.text())) return std::nullopt;
    return place_in(found.path, written, false);
  }

  std::optional<SourcePlace> place_of_scalar(const FoundValue& found,
                                             const TemplateValue& value) const {
    const yaml::Node& written = *found.node;
    if (is_same_scalar(written, *shown_)) return place_in(found.path, written, false);
    const bool is_template =
        written.is_string() && written.text().find("{{") != std::string_view::npos;
    if (!is_template || written.text().find('\n') != std::string_view::npos) {
      return line_of_text(written, found.path);
    }
    // `tpl` renders the value, which prints at most one line.
    if (!value.is_rendered) return std::nullopt;
    return place_in(found.path, written, false);
  }

  /// The part of the value that is printed as the node: the action prints all of the value, or
  /// some of its entries or items.
  std::optional<SourcePlace> counterpart(ValuePath path, const FoundValue& written,
                                         const PrintedText& action) const {
    const Span region{document_.span.file, action.begin, action.end};
    const auto is_printed = [&](const yaml::Node& each) {
      const yaml::Node* key = each.key();
      return contains(region, each.span) && (key == nullptr || contains(region, key->span));
    };
    std::vector<const yaml::Node*> way = {shown_};  // from the node up to what is printed
    while (way.back()->parent() != nullptr && is_printed(*way.back()->parent())) {
      way.push_back(way.back()->parent());
    }
    const yaml::Node& top = *way.back();
    std::optional<FoundValue> found;
    std::size_t step = way.size() - 1;
    if (top.key() != nullptr && is_printed(top)) {
      // Helm merges mappings of several files.
      for (std::size_t i = way.size(); !found && i-- > 0 && way[i]->key() != nullptr;) {
        path.steps.push_back({.key = yaml::key_text(*way[i]->key())});
        found = all_.values_.find(path);
        step = i;
        if (!found || found->node == nullptr) return std::nullopt;
        if (!yaml::same_value(*found->node, *way[i])) found.reset();
      }
    } else if (top.parent() != nullptr && top.parent()->is_sequence()) {
      if (const yaml::Node* item = printed_item(*written.node, top, region)) {
        found = FoundValue{.node = item, .path = written.path};
      }
    } else if (yaml::same_value(*written.node, top)) {
      found = written;
    }
    if (!found) return std::nullopt;
    const yaml::Node* same = found->node;
    for (; same != nullptr && step > 0; --step) same = same_step(*same, *way[step], *way[step - 1]);
    if (same == nullptr) return std::nullopt;
    return place_in(found->path, *same, is_key_);
  }

  /// `quote` makes a string of a number. That is no mistake of the values unless it is about types.
  bool is_same_scalar(const yaml::Node& written, const yaml::Node& node) const {
    if (!node.is_scalar()) return false;
    if (aspect_ == Aspect::type) return yaml::same_value(written, node);
    return written.text() == node.text();
  }

  /// The item of the list, if the action prints all of the list.
  static const yaml::Node* printed_item(const yaml::Node& written, const yaml::Node& item,
                                        Span region) {
    const auto items = item.parent()->items();
    const auto begin_of = [](const yaml::Node* each) { return each->span.begin; };
    const auto first = std::ranges::lower_bound(items, region.begin, {}, begin_of);
    const auto last = std::ranges::lower_bound(items, region.end, {}, begin_of);
    const auto at = std::ranges::lower_bound(items, item.span.begin, {}, begin_of);
    if (at < first || at >= last) return nullptr;
    if (static_cast<std::size_t>(last - first) != written.items().size()) return nullptr;
    const yaml::Node& same = *written.items()[static_cast<std::size_t>(at - first)];
    return yaml::same_value(same, item) ? &same : nullptr;
  }

  /// The child of `same` that corresponds to a child of `outer`.
  static const yaml::Node* same_step(const yaml::Node& same, const yaml::Node& outer,
                                     const yaml::Node& inner) {
    if (inner.key() != nullptr) {
      const yaml::Node& entry = same[yaml::key_text(*inner.key())];
      return entry ? &entry : nullptr;
    }
    const auto items = outer.items();
    const auto found = std::ranges::lower_bound(
        items, inner.span.begin, {}, [](const yaml::Node* each) { return each->span.begin; });
    const auto place = static_cast<std::size_t>(found - items.begin());
    return place < same.items().size() ? same.items()[place] : nullptr;
  }

  /// The line of a block scalar that the finding's line repeats: `tpl` prints it.
  std::optional<SourcePlace> line_of_text(const yaml::Node& written,
                                          const std::string& path) const {
    const bool has_lines = written.is_string() && written.text().size() <= kMaxText &&
                           written.text().find('\n') != std::string_view::npos;
    if (!has_lines) return std::nullopt;
    const auto source = all_.by_path_.find(path);
    if (source == all_.by_path_.end()) return std::nullopt;
    const std::string_view bytes = all_.sources_[source->second].bytes;
    const std::string_view block = bytes.substr(0, written.span.end);
    const std::string_view line = trim(all_.rendered_.line(all_.rendered_.line_of(where_.begin)));
    std::optional<std::size_t> found;
    for (std::size_t at = written.span.begin; at < block.size();) {
      const std::size_t end = std::min(block.find('\n', at), block.size());
      const std::string_view text = trim(block.substr(at, end - at));
      if (text == line) {
        if (found) return std::nullopt;
        found = static_cast<std::size_t>(text.data() - bytes.data());
      }
      at = end + 1;
    }
    if (!found) return std::nullopt;
    const std::size_t start = static_cast<std::size_t>(line.data() - all_.rendered_.bytes().data());
    const auto begin = static_cast<std::uint32_t>(*found + (where_.begin - start));
    return SourcePlace{path, begin, begin + (where_.end - where_.begin)};
  }

  /// The run of a template that prints the mark.
  std::optional<TemplateFrame> frame_at(std::size_t number, std::size_t piece,
                                        std::size_t depth) const {
    constexpr std::size_t kMaxDepth = 20;
    const TemplateMark& mark = all_.templates_.marks[all_.marks_[number].mark];
    const GoTemplate& read = all_.templates_.templates[mark.source];
    TemplateFrame frame{.source = mark.source, .piece = piece, .charts = charts_};
    frame.run = [this, number](std::size_t block) { return all_.loops_->of(number, block); };
    const std::size_t definition = read.definition_of(mark.block);
    if (definition == 0) return frame;
    if (depth > kMaxDepth) return std::nullopt;
    const auto [caller, part] = caller_of(number, read.blocks[definition].name);
    if (part == nullptr) return std::nullopt;
    auto outer = frame_at(caller, part->first, depth + 1);
    if (!outer) return std::nullopt;
    frame.argument = argument_of(expression_at(caller, *part), read.blocks[definition].name);
    frame.caller = std::make_shared<TemplateFrame>(*std::move(outer));
    return frame;
  }

  const TemplateExpression& expression_at(std::size_t number, const PrintedPart& part) const {
    const TemplateMark& mark = all_.templates_.marks[all_.marks_[number].mark];
    return all_.templates_.templates[mark.source].pieces[part.first].expression;
  }

  /// The next mark whose line includes the definition: its line ends after what it includes.
  std::pair<std::size_t, const PrintedPart*> caller_of(std::size_t number,
                                                       std::string_view name) const {
    const auto callers = all_.callers_.find(name);
    if (callers == all_.callers_.end() || !all_.calls_.is_followed_by_caller(name)) return {};
    const auto next = std::ranges::upper_bound(callers->second, number);
    if (next == callers->second.end()) return {};
    const RenderedMark& mark = all_.marks_[*next];
    if (mark.at > document_.span.end) return {};
    return {*next, all_.calls_.part_with(mark.mark, name)};
  }

  static const TemplateExpression* argument_of(const TemplateExpression& expression,
                                               std::string_view name) {
    const auto& arguments = expression.arguments;
    if (is_include(expression) && arguments.front().text == name)
      return arguments.size() > 1 ? &arguments[1] : nullptr;
    for (const TemplateExpression& each : arguments) {
      if (const TemplateExpression* found = argument_of(each, name)) return found;
    }
    return nullptr;
  }

  /// Several parts print the value: the line of the template is shown, with the values in it.
  void composed(const std::vector<PrintedText>& printed) {
    const auto& pieces = read().pieces;
    for (const PrintedText& each : printed) {
      if (each.part.kind == PrintedPart::Kind::text) continue;
      for (std::size_t i = each.part.first; i < pieces.size() && pieces[i].begin < each.part.end;
           ++i) {
        if (reads_other_text(pieces[i].expression)) return;
      }
    }
    origin_.file = source().path;
    origin_.place = {source().path,
                     in_template(printed.front(), std::max(where_.begin, printed.front().begin)),
                     printed.back().part.kind == PrintedPart::Kind::text
                         ? in_template(printed.back(), where_.end)
                         : printed.back().part.end};
  }

  const ChartOrigins& all_;
  const yaml::Document& document_;
  Span where_;  ///< its first line
  Span whole_;
  Aspect aspect_;
  Origin origin_;
  std::vector<std::string> charts_;
  std::size_t number_ = 0;  ///< of the mark after it
  const TemplateMark* mark_ = nullptr;
  std::vector<PrintedText> matched_;
  const yaml::Node* shown_ = nullptr;  ///< what an action prints, or its key
  bool is_key_ = false;
};

ChartOrigins::ChartOrigins(std::span<const PackageSource> sources, const MarkedTemplates& templates,
                           const ChartValues& values, const SourceFile& rendered,
                           std::string_view marked)
    : sources_(sources),
      templates_(templates),
      values_(values),
      printed_values_(sources, templates.templates, values),
      rendered_(rendered),
      calls_(sources, templates) {
  for (std::size_t i = 0; i < sources.size(); ++i) by_path_[sources[i].path] = i;
  read_marks(marked);
  find_callers();
  count_loops();
}

void ChartOrigins::find_callers() {
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    for (const std::string_view name : calls_.included_by(marks_[i].mark)) {
      callers_[name].push_back(i);
    }
  }
}

void ChartOrigins::count_loops() {
  const std::vector<Span> spans = yaml::split(rendered_);
  std::vector<DocumentOrder> documents;
  for (const Span span : spans) documents.push_back(order_of(rendered_.text(span)));
  std::vector<const DocumentOrder*> of_marks;
  for (const RenderedMark& mark : marks_) {
    const auto next = std::ranges::upper_bound(spans, mark.at, {}, &Span::begin);
    of_marks.push_back(&documents[static_cast<std::size_t>(next - spans.begin()) - 1]);
  }
  loops_.emplace(sources_, templates_, calls_, marks_, of_marks);
}

void ChartOrigins::read_marks(std::string_view marked) {
  MarkedText read = read_marked(marked, templates_);
  const SourceFile text(0, "", std::move(read.text));
  if (text.line_count() != rendered_.line_count()) return;  // nothing is known of the lines
  differs_.resize(text.line_count() + 1);
  for (std::size_t line = 1; line <= text.line_count(); ++line) {
    differs_[line] = rendered_.line(line) != text.line(line);
  }
  for (RenderedMark mark : read.marks) {
    const std::size_t line = text.line_of(mark.at);
    const auto size = static_cast<std::uint32_t>(rendered_.line(line).size());
    mark.at = rendered_.line_start(line) + std::min(mark.at - text.line_start(line), size);
    marks_.push_back(mark);
  }
}

Origin ChartOrigins::of(const yaml::Document& document, Span where, Aspect aspect) const {
  return Search(*this, document, where, aspect).find();
}

}  // namespace cnsched

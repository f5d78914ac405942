#include "core/packages/template_values.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "core/base/text.h"
#include "core/packages/marked_templates.h"
#include "core/yaml/scalar.h"

namespace cnsched {

namespace {

using Kind = TemplateValue::Kind;
using Values = std::vector<TemplateValue>;

constexpr std::size_t kMaxSteps = 2000;  ///< of one evaluation
constexpr std::size_t kMaxValues = 200;  ///< that an expression may print
constexpr std::size_t kMaxDepth = 40;

TemplateValue computed() { return {.kind = Kind::computed}; }

void append(Values& values, Values more) {
  for (TemplateValue& value : more) {
    if (values.size() >= kMaxValues) return;
    values.push_back(std::move(value));
  }
}

std::optional<std::size_t> number_of(const std::string& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

class TemplateValues::Evaluation {
 public:
  explicit Evaluation(const TemplateValues& all) : all_(all) {}

  Values of(const TemplateFrame& frame, const TemplateExpression& expression, std::size_t depth) {
    if (++steps_ > kMaxSteps || depth > kMaxDepth) return {TemplateValue{}};
    Values values;
    switch (expression.kind) {
      case TemplateExpression::Kind::string:
      case TemplateExpression::Kind::other_literal:
        values = {literal(frame, expression.text, expression.begin, expression.end)};
        break;
      case TemplateExpression::Kind::dot:
        values = dot(frame, block_of(frame), depth);
        break;
      case TemplateExpression::Kind::variable:
        values = variable(frame, expression.text, depth);
        break;
      case TemplateExpression::Kind::call:
        values = call(frame, expression, depth);
        break;
      case TemplateExpression::Kind::unknown:
        values = {TemplateValue{}};
        break;
    }
    for (const std::string& name : expression.path) values = field(values, name);
    return values;
  }

 private:
  const GoTemplate& read(const TemplateFrame& frame) const { return all_.templates_[frame.source]; }
  std::size_t block_of(const TemplateFrame& frame) const {
    return read(frame).pieces[frame.piece].block;
  }

  TemplateValue literal(const TemplateFrame& frame, std::string text, std::uint32_t begin,
                        std::uint32_t end) const {
    return {.kind = Kind::literal,
            .text = std::move(text),
            .place = {all_.sources_[frame.source].path, begin, end}};
  }

  static Values field(const Values& values, const std::string& name) {
    Values result;
    for (const TemplateValue& value : values) append(result, field(value, name));
    return result;
  }

  static Values field(const TemplateValue& value, const std::string& name) {
    switch (value.kind) {
      case Kind::context:
        if (name != "Values") return {computed()};
        return {{.kind = Kind::value, .path = value.path}};
      case Kind::value: {
        TemplateValue next = value;
        next.path.steps.push_back({.key = name});
        return {std::move(next)};
      }
      case Kind::dict:
        for (const auto& [key, items] : value.items) {
          if (key == name) return items;
        }
        return {computed()};
      case Kind::computed:
        return {computed()};
      default:
        return {TemplateValue{}};
    }
  }

  bool is_otherwise(const TemplateFrame& frame, const TemplateBlock& block) const {
    return block.otherwise != TemplateBlock::kNone && frame.piece > block.otherwise;
  }

  Values dot(const TemplateFrame& frame, std::size_t block, std::size_t depth) {
    const GoTemplate& read = this->read(frame);
    for (; block != 0; block = read.blocks[block].parent) {
      const TemplateBlock& opened = read.blocks[block];
      if (opened.kind == TemplateBlock::Kind::define) return argument(frame, depth);
      const bool changes =
          opened.kind == TemplateBlock::Kind::range || opened.kind == TemplateBlock::Kind::with;
      if (!changes || opened.open == frame.piece) continue;
      if (is_otherwise(frame, opened)) {
        const bool is_other_with = opened.kind == TemplateBlock::Kind::with &&
                                   !read.pieces[opened.otherwise].expression.text.empty();
        if (is_other_with) return {TemplateValue{}};
        continue;
      }
      const Values subject = opened_value(frame, block, depth);
      return opened.kind == TemplateBlock::Kind::with ? subject : items(frame, block, subject);
    }
    return {{.kind = Kind::context, .path = {.charts = frame.charts}}};
  }

  /// The value of the action that opens the block. Its dot is that of the block around.
  Values opened_value(const TemplateFrame& frame, std::size_t block, std::size_t depth) {
    TemplateFrame outer = frame;
    outer.piece = read(frame).blocks[block].open;
    return of(outer, read(frame).pieces[outer.piece].expression, depth + 1);
  }

  Values argument(const TemplateFrame& frame, std::size_t depth) {
    if (frame.caller == nullptr || frame.argument == nullptr) return {TemplateValue{}};
    return of(*frame.caller, *frame.argument, depth + 1);
  }

  /// The item that the lines of a `range` have at this place, or all of them.
  Values items(const TemplateFrame& frame, std::size_t block, const Values& subjects) {
    const std::optional<std::size_t> index =
        frame.iteration ? frame.iteration(block) : std::optional<std::size_t>();
    Values result;
    for (const TemplateValue& subject : subjects) {
      Values all = items_of(subject);
      if (index && *index < all.size()) {
        result.push_back(std::move(all[*index]));
      } else {
        append(result, std::move(all));
      }
    }
    return result;
  }

  Values items_of(const TemplateValue& subject) const {
    Values result;
    if (subject.kind == Kind::list || subject.kind == Kind::dict) {
      for (const auto& [key, items] : subject.items) append(result, items);
      return result;
    }
    if (subject.kind != Kind::value)
      return {subject.kind == Kind::computed ? computed() : TemplateValue{}};
    for (const ValueStep& step : steps_below(subject.path)) {
      TemplateValue item = subject;
      item.path.steps.push_back(step);
      result.push_back(std::move(item));
    }
    return result;
  }

  /// The items or the sorted keys of a value, in the order of `range`.
  std::vector<ValueStep> steps_below(const ValuePath& path) const {
    std::vector<ValueStep> steps;
    const auto found = all_.values_.find(path);
    if (!found || found->node == nullptr) return steps;
    for (std::size_t i = 0; i < found->node->items().size() && i < kMaxValues; ++i) {
      steps.push_back({.index = i, .is_item = true});
    }
    std::set<std::string> keys;
    for (const yaml::Entry& entry : found->node->entries()) keys.insert(yaml::key_text(*entry.key));
    for (const std::string& key : keys) steps.push_back({.key = key});
    return steps;
  }

  Values variable(const TemplateFrame& frame, const std::string& name, std::size_t depth) {
    const GoTemplate& read = this->read(frame);
    if (name == "$") {
      const std::size_t definition = read.definition_of(block_of(frame));
      if (definition != 0) return argument(frame, depth);
      return {{.kind = Kind::context, .path = {.charts = frame.charts}}};
    }
    Values result;
    const std::size_t definition = read.definition_of(block_of(frame));
    for (std::size_t i = 0; i < read.pieces.size(); ++i) {
      const TemplatePiece& piece = read.pieces[i];
      const auto named = std::ranges::find(piece.variables, name);
      if (named == piece.variables.end()) continue;
      if (read.definition_of(piece.block) != definition) continue;
      const bool is_open = piece.kind == TemplatePiece::Kind::open;
      if (is_open && !read.is_within(block_of(frame), piece.block)) continue;
      append(result,
             set_at(frame, i, static_cast<std::size_t>(named - piece.variables.begin()), depth));
    }
    if (result.empty()) return {TemplateValue{}};
    return result;
  }

  /// What the piece sets its variable to.
  Values set_at(const TemplateFrame& frame, std::size_t piece, std::size_t number,
                std::size_t depth) {
    const TemplatePiece& setting = read(frame).pieces[piece];
    if (setting.kind != TemplatePiece::Kind::open) {
      TemplateFrame there = frame;
      there.piece = piece;
      return of(there, setting.expression, depth + 1);
    }
    const Values subject = opened_value(frame, setting.block, depth);
    if (read(frame).blocks[setting.block].kind != TemplateBlock::Kind::range) return subject;
    Values items = this->items(frame, setting.block, subject);
    if (setting.variables.size() < 2 || number == 1) return items;
    for (TemplateValue& item : items) item = key_of(std::move(item));
    return items;
  }

  static TemplateValue key_of(TemplateValue item) {
    const bool is_key = item.kind == Kind::value && !item.path.steps.back().is_item;
    if (!is_key) return computed();
    item.kind = Kind::key;
    return item;
  }

  Values call(const TemplateFrame& frame, const TemplateExpression& expression, std::size_t depth) {
    const std::string& name = expression.text;
    const auto& arguments = expression.arguments;
    if (name == "include" || name == "template") return include(frame, expression, depth);
    if (name == "dict") return {dict(frame, arguments, depth)};
    if (name == "list" || name == "tuple") return {list(frame, arguments, depth)};
    if ((name == "index" || name == "get") && arguments.size() >= 2) {
      return index(frame, arguments, depth);
    }
    // Of other functions each argument may be what is printed; the printed text shows which.
    Values values;
    for (const TemplateExpression& argument : arguments)
      append(values, of(frame, argument, depth + 1));
    if (values.empty()) values.push_back(computed());
    return values;
  }

  TemplateValue dict(const TemplateFrame& frame, std::span<const TemplateExpression> arguments,
                     std::size_t depth) {
    TemplateValue result{.kind = Kind::dict};
    for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
      if (arguments[i].kind != TemplateExpression::Kind::string) return {};
      result.items.emplace_back(arguments[i].text, of(frame, arguments[i + 1], depth + 1));
    }
    return result;
  }

  TemplateValue list(const TemplateFrame& frame, std::span<const TemplateExpression> arguments,
                     std::size_t depth) {
    TemplateValue result{.kind = Kind::list};
    for (const TemplateExpression& argument : arguments) {
      result.items.emplace_back("", of(frame, argument, depth + 1));
    }
    return result;
  }

  Values index(const TemplateFrame& frame, std::span<const TemplateExpression> arguments,
               std::size_t depth) {
    Values values = of(frame, arguments.front(), depth + 1);
    for (const TemplateExpression& step : arguments.subspan(1)) {
      const std::optional<std::size_t> number = number_of(step.text);
      if (step.kind == TemplateExpression::Kind::string) {
        values = field(values, step.text);
      } else if (step.kind == TemplateExpression::Kind::other_literal && number) {
        values = item(values, *number);
      } else {
        return {TemplateValue{}};
      }
    }
    return values;
  }

  static Values item(const Values& values, std::size_t number) {
    Values result;
    for (const TemplateValue& value : values) {
      if (value.kind == Kind::list) {
        if (number < value.items.size()) append(result, value.items[number].second);
      } else if (value.kind == Kind::value) {
        TemplateValue next = value;
        next.path.steps.push_back({.index = number, .is_item = true});
        result.push_back(std::move(next));
      } else {
        result.emplace_back();
      }
    }
    return result;
  }

  /// What a definition prints, if it is one expression or one text.
  Values include(const TemplateFrame& frame, const TemplateExpression& expression,
                 std::size_t depth) {
    const auto& arguments = expression.arguments;
    if (arguments.empty() || arguments.front().kind != TemplateExpression::Kind::string) {
      return {TemplateValue{}};
    }
    const auto known = all_.definitions_.find(arguments.front().text);
    // Of several definitions one counts, which depends on the order of the charts.
    if (known == all_.definitions_.end() || known->second.size() != 1) return {TemplateValue{}};
    const auto [source, block] = known->second.front();
    TemplateFrame inside{.source = source,
                         .charts = frame.charts,
                         .caller = std::make_shared<TemplateFrame>(frame),
                         .argument = arguments.size() > 1 ? &arguments[1] : nullptr};
    return printed(inside, block, depth);
  }

  Values printed(TemplateFrame& inside, std::size_t block, std::size_t depth) {
    const GoTemplate& read = all_.templates_[inside.source];
    const std::string& bytes = all_.sources_[inside.source].bytes;
    Values values;
    bool has_text = false;
    for (std::size_t i = read.blocks[block].open + 1; i < read.blocks[block].close; ++i) {
      const TemplatePiece& piece = read.pieces[i];
      inside.piece = i;
      if (piece.kind == TemplatePiece::Kind::output) {
        append(values, of(inside, piece.expression, depth + 1));
      } else if (piece.kind == TemplatePiece::Kind::text) {
        std::string_view text(bytes.data() + piece.begin, piece.end - piece.begin);
        const std::string_view whole = trim(text);
        if (whole.empty()) continue;
        has_text = true;
        const auto begin = static_cast<std::uint32_t>(whole.data() - bytes.data());
        values.push_back(literal(inside, std::string(whole), begin,
                                 begin + static_cast<std::uint32_t>(whole.size())));
      }
    }
    // What is composed of several parts may be none of them.
    if (has_text && values.size() > 1) values.emplace_back();
    if (values.empty()) values.push_back(computed());
    return values;
  }

  const TemplateValues& all_;
  std::size_t steps_ = 0;
};

TemplateValues::TemplateValues(std::span<const PackageSource> sources,
                               std::span<const GoTemplate> templates, const ChartValues& values)
    : sources_(sources), templates_(templates), values_(values) {
  for (std::size_t i = 0; i < templates.size(); ++i) {
    for (std::size_t block = 1; block < templates[i].blocks.size(); ++block) {
      const TemplateBlock& defined = templates[i].blocks[block];
      if (defined.kind != TemplateBlock::Kind::define) continue;
      if (defined.close == TemplateBlock::kNone) continue;
      definitions_[defined.name].push_back({i, block});
    }
  }
}

std::vector<TemplateValue> TemplateValues::of(const TemplateFrame& frame,
                                              const TemplateExpression& expression) const {
  return Evaluation(*this).of(frame, expression, 0);
}

}  // namespace cnsched

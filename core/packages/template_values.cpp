#include "core/packages/template_values.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/base/text.h"
#include "core/packages/marked_templates.h"
#include "core/yaml/scalar.h"

namespace cnsched {

namespace {

using Kind = TemplateValue::Kind;
using Values = std::vector<TemplateValue>;

constexpr std::size_t kMaxSteps = 500;         ///< of one evaluation
constexpr std::size_t kMaxAllSteps = 500'000;  ///< of all evaluations of a chart
constexpr std::size_t kMaxValues = 200;        ///< that an expression may print
constexpr std::size_t kMaxValueDepth = 40;

TemplateValue computed() { return {.kind = Kind::computed}; }

void append(Values& values, Values more) {
  for (TemplateValue& value : more) {
    if (values.size() >= kMaxValues) {
      // The one that is printed may be left out.
      for (TemplateValue& kept : values) kept.is_doubtful = true;
      return;
    }
    values.push_back(std::move(value));
  }
}

/// Whether something may be printed that is not among the values.
bool is_open(const Values& values) {
  return std::ranges::any_of(values, [](const TemplateValue& value) {
    return value.kind == Kind::computed || value.kind == Kind::unknown;
  });
}

void doubt(Values& values) {
  for (TemplateValue& value : values) value.is_doubtful = true;
}

/// What a function prints: its arguments from `first` to `last`, and perhaps another text.
struct PrintedArguments {
  std::string_view function;
  enum class Which : std::uint8_t { none, first, last, from_second, all } which = Which::none;
  bool keeps_text = false;
};

constexpr auto kNone = PrintedArguments::Which::none;
constexpr auto kFirst = PrintedArguments::Which::first;
constexpr auto kLast = PrintedArguments::Which::last;
constexpr auto kFromSecond = PrintedArguments::Which::from_second;
constexpr auto kAll = PrintedArguments::Which::all;

/// Of other functions each argument may be what is printed.
constexpr std::array kFunctions = std::to_array<PrintedArguments>({
    {"quote", kLast, true},
    {"squote", kLast, true},
    {"toString", kLast, true},
    {"toYaml", kLast, true},
    {"toJson", kLast, true},
    {"trim", kLast, true},
    {"indent", kLast, true},
    {"nindent", kLast, true},
    {"required", kLast, true},
    {"tpl", kFirst, true},
    {"deepCopy", kLast, true},
    {"merge", kAll, true},
    {"mergeOverwrite", kAll, true},
    {"trunc", kLast, false},
    {"trimSuffix", kLast, false},
    {"trimPrefix", kLast, false},
    {"trimAll", kLast, false},
    {"abbrev", kLast, false},
    {"repeat", kLast, false},
    {"join", kLast, false},
    {"split", kLast, false},
    {"splitList", kLast, false},
    {"omit", kFirst, false},
    {"pick", kFirst, false},
    {"pluck", kFromSecond, false},
    {"dig", kFromSecond, false},
    {"replace", kFromSecond, false},
    {"regexReplaceAll", kFromSecond, false},
    {"printf", kFromSecond, false},
    {"eq", kNone, false},
    {"ne", kNone, false},
    {"lt", kNone, false},
    {"le", kNone, false},
    {"gt", kNone, false},
    {"ge", kNone, false},
    {"not", kNone, false},
    {"empty", kNone, false},
    {"len", kNone, false},
    {"has", kNone, false},
    {"hasKey", kNone, false},
    {"contains", kNone, false},
    {"hasPrefix", kNone, false},
    {"hasSuffix", kNone, false},
    {"kindIs", kNone, false},
    {"kindOf", kNone, false},
    {"typeIs", kNone, false},
    {"typeOf", kNone, false},
    {"lookup", kNone, false},
    {"keys", kNone, false},
    {"regexMatch", kNone, false},
    {"semverCompare", kNone, false},
    {"sha256sum", kNone, false},
});

std::span<const TemplateExpression> printed_arguments(
    const PrintedArguments* known, std::span<const TemplateExpression> arguments) {
  if (known == nullptr || arguments.empty()) return arguments;
  switch (known->which) {
    case PrintedArguments::Which::none:
      return {};
    case PrintedArguments::Which::first:
      return arguments.first(1);
    case PrintedArguments::Which::last:
      return arguments.last(1);
    case PrintedArguments::Which::from_second:
      return arguments.subspan(1);
    case PrintedArguments::Which::all:
      break;
  }
  return arguments;
}

/// What is printed if one of these is. If what one of them prints is not known, it may be the same
/// text as another one, which is doubtful then.
Values one_of(std::vector<Values> choices) {
  const auto open = std::ranges::count_if(choices, is_open);
  Values values;
  for (Values& choice : choices) {
    if (open > (is_open(choice) ? 1 : 0)) doubt(choice);
    append(values, std::move(choice));
  }
  return values;
}

}  // namespace

std::vector<TemplateValue> any_item_of(const TemplateValue& value) {
  std::vector<Values> choices;
  for (const auto& [key, items] : value.items) choices.push_back(items);
  return one_of(std::move(choices));
}

class TemplateValues::Evaluation {
 public:
  explicit Evaluation(const TemplateValues& all) : all_(all) {}

  bool is_cut() const { return is_cut_; }
  std::size_t steps() const { return steps_; }

  Values of(const TemplateFrame& frame, const TemplateExpression& expression, std::size_t depth) {
    if (++steps_ > kMaxSteps || all_.steps_ > kMaxAllSteps || depth > kMaxValueDepth) {
      is_cut_ = true;
      return {TemplateValue{}};
    }
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

  Values field(const Values& values, const std::string& name) const {
    Values result;
    for (const TemplateValue& value : values) {
      Values fields = field(value, name);
      if (value.is_doubtful) doubt(fields);
      append(result, std::move(fields));
    }
    return result;
  }

  Values field(const TemplateValue& value, const std::string& name) const {
    switch (value.kind) {
      case Kind::context:
        if (name != "Values") return {computed()};
        return {{.kind = Kind::value, .path = value.path}};
      case Kind::value: {
        TemplateValue next = value;
        next.path.steps.push_back({.key = name});
        next.is_doubtful = value.is_doubtful || all_.changed_.contains(name);
        return {std::move(next)};
      }
      case Kind::dict: {
        Values items = {computed()};
        for (const auto& [key, values] : value.items) {
          if (key == name) items = values;
        }
        const bool is_changed = value.changed != nullptr && value.changed->contains(name);
        if (is_changed || all_.changed_.contains(name)) doubt(items);
        return items;
      }
      case Kind::computed:
        return {computed()};
      default:
        return {TemplateValue{}};
    }
  }

  bool is_otherwise(const TemplateFrame& frame, const TemplateBlock& block) const {
    return block.otherwise != TemplateBlock::kNone && frame.piece >= block.otherwise;
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
        const TemplateExpression& other = read.pieces[opened.otherwise].expression;
        const bool is_other_with =
            opened.kind == TemplateBlock::Kind::with && other.begin < other.end;
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
  Values items(const TemplateFrame& frame, std::size_t block, const Values& subjects) const {
    const std::optional<LoopRun> run = frame.run ? frame.run(block) : std::optional<LoopRun>();
    std::vector<Values> result;
    for (const TemplateValue& subject : subjects) {
      Values items = items_of(subject, run);
      if (subject.is_doubtful) doubt(items);
      result.push_back(std::move(items));
    }
    return one_of(std::move(result));
  }

  Values items_of(const TemplateValue& subject, const std::optional<LoopRun>& run) const {
    if (subject.kind == Kind::list || subject.kind == Kind::dict) {
      if (run && run->count == subject.items.size()) return subject.items[run->index].second;
      return any_item_of(subject);
    }
    if (subject.kind != Kind::value)
      return {subject.kind == Kind::computed ? computed() : TemplateValue{}};
    const std::vector<ValueStep>& steps = all_.values_.steps_below(subject.path);
    if (run && run->count == steps.size()) return {item_at(subject, steps[run->index])};
    Values result;
    for (const ValueStep& step : steps) {
      if (result.size() >= kMaxValues) {
        doubt(result);  // the one that is printed may be left out
        break;
      }
      result.push_back(item_at(subject, step));
    }
    return result;
  }

  static TemplateValue item_at(const TemplateValue& list, const ValueStep& step) {
    TemplateValue item = list;
    item.path.steps.push_back(step);
    return item;
  }

  Values variable(const TemplateFrame& frame, const std::string& name, std::size_t depth) {
    const GoTemplate& read = this->read(frame);
    if (name == "$") {
      const std::size_t definition = read.definition_of(block_of(frame));
      if (definition != 0) return argument(frame, depth);
      return {{.kind = Kind::context, .path = {.charts = frame.charts}}};
    }
    std::vector<Values> result;
    const std::size_t definition = read.definition_of(block_of(frame));
    const auto& settings = all_.settings_[frame.source];
    const auto known = settings.find(name);
    if (known == settings.end()) return {TemplateValue{}};
    for (const std::size_t i : known->second) {
      const TemplatePiece& piece = read.pieces[i];
      const auto named = std::ranges::find(piece.variables, name);
      if (read.definition_of(piece.block) != definition) continue;
      const bool is_open = piece.kind == TemplatePiece::Kind::open;
      if (is_open && !read.is_within(block_of(frame), piece.block)) continue;
      if (is_cut_) break;
      result.push_back(
          set_at(frame, i, static_cast<std::size_t>(named - piece.variables.begin()), depth));
    }
    if (result.empty()) return {TemplateValue{}};
    Values values = one_of(std::move(result));
    const auto changed = all_.changed_variables_.find({frame.source, name});
    if (changed != all_.changed_variables_.end()) {
      for (TemplateValue& value : values) value.changed = &changed->second;
    }
    return values;
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
    if (is_include(expression)) return include(frame, expression, depth);
    if (name == "dict") return {dict(frame, arguments, depth)};
    if (name == "list" || name == "tuple") return {list(frame, arguments, depth)};
    if ((name == "index" || name == "get") && arguments.size() >= 2) {
      return index(frame, arguments, depth);
    }
    if (name == "default" && arguments.size() == 2) {
      const std::array order = {&arguments[1], &arguments[0]};
      return first_of(frame, order, true, depth);
    }
    if ((name == "coalesce" || name == "or" || name == "and") && !arguments.empty()) {
      std::vector<const TemplateExpression*> order;
      for (const TemplateExpression& argument : arguments) order.push_back(&argument);
      return first_of(frame, order, name != "and", depth);
    }
    if (name == "ternary" && arguments.size() == 3) {
      return ternary(frame, arguments, depth);
    }
    return other_call(frame, expression, depth);
  }

  /// Of most functions each argument may be what is printed; the printed text shows which.
  Values other_call(const TemplateFrame& frame, const TemplateExpression& expression,
                    std::size_t depth) {
    const auto* known = std::ranges::find(kFunctions, expression.text, &PrintedArguments::function);
    if (known == kFunctions.end()) known = nullptr;
    const auto arguments = printed_arguments(known, expression.arguments);
    Values values;
    for (const TemplateExpression& argument : arguments) {
      append(values, of(frame, argument, depth + 1));
    }
    if (is_call(expression, "mergeOverwrite")) {
      // What the call itself changes is among its arguments.
      for (TemplateValue& value : values) {
        if (value.changed != nullptr && value.changed->changes == 1) value.changed = nullptr;
      }
    }
    if (is_call(expression, "tpl")) {
      for (TemplateValue& value : values) value.is_rendered = true;
    }
    const bool keeps_text = known != nullptr && known->keeps_text;
    if (values.empty() || !keeps_text) append(values, {computed()});
    return values;
  }

  /// `or`, `and`, `default`: the first argument that is true, or not, or else the last one.
  Values first_of(const TemplateFrame& frame, std::span<const TemplateExpression* const> arguments,
                  bool wanted, std::size_t depth) {
    std::vector<Values> choices;
    for (const TemplateExpression* argument : arguments) {
      const std::optional<bool> is_true = truth(frame, *argument, depth + 1);
      const bool is_last = argument == arguments.back();
      if (is_true && *is_true != wanted && !is_last) continue;
      choices.push_back(of(frame, *argument, depth + 1));
      if (is_true && *is_true == wanted) break;
    }
    return one_of(std::move(choices));
  }

  Values ternary(const TemplateFrame& frame, std::span<const TemplateExpression> arguments,
                 std::size_t depth) {
    const std::optional<bool> is_true = truth(frame, arguments[2], depth + 1);
    std::vector<Values> choices;
    if (is_true.value_or(true)) choices.push_back(of(frame, arguments[0], depth + 1));
    if (!is_true.value_or(false)) choices.push_back(of(frame, arguments[1], depth + 1));
    return one_of(std::move(choices));
  }

  /// Whether `if` takes the value; nothing if that is not known.
  std::optional<bool> truth(const TemplateFrame& frame, const TemplateExpression& expression,
                            std::size_t depth) {
    if (is_call(expression, "not") && expression.arguments.size() == 1) {
      const std::optional<bool> is_true = truth(frame, expression.arguments.front(), depth + 1);
      return is_true ? std::optional<bool>(!*is_true) : std::nullopt;
    }
    if (expression.kind == TemplateExpression::Kind::string && expression.path.empty()) {
      return !expression.text.empty();
    }
    const Values values = of(frame, expression, depth);
    if (values.size() != 1) return std::nullopt;
    const TemplateValue& value = values.front();
    if (value.kind != Kind::value || value.is_doubtful) return std::nullopt;
    // Functions may have changed it.
    const bool is_path = expression.kind == TemplateExpression::Kind::dot ||
                         expression.kind == TemplateExpression::Kind::variable;
    return is_path ? all_.values_.is_true(value.path) : std::nullopt;
  }

  TemplateValue dict(const TemplateFrame& frame, std::span<const TemplateExpression> arguments,
                     std::size_t depth) {
    TemplateValue result{.kind = Kind::dict};
    for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
      if (arguments[i].kind != TemplateExpression::Kind::string) return {};  // any key
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
      const std::optional<std::size_t> number = whole_number(step.text);
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
        Values items =
            number < value.items.size() ? value.items[number].second : Values{TemplateValue{}};
        if (value.is_doubtful) doubt(items);
        append(result, std::move(items));
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

  /// What a definition prints.
  Values include(const TemplateFrame& frame, const TemplateExpression& expression,
                 std::size_t depth) {
    const auto& arguments = expression.arguments;
    if (arguments.front().kind != TemplateExpression::Kind::string) return {TemplateValue{}};
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
    const TemplateBlock& defined = read(inside).blocks[block];
    std::vector<Values> choices;
    const std::size_t parts = add_printed(inside, defined.open + 1, defined.close, choices, depth);
    if (choices.empty()) return {computed()};
    Values values = one_of(std::move(choices));
    // What is composed of several parts may be none of them, and still be equal to another one.
    if (parts > 1) {
      doubt(values);
      append(values, {TemplateValue{}});
    }
    return values;
  }

  /// Adds what each of the pieces prints. Returns how many of them are printed one after the
  /// other.
  std::size_t add_printed(TemplateFrame& inside, std::size_t begin, std::size_t end,
                          std::vector<Values>& choices, std::size_t depth) {
    const GoTemplate& read = this->read(inside);
    std::size_t parts = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const TemplatePiece& piece = read.pieces[i];
      inside.piece = i;
      if (piece.kind == TemplatePiece::Kind::output) {
        choices.push_back(of(inside, piece.expression, depth + 1));
        ++parts;
      } else if (piece.kind == TemplatePiece::Kind::text) {
        const std::optional<TemplateValue> text = text_of(inside, piece);
        if (!text) continue;
        choices.push_back({*text});
        ++parts;
      } else if (piece.kind == TemplatePiece::Kind::open) {
        const std::size_t close = read.blocks[piece.block].close;
        if (close > end || depth > kMaxValueDepth) {
          is_cut_ = true;
          return parts;
        }
        parts += add_branches(inside, piece.block, choices, depth + 1);
        i = close;
      }
    }
    return parts;
  }

  /// Adds what the branches of a block print that may be taken.
  std::size_t add_branches(TemplateFrame& inside, std::size_t block, std::vector<Values>& choices,
                           std::size_t depth) {
    const GoTemplate& read = this->read(inside);
    const TemplateBlock& opened = read.blocks[block];
    if (opened.kind == TemplateBlock::Kind::define) return 0;
    const bool is_loop = opened.kind == TemplateBlock::Kind::range;
    std::size_t parts = 0;
    for (std::size_t at = opened.open; at != opened.close;) {
      std::size_t next = at + 1;
      while (next != opened.close && (read.pieces[next].kind != TemplatePiece::Kind::otherwise ||
                                      read.pieces[next].block != block)) {
        ++next;
      }
      inside.piece = at;
      const std::optional<bool> is_taken = branch_truth(inside, is_loop, depth);
      if (is_taken.value_or(true)) {
        const std::size_t printed = add_printed(inside, at + 1, next, choices, depth);
        parts = std::max(parts, is_loop ? 2 * printed : printed);
      }
      if (is_taken.value_or(false)) break;
      at = next;
    }
    return parts;
  }

  std::optional<bool> branch_truth(const TemplateFrame& branch, bool is_loop, std::size_t depth) {
    const TemplateExpression& condition = read(branch).pieces[branch.piece].expression;
    if (is_loop) return std::nullopt;
    if (condition.begin >= condition.end) return true;  // `else`
    return truth(branch, condition, depth + 1);
  }

  /// The text of a piece without the spaces around it.
  std::optional<TemplateValue> text_of(const TemplateFrame& frame,
                                       const TemplatePiece& piece) const {
    const std::string& bytes = all_.sources_[frame.source].bytes;
    const std::string_view whole =
        trim(std::string_view(bytes).substr(piece.begin, piece.end - piece.begin));
    if (whole.empty()) return std::nullopt;
    const auto begin = static_cast<std::uint32_t>(whole.data() - bytes.data());
    return literal(frame, std::string(whole), begin,
                   begin + static_cast<std::uint32_t>(whole.size()));
  }

  const TemplateValues& all_;
  std::size_t steps_ = 0;
  bool is_cut_ = false;  ///< not all was evaluated
};

TemplateValues::TemplateValues(std::span<const PackageSource> sources,
                               std::span<const GoTemplate> templates, const ChartValues& values)
    : sources_(sources), templates_(templates), values_(values) {
  for (std::size_t i = 0; i < templates.size(); ++i) {
    auto& settings = settings_.emplace_back();
    for (std::size_t piece = 0; piece < templates[i].pieces.size(); ++piece) {
      const std::vector<std::string>& names = templates[i].pieces[piece].variables;
      for (const std::string& name : names) settings[name].push_back(piece);
    }
    for (const TemplatePiece& piece : templates[i].pieces) add_changes(i, piece.expression);
    for (std::size_t block = 1; block < templates[i].blocks.size(); ++block) {
      const TemplateBlock& defined = templates[i].blocks[block];
      if (defined.kind != TemplateBlock::Kind::define) continue;
      if (defined.close == TemplateBlock::kNone) continue;
      definitions_[defined.name].push_back({i, block});
    }
  }
}

bool TemplateValues::is_made(std::size_t source, const TemplateExpression& expression) const {
  if (expression.kind != TemplateExpression::Kind::variable || !expression.path.empty()) {
    return is_call(expression, "dict");
  }
  const auto known = settings_[source].find(expression.text);
  if (known == settings_[source].end()) return false;
  constexpr std::size_t kMaxSettings = 100;
  if (known->second.size() > kMaxSettings) return false;
  return std::ranges::all_of(known->second, [&](std::size_t piece) {
    return is_call(templates_[source].pieces[piece].expression, "dict");
  });
}

void TemplateValues::add_changes(std::size_t source, const TemplateExpression& expression) {
  const auto& arguments = expression.arguments;
  const bool sets = is_call(expression, "set") || is_call(expression, "unset");
  if ((sets || is_call(expression, "mergeOverwrite")) && arguments.size() >= 2) {
    const TemplateExpression& target = arguments.front();
    const bool is_path = target.kind == TemplateExpression::Kind::dot ||
                         target.kind == TemplateExpression::Kind::variable;
    ChangedKeys& keys =
        is_made(source, target) ? changed_variables_[{source, target.text}] : changed_;
    ++keys.changes;
    if (sets && arguments[1].kind == TemplateExpression::Kind::string) {
      keys.names.insert(arguments[1].text);
    } else if (sets || is_path) {
      keys.may_be_any = true;
    }
  }
  for (const TemplateExpression& argument : arguments) add_changes(source, argument);
}

std::vector<TemplateValue> TemplateValues::of(const TemplateFrame& frame,
                                              const TemplateExpression& expression) const {
  Evaluation evaluation(*this);
  Values values = evaluation.of(frame, expression, 0);
  steps_ += evaluation.steps();
  if (evaluation.is_cut()) doubt(values);
  return values;
}

}  // namespace cnsched

#include "core/cel/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/text.h"
#include "core/cel/functions.h"

namespace cnsched::cel {

namespace {

using Id = std::uint32_t;
using Ids = std::vector<Id>;

constexpr std::size_t kMaxCodePoints = 100'000;
constexpr int kMaxNesting = 250;
/// Of the tree, which is deeper than the nesting for a.b.c and 1 + 2 + 3.
constexpr std::uint16_t kMaxDepth = 500;

struct BinaryOperator {
  std::string_view symbol;
  int level;  ///< operators of a higher one bind stronger
  Op op;
};
constexpr int kLevels = 3;
constexpr auto kBinaryOperators = std::to_array<BinaryOperator>({
    {"==", 0, Op::equal},
    {"!=", 0, Op::not_equal},
    {"<", 0, Op::less},
    {"<=", 0, Op::less_equal},
    {">", 0, Op::greater},
    {">=", 0, Op::greater_equal},
    {"in", 0, Op::contained},
    {"+", 1, Op::add},
    {"-", 1, Op::subtract},
    {"*", 2, Op::multiply},
    {"/", 2, Op::divide},
    {"%", 2, Op::modulo},
});

/// A macro that is called on a range, with the variables first.
struct Macro {
  std::string_view name;
  std::size_t arguments;
  std::size_t variables;
  Op op;
  Loop loop = Loop::all;
};
constexpr auto kMacros = std::to_array<Macro>({
    {"all", 2, 1, Op::loop, Loop::all},
    {"all", 3, 2, Op::loop, Loop::all},
    {"exists", 2, 1, Op::loop, Loop::exists},
    {"exists", 3, 2, Op::loop, Loop::exists},
    {"exists_one", 2, 1, Op::loop, Loop::exists_one},
    {"existsOne", 2, 1, Op::loop, Loop::exists_one},
    {"existsOne", 3, 2, Op::loop, Loop::exists_one},
    {"filter", 2, 1, Op::loop, Loop::filter},
    {"map", 2, 1, Op::loop, Loop::map},
    {"map", 3, 1, Op::loop, Loop::map},
    {"transformList", 3, 2, Op::loop, Loop::transform_list},
    {"transformList", 4, 2, Op::loop, Loop::transform_list},
    {"transformMap", 3, 2, Op::loop, Loop::transform_map},
    {"transformMap", 4, 2, Op::loop, Loop::transform_map},
    {"transformMapEntry", 3, 2, Op::loop, Loop::transform_map_entry},
    {"transformMapEntry", 4, 2, Op::loop, Loop::transform_map_entry},
    {"sortBy", 2, 1, Op::loop, Loop::sort_by},
    {"optMap", 2, 1, Op::opt_map},
    {"optFlatMap", 2, 1, Op::opt_flat_map},
});

/// Types whose names are qualified; others are found like variables.
constexpr auto kQualifiedTypes = std::to_array<std::string_view>({
    "google.protobuf.Timestamp",
    "google.protobuf.Duration",
    "net.IP",
    "net.CIDR",
});

constexpr auto kReserved = std::to_array<std::string_view>({
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
});

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) { advance(); }

  Parsed parse_all() && {
    ast_.root = expression();
    if (!lexer_.error() && token_.kind != Token::Kind::end) unexpected();
    return {std::move(ast_), lexer_.error()};
  }

 private:
  void advance() { token_ = lexer_.next(); }
  bool take(std::string_view symbol) {
    if (!token_.is(symbol)) return false;
    advance();
    return true;
  }
  /// cel-go reads `[,]` as an empty list.
  void take_only_comma(std::string_view end) {
    if (take(",") && !token_.is(end)) unexpected();
  }
  void expect(std::string_view symbol) {
    if (!take(symbol)) unexpected(fmt::format("expected '{}'", symbol));
  }
  Id fail(std::size_t at, std::string message) {
    lexer_.fail(at, std::move(message));
    token_ = {.at = at};
    return 0;
  }
  Id unexpected(std::string_view hint = "") {
    const std::string what = token_.kind == Token::Kind::end
                                 ? "unexpected end of the expression"
                                 : fmt::format("unexpected '{}'", printable(token_.text));
    return fail(token_.at, hint.empty() ? what : fmt::format("{}, {}", what, hint));
  }
  bool failed() const { return lexer_.error().has_value(); }

  Id make(Expression made, const Ids& operands = {}) {
    std::uint16_t depth = 0;
    for (const Id each : operands) depth = std::max(depth, ast_.expressions[each].depth);
    if (depth >= kMaxDepth) return fail(made.at, "the expression is nested too deeply");
    made.depth = static_cast<std::uint16_t>(depth + 1);
    made.first_operand = static_cast<Id>(ast_.operands.size());
    made.operand_count = static_cast<Id>(operands.size());
    ast_.operands.insert(ast_.operands.end(), operands.begin(), operands.end());
    ast_.expressions.push_back(made);
    return static_cast<Id>(ast_.expressions.size() - 1);
  }
  Id make(Op op, std::size_t at, const Ids& operands) {
    return make({.op = op, .at = static_cast<Id>(at)}, operands);
  }
  Id make_literal(Value value, std::size_t at) {
    ast_.literals.push_back(std::move(value));
    return make({.op = Op::literal,
                 .at = static_cast<Id>(at),
                 .literal = static_cast<Id>(ast_.literals.size() - 1)});
  }
  Id make_unsupported(std::string_view what, std::size_t at) {
    return make({.op = Op::unsupported, .at = static_cast<Id>(at), .name = name_id(what)});
  }
  Id name_id(std::string_view name) {
    const auto [place, is_new] =
        ids_.try_emplace(std::string(name), static_cast<Id>(ast_.names.size()));
    if (is_new) ast_.names.emplace_back(name);
    return place->second;
  }

  Id expression();
  Id conditional();
  Id logical(std::string_view symbol, Op op);
  Id binary(int level);
  Id unary();
  Id member(bool is_negative);
  Id primary(bool is_negative);
  Id number(bool is_negative);
  Id selection(Id operand);
  Id indexing(Id operand);
  Id identifier(bool is_rooted);
  Id collection(Op op, std::string_view value_separator, std::string_view end);
  Id message(Id type);
  Ids arguments();
  Id entry(std::string_view value_separator, Ids& entries);

  Id global_call(std::string_view name, std::size_t at);
  Id member_call(Id target, const std::string& name, std::size_t at);
  Id has_macro(const Ids& arguments, std::size_t at);
  Id range_macro(const Macro& macro, Id target, const Ids& arguments, std::size_t at);
  Id bind_macro(const Ids& arguments, std::size_t at);
  Id call(const Function& function, const Ids& arguments, std::size_t at);
  std::string qualified_name(Id id) const;
  bool is_variable(Id id) const { return ast_.expressions[id].op == Op::variable; }

  Lexer lexer_;
  Token token_;
  Ast ast_;
  std::map<std::string, Id, std::less<>> ids_;
  int nesting_ = 0;
  std::uint64_t pattern_cost_ = 0;
};

Id Parser::expression() {
  if (nesting_ >= kMaxNesting) return fail(token_.at, "expressions are nested too deeply");
  ++nesting_;
  const Id made = conditional();
  --nesting_;
  return made;
}

Id Parser::conditional() {
  const Id condition = logical("||", Op::any_of);
  const std::size_t at = token_.at;
  if (!take("?")) return condition;
  const Id yes = logical("||", Op::any_of);
  expect(":");
  const Id no = expression();
  return failed() ? 0 : make(Op::conditional, at, {condition, yes, no});
}

Id Parser::logical(std::string_view symbol, Op op) {
  const std::size_t at = token_.at;
  Ids operands;
  do {
    operands.push_back(op == Op::any_of ? logical("&&", Op::all_of) : binary(0));
  } while (!failed() && take(symbol));
  if (failed()) return 0;
  return operands.size() == 1 ? operands.front() : make(op, at, operands);
}

Id Parser::binary(int level) {
  if (level == kLevels) return unary();
  Id left = binary(level + 1);
  while (!failed()) {
    const auto* found = std::ranges::find_if(kBinaryOperators, [&](const BinaryOperator& each) {
      return each.level == level && token_.is(each.symbol);
    });
    if (found == kBinaryOperators.end()) return left;
    const std::size_t at = token_.at;
    advance();
    const Id right = binary(level + 1);
    if (!failed()) left = make(found->op, at, {left, right});
  }
  return 0;
}

Id Parser::unary() {
  const std::size_t at = token_.at;
  std::size_t count = 0;
  const bool inverts = token_.is("!");
  const std::string_view symbol = inverts ? "!" : "-";
  for (; take(symbol); ++count) {
  }
  // The sign belongs to a number, so -1.f() calls f of -1.
  const bool sign_follows = inverts && token_.is("-");
  if (sign_follows) advance();
  const bool may_be_sign = sign_follows || (!inverts && count > 0);
  const bool is_sign =
      may_be_sign && token_.kind == Token::Kind::number && !token_.value.is(Kind::unsigned_integer);
  if (sign_follows && !is_sign) return unexpected();
  if (is_sign && !inverts) --count;
  const Id operand = member(is_sign);
  if (failed() || count % 2 == 0) return operand;
  return make(inverts ? Op::invert : Op::negate, at, {operand});
}

Id Parser::member(bool is_negative) {
  Id made = primary(is_negative);
  while (!failed()) {
    if (token_.is(".")) {
      made = selection(made);
    } else if (token_.is("[")) {
      made = indexing(made);
    } else if (token_.is("{") && !qualified_name(made).empty()) {
      made = message(made);
    } else {
      return made;
    }
  }
  return 0;
}

Id Parser::selection(Id operand) {
  const std::size_t at = token_.at;
  advance();
  const bool is_optional = take("?");
  const Token name = token_;
  const bool is_quoted = name.kind == Token::Kind::quoted_identifier;
  if (!is_quoted && name.kind != Token::Kind::identifier) {
    return unexpected("expected the name of a field or function");
  }
  advance();
  if (token_.is("(") && !is_optional && !is_quoted) {
    return member_call(operand, std::string(name.text), name.at);
  }
  if (is_quoted) return make_unsupported("quoted identifiers", name.at);
  const Id selected = make({.op = is_optional ? Op::optional_select : Op::select,
                            .at = static_cast<Id>(at),
                            .name = name_id(name.text)},
                           {operand});
  const std::string qualified = is_optional || failed() ? "" : qualified_name(selected);
  const auto* type = std::ranges::find(kQualifiedTypes, qualified);
  if (type == kQualifiedTypes.end()) return selected;
  ast_.literals.emplace_back(Type{*type});
  return make({.op = Op::type_name,
               .at = static_cast<Id>(at),
               .name = name_id(qualified.substr(0, qualified.find('.'))),
               .literal = static_cast<Id>(ast_.literals.size() - 1)},
              {selected});
}

Id Parser::indexing(Id operand) {
  const std::size_t at = token_.at;
  advance();
  const bool is_optional = take("?");
  const Id index = expression();
  expect("]");
  if (failed()) return 0;
  return make(is_optional ? Op::optional_index : Op::index, at, {operand, index});
}

Id Parser::primary(bool is_negative) {
  const Token token = token_;
  switch (token.kind) {
    case Token::Kind::number:
      return number(is_negative);
    case Token::Kind::literal:
      advance();
      return make_literal(token.value, token.at);
    case Token::Kind::identifier:
      return identifier(false);
    default:
      break;
  }
  if (take(".")) {
    return token_.kind == Token::Kind::identifier ? identifier(true) : unexpected();
  }
  if (take("(")) {
    const Id inner = expression();
    expect(")");
    return inner;
  }
  if (token.is("[")) return collection(Op::list, "", "]");
  if (token.is("{")) return collection(Op::map, ":", "}");
  return unexpected();
}

Id Parser::number(bool is_negative) {
  const Token token = token_;
  advance();
  Value value = token.value;
  if (value.is(Kind::floating) && is_negative) value = -value.get<double>();
  if (value.is(Kind::integer)) {
    const std::int64_t written = value.get<std::int64_t>();
    if (written == INT64_MIN && !is_negative) return fail(token.at, "invalid int literal");
    if (is_negative && written != INT64_MIN) value = -written;
  }
  return make_literal(std::move(value), token.at);
}

Id Parser::identifier(bool is_rooted) {
  const Token name = token_;
  if (is_one_of(name.text, kReserved)) {
    return fail(name.at, fmt::format("'{}' is a reserved word", name.text));
  }
  advance();
  if (token_.is("(")) return global_call(name.text, name.at);
  return make({.op = is_rooted ? Op::global_variable : Op::variable,
               .at = static_cast<Id>(name.at),
               .name = name_id(name.text)});
}

/// `?x` or `x` of a list, or before the separator of a map.
Id Parser::entry(std::string_view value_separator, Ids& entries) {
  const std::size_t at = token_.at;
  const bool is_optional = take("?");
  const Id first = expression();
  if (failed()) return 0;
  entries.push_back(is_optional ? make(Op::maybe, at, {first}) : first);
  if (value_separator.empty()) return first;
  expect(value_separator);
  entries.push_back(expression());
  return first;
}

/// `[a, b]`, or `{a: b}` with a separator of keys and values.
Id Parser::collection(Op op, std::string_view value_separator, std::string_view end) {
  const std::size_t at = token_.at;
  advance();
  Ids entries;
  take_only_comma(end);
  while (!failed() && !token_.is(end)) {
    entry(value_separator, entries);
    if (!take(",")) break;
  }
  expect(end);
  return failed() ? 0 : make(op, at, entries);
}

/// `Type{field: value}`, for protocol buffers.
Id Parser::message(Id type) {
  const std::size_t at = token_.at;
  advance();
  while (!failed() && !token_.is("}")) {
    take("?");
    if (token_.kind != Token::Kind::identifier && token_.kind != Token::Kind::quoted_identifier) {
      return unexpected("expected the name of a field");
    }
    advance();
    expect(":");
    expression();
    if (!take(",")) break;
  }
  expect("}");
  if (failed()) return 0;
  return make_unsupported(fmt::format("message '{}'", qualified_name(type)), at);
}

Ids Parser::arguments() {
  Ids all;
  expect("(");
  if (take(")")) return all;
  do {
    all.push_back(expression());
  } while (!failed() && take(","));
  expect(")");
  return all;
}

Id Parser::global_call(std::string_view name, std::size_t at) {
  const Ids all = arguments();
  if (failed()) return 0;
  if (name == "has") return has_macro(all, at);
  const Function* function = find_function(name, false);
  if (function == nullptr) return make_unsupported(fmt::format("function '{}'", name), at);
  return call(*function, all, at);
}

Id Parser::member_call(Id target, const std::string& name, std::size_t at) {
  Ids all = arguments();
  if (failed()) return 0;
  if (is_variable(target)) {
    const std::string qualified = qualified_name(target) + "." + name;
    if (qualified == "cel.bind") return bind_macro(all, at);
    if (const Function* function = find_function(qualified, false)) {
      return call(*function, all, at);
    }
  }
  const auto* macro = std::ranges::find_if(kMacros, [&](const Macro& each) {
    return each.name == name && each.arguments == all.size();
  });
  if (macro != kMacros.end()) return range_macro(*macro, target, all, at);
  const Function* function = find_function(name, true);
  if (function == nullptr) return make_unsupported(fmt::format("function '{}'", name), at);
  all.insert(all.begin(), target);
  return call(*function, all, at);
}

Id Parser::has_macro(const Ids& arguments, std::size_t at) {
  const Id argument = arguments.size() == 1 ? arguments.front() : 0;
  if (arguments.size() == 1 && ast_.expressions[argument].op == Op::unsupported) return argument;
  if (arguments.size() != 1 || ast_.expressions[argument].op != Op::select) {
    return fail(at, "the argument of has() must select a field");
  }
  ast_.expressions[argument].op = Op::has;
  return argument;
}

Id Parser::range_macro(const Macro& macro, Id target, const Ids& arguments, std::size_t at) {
  const auto variables = std::span(arguments).first(macro.variables);
  const auto other = std::ranges::find_if_not(arguments, [&](Id id) { return is_variable(id); });
  const auto plain = static_cast<std::size_t>(other - arguments.begin());
  if (plain < macro.variables) {
    if (ast_.expressions[*other].op == Op::unsupported) return *other;
    return fail(ast_.expressions[*other].at, "the argument must be the name of a variable");
  }
  Expression made{.op = macro.op, .loop = macro.loop, .at = static_cast<Id>(at)};
  made.name = ast_.expressions[variables.front()].name;
  made.second_name = ast_.expressions[variables.back()].name;
  if (macro.variables == 2 && made.name == made.second_name) {
    return fail(at, "the names of the variables must differ");
  }
  Ids operands(arguments.begin() + static_cast<std::ptrdiff_t>(macro.variables), arguments.end());
  operands.insert(operands.begin(), target);
  return make(made, operands);
}

Id Parser::bind_macro(const Ids& arguments, std::size_t at) {
  if (arguments.size() != 3 || !is_variable(arguments.front())) {
    return fail(at, "cel.bind needs the name of a variable, its value and an expression");
  }
  return make(
      {.op = Op::bind, .at = static_cast<Id>(at), .name = ast_.expressions[arguments.front()].name},
      {arguments[1], arguments[2]});
}

Id Parser::call(const Function& function, const Ids& arguments, std::size_t at) {
  Expression made{.op = Op::call, .at = static_cast<Id>(at), .function = &function};
  // More patterns are compiled when they are used.
  constexpr std::uint64_t kMaxPatternCost = 300'000;
  if (function.name == "matches" && arguments.size() == 2 && pattern_cost_ < kMaxPatternCost) {
    const Expression& pattern = ast_.expressions[arguments[1]];
    if (pattern.op == Op::literal && ast_.literals[pattern.literal].is(Kind::string)) {
      auto compiled = Pattern::compile(ast_.literals[pattern.literal].text());
      pattern_cost_ += pattern_cost(compiled);
      if (compiled) {
        ast_.patterns.push_back(std::make_unique<const Pattern>(*std::move(compiled)));
        made.pattern = ast_.patterns.back().get();
      }
    }
  }
  return make(made, arguments);
}

/// "a.b.c", or empty if it is something else, or long.
std::string Parser::qualified_name(Id id) const {
  constexpr int kMaxParts = 5;
  std::string name;
  for (int parts = 0; parts < kMaxParts; ++parts) {
    const Expression& each = ast_.expressions[id];
    const bool is_root = each.op == Op::variable || each.op == Op::global_variable;
    if (!is_root && each.op != Op::select && each.op != Op::type_name) return "";
    if (each.op != Op::type_name) name.insert(0, (is_root ? "" : ".") + ast_.names[each.name]);
    if (is_root) return name;
    id = ast_.operand(each, 0);
  }
  return "";
}

}  // namespace

Parsed parse(std::string_view text) {
  if (text.size() > kMaxCodePoints && code_points(text) > kMaxCodePoints) {
    return {.ast = {}, .error = SyntaxError{0, "the expression is longer than 100,000 characters"}};
  }
  return Parser(text).parse_all();
}

}  // namespace cnsched::cel

// Evaluates the tree of a program. Failures are values: what uses one passes it on, except that
// `&&`, `||`, `all` and `exists` ignore it if another operand decides. "Unknown" outweighs an
// error, because the unknown operand might have decided.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/cel/functions.h"
#include "core/cel/parser.h"
#include "core/cel/program.h"

namespace cnsched::cel {

namespace {

using Id = std::uint32_t;

constexpr auto kTypes =
    std::to_array<std::string_view>({"bool", "bytes", "double", "int", "list", "map", "null_type",
                                     "optional_type", "string", "type", "uint"});

/// The failure of two that the result has.
Value worse(const Value& a, const Value& b) { return b.is_unknown() && !a.is_unknown() ? b : a; }

std::string shown_key(const Value& key) {
  if (key.is(Kind::string)) return printable(key.text());
  if (key.is(Kind::boolean)) return key.get<bool>() ? "true" : "false";
  if (key.is(Kind::integer)) return fmt::format("{}", key.get<std::int64_t>());
  if (key.is(Kind::unsigned_integer)) return fmt::format("{}", key.get<std::uint64_t>());
  return std::string(type_name(key));
}

Value no_such_key(const Value& key) {
  return Value::error(fmt::format("no such key: {}", shown_key(key)));
}

/// What a macro iterates over.
class Range {
 public:
  explicit Range(const Value& value) : value_(value) {
    if (value.is(Kind::map)) keys_ = value.map().keys();
    size_ = value.is(Kind::map) ? keys_.size() : value.list().size();
  }

  std::size_t size() const { return size_; }
  /// The only variable: an element or a key.
  Value item(std::size_t index) const {
    return value_.is(Kind::map) ? keys_[index] : value_.list().at(index);
  }
  /// The first of two variables: an index or a key.
  Value key(std::size_t index) const {
    return value_.is(Kind::map) ? keys_[index] : Value::integer(index);
  }
  /// The second of two variables.
  Value value(std::size_t index) const {
    if (!value_.is(Kind::map)) return value_.list().at(index);
    return value_.map().find(keys_[index]).value_or(Value());
  }

 private:
  const Value& value_;
  std::vector<Value> keys_;
  std::size_t size_ = 0;
};

class Evaluation : public Context {
 public:
  Evaluation(const Ast& ast, std::span<const Variable> variables, Budget& budget)
      : ast_(ast), variables_(variables), budget_(budget) {}

  Value result() {
    Value value = evaluate(ast_.root);
    return stopped_ ? *stopped_ : value;
  }

  bool charge(std::uint64_t steps) override {
    if (steps > budget_.steps) {
      budget_.steps = 0;
      stop(Value::unknown("the cost limit"));
    }
    if (!stopped_) budget_.steps -= steps;
    return !stopped_;
  }
  void stop(const Value& failure) override {
    if (!stopped_) stopped_ = failure;
  }

 private:
  Value evaluate(Id id);
  Value evaluate(const Expression& expression);
  Value operand(const Expression& of, std::size_t index) {
    return evaluate(ast_.operand(of, index));
  }
  std::string_view name(const Expression& of) const { return ast_.names[of.name]; }

  std::optional<Value> given(std::string_view name) const;
  Value variable(const Expression& e);
  bool is_bound(const Expression& e) const;
  Value selected(const Expression& e);
  Value has(const Expression& e);
  Value indexed(const Expression& e);
  /// Of `&&`, `||`, all and exists: `decisive` if an operand is, whatever the others are.
  template <typename Operand>
  Value decided(std::size_t count, bool decisive, Operand operand);
  Value conditional(const Expression& e);
  Value unary(const Expression& e);
  Value binary(const Expression& e);
  Value ordered(Op op, const Value& a, const Value& b);
  Value contained(const Value& item, const Value& in);
  Value list(const Expression& e);
  Value map(const Expression& e);
  Value call(const Expression& e);
  Value or_else(const Expression& e);
  Value bind(const Expression& e);
  Value optional_macro(const Expression& e);
  Value loop(const Expression& e);
  Value counted(const Expression& e, const Range& range);
  Value collected(const Expression& e, const Range& range);
  Value sorted(const Expression& e, const Value& list, const Range& range);
  Value transformed(const Expression& e, const Range& range);

  /// The last operand with the loop's variables set. `body` is the index of another operand.
  Value body(const Expression& e, const Range& range, std::size_t index, std::size_t body);
  Value body(const Expression& e, const Range& range, std::size_t index) {
    return body(e, range, index, e.operand_count - 1);
  }
  /// Whether the loop's filter lets an element pass, if it has one; or a failure.
  Value passes(const Expression& e, const Range& range, std::size_t index);

  const Ast& ast_;
  std::span<const Variable> variables_;
  Budget& budget_;
  std::vector<std::pair<Id, Value>> locals_;  ///< innermost last
  std::optional<Value> stopped_;
};

Value Evaluation::evaluate(Id id) {
  if (!charge(1)) return *stopped_;
  return evaluate(ast_.expressions[id]);
}

Value Evaluation::evaluate(const Expression& e) {
  switch (e.op) {
    case Op::literal:
      return ast_.literals[e.literal];
    case Op::variable:
    case Op::global_variable:
      return variable(e);
    case Op::type_name:
      return is_bound(e) ? operand(e, 0) : ast_.literals[e.literal];
    case Op::select:
    case Op::optional_select:
      return selected(e);
    case Op::has:
      return has(e);
    case Op::index:
    case Op::optional_index:
      return indexed(e);
    case Op::all_of:
    case Op::any_of:
      return decided(e.operand_count, e.op == Op::any_of,
                     [&](std::size_t i) { return operand(e, i); });
    case Op::conditional:
      return conditional(e);
    case Op::negate:
    case Op::invert:
      return unary(e);
    case Op::list:
      return list(e);
    case Op::map:
      return map(e);
    case Op::call:
      return call(e);
    case Op::loop:
      return loop(e);
    case Op::bind:
      return bind(e);
    case Op::opt_map:
    case Op::opt_flat_map:
      return optional_macro(e);
    case Op::unsupported:
      return Value::unknown(std::string(name(e)));
    default:
      return binary(e);
  }
}

std::optional<Value> Evaluation::given(std::string_view name) const {
  const auto found = std::ranges::find(variables_, name, &Variable::name);
  return found == variables_.end() ? std::nullopt : std::optional(found->value);
}

bool Evaluation::is_bound(const Expression& e) const {
  const auto is_it = [&](const auto& local) { return local.first == e.name; };
  return std::ranges::any_of(locals_, is_it) || given(name(e));
}

Value Evaluation::variable(const Expression& e) {
  if (e.op == Op::variable) {
    for (auto local = locals_.rbegin(); local != locals_.rend(); ++local) {
      if (local->first == e.name) return local->second;
    }
  }
  if (auto value = given(name(e))) return *std::move(value);
  const auto* type = std::ranges::find(kTypes, name(e));
  if (type != kTypes.end()) return Type{*type};
  return Value::unknown(fmt::format("variable '{}'", name(e)));
}

/// The element of `value` under `key`, with optional values as they come and go.
Value element(const Value& value, const Value& key, bool optional) {
  if (value.is(Kind::optional)) {
    if (!value.optional()) return value;
    const Value inner = element(*value.optional(), key, true);
    return inner;
  }
  std::optional<Value> found;
  if (value.is(Kind::map)) {
    if (!is_key(as_whole_number(key))) {
      return key.is(Kind::floating) && !optional ? no_such_key(key) : no_such_overload();
    }
    found = value.map().find(key);
    if (!found && !optional) return no_such_key(key);
  } else if (value.is(Kind::list)) {
    const Value index = as_whole_number(key);
    if (!index.is(Kind::integer)) return Value::error("invalid index of a list");
    const auto at = index.get<std::int64_t>();
    if (at >= 0 && static_cast<std::uint64_t>(at) < value.list().size()) {
      found = value.list().at(static_cast<std::size_t>(at));
    } else if (!optional) {
      return Value::error(fmt::format("index out of bounds: {}", at));
    }
  } else if (!optional) {
    return no_such_overload();
  }
  if (found && found->is_failure()) return *found;
  return optional ? Value::optional(found) : *found;
}

Value Evaluation::selected(const Expression& e) {
  const Value value = operand(e, 0);
  if (value.is_failure()) return value;
  const bool must_have = e.op == Op::select && !value.is(Kind::optional);
  if (must_have && !value.is(Kind::map)) {
    return Value::error(fmt::format("type '{}' has no field '{}'", type_name(value), name(e)));
  }
  return element(value, Text::view_of(name(e)), e.op == Op::optional_select);
}

Value Evaluation::has(const Expression& e) {
  Value value = operand(e, 0);
  while (value.is(Kind::optional)) {
    if (!value.optional()) return false;
    value = Value(*value.optional());
  }
  if (value.is_failure()) return value;
  if (value.is(Kind::list)) return no_such_overload();
  if (!value.is(Kind::map)) return false;
  const Value key = Text::view_of(name(e));
  const auto found = value.map().find(key);
  if (found && found->is_unknown()) return *found;
  return value.map().has(key);
}

Value Evaluation::indexed(const Expression& e) {
  const Value value = operand(e, 0);
  const Value key = operand(e, 1);
  if (value.is_failure() || key.is_failure()) return value.is_failure() ? worse(value, key) : key;
  return element(value, key, e.op == Op::optional_index);
}

template <typename Operand>
Value Evaluation::decided(std::size_t count, bool decisive, Operand operand) {
  std::optional<Value> failure;
  for (std::size_t i = 0; i < count && !stopped_; ++i) {
    Value value = operand(i);
    if (value.is(Kind::boolean)) {
      if (value.get<bool>() == decisive) return decisive;
      continue;
    }
    if (!value.is_failure()) value = no_such_overload();
    failure = failure ? worse(*failure, value) : value;
  }
  return failure.value_or(!decisive);
}

Value Evaluation::conditional(const Expression& e) {
  const Value condition = operand(e, 0);
  if (condition.is_failure()) return condition;
  if (!condition.is(Kind::boolean)) return no_such_overload();
  return operand(e, condition.get<bool>() ? 1 : 2);
}

Value Evaluation::unary(const Expression& e) {
  const Value value = operand(e, 0);
  if (value.is_failure()) return value;
  if (e.op == Op::negate) return negate_value(value);
  return value.is(Kind::boolean) ? Value(!value.get<bool>()) : no_such_overload();
}

Value Evaluation::binary(const Expression& e) {
  const Value a = operand(e, 0);
  const Value b = operand(e, 1);
  if (a.is_failure() || b.is_failure()) return a.is_failure() ? worse(a, b) : b;
  switch (e.op) {
    case Op::equal:
      return equal(a, b);
    case Op::not_equal:
      return !equal(a, b);
    case Op::contained:
      return contained(a, b);
    case Op::add:
      return add_values(*this, a, b);
    case Op::subtract:
      return subtract_values(a, b);
    case Op::multiply:
      return multiply_values(a, b);
    case Op::divide:
      return divide_values(a, b);
    case Op::modulo:
      return modulo_values(a, b);
    default:
      return ordered(e.op, a, b);
  }
}

Value Evaluation::ordered(Op op, const Value& a, const Value& b) {
  if (a.is(Kind::string) && !charge(text_cost(a.text().size()))) return *stopped_;
  const auto order = compare(a, b);
  if (!order) return no_such_overload();
  if (op == Op::less) return std::is_lt(*order);
  if (op == Op::less_equal) return std::is_lteq(*order);
  return op == Op::greater ? std::is_gt(*order) : std::is_gteq(*order);
}

Value Evaluation::contained(const Value& item, const Value& in) {
  if (in.is(Kind::map)) {
    if (!is_key(item) && !item.is(Kind::floating)) return false;
    const auto found = in.map().find(item);
    if (found && found->is_unknown()) return *found;
    return in.map().has(item);
  }
  if (!in.is(Kind::list)) return no_such_overload();
  const List& list = in.list();
  for (std::size_t i = 0; i < list.size() && !stopped_; ++i) {
    if (equal(item, list.at(i))) return true;
  }
  return false;
}

Value Evaluation::list(const Expression& e) {
  std::vector<Value> items;
  for (std::size_t i = 0; i < e.operand_count; ++i) {
    const Expression& written = ast_.expressions[ast_.operand(e, i)];
    const bool maybe = written.op == Op::maybe;
    const Value item = maybe ? operand(written, 0) : operand(e, i);
    if (item.is_failure()) return item;
    if (maybe && !item.is(Kind::optional)) return no_such_overload();
    if (maybe && !item.optional()) continue;
    items.push_back(maybe ? *item.optional() : item);
  }
  return Value::list(std::move(items));
}

Value Evaluation::map(const Expression& e) {
  const auto built = std::make_shared<BuiltMap>();
  for (std::size_t i = 0; i < e.operand_count; i += 2) {
    const Expression& written = ast_.expressions[ast_.operand(e, i)];
    const bool maybe = written.op == Op::maybe;
    const Value key = maybe ? operand(written, 0) : operand(e, i);
    Value value = operand(e, i + 1);
    if (key.is_failure() || value.is_failure()) return key.is_failure() ? worse(key, value) : value;
    if (!is_key(key)) return Value::unknown(fmt::format("keys of type {}", type_name(key)));
    if (maybe && !value.is(Kind::optional)) return no_such_overload();
    if (maybe && !value.optional()) continue;
    if (maybe) value = Value(*value.optional());
    // CEL's specification and cel-go differ.
    if (!built->insert(key, std::move(value))) return Value::unknown("repeated keys in a map");
  }
  return std::shared_ptr<const Map>(built);
}

/// The second operand of or() and orValue() is not evaluated if the first has a value.
Value Evaluation::or_else(const Expression& e) {
  const bool unwraps = e.function->name == "orValue";
  const Value value = operand(e, 0);
  if (value.is_failure()) return value;
  if (e.operand_count != 2) return no_such_overload();
  if (!value.is(Kind::optional)) return value;  // as cel-go
  if (value.optional()) return unwraps ? *value.optional() : value;
  Value other = operand(e, 1);
  return unwraps || other.is(Kind::optional) || other.is_failure() ? other : no_such_overload();
}

Value Evaluation::call(const Expression& e) {
  if (e.function->call == nullptr) return or_else(e);
  std::vector<Value> arguments;
  arguments.reserve(e.operand_count);
  std::optional<Value> failure;
  for (std::size_t i = 0; i < e.operand_count; ++i) {
    arguments.push_back(operand(e, i));
    if (!arguments.back().is_failure()) continue;
    failure = failure ? worse(*failure, arguments.back()) : arguments.back();
  }
  if (failure) return *failure;
  if (!e.function->accepts(arguments)) return no_such_overload();
  if (e.pattern != nullptr) {
    const std::string_view text = arguments[0].text();
    if (!charge(match_cost(e.pattern->size(), text.size()))) return *stopped_;
    return e.pattern->matches(text);
  }
  return e.function->call(*this, arguments);
}

Value Evaluation::bind(const Expression& e) {
  Value value = operand(e, 0);
  locals_.emplace_back(e.name, std::move(value));
  Value result = operand(e, 1);
  locals_.pop_back();
  return result;
}

Value Evaluation::optional_macro(const Expression& e) {
  const Value value = operand(e, 0);
  if (value.is_failure()) return value;
  if (!value.is(Kind::optional)) return no_such_overload();
  if (!value.optional()) return value;
  locals_.emplace_back(e.name, *value.optional());
  Value result = operand(e, 1);
  locals_.pop_back();
  if (result.is_failure()) return result;
  if (e.op == Op::opt_map) return Value::optional(std::move(result));
  return result.is(Kind::optional) ? result : no_such_overload();
}

Value Evaluation::body(const Expression& e, const Range& range, std::size_t index,
                       std::size_t body) {
  const bool two = ast_.has_two_variables(e);
  locals_.emplace_back(e.name, two ? range.key(index) : range.item(index));
  if (two) locals_.emplace_back(e.second_name, range.value(index));
  Value result = operand(e, body);
  locals_.resize(locals_.size() - (two ? 2 : 1));
  return result;
}

Value Evaluation::passes(const Expression& e, const Range& range, std::size_t index) {
  const bool is_filter = e.loop == Loop::filter;
  if (!is_filter && e.operand_count < 3) return true;
  const Value passed = body(e, range, index, 1);
  if (passed.is_failure() || passed.is(Kind::boolean)) return passed;
  return no_such_overload();
}

Value Evaluation::loop(const Expression& e) {
  const Value value = operand(e, 0);
  if (value.is_failure()) return value;
  if (!value.is(Kind::list) && !value.is(Kind::map)) return no_such_overload();
  if (value.is(Kind::map) && !charge(value.map().size())) return *stopped_;
  const Range range(value);
  switch (e.loop) {
    case Loop::all:
    case Loop::exists:
      return decided(range.size(), e.loop == Loop::exists,
                     [&](std::size_t i) { return body(e, range, i); });
    case Loop::exists_one:
      return counted(e, range);
    case Loop::sort_by:
      return sorted(e, value, range);
    case Loop::transform_map:
    case Loop::transform_map_entry:
      return transformed(e, range);
    default:
      return collected(e, range);
  }
}

Value Evaluation::counted(const Expression& e, const Range& range) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < range.size(); ++i) {
    const Value value = body(e, range, i);
    if (value.is_failure()) return value;
    if (!value.is(Kind::boolean)) return no_such_overload();
    count += value.get<bool>() ? 1 : 0;
  }
  return count == 1;
}

/// Of filter, map and transformList.
Value Evaluation::collected(const Expression& e, const Range& range) {
  std::vector<Value> items;
  for (std::size_t i = 0; i < range.size(); ++i) {
    const Value passed = passes(e, range, i);
    if (passed.is_failure()) return passed;
    if (!passed.get<bool>()) continue;
    items.push_back(e.loop == Loop::filter ? range.item(i) : body(e, range, i));
    if (items.back().is_failure()) return items.back();
  }
  return Value::list(std::move(items));
}

Value Evaluation::sorted(const Expression& e, const Value& list, const Range& range) {
  if (!list.is(Kind::list)) return no_such_overload();
  std::vector<Value> keys;
  for (std::size_t i = 0; i < range.size(); ++i) {
    keys.push_back(body(e, range, i));
    if (keys.back().is_failure()) return keys.back();
  }
  return sort_by_keys(*this, list.list(), keys);
}

Value Evaluation::transformed(const Expression& e, const Range& range) {
  const auto built = std::make_shared<BuiltMap>();
  for (std::size_t i = 0; i < range.size(); ++i) {
    const Value passed = passes(e, range, i);
    if (passed.is_failure()) return passed;
    if (!passed.get<bool>()) continue;
    const Value made = body(e, range, i);
    if (made.is_failure()) return made;
    if (e.loop == Loop::transform_map) {
      built->insert(range.key(i), made);
      continue;
    }
    if (!made.is(Kind::map)) return no_such_overload();
    const Range entries(made);
    if (!charge(entries.size())) return *stopped_;
    for (std::size_t j = 0; j < entries.size(); ++j) {
      if (built->insert(entries.key(j), entries.value(j))) continue;
      return Value::error(fmt::format("repeated key: {}", shown_key(entries.key(j))));
    }
  }
  return std::shared_ptr<const Map>(built);
}

}  // namespace

Value Program::evaluate(std::span<const Variable> variables, Budget& budget) const {
  return Evaluation(*ast_, variables, budget).result();
}

bool Program::mentions(std::string_view variable) const {
  return std::ranges::any_of(ast_->expressions, [&](const Expression& each) {
    const bool is_name = each.op == Op::variable || each.op == Op::global_variable;
    return is_name && ast_->names[each.name] == variable;
  });
}

Compiled compile(std::string_view text) {
  Parsed parsed = parse(text);
  if (parsed.error) return {.program = std::nullopt, .error = *std::move(parsed.error)};
  return {.program = Program(std::make_shared<const Ast>(std::move(parsed.ast)))};
}

}  // namespace cnsched::cel

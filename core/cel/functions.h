#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/pattern.h"
#include "core/cel/value.h"

namespace cnsched::cel {

/// What a function may ask of the evaluation.
class Context {
 public:
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  virtual ~Context() = default;
  /// Spends steps of the budget. False: it is spent, and the result of the evaluation is unknown.
  virtual bool charge(std::uint64_t steps) = 0;
  /// Makes the whole evaluation end with `failure`.
  virtual void stop(const Value& failure) = 0;
  /// Whether CEL's `==` holds.
  bool equal(const Value& a, const Value& b);
};

/// Text is cheaper than other steps.
constexpr std::uint64_t text_cost(std::size_t bytes) { return 1 + bytes / 16; }

/// Of a match with a pattern, by its size. Usually RE2 takes a step for a byte, at worst one for
/// each byte and instruction.
constexpr std::uint64_t match_cost(std::size_t pattern_size, std::size_t bytes) {
  return 1 + bytes * (pattern_size + 256) / 16'384;
}

/// Of compiling a pattern; one that is too large costs most.
inline std::uint64_t pattern_cost(const Result<Pattern>& pattern) {
  constexpr std::uint64_t kInstruction = 12;
  constexpr std::uint64_t kFailure = 100'000;
  return pattern ? kInstruction * pattern->size() : kFailure;
}

using Arguments = std::span<const Value>;

/// A function of the language or of a library. The tables of these are what the evaluator knows;
/// whatever else an expression calls is unknown, by its name.
struct Function {
  enum class Style : std::uint8_t { global, member, both };  ///< f(x), x.f() or both
  std::string_view name;
  Style style;
  /// The types of the arguments, the receiver's first, a letter each: `s`tring, `i`nteger,
  /// `b`oolean, `d`ouble, `l`ist, `t`imestamp, `o`ptional, `q`uantity, I`p`, `c`IDR, `u`RL,
  /// `v`ersion; "." is any. Those behind "[" may be missing; "*": any number of the one before.
  std::string_view signature;
  /// Gets arguments of the signature, no failures among them; null: by the evaluator.
  Value (*call)(Context& context, Arguments arguments);

  bool accepts(Arguments arguments) const;
};

inline constexpr auto kGlobal = Function::Style::global;
inline constexpr auto kMember = Function::Style::member;
inline constexpr auto kBoth = Function::Style::both;

// The tables.
std::span<const Function> standard_functions();  // the language, optional values, math
std::span<const Function> time_functions();
std::span<const Function> string_functions();
std::span<const Function> list_functions();
std::span<const Function> kubernetes_functions();  // quantities and semantic versions
std::span<const Function> net_functions();

/// All functions, sorted by name.
std::span<const Function> functions();

/// The function that is called like that, or null.
const Function* find_function(std::string_view name, bool as_member);

Value no_such_overload();

// Operators, which the evaluator calls by syntax.
Value add_values(Context& context, const Value& a, const Value& b);
Value subtract_values(const Value& a, const Value& b);
Value multiply_values(const Value& a, const Value& b);
Value divide_values(const Value& a, const Value& b);
Value modulo_values(const Value& a, const Value& b);
Value negate_value(const Value& value);
Value sort_by_keys(Context& context, const List& list, const std::vector<Value>& keys);

// What the implementations share.
Value index_in_text(Context& context, Arguments arguments, bool last);
Value reverse_text(Context& context, Arguments arguments);
/// The smallest or the largest item; there is one.
Value extreme_of(const std::vector<Value>& items, bool largest);
std::string to_text(const Ip& ip);
std::string to_text(const Cidr& cidr);

}  // namespace cnsched::cel

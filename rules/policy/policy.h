#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/accelerators/product.h"
#include "core/base/pattern.h"
#include "core/base/quantity.h"
#include "core/diag/diagnostic.h"
#include "core/source/ignore_patterns.h"
#include "rules/policy/policy_field.h"

namespace cnsched::rules {

/// Files by patterns as in .gitignore, relative to an absolute directory.
struct FilePatterns {
  IgnorePatterns patterns{};
  std::string directory{};

  /// Whether the file at `real`, an absolute path, matches.
  bool match(const std::string& real) const;
};

/// The group of the rules that policies define.
inline constexpr std::string_view kPolicyGroup = "policy";

/// What a test compares a value with. First those of which each holds exactly if its neighbour does
/// not, in pairs.
enum class Operator : std::uint8_t {
  exists,
  absent,
  in,
  not_in,
  matches,
  not_matches,
  at_least,
  less_than,
  at_most,
  more_than,
  any,    ///< an item of the list meets the condition
  all,    ///< every item does
  none,   ///< no item does
  count,  ///< of items
};

/// Whether it is the second of a pair.
constexpr bool is_complement(Operator op) {
  return op < Operator::any && static_cast<unsigned>(op) % 2 == 1;
}

/// The other one of its pair.
constexpr Operator complement(Operator op) {
  return op < Operator::any ? static_cast<Operator>(static_cast<unsigned>(op) ^ 1U) : op;
}

/// Whether the operator compares a number with a bound.
constexpr bool is_range(Operator op) {
  return op == Operator::at_least || op == Operator::less_than || op == Operator::at_most ||
         op == Operator::more_than;
}

/// Whether a test is of the value itself, not of the list or of its existence.
constexpr bool is_of_value(Operator op) {
  return is_range(op) || op == Operator::in || op == Operator::not_in || op == Operator::matches ||
         op == Operator::not_matches;
}

/// Whether an absent value passes such a test: it is in no list and matches nothing, and it is no
/// number.
constexpr bool passes_absent(Operator op) {
  return op == Operator::not_in || op == Operator::not_matches;
}

/// Whether its condition is one of items.
constexpr bool is_of_items(Operator op) {
  return op == Operator::any || op == Operator::all || op == Operator::none;
}

struct Condition;

/// One operator and what it compares with.
struct Test {
  Operator op = Operator::exists;
  std::vector<std::string> words{};  ///< of in and notIn
  /// The words as numbers or products, of fields that have these.
  std::vector<std::optional<Quantity>> numbers{};
  std::vector<const accelerators::Accelerator*> products{};
  std::vector<Pattern> patterns{};     ///< of matches: one must match; of notMatches: none
  std::vector<std::string> written{};  ///< the patterns as written
  Quantity bound{};                    ///< of the ranges
  std::string bound_text{};
  std::vector<Condition> item;  ///< of any, all and none: one condition
  std::vector<Test> counted{};  ///< of count: tests of the number
};

/// What must hold of a pod or of an item of a list: a field test, or a combination.
struct Condition {
  enum class Kind : std::uint8_t { all, any, negation, field };
  Kind kind = Kind::all;
  std::vector<Condition> parts{};
  FieldRef field{};
  // Of a field: all must hold.
  std::vector<Test> value_tests{};  ///< one value must pass all of them
  std::vector<Test> other_tests{};

  void add(Test test) {
    (is_of_value(test.op) ? value_tests : other_tests).push_back(std::move(test));
  }
};

/// A pattern of names; `*` alone matches everything, also what contains slashes.
class NamePattern {
 public:
  explicit NamePattern(std::string text) : text_(std::move(text)), glob_(text_) {}

  const std::string& text() const { return text_; }
  bool matches(std::string_view name) const { return text_ == "*" || glob_.matches(name); }
  bool has_slash() const { return text_.find('/') != std::string::npos; }

 private:
  std::string text_;
  Glob glob_;
};

/// Which objects and pods a policy is for. Empty lists match everything; of a list one pattern must
/// match.
struct MatchCriteria {
  using Patterns = std::vector<NamePattern>;
  Patterns kinds{};
  Patterns components{};
  Patterns names{};
  Patterns namespaces{};
  Patterns clusters{};
  std::vector<std::pair<std::string, Patterns>> labels{};
  std::vector<std::pair<std::string, Patterns>> annotations{};
  std::optional<FilePatterns> files{};
  std::optional<bool> accelerators{};

  /// Whether it matches everything.
  bool is_empty() const {
    return kinds.empty() && components.empty() && names.empty() && namespaces.empty() &&
           clusters.empty() && labels.empty() && annotations.empty() && !files && !accelerators;
  }
};

/// A manifest that a policy is tested with.
struct PolicyExample {
  std::string name;  ///< "good[0]", or the path of its file
  std::string text;
  /// The same text with the indentation that it has in the policy's file, from `line` on; empty if
  /// the file does not have it as such.
  std::string indented{};
  std::size_t line = 0;
};

/// A rule of a team, as data.
struct Policy {
  std::string id;
  Severity severity = Severity::warning;
  std::string summary;
  std::string why;
  std::string help;
  std::string source;
  MatchCriteria match{};
  MatchCriteria exclude{};
  std::optional<Condition> when{};
  std::vector<Condition> require{};  ///< each must hold
  std::vector<Condition> forbid{};   ///< none may hold
  /// The severity of what cannot be decided; nothing: it is not reported.
  std::optional<Severity> on_unknown = Severity::info;

  std::vector<PolicyExample> good{};
  std::vector<PolicyExample> bad{};
  /// Whether no condition reads the pod: each object is then checked once.
  bool is_of_objects = false;
  std::string path;   ///< of its file
  std::string place;  ///< ".cnsched.yaml:3"
};

}  // namespace cnsched::rules

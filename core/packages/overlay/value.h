#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/source/source_file.h"
#include "core/yaml/node.h"
#include "core/yaml/scalar.h"

namespace cnsched::overlay {

/// Whether the node is the boolean true.
inline bool is_true(const yaml::Node& node) { return yaml::boolean_of(node.text()) == true; }

struct Value;

/// The value under a key.
struct Member {
  std::optional<Span> key{};           ///< nothing: no source has it
  std::optional<Span> replaced_key{};  ///< another source that has it
  bool is_pointer_step = false;        ///< `key` is a step of a JSON pointer
  std::unique_ptr<Value> value{};
};

/// A value during the build of an overlay, and the bytes that it comes from. Unlike a yaml::Node
/// it changes.
struct Value {
  yaml::Node::Kind kind = yaml::Node::Kind::null;
  std::string_view text{};          ///< of a scalar
  std::optional<Span> where{};      ///< of the text that it comes from; nothing: no text has it
  std::optional<Span> replaced{};   ///< the value of a lower layer that it replaces
  std::optional<Span> copied_by{};  ///< the target of the replacement that copied it
  bool is_unknown = false;          ///< neither it nor what is below it can be known
  bool is_derived = false;          ///< the text is made of the bytes at `where` and others
  bool is_vague = false;            ///< only the source of `where` is certain
  bool is_shared = false;           ///< other rendered values come from the same bytes
  bool is_merged = false;           ///< a collection that several texts wrote
  std::vector<std::string_view> merge_keys{};  ///< of a list whose items were merged by key
  std::map<std::string_view, Member> members{};
  std::vector<std::unique_ptr<Value>> items{};

  bool is_scalar() const { return kind == yaml::Node::Kind::scalar; }
  bool is_mapping() const { return kind == yaml::Node::Kind::mapping; }
  bool is_sequence() const { return kind == yaml::Node::Kind::sequence; }
  /// The value under the key, or null.
  Value* find(std::string_view key) const;
  /// The text of the scalar under the key, or nothing.
  std::string_view text_of(std::string_view key) const;
};

/// Makes values, within a budget for each build: input is hostile.
class Maker {
 public:
  static constexpr std::size_t kMaxValues = 400'000;
  static constexpr std::size_t kMaxSteps = 50'000'000;  ///< each some nanoseconds

  /// The value that the node writes. `is_shared`: others are made of the same node.
  std::unique_ptr<Value> value(const yaml::Node& node, bool is_shared = false);
  /// The value that a strategic-merge patch adds: without nulls and directives.
  std::unique_ptr<Value> added(const yaml::Node& node, bool is_shared = false);
  std::unique_ptr<Value> unknown();
  std::unique_ptr<Value> mapping();
  /// Makes `value` the scalar `text` from `where`.
  static void set(Value& value, std::string_view text, std::optional<Span> where);

  /// The bytes that an alias or a `<<` repeats, sorted. Each end is the last one so far in its
  /// text, so that a search finds a span that includes another one.
  std::vector<Span> repeated() const;

  /// A text that lives as long as this.
  std::string_view keep(std::string text);
  /// Takes work off the budget.
  void spend(std::size_t steps);
  /// Whether the budget is used up, so that no value is certain.
  bool is_exhausted() const { return is_exhausted_; }

 private:
  std::unique_ptr<Value> value(const yaml::Node& node, bool is_shared, bool is_patch);

  std::deque<std::string> texts_;
  std::set<Span> repeated_;
  std::size_t values_ = 0;
  std::size_t steps_ = 0;
  bool is_exhausted_ = false;
};

/// The steps that a look at an object's names, or at a value of a tree, costs.
inline constexpr std::size_t kCostOfObject = 100;
inline constexpr std::size_t kCostOfValue = 4;

/// The value at a path of keys, or null.
Value* find_at(Value& root, std::span<const std::string_view> path);
/// The mapping at a path of keys, made if it is missing; null if something else is in the way.
Value* mapping_at(Maker& maker, Value& root, std::span<const std::string_view> path);
/// Sets a scalar of a mapping.
void set_member(Maker& maker, Value& mapping, std::string_view key, std::optional<Span> key_where,
                std::string_view text, std::optional<Span> where);

/// Makes every scalar below unknown whose text a transformer may have set.
template <typename MaySet>
void doubt_scalars(Maker& maker, Value& value, const MaySet& may_set) {
  maker.spend(kCostOfValue);
  if (maker.is_exhausted()) return;
  if (value.is_scalar() && may_set(value.text)) value.is_unknown = true;
  for (const auto& [key, member] : value.members) doubt_scalars(maker, *member.value, may_set);
  for (const auto& item : value.items) doubt_scalars(maker, *item, may_set);
}

}  // namespace cnsched::overlay

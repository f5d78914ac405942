#include "core/packages/overlay/value.h"

#include <algorithm>

#include "core/k8s/struct_merge.h"
#include "core/yaml/tree.h"

namespace cnsched::overlay {

Value* Value::find(std::string_view key) const {
  const auto found = members.find(key);
  return found == members.end() ? nullptr : found->second.value.get();
}

std::string_view Value::text_of(std::string_view key) const {
  const Value* value = find(key);
  return value != nullptr && value->is_scalar() ? value->text : std::string_view();
}

std::unique_ptr<Value> Maker::unknown() {
  auto result = std::make_unique<Value>();
  result->is_unknown = true;
  return result;
}

std::unique_ptr<Value> Maker::mapping() {
  if (++values_ > kMaxValues) is_exhausted_ = true;
  auto result = std::make_unique<Value>();
  result->kind = yaml::Node::Kind::mapping;
  return result;
}

std::unique_ptr<Value> Maker::value(const yaml::Node& node, bool is_shared) {
  return value(node, is_shared, false);
}

std::unique_ptr<Value> Maker::added(const yaml::Node& node, bool is_shared) {
  return value(node, is_shared, true);
}

std::unique_ptr<Value> Maker::value(const yaml::Node& node, bool is_shared, bool is_patch) {
  if (++values_ > kMaxValues) is_exhausted_ = true;
  if (is_exhausted_) return unknown();
  auto result = std::make_unique<Value>();
  result->kind = node.kind;
  result->text = node.text();
  result->where = node.span;
  result->is_shared = is_shared;
  const bool is_repeated = is_shared || node.anchored() != nullptr;
  if (node.anchored() != nullptr) repeated_.insert(node.anchored()->span);
  for (const yaml::Node* item : node.items()) {
    result->items.push_back(value(*item, is_repeated, is_patch));
  }
  for (const yaml::Entry& entry : yaml::entries_of(node)) {
    const std::string_view key = entry.key->text();
    if (entry.merged) repeated_.insert(entry.value->span);
    if (is_patch && (entry.value->is_null() || k8s::is_patch_directive(key))) continue;
    result->members[key] = {.key = entry.key->span,
                            .value = value(*entry.value, is_repeated || entry.merged, is_patch)};
  }
  return result;
}

std::vector<Span> Maker::repeated() const {
  std::vector<Span> spans(repeated_.begin(), repeated_.end());
  for (std::size_t i = 1; i < spans.size(); ++i) {
    if (spans[i].file == spans[i - 1].file) {
      spans[i].end = std::max(spans[i].end, spans[i - 1].end);
    }
  }
  return spans;
}

void Maker::set(Value& value, std::string_view text, std::optional<Span> where) {
  const std::optional<Span> before = value.where;
  value = Value{.kind = yaml::Node::Kind::scalar, .text = text, .where = where, .replaced = before};
}

std::string_view Maker::keep(std::string text) {
  spend(text.size());
  return texts_.emplace_back(std::move(text));
}

const Pattern* Maker::pattern(std::string_view text) {
  const auto known = patterns_.find(text);
  if (known != patterns_.end()) return known->second ? &*known->second : nullptr;
  constexpr std::size_t kCostOfInstruction = 200;
  constexpr std::size_t kCostOfFailure = 1'000'000;
  std::optional<Pattern>& pattern = patterns_[std::string(text)];
  auto compiled = Pattern::compile(text);
  spend(compiled ? kCostOfInstruction * compiled->size() : kCostOfFailure);
  if (!compiled) return nullptr;
  return &pattern.emplace(*std::move(compiled));
}

void Maker::spend(std::size_t steps) {
  steps_ += steps;
  if (steps_ > kMaxSteps) is_exhausted_ = true;
}

Value* find_at(Value& root, std::span<const std::string_view> path) {
  Value* at = &root;
  for (const std::string_view key : path) {
    at = at->find(key);
    if (at == nullptr) return nullptr;
  }
  return at;
}

Value* mapping_at(Maker& maker, Value& root, std::span<const std::string_view> path) {
  Value* at = &root;
  for (const std::string_view key : path) {
    if (!at->is_mapping()) return nullptr;
    Member& member = at->members[key];
    if (member.value == nullptr || member.value->kind == yaml::Node::Kind::null) {
      member.value = maker.mapping();
      at->is_merged = true;
    }
    at = member.value.get();
  }
  return at->is_mapping() ? at : nullptr;
}

void set_member(Maker& maker, Value& mapping, std::string_view key, std::optional<Span> key_where,
                std::string_view text, std::optional<Span> where) {
  maker.spend(kCostOfValue);
  Member& member = mapping.members[key];
  if (member.value == nullptr) member.value = maker.mapping();
  member.replaced_key = member.key;
  member.key = key_where;
  member.is_pointer_step = false;
  Maker::set(*member.value, text, where);
  mapping.is_merged = true;
}

}  // namespace cnsched::overlay

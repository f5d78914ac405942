#include "core/kserve/placeholders.h"

#include <optional>
#include <string>
#include <unordered_map>

#include "core/base/text.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

namespace {

using yaml::Entry;
using yaml::Node;

/// The value of an expression; nothing if it is not a path of the manifest.
std::optional<std::string_view> value_of(std::string_view expression, const k8s::Object& object) {
  constexpr std::string_view kLabels = ".Labels.";
  constexpr std::string_view kAnnotations = ".Annotations.";
  if (expression == ".Name") return object.name;
  if (expression == ".Namespace") return object.ns;
  if (expression.starts_with(kLabels)) {
    return object.labels()[expression.substr(kLabels.size())].text();
  }
  if (expression.starts_with(kAnnotations)) {
    return object.annotations()[expression.substr(kAnnotations.size())].text();
  }
  return std::nullopt;
}

std::string filled(std::string_view text, const k8s::Object& object) {
  std::string result;
  while (true) {
    const std::size_t open = text.find("{{");
    const std::size_t close = open == std::string_view::npos ? open : text.find("}}", open);
    if (close == std::string_view::npos) return result += text;
    const std::string_view whole = text.substr(open, close + 2 - open);
    const auto value = value_of(trim(whole.substr(2, whole.size() - 4)), object);
    result += text.substr(0, open);
    result += value.value_or(whole);
    text.remove_prefix(close + 2);
  }
}

/// Copies only what changes, and visits aliased nodes once.
class PlaceholderFiller {
 public:
  PlaceholderFiller(const k8s::Object& object, Arena& arena) : object_(object), arena_(arena) {}

  const Node& fill(const Node& node) {
    if (node.is_scalar()) return scalar(node);
    if (node.is_empty() || depth_ == kDeepest) return node;
    if (const auto known = done_.find(&node); known != done_.end()) return *known->second;
    ++depth_;
    const Node& result = node.is_mapping() ? mapping(node) : sequence(node);
    --depth_;
    done_[&node] = &result;
    return result;
  }

 private:
  const Node& scalar(const Node& node) {
    if (!node.is_string() || node.text().find("{{") == std::string_view::npos) return node;
    const std::string text = filled(node.text(), object_);
    return text == node.text() ? node : yaml::string_like(arena_, node, text);
  }

  const Node& mapping(const Node& node) {
    std::vector<Entry> entries = yaml::entries_of(node);
    bool changed = false;
    for (Entry& entry : entries) changed |= replace(entry.value);
    return changed ? yaml::mapping_like(arena_, node, entries) : node;
  }

  const Node& sequence(const Node& node) {
    std::vector<const Node*> items(node.items().begin(), node.items().end());
    bool changed = false;
    for (const Node*& item : items) changed |= replace(item);
    return changed ? yaml::sequence_like(arena_, node, items) : node;
  }

  bool replace(const Node*& value) {
    const Node* before = value;
    value = &fill(*before);
    return value != before;
  }

  static constexpr std::size_t kDeepest = 100;
  const k8s::Object& object_;
  Arena& arena_;
  std::size_t depth_ = 0;
  std::unordered_map<const Node*, const Node*> done_;
};

}  // namespace

const Node& with_placeholders_filled(const Node& container, const k8s::Object& object,
                                     Arena& arena) {
  return PlaceholderFiller(object, arena).fill(container);
}

bool has_placeholder(std::string_view text) {
  const std::size_t open = text.find("{{");
  const std::size_t close = open == std::string_view::npos ? open : text.find("}}", open);
  if (close == std::string_view::npos) return false;
  const std::string_view expression = trim(text.substr(open + 2, close - open - 2));
  return expression == ".Name" || expression == ".Namespace" ||
         expression.starts_with(".Labels.") || expression.starts_with(".Annotations.");
}

}  // namespace cnsched::kserve

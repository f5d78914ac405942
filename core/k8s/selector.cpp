#include "core/k8s/selector.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"

namespace cnsched::k8s {

std::vector<Label> labels_in(const yaml::Node& mapping) {
  std::vector<Label> labels;
  for (const yaml::Entry& entry : mapping.entries()) {
    if (entry.overridden) continue;
    labels.push_back({entry.key->text(), entry.value->text(), entry.value});
  }
  return labels;
}

bool Requirement::matches(const std::vector<Label>& labels) const {
  const auto label = std::ranges::find(labels, key, &Label::key);
  return matches_value(label == labels.end() ? std::nullopt : std::optional(label->value));
}

bool Requirement::matches_value(std::optional<std::string_view> value) const {
  const auto is_listed = [&] {
    return std::ranges::any_of(values, [&](const yaml::Node* v) { return v->text() == *value; });
  };
  if (op == "In") return value && is_listed();
  if (op == "NotIn") return !value || !is_listed();
  if (op == "Exists") return value.has_value();
  if (op == "DoesNotExist") return !value;
  if ((op != "Gt" && op != "Lt") || !value || values.size() != 1) return false;
  const auto limit = parse_int64(values.front()->text());
  const auto number = parse_int64(*value);
  if (!limit || !number) return false;
  return op == "Gt" ? *number > *limit : *number < *limit;
}

bool Requirement::requires_label() const {
  return op == "In" || op == "Exists" || op == "Gt" || op == "Lt";
}

std::string first_values(const Requirement& requirement, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < requirement.values.size(); ++i) {
    if (i > 0) text += ", ";
    if (i == most) return text + "…";
    text += printable(requirement.values[i]->text());
  }
  return text;
}

std::vector<Requirement> requirements_in(const yaml::Node& match_expressions) {
  std::vector<Requirement> requirements;
  for (const yaml::Node* item : match_expressions.items()) {
    if (!item->is_mapping()) continue;
    const auto values = (*item)["values"].items();
    requirements.push_back(
        {item, (*item)["key"].text(), (*item)["operator"].text(), {values.begin(), values.end()}});
  }
  return requirements;
}

Requirement requirement_of(const Label& label) {
  return {label.node, label.key, "In", {label.node}};
}

std::vector<Requirement> label_selector_in(const yaml::Node& label_selector) {
  std::vector<Requirement> requirements;
  for (const Label& label : labels_in(label_selector["matchLabels"])) {
    requirements.push_back(requirement_of(label));
  }
  const auto expressions = requirements_in(label_selector["matchExpressions"]);
  requirements.insert(requirements.end(), expressions.begin(), expressions.end());
  return requirements;
}

ValueMatcher::ValueMatcher(Requirement requirement) : requirement_(std::move(requirement)) {
  for (const yaml::Node* value : requirement_.values) listed_.insert(value->text());
}

bool ValueMatcher::operator()(std::optional<std::string_view> value) const {
  if (requirement_.op == "In") return value && listed_.contains(*value);
  if (requirement_.op == "NotIn") return !value || !listed_.contains(*value);
  return requirement_.matches_value(value);
}

std::optional<std::int64_t> parse_int64(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  return whole_number<std::int64_t>(text);
}

}  // namespace cnsched::k8s

#include "core/k8s/selector.h"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

#include "core/base/text.h"
#include "core/k8s/label.h"

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
  return matches(labels, true) == Truth::yes;
}

Truth Requirement::matches(const std::vector<Label>& labels, bool complete) const {
  const auto label = std::ranges::find(labels, key, &Label::key);
  if (label != labels.end()) return truth_of(matches_value(label->value));
  return !complete && requires_label() ? Truth::unknown : truth_of(matches_value(std::nullopt));
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

// A label of a node is absent, or has a value. Each requirement admits a set of these states; two
// exclude each other if the sets have nothing in common. Only In, Gt and Lt admit so few values
// that another requirement can exclude them all.

namespace {

/// The whole numbers that Gt and Lt admit, both ends included. No label value is negative, because
/// it cannot begin with '-'.
struct Interval {
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

std::optional<Interval> interval_of(const Requirement& r) {
  if ((r.op != "Gt" && r.op != "Lt") || r.values.size() != 1) return std::nullopt;
  const auto bound = parse_int64(r.values.front()->text());
  if (!bound) return std::nullopt;
  Interval interval;
  if (r.op == "Lt") {
    if (*bound <= 0) return std::nullopt;
    interval.most = *bound - 1;
  } else {
    if (*bound == interval.most) return std::nullopt;
    interval.least = std::max(interval.least, *bound + 1);
  }
  return interval;
}

/// Whether the requirement has no placeholder and some node satisfies it.
bool is_comparable(const Requirement& r) {
  const auto is_unknown = [](const yaml::Node* value) {
    return !value->is_scalar() || is_placeholder(value->text());
  };
  if (is_placeholder(r.key) || std::ranges::any_of(r.values, is_unknown)) return false;
  if (r.op == "Gt" || r.op == "Lt") return interval_of(r).has_value();
  if (r.op == "In" || r.op == "NotIn") return !r.values.empty();
  return r.op == "Exists" || r.op == "DoesNotExist";
}

/// Whether `r` excludes all values of `in`.
bool excludes_all(const Requirement& r, const Requirement& in) {
  if (r.op == "In" || r.op == "NotIn") {
    std::unordered_set<std::string_view> listed;
    for (const yaml::Node* value : r.values) listed.insert(value->text());
    const bool excluded_if_listed = r.op == "NotIn";
    return std::ranges::all_of(in.values, [&](const yaml::Node* value) {
      return listed.contains(value->text()) == excluded_if_listed;
    });
  }
  return std::ranges::none_of(in.values, [&](const yaml::Node* value) {
    return r.matches({{r.key, value->text(), value}});
  });
}

}  // namespace

bool exclude_each_other(const Requirement& a, const Requirement& b) {
  if (current_node_label(a.key) != current_node_label(b.key)) return false;
  if (!is_comparable(a) || !is_comparable(b)) return false;
  if (a.op == "DoesNotExist") return b.requires_label();
  if (b.op == "DoesNotExist") return a.requires_label();
  if (a.op == "In") return excludes_all(b, a);
  if (b.op == "In") return excludes_all(a, b);
  const auto first = interval_of(a);
  const auto second = interval_of(b);
  return first && second && (first->least > second->most || second->least > first->most);
}

void Conjunction::Admitted::add(const Requirement& r) {
  all.push_back(r);
  is_required = is_required || r.requires_label();
  is_forbidden = is_forbidden || r.op == "DoesNotExist";
  if (r.op == "NotIn") {
    for (const yaml::Node* value : r.values) excluded.insert(value->text());
  } else if (const auto interval = interval_of(r)) {
    least = std::max(least, interval->least);
    most = std::min(most, interval->most);
    is_number = true;
  } else if (r.op == "In") {
    std::unordered_set<std::string_view> listed;
    for (const yaml::Node* value : r.values) {
      if (!values || values->contains(value->text())) listed.insert(value->text());
    }
    values = std::move(listed);
  }
  drop_excluded_values();
}

bool Conjunction::Admitted::allows(std::string_view value) const {
  if (excluded.contains(value)) return false;
  if (!is_number) return true;
  const auto number = parse_int64(value);
  return number && least <= *number && *number <= most;
}

void Conjunction::Admitted::drop_excluded_values() {
  if (values) std::erase_if(*values, [&](std::string_view value) { return !allows(value); });
}

/// NotIn alone cannot exclude an interval: "4" can be written "04".
bool Conjunction::Admitted::is_empty() const {
  return (is_required && is_forbidden) || least > most || (values && values->empty());
}

bool Conjunction::is_contradictory(const std::vector<Requirement>& all) {
  Admitted admitted;
  for (const Requirement& r : all) admitted.add(r);
  return admitted.is_empty();
}

/// A small subset of requirements that admit no node together; it contains the last one.
std::vector<Requirement> Conjunction::conflicting(const std::vector<Requirement>& all) {
  for (const Requirement& r : all) {
    if (exclude_each_other(r, all.back())) return {r, all.back()};
  }
  constexpr std::size_t kFew = 10;
  std::vector<Requirement> needed = all;
  for (std::size_t i = 0; all.size() <= kFew && i + 1 < needed.size();) {
    std::vector<Requirement> fewer = needed;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (is_contradictory(fewer)) {
      needed = std::move(fewer);
    } else {
      ++i;
    }
  }
  return needed;
}

Conjunction::Admitted& Conjunction::admitted_for(std::string_view key) {
  const auto [entry, is_new] = admitted_.try_emplace(key);
  if (is_new && base_ != nullptr) {
    const auto found = base_->admitted_.find(key);
    if (found != base_->admitted_.end()) entry->second = found->second;
  }
  return entry->second;
}

std::vector<Requirement> Conjunction::add(const Requirement& r) {
  constexpr std::size_t kMaxPerLabel = 100;  // each addition may compare all values again
  if (!is_comparable(r)) return {};
  Admitted& admitted = admitted_for(current_node_label(r.key));
  if (admitted.all.size() >= kMaxPerLabel) return {};
  admitted.add(r);
  return admitted.is_empty() ? conflicting(admitted.all) : std::vector<Requirement>();
}

}  // namespace cnsched::k8s

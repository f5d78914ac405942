#include "core/sim/proposed_fix.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/accelerators/card.h"
#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/k8s/taint.h"
#include "core/workspace/toleration_change.h"
#include "core/workspace/written.h"
#include "core/yaml/tree.h"

namespace cnsched::sim {

namespace {

using yaml::Node;

// The cost of each kind of fix. Correcting a typo costs nothing.
constexpr int kTypo = 0;
constexpr int kAddToleration = 1;
constexpr int kChangeValue = 2;
constexpr int kRemoveRequirement = 3;
constexpr int kLowerRequest = 4;
constexpr int kChangeProfile = 5;

const Node& key_or_value(const Node& value) {
  return value.key() != nullptr ? *value.key() : value;
}

/// Collects the fixes whose changes are all in one linted document.
class ProposedFixes {
 public:
  ProposedFixes(const PlacementTarget& target, Arena& values) : target_(target), values_(values) {}

  void add(std::string title, Span where, std::vector<yaml::Change> changes, int cost) {
    const yaml::Document* document = document_of(changes, target_.workspace);
    if (document == nullptr) return;
    all_.push_back(
        {{.title = std::move(title), .changes = std::move(changes), .document = document},
         where,
         cost});
  }

  const Node& string(std::string_view text) {
    return yaml::string_like(values_, yaml::nowhere(), text);
  }
  /// An amount; a number if `before` is a number.
  const Node& amount(const std::string& text, const Node& before) {
    const auto number = k8s::parse_int64(text);
    const bool was_number = before.type == yaml::ScalarType::integer && !before.quoted;
    return number && was_number ? yaml::integer_like(values_, yaml::nowhere(), *number)
                                : string(text);
  }
  const PlacementTarget& target() const { return target_; }
  Arena& values() { return values_; }

  std::vector<ProposedFix> sorted() && {
    std::ranges::stable_sort(all_, {}, &ProposedFix::cost);
    return std::move(all_);
  }

 private:
  const PlacementTarget& target_;
  Arena& values_;
  std::vector<ProposedFix> all_;
};

/// Adds a toleration, except for taints that are temporary or reserve nodes.
void tolerate(const Cause& cause, ProposedFixes& fixes) {
  if (k8s::is_node_state_taint(cause.taint.key) || k8s::reserves_nodes(cause.taint.key)) {
    return;
  }
  const k8s::Toleration toleration = toleration_of(cause.taint);
  if (!can_be_written(toleration)) return;
  const Workload& workload = fixes.target().workload;
  auto changes = changes_to_tolerate(workload, {toleration}, fixes.values());
  if (changes.empty()) return;
  const Node& own = workload.own["tolerations"];
  const Span where = own ? key_or_value(own).span : key_or_value(*changes.front().node).span;
  fixes.add(fmt::format("tolerate the taint: {}", printable(toleration_text(toleration))), where,
            std::move(changes), kAddToleration);
}

/// The node's value for the key of a requirement.
std::optional<std::string_view> value_on(const PlacementTarget& target, const k8s::Requirement& r,
                                         bool is_field) {
  if (is_field) return target.cluster.node(target.node).name;
  const LabelColumn* column = target.cluster.label(r.key);
  return column == nullptr ? std::nullopt : column->value_of(target.node);
}

bool is_typo(std::string_view written, std::string_view intended) {
  return certain_correction(written, {intended}).has_value();
}

/// Edits an entry of nodeSelector.
void change_selector_entry(const k8s::Requirement& r, ProposedFixes& fixes) {
  const auto value = value_on(fixes.target(), r, false);
  const std::string key = printable(r.key);
  if (value) {
    fixes.add(fmt::format("set '{}' in nodeSelector to '{}'", key, printable(*value)), r.node->span,
              {yaml::to_set(*r.node, fixes.string(*value))},
              is_typo(r.node->text(), *value) ? kTypo : kChangeValue);
  }
  fixes.add(fmt::format("remove '{}' from nodeSelector", key), key_or_value(*r.node).span,
            {yaml::to_erase(*r.node)}, kRemoveRequirement);
}

/// The changes that remove an expression. An empty term would match no node, so a term is removed
/// with its last expression, and the list with its last term.
std::vector<yaml::Change> to_remove(const Node& expression) {
  const Node* last = &expression;
  while (last->parent() != nullptr) {
    const Node& parent = *last->parent();
    if (parent.items().size() + parent.entries().size() > 1) break;
    if (parent.key() != nullptr && parent.key()->text() == "nodeAffinity") break;
    last = &parent;
  }
  return {yaml::to_erase(*last)};
}

void change_values(const k8s::Requirement& r, std::string_view value, ProposedFixes& fixes) {
  const Node& list = (*r.node)["values"];
  const std::string key = printable(r.key);
  if (r.op == "In" && r.values.size() == 1) {
    fixes.add(fmt::format("set the value of '{}' to '{}'", key, printable(value)),
              r.values.front()->span, {yaml::to_set(*r.values.front(), fixes.string(value))},
              is_typo(r.values.front()->text(), value) ? kTypo : kChangeValue);
  } else if (r.op == "In") {
    fixes.add(fmt::format("add '{}' to the values of '{}'", printable(value), key), list.span,
              {yaml::to_add_item(list, fixes.string(value))}, kChangeValue);
  } else if (r.op == "NotIn" && r.values.size() > 1) {
    for (const Node* item : r.values) {
      if (item->text() != value) continue;
      fixes.add(fmt::format("remove '{}' from the values of '{}'", printable(value), key),
                item->span, {yaml::to_erase(*item)}, kChangeValue);
      return;
    }
  }
}

/// Edits an entry of matchExpressions or matchFields.
void change_expression(const k8s::Requirement& r, ProposedFixes& fixes) {
  const Node* list = r.node->parent();
  const bool is_field =
      list != nullptr && list->key() != nullptr && list->key()->text() == "matchFields";
  const auto value = value_on(fixes.target(), r, is_field);
  if (value) change_values(r, *value, fixes);
  fixes.add(fmt::format("remove the requirement on '{}'", printable(r.key)), r.node->span,
            to_remove(*r.node), kRemoveRequirement);
}

/// The request and the limit of a container for one resource; null if not set.
struct ContainerAmount {
  const Node* request = nullptr;
  const Node* limit = nullptr;
};

const Node* amount_called(const std::vector<k8s::ResourceAmount>& amounts, std::string_view name) {
  const auto found = std::ranges::find(amounts, name, &k8s::ResourceAmount::name);
  return found == amounts.end() ? nullptr : found->node;
}

std::vector<ContainerAmount> container_amounts(std::string_view resource,
                                               const k8s::PodSpec& spec) {
  std::vector<ContainerAmount> all;
  for (const k8s::Container& container : spec.all_containers()) {
    const ContainerAmount amount{amount_called(container.requests(), resource),
                                 amount_called(container.limits(), resource)};
    if (amount.request != nullptr || amount.limit != nullptr) all.push_back(amount);
  }
  return all;
}

std::int64_t amount_in(std::string_view resource, const Node& node) {
  const auto quantity = Quantity::parse(node.text());
  return quantity ? k8s::amount_of(resource, quantity->rounded_to_milli()) : 0;
}

/// At most `amount`, in a common unit.
std::string written_amount(std::string_view resource, std::int64_t amount) {
  constexpr std::int64_t kMebi = std::int64_t{1} << 20U;
  constexpr std::int64_t kGibi = std::int64_t{1} << 30U;
  if (resource == "cpu" || k8s::is_extended_resource(resource)) {
    return k8s::shown_amount(resource, amount);
  }
  if (amount % kGibi == 0) return fmt::format("{}Gi", amount / kGibi);
  return amount >= kMebi ? fmt::format("{}Mi", amount / kMebi) : fmt::format("{}", amount);
}

/// Lowers the request of the container with the largest one, if more than 0 remains.
void lower(const Cause& cause, ProposedFixes& fixes) {
  const k8s::Request* request = fixes.target().pod.request(cause.resource);
  if (request == nullptr || cause.free <= 0) return;
  const std::string_view name = cause.resource;
  const auto requested = [&](const ContainerAmount& a) {
    return amount_in(name, a.request != nullptr ? *a.request : *a.limit);
  };
  const std::vector<ContainerAmount> all = container_amounts(name, fixes.target().pod.spec);
  if (all.empty()) return;
  const ContainerAmount most = *std::ranges::max_element(all, {}, requested);
  const std::int64_t left = requested(most) - (request->amount - cause.free);
  if (left <= 0) return;
  const std::string text = written_amount(name, left);
  std::vector<yaml::Change> changes;
  // The API server requires equal requests and limits of extended resources.
  const bool both = k8s::is_extended_resource(name);
  for (const Node* node : {most.request, both || most.request == nullptr ? most.limit : nullptr}) {
    if (node != nullptr) changes.push_back(yaml::to_set(*node, fixes.amount(text, *node)));
  }
  const Node& where = most.request != nullptr ? *most.request : *most.limit;
  fixes.add(fmt::format("lower '{}' from {} to {}", printable(name), printable(where.text()), text),
            where.span, std::move(changes), kLowerRequest);
}

/// Requests another MIG profile that is free on the node.
void change_profile(const Cause& cause, ProposedFixes& fixes) {
  const PlacementTarget& target = fixes.target();
  const k8s::Request* request = target.pod.request(cause.resource);
  if (request == nullptr || !cause.resource.starts_with(accelerators::kMigResource)) return;
  for (const std::string_view other : target.cluster.resource_names()) {
    if (other == cause.resource || !other.starts_with(accelerators::kMigResource)) continue;
    if (target.cluster.resource(other)->on(target.node).free() < request->amount) continue;
    std::vector<yaml::Change> changes;
    const Node* where = nullptr;
    for (const ContainerAmount& amount : container_amounts(cause.resource, target.pod.spec)) {
      for (const Node* node : {amount.request, amount.limit}) {
        if (node == nullptr) continue;
        changes.push_back(yaml::to_rename(*node, other));
        if (where == nullptr) where = node;
      }
    }
    if (where == nullptr) return;
    fixes.add(
        fmt::format("request '{}' instead of '{}'", printable(other), printable(cause.resource)),
        key_or_value(*where).span, std::move(changes), kChangeProfile);
  }
}

}  // namespace

std::optional<int> least_cost(Cause::Kind kind) {
  switch (kind) {
    case Cause::Kind::taint:
      return kAddToleration;
    case Cause::Kind::label:
      return kTypo;
    case Cause::Kind::empty_term:
      return kRemoveRequirement;
    case Cause::Kind::resource:
      return kLowerRequest;
    case Cause::Kind::other:
      break;
  }
  return std::nullopt;
}

std::vector<ProposedFix> proposed_fixes(const Cause& cause, const PlacementTarget& target,
                                        Arena& values) {
  ProposedFixes fixes(target, values);
  switch (cause.kind) {
    case Cause::Kind::taint:
      tolerate(cause, fixes);
      break;
    case Cause::Kind::label:
      if (cause.requirement.node == nullptr) break;  // a level of Kueue's topology, in no manifest
      if (cause.requirement.node->is_mapping()) {
        change_expression(cause.requirement, fixes);
      } else {
        change_selector_entry(cause.requirement, fixes);
      }
      break;
    case Cause::Kind::empty_term:
      fixes.add("remove the empty term", cause.in_pod->span, to_remove(*cause.in_pod),
                kRemoveRequirement);
      break;
    case Cause::Kind::resource:
      lower(cause, fixes);
      change_profile(cause, fixes);
      break;
    case Cause::Kind::other:
      break;
  }
  return std::move(fixes).sorted();
}

}  // namespace cnsched::sim

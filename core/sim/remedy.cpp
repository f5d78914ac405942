#include "core/sim/remedy.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/accelerators/mig.h"
#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/k8s/managed_taint.h"
#include "core/workloads/toleration_change.h"
#include "core/workloads/written.h"
#include "core/yaml/tree.h"

namespace cnsched::sim {

namespace {

using yaml::Node;

// What a change costs its author. A slip of the pen costs nothing.
constexpr int kSlip = 0;
constexpr int kTolerate = 1;
constexpr int kOtherValue = 2;
constexpr int kDrop = 3;
constexpr int kLessOfIt = 4;
constexpr int kOtherProfile = 5;

const Node& place_of_key(const Node& value) {
  return value.key() != nullptr ? *value.key() : value;
}

/// Collects remedies whose changes one linted document holds; others nobody can make.
class Remedies {
 public:
  Remedies(const Fitting& fitting, Arena& values) : fitting_(fitting), values_(values) {}

  void add(std::string title, Span where, std::vector<yaml::Change> changes, int cost) {
    const yaml::Document* document = nullptr;
    for (yaml::Change& change : changes) {
      const yaml::Document* held_by = document_of(change, fitting_.run);
      if (held_by == nullptr || (document != nullptr && held_by != document)) return;
      document = held_by;
    }
    if (document == nullptr) return;
    all_.push_back({std::move(title), where, std::move(changes), document, cost});
  }

  const Node& string(std::string_view text) {
    return yaml::string_like(values_, yaml::nowhere(), text);
  }
  /// An amount as a number where one stood before.
  const Node& amount(const std::string& text, const Node& before) {
    const auto number = k8s::parse_int64(text);
    const bool was_number = before.type == yaml::ScalarType::integer && !before.quoted;
    return number && was_number ? yaml::integer_like(values_, yaml::nowhere(), *number)
                                : string(text);
  }
  const Fitting& fitting() const { return fitting_; }
  Arena& values() { return values_; }

  std::vector<Remedy> sorted() && {
    std::ranges::stable_sort(all_, {}, &Remedy::cost);
    return std::move(all_);
  }

 private:
  const Fitting& fitting_;
  Arena& values_;
  std::vector<Remedy> all_;
};

/// A taint that comes and goes, or keeps nodes for others, is not there to be tolerated.
void tolerate(const Obstacle& obstacle, Remedies& remedies) {
  if (k8s::is_passing_taint(obstacle.taint.key) || k8s::sets_nodes_aside(obstacle.taint.key)) {
    return;
  }
  const k8s::Toleration toleration = toleration_of(obstacle.taint);
  if (!can_be_written(toleration)) return;
  const Workload& workload = remedies.fitting().workload;
  auto changes = changes_to_tolerate(workload, {toleration}, remedies.values());
  if (changes.empty()) return;
  const Node& own = workload.own["tolerations"];
  const Span where = own ? place_of_key(own).span : place_of_key(*changes.front().node).span;
  remedies.add(fmt::format("tolerate the taint: {}", printable(toleration_text(toleration))), where,
               std::move(changes), kTolerate);
}

/// What the node has under the key of a requirement.
std::optional<std::string_view> value_on(const Fitting& fitting, const k8s::Requirement& r,
                                         bool is_field) {
  if (is_field) return fitting.cluster.node(fitting.node).name;
  const LabelColumn* column = fitting.cluster.label(r.key);
  return column == nullptr ? std::nullopt : column->value_of(fitting.node);
}

bool is_slip(std::string_view written, std::string_view meant) {
  return surely_meant(written, {meant}).has_value();
}

/// A pair of nodeSelector.
void change_pair(const k8s::Requirement& r, Remedies& remedies) {
  const auto value = value_on(remedies.fitting(), r, false);
  const std::string key = printable(r.key);
  if (value) {
    remedies.add(fmt::format("set '{}' in nodeSelector to '{}'", key, printable(*value)),
                 r.node->span, {yaml::to_set(*r.node, remedies.string(*value))},
                 is_slip(r.node->text(), *value) ? kSlip : kOtherValue);
  }
  remedies.add(fmt::format("remove '{}' from nodeSelector", key), place_of_key(*r.node).span,
               {yaml::to_erase(*r.node)}, kDrop);
}

/// The changes that drop an expression. A term that is left empty matches nothing, so it goes too,
/// and with the last one what holds it.
std::vector<yaml::Change> to_drop(const Node& expression) {
  const Node* last = &expression;
  while (last->parent() != nullptr) {
    const Node& parent = *last->parent();
    if (parent.items().size() + parent.entries().size() > 1) break;
    if (parent.key() != nullptr && parent.key()->text() == "nodeAffinity") break;
    last = &parent;
  }
  return {yaml::to_erase(*last)};
}

void change_values(const k8s::Requirement& r, std::string_view value, Remedies& remedies) {
  const Node& list = (*r.node)["values"];
  const std::string key = printable(r.key);
  if (r.op == "In" && r.values.size() == 1) {
    remedies.add(fmt::format("set the value of '{}' to '{}'", key, printable(value)),
                 r.values.front()->span, {yaml::to_set(*r.values.front(), remedies.string(value))},
                 is_slip(r.values.front()->text(), value) ? kSlip : kOtherValue);
  } else if (r.op == "In") {
    remedies.add(fmt::format("add '{}' to the values of '{}'", printable(value), key), list.span,
                 {yaml::to_add_item(list, remedies.string(value))}, kOtherValue);
  } else if (r.op == "NotIn" && r.values.size() > 1) {
    for (const Node* item : r.values) {
      if (item->text() != value) continue;
      remedies.add(fmt::format("remove '{}' from the values of '{}'", printable(value), key),
                   item->span, {yaml::to_erase(*item)}, kOtherValue);
      return;
    }
  }
}

/// An entry of matchExpressions or matchFields.
void change_expression(const k8s::Requirement& r, Remedies& remedies) {
  const Node* list = r.node->parent();
  const bool is_field =
      list != nullptr && list->key() != nullptr && list->key()->text() == "matchFields";
  const auto value = value_on(remedies.fitting(), r, is_field);
  if (value) change_values(r, *value, remedies);
  remedies.add(fmt::format("remove the requirement on '{}'", printable(r.key)), r.node->span,
               to_drop(*r.node), kDrop);
}

/// A container, and the lines of it that ask for a resource.
struct Asking {
  const Node* request = nullptr;
  const Node* limit = nullptr;
};

const Node* amount_called(const std::vector<k8s::ResourceAmount>& amounts, std::string_view name) {
  const auto found = std::ranges::find(amounts, name, &k8s::ResourceAmount::name);
  return found == amounts.end() ? nullptr : found->node;
}

std::vector<Asking> asking_for(std::string_view resource, const k8s::PodSpec& spec) {
  std::vector<Asking> all;
  for (const k8s::Container& container : spec.all_containers()) {
    const Asking asking{amount_called(container.requests(), resource),
                        amount_called(container.limits(), resource)};
    if (asking.request != nullptr || asking.limit != nullptr) all.push_back(asking);
  }
  return all;
}

std::int64_t amount_in(std::string_view resource, const Node& node) {
  const auto quantity = k8s::Quantity::parse(node.text());
  return quantity ? amount_of(resource, quantity->rounded_to_milli()) : 0;
}

/// At most `amount`, as people write it.
std::string written_amount(std::string_view resource, std::int64_t amount) {
  constexpr std::int64_t kMebi = std::int64_t{1} << 20U;
  constexpr std::int64_t kGibi = std::int64_t{1} << 30U;
  if (resource == "cpu" || k8s::is_extended_resource(resource)) {
    return shown_amount(resource, amount);
  }
  if (amount % kGibi == 0) return fmt::format("{}Gi", amount / kGibi);
  return amount >= kMebi ? fmt::format("{}Mi", amount / kMebi) : fmt::format("{}", amount);
}

/// Less of a resource in the container that asks for the most of it, if something is left.
void lower(const Obstacle& obstacle, Remedies& remedies) {
  const Request* request = remedies.fitting().pod.request(obstacle.resource);
  if (request == nullptr || obstacle.free <= 0) return;
  const std::string_view name = obstacle.resource;
  const auto asked = [&](const Asking& a) {
    return amount_in(name, a.request != nullptr ? *a.request : *a.limit);
  };
  const std::vector<Asking> all = asking_for(name, remedies.fitting().pod.spec);
  if (all.empty()) return;
  const Asking most = *std::ranges::max_element(all, {}, asked);
  const std::int64_t left = asked(most) - (request->amount - obstacle.free);
  if (left <= 0) return;
  const std::string text = written_amount(name, left);
  std::vector<yaml::Change> changes;
  // Of an extended resource request and limit have to be equal.
  const bool both = k8s::is_extended_resource(name);
  for (const Node* node : {most.request, both || most.request == nullptr ? most.limit : nullptr}) {
    if (node != nullptr) changes.push_back(yaml::to_set(*node, remedies.amount(text, *node)));
  }
  const Node& where = most.request != nullptr ? *most.request : *most.limit;
  remedies.add(
      fmt::format("lower '{}' from {} to {}", printable(name), printable(where.text()), text),
      where.span, std::move(changes), kLessOfIt);
}

/// Another way to cut the card that the node has room for.
void take_other_profile(const Obstacle& obstacle, Remedies& remedies) {
  const Fitting& fitting = remedies.fitting();
  const Request* request = fitting.pod.request(obstacle.resource);
  if (request == nullptr || !obstacle.resource.starts_with(accelerators::kMigResource)) return;
  for (const std::string_view other : fitting.cluster.resource_names()) {
    if (other == obstacle.resource || !other.starts_with(accelerators::kMigResource)) continue;
    if (fitting.cluster.resource(other)->on(fitting.node).free() < request->amount) continue;
    std::vector<yaml::Change> changes;
    const Node* where = nullptr;
    for (const Asking& asking : asking_for(obstacle.resource, fitting.pod.spec)) {
      for (const Node* node : {asking.request, asking.limit}) {
        if (node == nullptr) continue;
        changes.push_back(yaml::to_rename(*node, other));
        if (where == nullptr) where = node;
      }
    }
    if (where == nullptr) return;
    remedies.add(
        fmt::format("ask for '{}' instead of '{}'", printable(other), printable(obstacle.resource)),
        place_of_key(*where).span, std::move(changes), kOtherProfile);
  }
}

}  // namespace

std::vector<Remedy> remedies_for(const Obstacle& obstacle, const Fitting& fitting, Arena& values) {
  Remedies remedies(fitting, values);
  switch (obstacle.kind) {
    case Obstacle::Kind::taint:
      tolerate(obstacle, remedies);
      break;
    case Obstacle::Kind::label:
      if (obstacle.requirement.node->is_mapping()) {
        change_expression(obstacle.requirement, remedies);
      } else {
        change_pair(obstacle.requirement, remedies);
      }
      break;
    case Obstacle::Kind::empty_term:
      remedies.add("remove the empty term", obstacle.in_pod->span, to_drop(*obstacle.in_pod),
                   kDrop);
      break;
    case Obstacle::Kind::resource:
      lower(obstacle, remedies);
      take_other_profile(obstacle, remedies);
      break;
    case Obstacle::Kind::other:
      break;
  }
  return std::move(remedies).sorted();
}

}  // namespace cnsched::sim

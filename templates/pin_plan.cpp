// Fields that the effective pod has already, perhaps from its runtime, are not added again. A
// placement that no node of the pin has is a conflict; if it is to be replaced, fields of the
// manifest with other values are changed in place, and other labels are removed.
#include "templates/pin_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "core/accelerators/catalogue.h"
#include "core/accelerators/resource_name.h"
#include "core/base/quantity.h"
#include "core/base/text.h"
#include "core/kserve/fields.h"
#include "core/yaml/tree.h"
#include "templates/pin_target.h"

namespace cnsched::templates {

namespace {

using accelerators::is_accelerator;
using yaml::Node;

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";

/// The values of an expression, as texts.
std::vector<std::string_view> values_of(const Node& expression) {
  std::vector<std::string_view> values;
  for (const Node* item : expression["values"].items()) values.push_back(item->text());
  return values;
}

/// Whether every node that matches `own` matches `demand`; both have the same key.
bool implies(const Node& own, const Node& demand) {
  if (own["operator"].text() != demand["operator"].text()) return false;
  const auto allowed = values_of(demand);
  const auto given = values_of(own);
  if (demand["operator"].text() == "In") {
    return !given.empty() &&
           std::ranges::all_of(given, [&](std::string_view v) { return is_one_of(v, allowed); });
  }
  return given == allowed;
}

/// Whether the name is another accelerator than `resource`: nvidia.com/gpu.shared is a share of the
/// same one, and HAMi's memory is not a device.
bool is_other_device(std::string_view name, std::string_view resource) {
  return is_accelerator(name) && !accelerators::is_auxiliary_resource(name) && name != resource &&
         !name.starts_with(fmt::format("{}.", resource));
}

/// Whether the amounts are equal.
bool is_amount(const Node& node, const Node& wanted) {
  const auto amount = Quantity::parse(node.text());
  const auto other = Quantity::parse(wanted.text());
  return amount && other && *amount == *other;
}

bool requests_accelerator(const Node& container) {
  return k8s::Container{&container}.requests_resource(is_accelerator);
}

class Planner {
 public:
  Planner(const Workload& pod, const Pin& pin, PodPlace place, const Put& put)
      : pod_(pod),
        pin_(pin),
        place_(std::move(place)),
        own_(*place_.node),
        put_(put),
        demands_(pin.values) {}

  Result<std::string> plan() {
    if (std::string conflict = conflict_with_pin(); !conflict.empty()) return conflict;
    if (const Node& selector = value("accelerator.nodeSelector")) {
      plan_selector(selector);
    } else {
      plan_affinity(value("accelerator.matchExpressions"));
    }
    plan_toleration();
    plan_amounts();
    if (!error_.empty()) return Error{error_};
    // From the last to the first, so that the places of the others stay.
    for (const Node* node : std::views::reverse(excluded_)) erase(*node);
    return std::string();
  }

 private:
  const Node& value(std::string_view name) const { return value_of(pin_.values, name); }

  void put(const Path& path, const Node& node) {
    gets_label_ = gets_label_ || (path.size() > 1 && path[path.size() - 2].key == "nodeSelector");
    put_(path, &node, pod_.written->span);
  }
  void erase(const Node& node) { put_(path_to(node), nullptr, node.span); }
  void fail(std::string why) {
    if (error_.empty()) error_ = std::move(why);
  }

  Path at(const std::vector<std::string>& keys) const { return below(place_.path, keys); }

  // Conflicts.

  /// The parts of the placement that no node of the pin has, as a clause; empty if there are none.
  std::string conflict_with_pin() const {
    if (const std::string inherited = inherited_conflict(); !inherited.empty()) {
      return fmt::format("inherits '{}' from the object that it is based on, {}: pin that object",
                         printable(inherited), why_excluded());
    }
    const std::vector<std::string> own = own_conflicts();
    if (pin_.replaces || own.empty()) return {};
    return fmt::format("has {}, {}: replace it with --replace", join_words(own), why_excluded());
  }

  std::string why_excluded() const {
    return fmt::format("which no node with '{}' of platform '{}' has",
                       printable(value("accelerator.name").text()),
                       printable(value("platform").text()));
  }

  static std::string text_of(const k8s::Requirement& own) {
    if (own.node->is_scalar()) return fmt::format("{}: {}", own.key, own.node->text());
    std::vector<std::string_view> values;
    for (const Node* node : own.values) values.push_back(node->text());
    return values.empty() ? fmt::format("{} {}", own.key, own.op)
                          : fmt::format("{} {} [{}]", own.key, own.op, fmt::join(values, ", "));
  }

  /// Each in quotes, at most a few.
  std::vector<std::string> own_conflicts() const {
    constexpr std::size_t kMaxNamed = 5;
    std::vector<std::string> found;
    const auto add = [&](const std::string& text) {
      if (found.size() < kMaxNamed) found.push_back(fmt::format("'{}'", printable(text)));
    };
    for (const k8s::Label& label : k8s::labels_in(own_["nodeSelector"])) {
      if (demands_.exclude(k8s::requirement_of(label))) add(text_of(k8s::requirement_of(label)));
    }
    for (const Node* term : own_terms().items()) {
      for (const k8s::Requirement& own : k8s::requirements_in((*term)["matchExpressions"])) {
        if (demands_.exclude(own)) add(text_of(own));
      }
    }
    for (const ContainerPlace& container : containers_of(pod_, place_)) {
      for (const k8s::ResourceAmount& amount : k8s::Container{container.node}.amounts()) {
        const bool is_other = is_other_device(amount.name, resource()) && amount.is_requested();
        if (is_other) add(fmt::format("{}: {}", amount.name, amount.node->text()));
      }
    }
    return found;
  }

  /// A label of a base that neither the pod's own nor those of the pin replace.
  std::string inherited_conflict() const {
    const bool has_selector = bool(value("accelerator.nodeSelector"));
    for (const k8s::Label& label : pod_.pod.node_selector()) {
      const k8s::Requirement demand = k8s::requirement_of(label);
      const bool is_replaced = has_selector && is_set_in_place(demand);
      if (!own_["nodeSelector"].under(label.key) && !is_replaced && demands_.exclude(demand)) {
        return text_of(demand);
      }
    }
    if (!has_selector || !own_terms().items().empty()) return {};
    std::string first;
    for (const k8s::NodeSelectorTerm& term : pod_.pod.required_terms()) {
      const auto excluded = std::ranges::find_if(
          term.expressions, [&](const k8s::Requirement& r) { return demands_.exclude(r); });
      if (excluded == term.expressions.end()) return {};
      if (first.empty()) first = text_of(*excluded);
    }
    return first;
  }

  // Labels of the node.

  const Node& own_terms() const {
    return own_["affinity"]["nodeAffinity"].under(kRequired)["nodeSelectorTerms"];
  }

  void plan_selector(const Node& selector) {
    for (const yaml::Entry& entry : selector.entries()) {
      const std::string_view key = entry.key->text();
      const std::string_view label = entry.value->text();
      narrow_terms(key, label);
      const Node& own = own_["nodeSelector"].under(key);
      const Node& effective = pod_.pod["nodeSelector"].under(key);
      const bool is_set = own ? own.text() == label : effective.text() == label;
      if (!is_set && !(own.is_missing() && every_term_demands(key, label))) {
        put(at({"nodeSelector", std::string(key)}), *entry.value);
      }
    }
    remove_excluded(false);
  }

  /// Narrows expressions that exclude every node with the label to these nodes.
  void narrow_terms(std::string_view key, std::string_view label) {
    for (const Node* term : own_terms().items()) {
      for (const Node* expression : (*term)["matchExpressions"].items()) {
        const bool excludes = (*expression)["key"].text() == key &&
                              (*expression)["operator"].text() == "In" &&
                              !is_one_of(label, values_of(*expression));
        if (excludes) put(below(path_to(*expression), {"values"}), list_of(label));
      }
    }
  }

  /// Applies to the terms as narrowed by `narrow_terms`.
  bool every_term_demands(std::string_view key, std::string_view label) const {
    const auto demands = [&](const Node* term) {
      return std::ranges::any_of((*term)["matchExpressions"].items(), [&](const Node* expression) {
        const auto values = values_of(*expression);
        return (*expression)["key"].text() == key && (*expression)["operator"].text() == "In" &&
               (values.size() == 1 || !is_one_of(label, values));
      });
    };
    return !own_terms().items().empty() && std::ranges::all_of(own_terms().items(), demands);
  }

  const Node& list_of(std::string_view text) {
    return yaml::sequence_like(arena_, yaml::nowhere(),
                               {&yaml::string_like(arena_, yaml::nowhere(), text)});
  }

  void plan_affinity(const Node& expressions) {
    std::vector<const Node*> missing;
    for (const Node* expression : expressions.items()) {
      if (!selector_satisfies(*expression)) missing.push_back(expression);
    }
    remove_excluded(true);
    if (missing.empty()) return;
    if (own_terms().items().empty()) {
      if (!satisfied_by_effective(missing)) add_term(missing);
      return;
    }
    for (const Node* term : own_terms().items()) {
      for (const Node* expression : missing) add_to_term(*term, *expression);
    }
  }

  /// Whether the pod's own nodeSelector has the label; removes another value of it.
  bool selector_satisfies(const Node& expression) {
    const Node& own = own_["nodeSelector"].under(expression["key"].text());
    if (!own || expression["operator"].text() != "In") return false;
    if (is_one_of(own.text(), values_of(expression))) return true;
    erase_label(own);
    return false;
  }

  bool satisfied_by_effective(const std::vector<const Node*>& expressions) const {
    const auto terms = pod_.pod.required_terms();
    const auto satisfies = [&](const k8s::NodeSelectorTerm& term) {
      return std::ranges::all_of(expressions, [&](const Node* expression) {
        return find_in(*term.node, *expression, true) != nullptr;
      });
    };
    return !terms.empty() && std::ranges::all_of(terms, satisfies);
  }

  /// The expression of the term with the same key, or null; if `strict`, one that implies it.
  static const Node* find_in(const Node& term, const Node& demand, bool strict) {
    for (const Node* own : term["matchExpressions"].items()) {
      if ((*own)["key"].text() != demand["key"].text()) continue;
      if (strict ? implies(*own, demand) : (*own)["operator"].text() == demand["operator"].text()) {
        return own;
      }
    }
    return nullptr;
  }

  void add_term(const std::vector<const Node*>& expressions) {
    const Node& list = yaml::sequence_like(arena_, yaml::nowhere(), expressions);
    const Node& term = yaml::with(arena_, yaml::nowhere(), "matchExpressions"_key, list);
    put(at({"affinity", "nodeAffinity", std::string(kRequired), "nodeSelectorTerms"}),
        yaml::sequence_like(arena_, yaml::nowhere(), {&term}));
  }

  void add_to_term(const Node& term, const Node& expression) {
    if (find_in(term, expression, true) != nullptr) return;
    if (const Node* own = find_in(term, expression, false)) {
      put(below(path_to(*own), {"values"}), expression["values"]);
    } else {
      put(item_of(below(path_to(term), {"matchExpressions"}), kNewItem), expression);
    }
  }

  /// Whether the pin changes the expression, or the value of the label, in place.
  bool is_set_in_place(const k8s::Requirement& own) const {
    return own.op == "In" && demands_.set(own.key);
  }

  /// Whether `add_to_term` changes the expression.
  bool is_changed_in(const Node& term, const k8s::Requirement& own) const {
    const auto changes = [&](const Node* demand) {
      return (*demand)["key"].text() == own.key && find_in(term, *demand, true) == nullptr &&
             find_in(term, *demand, false) == own.node;
    };
    return std::ranges::any_of(value("accelerator.matchExpressions").items(), changes);
  }

  /// The expressions of the term that no node of the pin satisfies, without those that are set.
  std::vector<const Node*> excluded_in(const Node& term, bool adds) const {
    std::vector<const Node*> excluded;
    for (const k8s::Requirement& own : k8s::requirements_in(term["matchExpressions"])) {
      const bool is_set = is_set_in_place(own) && (!adds || is_changed_in(term, own));
      if (!is_set && demands_.exclude(own)) excluded.push_back(own.node);
    }
    return excluded;
  }

  /// Removes the labels and expressions that no node of the pin satisfies. Terms are ORed: one that
  /// never matches is removed if another is left. `adds`: whether terms get expressions.
  void remove_excluded(bool adds) {
    for (const k8s::Label& label : k8s::labels_in(own_["nodeSelector"])) {
      const k8s::Requirement own = k8s::requirement_of(label);
      if (!is_set_in_place(own) && demands_.exclude(own)) erase_label(*label.node);
    }
    const auto terms = own_terms().items();
    const bool some_match = std::ranges::any_of(
        terms, [&](const Node* term) { return excluded_in(*term, adds).empty(); });
    std::size_t erased = 0;
    for (const Node* term : terms) {
      const std::vector<const Node*> excluded = excluded_in(*term, adds);
      if (excluded.empty()) continue;
      const bool is_left_empty = !adds && (*term)["matchFields"].is_empty() &&
                                 excluded.size() == (*term)["matchExpressions"].items().size();
      if (some_match || is_left_empty) {
        ++erased;
        excluded_.push_back(term);
      } else {
        excluded_.insert(excluded_.end(), excluded.begin(), excluded.end());
      }
    }
    if (erased == terms.size() && erased > 0) excluded_ = {&emptied_affinity()};
  }

  /// The largest part of the affinity that has nothing but the required terms.
  const Node& emptied_affinity() const {
    const Node& affinity = own_["affinity"];
    const Node& of_nodes = affinity["nodeAffinity"];
    if (of_nodes.entries().size() > 1) return of_nodes.under(kRequired);
    return affinity.entries().size() > 1 ? of_nodes : affinity;
  }

  /// Removes a selector that has no label left.
  void erase_label(const Node& label) {
    const Node& selector = own_["nodeSelector"];
    ++labels_erased_;
    erase(labels_erased_ == yaml::entries_of(selector).size() && !gets_label_ ? selector : label);
  }

  // The taint.

  void plan_toleration() {
    const Node& tolerations = value("accelerator.tolerations");
    if (tolerations.is_empty()) return;
    const Node& toleration = tolerations.at(0);
    const k8s::Taint taint = taint_for(toleration);
    if (k8s::tolerated(taint, k8s::tolerations_in(own_["tolerations"])) ||
        k8s::tolerated(taint, pod_.pod.tolerations())) {
      return;
    }
    const Path list = at({"tolerations"});
    if (!own_["tolerations"].items().empty()) return put(item_of(list, kNewItem), toleration);
    std::vector<const Node*> all = dropped_tolerations();
    all.push_back(&toleration);
    put(list, yaml::sequence_like(arena_, yaml::nowhere(), all));
  }

  /// The taint to tolerate, with its value where the platform defines one.
  k8s::Taint taint_for(const Node& toleration) const {
    const Node& known = value("accelerator.taints").at(0);
    const std::string_view key = toleration["key"].text();
    const Node& own = toleration["value"];
    const std::string_view named =
        known["key"].text() == key ? known["value"].text() : std::string_view();
    return {&toleration, key, own ? own.text() : named, k8s::kNoSchedule};
  }

  /// KServe uses the tolerations of a runtime or preset only if the pod has none of its own.
  std::vector<const Node*> dropped_tolerations() const {
    std::vector<const Node*> dropped;
    if (!kserve::is_kserve_group(pod_.object->group()) || pod_.bases.empty()) return dropped;
    for (const Node* item : pod_.created["tolerations"].items()) {
      if (!item->made) dropped.push_back(item);
    }
    return dropped;
  }

  // The accelerators.

  std::string_view resource() const { return value("accelerator.resource").text(); }

  void plan_amounts() {
    const std::vector<ContainerPlace> own = containers_of(pod_, place_);
    std::vector<ContainerPlace> requesting;
    std::ranges::copy_if(own, std::back_inserter(requesting),
                         [](const ContainerPlace& c) { return requests_accelerator(*c.node); });
    if (!requesting.empty()) return change_amounts(requesting);
    if (!pod_.pod["resourceClaims"].is_empty()) return;  // claims allocate a device too
    if (!pod_.pod.requests_resource(is_accelerator)) return add_amount();
    change_inherited();
  }

  void add_amount() {
    const auto server = model_server_of(pod_, place_, pin_.container);
    if (!server) return fail(server.error().message);
    set_amount(*server, "limits");
    const bool is_zero = bool((*server->node)["resources"]["requests"].under(resource()));
    if (is_zero || is_counted_by_requests(*server)) set_amount(*server, "requests");
  }

  /// KServe counts the accelerators of several nodes by their requests.
  bool is_counted_by_requests(const ContainerPlace& server) const {
    const bool is_group = pod_.component == "worker" || own_["workerSpec"].is_mapping();
    return is_group && kserve::is_kserve_group(pod_.object->group()) && server.node->is_mapping();
  }

  void set_amount(const ContainerPlace& container, const std::string& list) {
    const Node& amount = value("gpus");
    if (!container.node->is_missing()) {
      return put(below(container.path, {"resources", list, std::string(resource())}), amount);
    }
    const Node& amounts = yaml::with(arena_, yaml::nowhere(), resource(), amount);
    const Node& resources = yaml::with(arena_, yaml::nowhere(), list, amounts);
    const Node& name = yaml::string_like(arena_, yaml::nowhere(), container.name);
    const Node& named = yaml::with(arena_, yaml::nowhere(), "name"_key, name);
    put(container.path, yaml::with(arena_, named, "resources"_key, resources));
  }

  void change_amounts(const std::vector<ContainerPlace>& requesting) {
    const ContainerPlace* counted = pin_.sets_gpus ? counted_of(requesting) : nullptr;
    for (const ContainerPlace& container : requesting) {
      for (const std::string list : {"limits", "requests"}) {
        change_list(container, list, &container == counted);
      }
    }
  }

  /// The container that the user's number applies to: the only one that requests accelerators, or
  /// the model server.
  const ContainerPlace* counted_of(const std::vector<ContainerPlace>& requesting) {
    if (requesting.size() == 1 && pin_.container.empty()) return &requesting.front();
    const auto server = model_server_of(pod_, place_, pin_.container);
    if (!server) {
      fail(server.error().message);
      return nullptr;
    }
    const auto found = std::ranges::find(requesting, server->node, &ContainerPlace::node);
    if (found != requesting.end()) return &*found;
    fail(
        fmt::format("requests accelerators in containers other than '{}': name one with "
                    "--container",
                    printable(server->name)));
    return nullptr;
  }

  void change_list(const ContainerPlace& container, const std::string& list, bool is_counted) {
    const Node& amounts = (*container.node)["resources"].under(list);
    const Path path = below(container.path, {"resources", list, std::string(resource())});
    const Node& own = amounts.under(resource());
    for (const yaml::Entry& entry : yaml::entries_of(amounts)) {
      if (!is_other_device(entry.key->text(), resource())) continue;
      if (!k8s::ResourceAmount{entry.key->text(), entry.value}.is_requested()) continue;
      if (!own) put(path, is_counted ? value("gpus") : *entry.value);
      erase(*entry.value);
    }
    if (!is_counted || !own || is_amount(own, value("gpus"))) return;
    put(path, own.is_string() ? yaml::string_like(arena_, yaml::nowhere(), value("gpus").text())
                              : value("gpus"));
  }

  /// A runtime, ServerConfig or preset requests the accelerators.
  void change_inherited() {
    const auto requests = accelerators::device_requests(pod_.pod);
    for (const accelerators::DeviceRequest& device : requests) {
      if (!is_other_device(device.name, resource())) continue;
      return fail(fmt::format(
          "inherits a request for '{}' from the object that it is based on, but '{}' has "
          "resource '{}': pin that object instead",
          printable(device.name), value("accelerator.name").text(), resource()));
    }
    if (!pin_.sets_gpus || requests.empty()) return;
    const auto server = model_server_of(pod_, place_, pin_.container);
    if (!server) return fail(server.error().message);
    for (const std::string list : {"limits", "requests"}) {
      if (const Node* amount = inherited_amount(list)) {
        if (!amount->made && !is_amount(*amount, value("gpus"))) set_amount(*server, list);
      }
    }
  }

  const Node* inherited_amount(std::string_view list) const {
    for (const k8s::Container& container : pod_.pod.containers()) {
      const Node& amount = (*container.node)["resources"].under(list).under(resource());
      if (amount) return &amount;
    }
    return nullptr;
  }

  const Workload& pod_;
  const Pin& pin_;
  PodPlace place_;
  const Node& own_;
  const Put& put_;
  Arena arena_{};
  PinDemands demands_;
  std::vector<const Node*> excluded_;  ///< to be erased, in the order of the manifest
  std::size_t labels_erased_ = 0;
  bool gets_label_ = false;
  std::string error_;
};

}  // namespace

std::int64_t accelerators_of(const Workload& pod) {
  for (const accelerators::DeviceRequest& device : accelerators::device_requests(pod.pod)) {
    if (!accelerators::is_auxiliary_resource(device.name) && device.amount > 0)
      return device.amount;
  }
  return 1;
}

Result<std::string> plan_for(const Workload& pod, const Pin& pin, const Put& put) {
  auto place = place_of(pod);
  if (!place) return place.error();
  return Planner(pod, pin, *std::move(place), put).plan();
}

}  // namespace cnsched::templates

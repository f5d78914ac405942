// Sources, of Kubernetes 1.36: plugin/pkg/admission/limitranger/admission.go
// (mergePodResourceRequirements, PodValidateLimitFunc); pkg/apis/core/v1/defaults.go
// (SetDefaults_Pod, defaultPodRequests, SetDefaults_LimitRangeItem);
// pkg/apis/core/validation/validation.go (validateContainerResourceRequirements), which runs
// between the defaults and the limits.

#include "core/k8s/limit_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/base/text.h"
#include "core/yaml/tree.h"

namespace cnsched::k8s {

namespace {

using k8s::Object;
using k8s::ResourceAmount;
using yaml::Node;

using AmountList = std::vector<ResourceAmount>;

bool has_amount(const AmountList& amounts, std::string_view name) {
  return std::ranges::find(amounts, name, &ResourceAmount::name) != amounts.end();
}

void add_missing(const AmountList& more, AmountList& amounts) {
  for (const ResourceAmount& amount : more) {
    if (!has_amount(amounts, amount.name)) amounts.push_back(amount);
  }
}

/// The default amounts of one LimitRange.
struct Defaults {
  AmountList requests;
  AmountList limits;
};

/// A later item overrides an earlier one.
Defaults defaults_of(const Object& limit_range) {
  std::map<std::string_view, ResourceAmount> requests;
  std::map<std::string_view, ResourceAmount> limits;
  for (const Node* item : limit_range.spec()["limits"].items()) {
    if ((*item)["type"].text() != "Container") continue;
    AmountList of_limits = k8s::amounts_in((*item)["default"]);
    add_missing(k8s::amounts_in((*item)["max"]), of_limits);
    AmountList of_requests = k8s::amounts_in((*item)["defaultRequest"]);
    add_missing(of_limits, of_requests);
    add_missing(k8s::amounts_in((*item)["min"]), of_requests);
    for (const ResourceAmount& amount : of_limits) limits[amount.name] = amount;
    for (const ResourceAmount& amount : of_requests) requests[amount.name] = amount;
  }
  Defaults defaults;
  for (const auto& [name, amount] : requests) defaults.requests.push_back(amount);
  for (const auto& [name, amount] : limits) defaults.limits.push_back(amount);
  return defaults;
}

class Defaulter {
 public:
  Defaulter(const k8s::PodSpec& pod, Arena& arena) : spec_(&pod.node()), arena_(arena) {}

  const Node& result(const std::optional<k8s::ShippedBase>& base,
                     const std::vector<const Object*>& limit_ranges) && {
    if (base) add_base(*base);
    change_containers([](AmountList& requests, const AmountList& limits) {
      requests = with_limits(std::move(requests), limits);
    });
    add_pod_requests();
    for (const Object* limit_range : limit_ranges) {
      const Defaults defaults = copied(defaults_of(*limit_range));
      change_containers([&](AmountList& requests, AmountList& limits) {
        add_missing(defaults.limits, limits);
        add_missing(defaults.requests, requests);
      });
    }
    return *spec_;
  }

 private:
  /// Built amounts, to distinguish them from those of the manifest.
  Defaults copied(Defaults defaults) const {
    for (AmountList* amounts : {&defaults.requests, &defaults.limits}) {
      for (ResourceAmount& amount : *amounts) {
        amount.node = &yaml::string_like(arena_, *amount.node, amount.node->text());
      }
    }
    return defaults;
  }

  const Node& list_of(const AmountList& amounts, const Node& like) const {
    std::vector<yaml::Entry> entries;
    for (const ResourceAmount& amount : amounts) {
      entries.push_back(yaml::entry_of(arena_, amount.name, *amount.node));
    }
    return yaml::mapping_like(arena_, like, entries);
  }

  const Node& with_resources(const Node& container, const AmountList& requests,
                             const AmountList& limits) const {
    const Node* resources = &container["resources"];
    if (!requests.empty()) {
      resources = &yaml::with(arena_, *resources, "requests"_key,
                              list_of(requests, (*resources)["requests"]));
    }
    if (!limits.empty()) {
      resources =
          &yaml::with(arena_, *resources, "limits"_key, list_of(limits, (*resources)["limits"]));
    }
    return yaml::with(arena_, container, "resources"_key, *resources);
  }

  /// Calls `change(requests, limits)` for each container.
  template <typename Change>
  void change_containers(Change change) {
    const std::array<std::pair<std::string_view, yaml::Key>, 2> lists{
        {{"containers", "containers"_key}, {"initContainers", "initContainers"_key}}};
    for (const auto& [field, key] : lists) {
      const Node& list = spec_->under(field);
      if (list.items().empty()) continue;
      std::vector<const Node*> changed;
      for (const Node* item : list.items()) {
        const k8s::Container container{item};
        AmountList requests = container.requests();
        AmountList limits = container.limits();
        change(requests, limits);
        changed.push_back(&with_resources(*item, requests, limits));
      }
      spec_ = &yaml::with(arena_, *spec_, key, yaml::sequence_like(arena_, list, changed));
    }
  }

  const Node& text(std::string_view value) const {
    return yaml::string_like(arena_, yaml::nowhere(), value);
  }

  void add_container(std::string_view name, const AmountList& requests) {
    const Node& container = yaml::mapping_like(arena_, yaml::nowhere(),
                                               {yaml::entry_of(arena_, "name"_key, text(name))});
    spec_ = &yaml::with(
        arena_, *spec_, "containers"_key,
        yaml::with_item(arena_, (*spec_)["containers"], with_resources(container, requests, {})));
  }

  void add_base(const k8s::ShippedBase& base) {
    AmountList base_requests;
    AmountList base_limits;
    for (const k8s::ShippedAmount& amount : base.amounts) {
      if (!amount.request.empty()) base_requests.push_back({amount.name, &text(amount.request)});
      if (!amount.limit.empty()) base_limits.push_back({amount.name, &text(amount.limit)});
    }
    const Node& list = (*spec_)["containers"];
    std::vector<const Node*> changed;
    bool is_found = false;
    for (const Node* item : list.items()) {
      const k8s::Container container{item};
      changed.push_back(item);
      if (container.name() != base.container) continue;
      is_found = true;
      AmountList requests = container.requests();
      AmountList limits = container.limits();
      add_missing(base_requests, requests);
      add_missing(base_limits, limits);
      changed.back() = &with_resources(*item, requests, limits);
    }
    if (!is_found) return add_container(base.container, base_requests);
    spec_ =
        &yaml::with(arena_, *spec_, "containers"_key, yaml::sequence_like(arena_, list, changed));
  }

  /// Where a pod has limits of its own, its requests are fixed before LimitRanges add to those of
  /// the containers.
  void add_pod_requests() {
    const Node& resources = (*spec_)["resources"];
    if (k8s::amounts_in(resources["limits"]).empty()) return;
    const k8s::PodSpec containers(yaml::without(arena_, *spec_, "resources"));
    AmountList requests = k8s::amounts_in(resources["requests"]);
    for (const k8s::ResourceTotal& total : total_requests(containers)) {
      const bool is_overcommitted = total.name == "cpu" || total.name == "memory";
      if (!is_overcommitted || has_amount(requests, total.name)) continue;
      requests.push_back({total.name, &text(total.quantity.canonical())});
    }
    add_missing(k8s::amounts_in(resources["limits"]), requests);
    spec_ = &yaml::with(
        arena_, *spec_, "resources"_key,
        yaml::with(arena_, resources, "requests"_key, list_of(requests, resources["requests"])));
  }

  const Node* spec_;
  Arena& arena_;
};

/// An amount and the place where it is written.
struct Observed {
  Quantity quantity;
  const Node* node = nullptr;
};
using ObservedAmounts = std::map<std::string_view, Observed>;

ObservedAmounts observed(const AmountList& amounts) {
  ObservedAmounts list;
  for (const ResourceAmount& amount : amounts) {
    const auto quantity = Quantity::parse(amount.node->text());
    if (quantity) list[amount.name] = {quantity->rounded_to_milli(), amount.node};
  }
  return list;
}

ObservedAmounts observed(const std::vector<k8s::ResourceTotal>& totals) {
  ObservedAmounts list;
  for (const k8s::ResourceTotal& total : totals) list[total.name] = {total.quantity, nullptr};
  return list;
}

const Observed* find_amount(const ObservedAmounts& list, std::string_view name) {
  const auto found = list.find(name);
  return found == list.end() ? nullptr : &found->second;
}

/// Collects the violations of one LimitRange.
class LimitCheck {
 public:
  void check(const Node& item, const ObservedAmounts& requests, const ObservedAmounts& limits) {
    type_ = item["type"].text();
    for (const auto& [name, enforced] : observed(k8s::amounts_in(item["min"]))) {
      check_min(name, enforced.quantity, find_amount(requests, name), find_amount(limits, name));
    }
    for (const auto& [name, enforced] : observed(k8s::amounts_in(item["max"]))) {
      check_max(name, enforced.quantity, find_amount(requests, name), find_amount(limits, name));
    }
    for (const auto& [name, enforced] : observed(k8s::amounts_in(item["maxLimitRequestRatio"]))) {
      check_ratio(name, enforced.quantity, find_amount(requests, name), find_amount(limits, name));
    }
  }

  /// The errors as Kubernetes prints several of them.
  std::string text() const {
    if (errors_.size() <= 1) return errors_.empty() ? "" : errors_.front();
    return fmt::format("[{}]", fmt::join(errors_, ", "));
  }
  const Node* place() const { return place_; }

 private:
  void add(std::string error, const Observed* where) {
    if (!is_one_of(error, errors_)) errors_.push_back(std::move(error));
    if (place_ == nullptr && where != nullptr) place_ = where->node;
  }

  void check_min(std::string_view name, const Quantity& enforced, const Observed* request,
                 const Observed* limit) {
    const std::string start =
        fmt::format("minimum {} usage per {} is {}", printable(name), type_, enforced.canonical());
    if (request == nullptr) return add(start + ".  No request is specified", nullptr);
    if (request->quantity < enforced) {
      return add(fmt::format("{}, but request is {}", start, request->quantity.canonical()),
                 request);
    }
    if (limit == nullptr || limit->quantity >= enforced) return;
    add(fmt::format("{}, but limit is {}", start, limit->quantity.canonical()), limit);
  }

  void check_max(std::string_view name, const Quantity& enforced, const Observed* request,
                 const Observed* limit) {
    const std::string start =
        fmt::format("maximum {} usage per {} is {}", printable(name), type_, enforced.canonical());
    if (limit == nullptr) return add(start + ".  No limit is specified", nullptr);
    if (limit->quantity > enforced) {
      return add(fmt::format("{}, but limit is {}", start, limit->quantity.canonical()), limit);
    }
    if (request == nullptr || request->quantity <= enforced) return;
    add(fmt::format("{}, but request is {}", start, request->quantity.canonical()), request);
  }

  void check_ratio(std::string_view name, const Quantity& enforced, const Observed* request,
                   const Observed* limit) {
    const std::string start = fmt::format("{} max limit to request ratio per {} is {}",
                                          printable(name), type_, enforced.canonical());
    if (request == nullptr || request->quantity.is_zero()) {
      return add(start + ", but no request is specified or request is 0", request);
    }
    if (limit == nullptr || limit->quantity.is_zero()) {
      return add(start + ", but no limit is specified or limit is 0", limit);
    }
    constexpr double kMilli = 1000;
    const double ratio = static_cast<double>(limit->quantity.milli_value()) /
                         static_cast<double>(request->quantity.milli_value());
    if (ratio * kMilli <= static_cast<double>(enforced.milli_value())) return;
    add(fmt::format("{}, but provided ratio is {:f}", start, ratio), limit);
  }

  std::string_view type_;
  std::vector<std::string> errors_;
  const Node* place_ = nullptr;
};

void check_limit_range(const k8s::PodSpec& pod, const Object& limit_range, LimitCheck& limits) {
  for (const Node* item : limit_range.spec()["limits"].items()) {
    const std::string_view type = (*item)["type"].text();
    if (type == "Pod") {
      limits.check(*item, observed(total_requests(pod)),
                   observed(total_limits(pod, yaml::missing_node())));
    }
    if (type != "Container") continue;
    for (const auto& list : {pod.containers(), pod.init_containers()}) {
      for (const k8s::Container& container : list) {
        limits.check(*item, observed(container.requests()), observed(container.limits()));
      }
    }
  }
}

/// That a default makes a request larger than the limit of its container, or a limit smaller than
/// the request.
Violation invalid_default(const k8s::PodSpec& pod) {
  Violation violation;
  std::vector<std::string> errors;
  const auto check = [&](std::string_view field, const std::vector<k8s::Container>& containers) {
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const ObservedAmounts limits = observed(containers[i].limits());
      for (const auto& [name, request] : observed(containers[i].requests())) {
        const Observed* limit = find_amount(limits, name);
        if (limit == nullptr || request.quantity <= limit->quantity) continue;
        if (!request.node->made && !limit->node->made) continue;
        if (violation.in_pod == nullptr) {
          violation.in_pod = request.node->made ? limit->node : request.node;
        }
        errors.push_back(fmt::format(
            "spec.{}[{}].resources.requests: Invalid value: \"{}\": must be less than or equal to "
            "{} limit of {}",
            field, i, request.quantity.canonical(), printable(name), limit->quantity.canonical()));
      }
    }
  };
  check("containers", pod.containers());
  check("initContainers", pod.init_containers());
  if (errors.empty()) return violation;
  violation.is_invalid = true;
  violation.reason =
      errors.size() == 1 ? errors.front() : fmt::format("[{}]", fmt::join(errors, ", "));
  return violation;
}

}  // namespace

const Node& with_default_resources(const k8s::PodSpec& pod,
                                   const std::optional<k8s::ShippedBase>& base,
                                   const std::vector<const Object*>& limit_ranges, Arena& arena) {
  return Defaulter(pod, arena).result(base, limit_ranges);
}

Violation violation_of(const k8s::PodSpec& pod, const std::vector<const Object*>& limit_ranges) {
  if (limit_ranges.empty()) return {};
  Violation invalid = invalid_default(pod);
  if (invalid.is_invalid) {
    invalid.by = limit_ranges.front();
    return invalid;
  }
  for (const Object* limit_range : limit_ranges) {
    LimitCheck limits;
    check_limit_range(pod, *limit_range, limits);
    if (std::string reason = limits.text(); !reason.empty()) {
      return {std::move(reason), limit_range, limits.place(), false};
    }
  }
  return {};
}

}  // namespace cnsched::k8s

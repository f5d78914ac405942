#include "core/k8s/pod_resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>

namespace cnsched::k8s {

namespace {

/// The resources that kube-scheduler reports first.
constexpr auto kFirst = std::to_array<std::string_view>({"cpu", "memory", "ephemeral-storage"});

std::size_t rank_of(std::string_view resource) {
  return static_cast<std::size_t>(std::ranges::find(kFirst, resource) - kFirst.begin());
}

struct ByRank {
  bool operator()(std::string_view a, std::string_view b) const {
    return std::pair(rank_of(a), a) < std::pair(rank_of(b), b);
  }
};

/// The parts of what a pod requests, or is limited to, of one resource.
struct Sum {
  Quantity containers;
  Quantity sidecars;   ///< sidecars that run while the next init container runs
  Quantity init_peak;  ///< the most that init containers request at one time
  Quantity overhead;
  std::optional<Quantity> of_pod;  ///< pod-level resources replace those of the containers
  bool is_known = true;
  std::vector<const yaml::Node*> written;

  Quantity total() const {
    Quantity all = containers;
    add_to(all, sidecars);
    all = std::max(all, init_peak);
    if (of_pod) all = *of_pod;
    add_to(all, overhead);
    return all;
  }
};

using Sums = std::map<std::string_view, Sum, ByRank>;

/// What the kubelet reports of a pod that is resized in place. Source: k8s.io/component-helpers
/// resource/helpers.go, determineEffectiveRequests [1.33; of pod-level resources 1.36].
class Resize {
 public:
  explicit Resize(const yaml::Node& status) : status_(status) {
    for (const yaml::Node* condition : status["conditions"].items()) {
      if ((*condition)["type"].text() != "PodResizePending") continue;
      is_infeasible_ = (*condition)["reason"].text() == "Infeasible";
      break;
    }
  }

  /// The largest of the requests in the spec (unless the resize is infeasible), those in effect and
  /// those allocated.
  std::vector<ResourceAmount> effective(std::vector<ResourceAmount> spec,
                                        const yaml::Node& in_effect,
                                        const yaml::Node& allocated) const {
    if (is_infeasible_) spec.clear();
    for (const yaml::Node* more : {&in_effect, &allocated}) {
      for (const ResourceAmount& amount : amounts_in(*more)) add_larger(amount, spec);
    }
    return spec;
  }

  /// The requests of a container that runs as long as the pod.
  std::vector<ResourceAmount> of(const Container& container) const {
    std::vector<ResourceAmount> spec = with_limits(container.requests(), container.limits());
    for (const std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
      const yaml::Node& status = item_named(status_.under(list), container.name());
      const yaml::Node& resources = status["resources"];
      if (!resources.is_mapping()) continue;
      return effective(std::move(spec), resources["requests"], status["allocatedResources"]);
    }
    return spec;
  }

  const yaml::Node& status() const { return status_; }

 private:
  static void add_larger(const ResourceAmount& amount, std::vector<ResourceAmount>& amounts) {
    const auto found = std::ranges::find(amounts, amount.name, &ResourceAmount::name);
    if (found == amounts.end()) {
      amounts.push_back(amount);
      return;
    }
    const auto more = Quantity::parse(amount.node->text());
    const auto has = Quantity::parse(found->node->text());
    if (more && has && *has < *more) *found = amount;
  }

  const yaml::Node& status_;
  bool is_infeasible_ = false;
};

/// Calls `add(sum, quantity)`; an amount that is not a quantity makes the sum unknown.
template <typename Add>
void count(const ResourceAmount& amount, Sums& sums, Add add) {
  Sum& sum = sums[amount.name];
  const auto quantity = Quantity::parse(amount.node->text());
  if (!quantity) {
    sum.is_known = false;
  } else {
    add(sum, quantity->rounded_to_milli());
  }
}

void count_amounts(const std::vector<ResourceAmount>& requests, Sums& sums) {
  for (const ResourceAmount& amount : requests) {
    sums[amount.name].written.push_back(amount.node);
    count(amount, sums, [](Sum& sum, const Quantity& q) { add_to(sum.containers, q); });
  }
}

/// Adds an amount that is not in a manifest.
void count_unwritten(std::string_view resource, std::string_view text, Sums& sums) {
  const auto quantity = Quantity::parse(text);
  if (quantity) add_to(sums[resource].containers, quantity->rounded_to_milli());
}

/// Counts a container whose requests override those of a base individually. Where only the base
/// requests a resource, the API server does not copy the container's limit.
void count_over_base(const Container& container, const ShippedBase& base, Sums& sums) {
  const std::vector<ResourceAmount> requests = container.requests();
  std::vector<ResourceAmount> limits = container.limits();
  for (const ShippedAmount& amount : base.amounts) {
    if (std::ranges::find(requests, amount.name, &ResourceAmount::name) != requests.end()) continue;
    count_unwritten(amount.name, amount.request, sums);
    std::erase_if(limits, [&](const ResourceAmount& limit) { return limit.name == amount.name; });
  }
  count_amounts(with_limits(requests, limits), sums);
}

void count_containers(const PodSpec& pod, const std::optional<ShippedBase>& base,
                      const Resize& resize, Sums& sums) {
  bool has_base = false;
  for (const Container& container : pod.containers()) {
    const bool is_based = base && container.name() == base->container;
    has_base = has_base || is_based;
    if (is_based) {
      count_over_base(container, *base, sums);
    } else {
      count_amounts(resize.of(container), sums);
    }
  }
  if (!base || has_base) return;
  for (const ShippedAmount& amount : base->amounts) {
    count_unwritten(amount.name, amount.request, sums);
  }
}

/// Counts the amounts of an init container.
void count_init_container(const std::vector<ResourceAmount>& amounts, bool stays, Sums& sums) {
  for (const ResourceAmount& amount : amounts) {
    sums[amount.name].written.push_back(amount.node);
    count(amount, sums, [&](Sum& sum, const Quantity& q) {
      Quantity together = sum.sidecars;
      add_to(together, q);
      if (stays) sum.sidecars = together;
      sum.init_peak = std::max(sum.init_peak, together);
    });
  }
}

bool is_pod_level(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource.starts_with("hugepages-");
}

/// A pod-level request replaces the containers' requests; a pod-level limit does so only where the
/// containers request nothing.
void count_pod_level(const yaml::Node& resources, const Resize& resize, Sums& sums) {
  std::set<std::string_view> requested;
  for (const auto& [name, sum] : sums) requested.insert(name);
  const auto replace = [&](const ResourceAmount& amount) {
    if (!is_pod_level(amount.name)) return;
    requested.insert(amount.name);
    sums[amount.name].written = {amount.node};
    count(amount, sums, [](Sum& sum, const Quantity& q) { sum.of_pod = q; });
  };
  const yaml::Node& in_effect = resize.status()["resources"];
  for (const ResourceAmount& request : amounts_in(resources["requests"])) {
    replace(request);
    if (!in_effect.is_mapping() || !is_pod_level(request.name)) continue;
    sums[request.name].of_pod = Quantity();
    for (const ResourceAmount& amount : resize.effective({request}, in_effect["requests"],
                                                         resize.status()["allocatedResources"])) {
      if (amount.name == request.name) replace(amount);
    }
  }
  for (const ResourceAmount& limit : amounts_in(resources["limits"])) {
    if (!requested.contains(limit.name)) replace(limit);
  }
}

Sums request_sums(const PodSpec& pod, const Unwritten& unwritten) {
  Sums sums;
  const Resize resize(*unwritten.status);
  for (const Container& container : pod.init_containers()) {
    const bool stays = container.is_sidecar();
    count_init_container(
        stays ? resize.of(container) : with_limits(container.requests(), container.limits()), stays,
        sums);
  }
  count_containers(pod, unwritten.base, resize, sums);
  count_pod_level(pod["resources"], resize, sums);
  for (const ResourceAmount& amount : amounts_in(*unwritten.overhead)) {
    count(amount, sums, [](Sum& sum, const Quantity& q) { add_to(sum.overhead, q); });
  }
  return sums;
}

constexpr std::int64_t kMebi = std::int64_t{1} << 20U;
constexpr std::int64_t kGibi = kMebi << 10U;

std::string in_tenths(std::int64_t bytes, std::int64_t unit, std::string_view name) {
  const std::int64_t tenths = bytes / unit * 10 + (bytes % unit * 10 + unit / 2) / unit;
  return fmt::format("{}.{}{}", tenths / 10, tenths % 10, name);
}

}  // namespace

std::vector<ResourceAmount> with_limits(std::vector<ResourceAmount> requests,
                                        const std::vector<ResourceAmount>& limits) {
  std::unordered_set<std::string_view> requested;
  for (const ResourceAmount& request : requests) requested.insert(request.name);
  std::ranges::copy_if(limits, std::back_inserter(requests), [&](const ResourceAmount& limit) {
    return !requested.contains(limit.name);
  });
  return requests;
}

std::int64_t amount_of(std::string_view resource, const Quantity& quantity) {
  return resource == "cpu" ? quantity.milli_value() : quantity.value();
}

std::string shown_memory(std::int64_t bytes) {
  if (bytes % kGibi == 0) return fmt::format("{}Gi", bytes / kGibi);
  if (bytes % kMebi == 0) return fmt::format("{}Mi", bytes / kMebi);
  if (bytes < kMebi) return fmt::format("{} bytes", bytes);
  return bytes >= 10 * kGibi ? in_tenths(bytes, kGibi, "Gi") : in_tenths(bytes, kMebi, "Mi");
}

std::string shown_memory_like(std::string_view other, std::int64_t bytes) {
  if (!other.ends_with("Gi") || bytes < kGibi || bytes % kGibi == 0) return shown_memory(bytes);
  const auto quantity = Quantity::parse(other);
  if (!quantity || quantity->is_negative()) return shown_memory(bytes);
  const std::int64_t compared = quantity->value();
  const bool differ = std::max(compared, bytes) - std::min(compared, bytes) > kGibi / 10;
  return differ ? in_tenths(bytes, kGibi, "Gi") : shown_memory(bytes);
}

std::string shown_amount(std::string_view resource, std::int64_t amount) {
  if (resource == "cpu") {
    return amount % 1000 == 0 ? fmt::format("{}", amount / 1000) : fmt::format("{}m", amount);
  }
  const bool is_bytes =
      resource == "memory" || resource == "ephemeral-storage" || resource.starts_with("hugepages-");
  return is_bytes ? shown_memory(amount) : fmt::format("{}", amount);
}

std::vector<ResourceTotal> total_requests(const PodSpec& pod, const Unwritten& unwritten) {
  std::vector<ResourceTotal> totals;
  const Sums sums = request_sums(pod, unwritten);
  for (const auto& [name, sum] : sums) {
    totals.push_back({name, sum.total()});
  }
  return totals;
}

std::vector<ResourceTotal> total_limits(const PodSpec& pod, const yaml::Node& overhead) {
  Sums sums;
  for (const Container& container : pod.init_containers())
    count_init_container(container.limits(), container.is_sidecar(), sums);
  for (const Container& container : pod.containers()) count_amounts(container.limits(), sums);
  for (const ResourceAmount& limit : amounts_in(pod["resources"]["limits"])) {
    if (!is_pod_level(limit.name)) continue;
    count(limit, sums, [](Sum& sum, const Quantity& q) { sum.of_pod = q; });
  }
  for (const ResourceAmount& amount : amounts_in(overhead)) {
    const auto found = sums.find(amount.name);
    if (found == sums.end() || found->second.total().is_zero()) continue;
    count(amount, sums, [](Sum& sum, const Quantity& q) { add_to(sum.overhead, q); });
  }
  std::vector<ResourceTotal> totals;
  for (const auto& [name, sum] : sums) totals.push_back({name, sum.total()});
  return totals;
}

std::vector<Request> requests_of(const PodSpec& pod, const Unwritten& unwritten) {
  std::vector<Request> requests;
  Sums sums = request_sums(pod, unwritten);
  for (auto& [name, sum] : sums) {
    requests.push_back({name, amount_of(name, sum.total()), sum.is_known, std::move(sum.written)});
  }
  return requests;
}

std::vector<ResourceAmount> rejected_at_pod_level(const PodSpec& pod) {
  std::vector<ResourceAmount> rejected;
  for (const std::string_view list : {"limits", "requests"}) {
    for (const ResourceAmount& amount : amounts_in(pod["resources"].under(list))) {
      if (!is_pod_level(amount.name)) rejected.push_back(amount);
    }
  }
  return rejected;
}

}  // namespace cnsched::k8s

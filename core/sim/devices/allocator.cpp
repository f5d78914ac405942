// Searches devices for claims: one device after the other, in the order of claims, requests, pools,
// slices and devices, with backtracking; the first solution counts. Source:
// k8s.io/dynamic-resource-allocation 0.36, structured/internal/incubating/allocator_incubating.go,
// which the feature gates of Kubernetes 1.36 select. kube-scheduler stops after 10 seconds; here
// the number of steps is limited, and the verdict is then unknown.

#include "core/sim/devices/allocator.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/text.h"
#include "core/sim/devices/claims.h"

namespace cnsched::sim::devices {

namespace {

/// Of resource.k8s.io/v1: AllocationResultsMaxSize, and the longest lists.
constexpr std::size_t kMaxDevicesOfClaim = 32;
constexpr std::size_t kMaxRequests = 32;
constexpr std::size_t kMaxAlternatives = 8;
/// No limit of Kubernetes.
constexpr std::size_t kMaxClaims = 32;
/// Steps on one node: some tenths of a second.
constexpr std::uint64_t kMaxStepsOnNode = 4'000'000;
constexpr std::uint64_t kStepsOfCandidate = 8;

enum class Outcome : std::uint8_t {
  done,
  failed,
  too_many,  ///< a claim would have too many devices
  stopped,   ///< an error, or unknown
};

/// Whether the devices so far meet a constraint of a claim.
class Constraint {
 public:
  explicit Constraint(const ClaimConstraint& constraint) : constraint_(&constraint) {}

  bool applies_to(const ClaimRequest& request, const DeviceRequest& alternative) const {
    if (constraint_->requests.empty()) return true;
    return std::ranges::any_of(constraint_->requests, [&](std::string_view name) {
      if (name == request.name) return true;
      const std::size_t size = request.name.size();
      return request.has_alternatives && name.starts_with(request.name) && name.size() > size &&
             name[size] == '/' && name.substr(size + 1) == alternative.name;
    });
  }

  /// Of a request to which it applies.
  bool add(const std::string& request, const Attribute* attribute) {
    if (attribute == nullptr) return false;
    if (devices_ > 0 && !admits(*attribute)) return false;
    const bool is_match = constraint_->kind == ClaimConstraint::Kind::match;
    if (!is_match) by_request_[request] = attribute;
    if (is_match && devices_ == 0) common_ = attribute;
    ++devices_;
    return true;
  }
  void remove(const std::string& request) {
    by_request_.erase(request);
    --devices_;
  }

  std::string_view attribute() const { return constraint_->attribute; }

 private:
  bool admits(const Attribute& attribute) const {
    if (attribute.type == Attribute::Type::unsupported) return false;
    if (constraint_->kind == ClaimConstraint::Kind::match) return attribute.same_value(*common_);
    // As in kube-scheduler, only the last device of each request counts.
    return std::ranges::none_of(
        by_request_, [&](const auto& other) { return attribute.same_value(*other.second); });
  }

  const ClaimConstraint* constraint_;
  std::size_t devices_ = 0;
  const Attribute* common_ = nullptr;
  std::map<std::string, const Attribute*> by_request_;
};

struct Candidate {
  const Pool* pool = nullptr;
  const Slice* slice = nullptr;
  const Device* device = nullptr;
};

struct Position {
  std::size_t claim = 0;
  std::size_t request = 0;
  std::size_t alternative = 0;
  std::size_t device = 0;
};

struct Location {
  std::size_t pool = 0;
  std::size_t slice = 0;
  std::size_t device = 0;
};

/// An alternative of a request, on this node.
struct Wanted {
  std::size_t devices = 0;
  std::vector<Candidate> all;  ///< of mode All
};

/// What a candidate has changed.
struct Changes {
  bool has_counters = false;
  std::size_t constraints = 0;
  bool is_marked = false;
  bool has_capacity = false;
  bool had_capacity_entry = false;
  NamedQuantities consumed{};
};

bool is_tolerated(const Device& device, const DeviceRequest& request) {
  return std::ranges::all_of(device.taints, [&](const DeviceTaint& taint) {
    return std::ranges::any_of(request.tolerations, [&](const DeviceToleration& toleration) {
      return toleration.tolerates(taint);
    });
  });
}

bool is_zero(const NamedQuantities& amounts) {
  return std::ranges::all_of(amounts, [](const auto& each) { return each.second.is_zero(); });
}

class Search {
 public:
  Search(const std::vector<PendingClaim>& claims, const std::vector<Pool>& pools, std::size_t node,
         AllocationContext& context)
      : claims_(claims), pools_(pools), node_(node), context_(context) {
    constraints_.resize(claims.size());
  }

  Allocation run() {
    result_.by_claim.resize(claims_.size());
    const Outcome outcome = prepare() ? allocate_one({}, false, {}) : Outcome::stopped;
    using enum Allocation::Kind;
    if (outcome == Outcome::done) {
      result_.kind = found;
    } else if (outcome != Outcome::stopped) {
      result_.kind = std::ranges::any_of(pools_, &Pool::is_invalid) ? invalid_pool : none;
    }
    return std::move(result_);
  }

  /// Why an alternative finds fewer devices than it needs; empty if it finds enough.
  std::string shortage(std::size_t claim, std::size_t request, std::size_t alternative);

 private:
  const ClaimRequest& request_at(const Position& at) const {
    return claims_[at.claim].requests[at.request];
  }
  const DeviceRequest& alternative_at(const Position& at) const {
    return request_at(at).alternatives[at.alternative];
  }
  Wanted& wanted_at(const Position& at) { return wanted_[at.claim][at.request][at.alternative]; }

  bool stop(Allocation::Kind kind, std::string message) {
    result_.kind = kind;
    result_.message = std::move(message);
    return false;
  }
  bool fail(std::string message) { return stop(Allocation::Kind::error, std::move(message)); }
  bool charge(std::uint64_t steps) {
    if (steps <= std::min(steps_, context_.steps)) {
      steps_ -= steps;
      context_.steps -= steps;
      return true;
    }
    if (steps > context_.steps) context_.steps = 0;
    steps_ = 0;
    return stop(Allocation::Kind::unknown,
                "whether devices can be allocated is not known: the search takes too many steps");
  }

  bool prepare();
  bool prepare_claim(std::size_t claim);
  bool prepare_alternative(const Position& at);
  bool collect_all(const Position& at);
  bool collect_from(const Pool& pool, const Position& at);

  Outcome allocate_one(Position at, bool in_alternative, Location start);
  Outcome allocate_alternatives(Position at);
  Outcome allocate_all_mode(const Position& at, bool in_alternative);
  Outcome allocate_from_pools(const Position& at, bool in_alternative, Location start);
  Outcome try_candidate(const Position& at, bool in_alternative, const Candidate& candidate,
                        Location next);

  /// Nothing: the search stops.
  std::optional<bool> is_selectable(const Position& at, const Candidate& candidate);
  std::optional<bool> matches(const std::vector<DeviceSelector>& selectors,
                              const std::string& owner, const Candidate& candidate);

  bool is_available(const DeviceRequest& request, const Candidate& candidate,
                    std::size_t claim) const;
  bool has_capacity(const DeviceRequest& request, const Device& device) const;
  bool allocate_device(const Position& at, const Candidate& candidate, Changes& changes,
                       bool* violates_constraint = nullptr);
  bool add_constraints(const Position& at, const Candidate& candidate, Changes& changes);
  void take(const Position& at, const Candidate& candidate, Changes& changes);
  void roll_back(const Position& at, const Candidate& candidate, const Changes& changes,
                 bool has_result);

  bool take_counters(const Candidate& candidate);
  void add_counters(const Candidate& candidate, bool subtract);
  const std::map<std::string_view, NamedQuantities>& free_counters(const Pool& pool);

  const std::vector<PendingClaim>& claims_;
  const std::vector<Pool>& pools_;
  std::size_t node_;
  AllocationContext& context_;
  std::uint64_t steps_ = kMaxStepsOnNode;
  Allocation result_;
  std::vector<std::vector<std::vector<Wanted>>> wanted_;  ///< by claim, request, alternative
  std::vector<std::vector<Constraint>> constraints_;      ///< by claim
  std::map<std::uint32_t, std::vector<std::size_t>> allocating_;  ///< claims by device
  std::map<std::uint32_t, NamedQuantities> allocating_capacity_;
  std::map<std::string_view, std::map<std::string_view, NamedQuantities>> consumed_counters_;
};

bool Search::prepare() {
  if (claims_.size() > kMaxClaims) {
    return stop(
        Allocation::Kind::unknown,
        fmt::format("the pod has more than {} claims: no devices are searched", kMaxClaims));
  }
  wanted_.resize(claims_.size());
  for (std::size_t i = 0; i < claims_.size(); ++i) {
    if (!prepare_claim(i)) return false;
  }
  return true;
}

bool Search::prepare_claim(std::size_t index) {
  const PendingClaim& claim = claims_[index];
  if (claim.requests.size() > kMaxRequests) {
    return stop(Allocation::Kind::unknown, fmt::format("{} has more than {} requests: the API "
                                                       "server rejects it",
                                                       claim.shown, kMaxRequests));
  }
  std::size_t devices = 0;
  wanted_[index].resize(claim.requests.size());
  for (std::size_t i = 0; i < claim.requests.size(); ++i) {
    const ClaimRequest& request = claim.requests[i];
    if (request.alternatives.size() > kMaxAlternatives) {
      return stop(Allocation::Kind::unknown,
                  fmt::format("request '{}' of {} has more than {} alternatives: the API server "
                              "rejects it",
                              printable(request.name), claim.shown, kMaxAlternatives));
    }
    wanted_[index][i].resize(request.alternatives.size());
    std::optional<std::size_t> least;
    for (std::size_t j = 0; j < request.alternatives.size(); ++j) {
      const Position at{index, i, j};
      if (!prepare_alternative(at)) return false;
      least = std::min(least.value_or(wanted_at(at).devices), wanted_at(at).devices);
    }
    devices += least.value_or(0);
  }
  if (devices > kMaxDevicesOfClaim) {
    return fail(
        fmt::format("claim {}: number of requested devices {} exceeds the claim limit of {}",
                    claim.name, devices, kMaxDevicesOfClaim));
  }
  for (std::size_t i = 0; i < claim.constraints.size(); ++i) {
    if (claim.constraints[i].kind == ClaimConstraint::Kind::unsupported) {
      return fail(
          fmt::format("claim {}, constraint #{}: empty constraint (unsupported constraint type?)",
                      claim.name, i));
    }
    constraints_[index].emplace_back(claim.constraints[i]);
  }
  return true;
}

bool Search::prepare_alternative(const Position& at) {
  const DeviceRequest& request = alternative_at(at);
  const std::string where =
      fmt::format("claim {}, request {}", claims_[at.claim].name, printable(request.name));
  for (std::size_t i = 0; i < request.selectors.size(); ++i) {
    if (!request.selectors[i].expression.empty()) continue;
    return fail(fmt::format("{}, selector #{}: CEL expression empty (unsupported selector type?)",
                            where, i));
  }
  if (request.mode == "All") return collect_all(at);
  if (request.mode != "ExactCount") {
    return fail(fmt::format("{}: unsupported count mode {}", where, printable(request.mode)));
  }
  // More than any claim may have is an error anyway.
  wanted_at(at).devices = static_cast<std::size_t>(request.count);
  return true;
}

bool Search::collect_all(const Position& at) {
  for (const Pool& pool : pools_) {
    if (pool.is_incomplete || pool.is_invalid) {
      return fail(fmt::format(
          "claim {}, request {}: asks for all devices, but resource pool {} is currently {}",
          claims_[at.claim].name, printable(alternative_at(at).name), printable(pool.id()),
          pool.is_incomplete ? "being updated" : "invalid"));
    }
    if (!collect_from(pool, at)) return false;
  }
  wanted_at(at).devices = wanted_at(at).all.size();
  return true;
}

bool Search::collect_from(const Pool& pool, const Position& at) {
  for (const Slice* slice : pool.slices) {
    for (const Device& device : slice->devices) {
      if (!charge(1)) return false;
      const Candidate candidate{&pool, slice, &device};
      const auto selectable = is_selectable(at, candidate);
      if (!selectable) return false;
      if (*selectable && has_capacity(alternative_at(at), device)) {
        wanted_at(at).all.push_back(candidate);
      }
    }
  }
  return true;
}

std::optional<bool> Search::matches(const std::vector<DeviceSelector>& selectors,
                                    const std::string& owner, const Candidate& candidate) {
  for (std::size_t i = 0; i < selectors.size(); ++i) {
    const Selection& selection = context_.expressions.selects(
        selectors[i].number, *candidate.device, candidate.slice->driver);
    switch (selection.kind) {
      case Selection::Kind::yes:
        continue;
      case Selection::Kind::no:
        return false;
      case Selection::Kind::error:
        fail(fmt::format("{}: selector #{}: {}", owner, i, selection.message));
        return std::nullopt;
      case Selection::Kind::unknown:
        stop(Allocation::Kind::unknown, selection.message);
        return std::nullopt;
    }
  }
  return true;
}

std::optional<bool> Search::is_selectable(const Position& at, const Candidate& candidate) {
  const DeviceRequest& request = alternative_at(at);
  if (request.device_class != nullptr) {
    const DeviceClass& device_class = *request.device_class;
    const auto match = matches(device_class.selectors,
                               fmt::format("class {}", printable(device_class.name)), candidate);
    if (!match || !*match) return match;
  }
  const auto match =
      matches(request.selectors, fmt::format("claim {}", claims_[at.claim].name), candidate);
  if (!match || !*match || !candidate.slice->selects_per_device) return match;
  return context_.inventory.includes(candidate.device->reach, node_);
}

Outcome Search::allocate_one(Position at, bool in_alternative, Location start) {
  if (!charge(1)) return Outcome::stopped;
  if (at.claim >= claims_.size()) return Outcome::done;
  const PendingClaim& claim = claims_[at.claim];
  if (at.request >= claim.requests.size()) {
    const Outcome outcome = allocate_one({.claim = at.claim + 1}, false, {});
    return outcome == Outcome::too_many ? Outcome::failed : outcome;
  }
  if (!in_alternative && request_at(at).has_alternatives) return allocate_alternatives(at);
  const DeviceRequest& request = alternative_at(at);
  const Wanted& wanted = wanted_at(at);
  const bool is_all = request.mode == "All";
  if (is_all && wanted.all.empty()) return Outcome::failed;
  if (at.device >= wanted.devices) {
    return allocate_one({.claim = at.claim, .request = at.request + 1}, false, {});
  }
  const std::size_t devices = result_.by_claim[at.claim].size() + wanted.devices - at.device;
  if (devices > kMaxDevicesOfClaim) return Outcome::too_many;
  return is_all ? allocate_all_mode(at, in_alternative)
                : allocate_from_pools(at, in_alternative, start);
}

Outcome Search::allocate_alternatives(Position at) {
  bool are_too_many = true;
  for (std::size_t i = 0; i < request_at(at).alternatives.size(); ++i) {
    at.alternative = i;
    const Outcome outcome = allocate_one(at, true, {});
    if (outcome == Outcome::too_many) continue;
    are_too_many = false;
    if (outcome != Outcome::failed) return outcome;
  }
  return are_too_many ? Outcome::too_many : Outcome::failed;
}

Outcome Search::allocate_all_mode(const Position& at, bool in_alternative) {
  const Candidate& candidate = wanted_at(at).all[at.device];
  if (!charge(kStepsOfCandidate)) return Outcome::stopped;
  Changes changes;
  bool violates_constraint = false;
  if (!allocate_device(at, candidate, changes, &violates_constraint)) {
    if (!violates_constraint) return Outcome::failed;
    fail(fmt::format(
        "claim {}, request {}: cannot add device {}/{} because a claim constraint would not be "
        "satisfied",
        claims_[at.claim].name, printable(alternative_at(at).name), printable(candidate.pool->id()),
        printable(candidate.device->name)));
    return Outcome::stopped;
  }
  Position next = at;
  ++next.device;
  const Outcome outcome = allocate_one(next, in_alternative, {});
  if (outcome != Outcome::done) roll_back(at, candidate, changes, true);
  return outcome;
}

Outcome Search::allocate_from_pools(const Position& at, bool in_alternative, Location start) {
  const DeviceRequest& request = alternative_at(at);
  for (std::size_t i = start.pool; i < pools_.size(); ++i) {
    const Pool& pool = pools_[i];
    if (pool.is_incomplete || pool.is_invalid) continue;
    for (std::size_t j = i == start.pool ? start.slice : 0; j < pool.slices.size(); ++j) {
      const Slice& slice = *pool.slices[j];
      const bool is_start = i == start.pool && j == start.slice;
      for (std::size_t k = is_start ? start.device : 0; k < slice.devices.size(); ++k) {
        if (!charge(1)) return Outcome::stopped;
        const Candidate candidate{&pool, &slice, &slice.devices[k]};
        if (!is_available(request, candidate, at.claim)) continue;
        const Outcome outcome = try_candidate(at, in_alternative, candidate, {i, j, k + 1});
        if (outcome != Outcome::failed) return outcome;
      }
    }
  }
  return Outcome::failed;
}

Outcome Search::try_candidate(const Position& at, bool in_alternative, const Candidate& candidate,
                              Location next_location) {
  const auto selectable = is_selectable(at, candidate);
  if (!selectable) return Outcome::stopped;
  if (!*selectable || !has_capacity(alternative_at(at), *candidate.device)) return Outcome::failed;
  if (!charge(kStepsOfCandidate)) return Outcome::stopped;
  Changes changes;
  if (!allocate_device(at, candidate, changes)) return Outcome::failed;
  Position next = at;
  ++next.device;
  const Outcome outcome = allocate_one(next, in_alternative, next_location);
  if (outcome != Outcome::done) roll_back(at, candidate, changes, true);
  return outcome;
}

bool Search::is_available(const DeviceRequest& request, const Candidate& candidate,
                          std::size_t claim) const {
  const auto allocating = allocating_.find(candidate.device->id);
  if (!request.admin_access) {
    return !context_.in_use.is_dedicated(candidate.device->id) &&
           (allocating == allocating_.end() || allocating->second.empty());
  }
  return allocating == allocating_.end() || !is_one_of(claim, allocating->second);
}

bool Search::has_capacity(const DeviceRequest& request, const Device& device) const {
  const auto used = context_.in_use.shared.find(device.id);
  const auto more = allocating_capacity_.find(device.id);
  const bool is_counted = used != context_.in_use.shared.end() && used->second.is_counted;
  return has_capacity_for(request.capacity, device, is_counted ? &used->second.consumed : nullptr,
                          more == allocating_capacity_.end() ? nullptr : &more->second);
}

bool Search::allocate_device(const Position& at, const Candidate& candidate, Changes& changes,
                             bool* violates_constraint) {
  const DeviceRequest& request = alternative_at(at);
  const Device& device = *candidate.device;
  if (!(request.admin_access && device.allows_multiple) &&
      !is_available(request, candidate, at.claim)) {
    return false;
  }
  const auto used = context_.in_use.shared.find(device.id);
  const bool is_counted = used != context_.in_use.shared.end() && used->second.is_counted;
  const bool is_shared =
      device.allows_multiple && (is_counted || allocating_capacity_.contains(device.id));
  if (!is_shared && !device.counter_uses.empty()) {
    if (!take_counters(candidate)) return false;
    changes.has_counters = true;
  }
  if (!is_tolerated(device, request)) {
    roll_back(at, candidate, changes, false);
    return false;
  }
  if (!add_constraints(at, candidate, changes)) {
    roll_back(at, candidate, changes, false);
    if (violates_constraint != nullptr) *violates_constraint = true;
    return false;
  }
  if (!has_capacity(request, device)) {
    roll_back(at, candidate, changes, false);
    return false;
  }
  take(at, candidate, changes);
  return true;
}

bool Search::add_constraints(const Position& at, const Candidate& candidate, Changes& changes) {
  for (Constraint& constraint : constraints_[at.claim]) {
    if (constraint.applies_to(request_at(at), alternative_at(at)) &&
        !constraint.add(
            request_at(at).name,
            candidate.device->attribute(constraint.attribute(), candidate.slice->driver))) {
      return false;
    }
    ++changes.constraints;
  }
  return true;
}

void Search::take(const Position& at, const Candidate& candidate, Changes& changes) {
  const DeviceRequest& request = alternative_at(at);
  const Device& device = *candidate.device;
  AllocatedDevice allocated{.device = &device, .slice = candidate.slice};
  allocated.is_admin = request.admin_access;
  allocated.is_shared = device.allows_multiple;
  if (device.allows_multiple) {
    changes.consumed = consumed_by(request.capacity, device);
    changes.had_capacity_entry = allocating_capacity_.contains(device.id);
    add_amounts(changes.consumed, allocating_capacity_[device.id]);
    changes.has_capacity = true;
    allocated.consumed = changes.consumed;
  } else {
    allocating_[device.id].push_back(at.claim);
    changes.is_marked = true;
  }
  result_.by_claim[at.claim].push_back(std::move(allocated));
}

void Search::roll_back(const Position& at, const Candidate& candidate, const Changes& changes,
                       bool has_result) {
  const std::uint32_t id = candidate.device->id;
  if (has_result) result_.by_claim[at.claim].pop_back();
  if (changes.has_capacity) {
    NamedQuantities& amounts = allocating_capacity_[id];
    subtract_amounts(changes.consumed, amounts);
    // An entry without amounts says that the device is shared.
    if (!changes.had_capacity_entry && is_zero(amounts)) allocating_capacity_.erase(id);
  }
  if (changes.is_marked) std::erase(allocating_[id], at.claim);
  for (std::size_t i = 0; i < changes.constraints; ++i) {
    Constraint& constraint = constraints_[at.claim][i];
    if (constraint.applies_to(request_at(at), alternative_at(at))) {
      constraint.remove(request_at(at).name);
    }
  }
  if (changes.has_counters) add_counters(candidate, true);
}

void Search::add_counters(const Candidate& candidate, bool subtract) {
  auto& of_pool = consumed_counters_[candidate.pool->name];
  for (const CounterUse& use : candidate.device->counter_uses) {
    NamedQuantities& consumed = of_pool[use.counter_set];
    subtract ? subtract_amounts(use.counters, consumed) : add_amounts(use.counters, consumed);
  }
}

/// Checks all counters of the pool: if one is overdrawn, no device that uses any is allocated.
bool Search::take_counters(const Candidate& candidate) {
  const auto& available = free_counters(*candidate.pool);
  add_counters(candidate, false);
  const auto& consumed = consumed_counters_[candidate.pool->name];
  const bool is_enough = std::ranges::all_of(available, [&](const auto& set) {
    const auto of_set = consumed.find(set.first);
    return std::ranges::all_of(set.second, [&](const auto& counter) {
      const Quantity* amount =
          of_set == consumed.end() ? nullptr : amount_in(of_set->second, counter.first);
      return (amount == nullptr ? Quantity() : *amount) <= counter.second;
    });
  });
  if (!is_enough) add_counters(candidate, true);
  return is_enough;
}

/// As in kube-scheduler, pools of one name share the counters, whatever their driver.
const std::map<std::string_view, NamedQuantities>& Search::free_counters(const Pool& pool) {
  const auto [found, is_new] = context_.free_counters.try_emplace(pool.name);
  auto& available = found->second;
  if (!is_new) return available;
  for (const CounterSet* set : pool.counter_sets) available[set->name] = set->counters;
  for (const auto* slices : {&pool.slices, &pool.other_slices}) {
    for (const Slice* slice : *slices) {
      for (const Device& device : slice->devices) {
        if (!context_.in_use.is_used(device.id)) continue;
        for (const CounterUse& use : device.counter_uses) {
          subtract_amounts(use.counters, available[use.counter_set]);
        }
      }
    }
  }
  return available;
}

/// How many devices of the class are excluded, and why.
struct Tally {
  std::size_t of_class = 0;
  std::size_t in_use = 0;
  std::size_t tainted = 0;
  std::size_t too_small = 0;
  std::size_t without_counters = 0;
  std::size_t usable = 0;
  std::string taint;
  std::map<std::string_view, std::size_t> by_selector;
};

/// "6 in use, 2 do not match '…'".
std::string exclusions(const Tally& tally) {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, std::string_view what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  add(tally.in_use, "in use");
  add(tally.tainted, fmt::format("with taint '{}', which is not tolerated", tally.taint));
  constexpr std::size_t kMaxShown = 80;
  for (const auto& [expression, count] : tally.by_selector) {
    parts.push_back(fmt::format("{} {} not match '{}'", count, count == 1 ? "does" : "do",
                                printable(shortened(expression, kMaxShown))));
  }
  add(tally.too_small, "without the requested capacity");
  add(tally.without_counters, "without free counters");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string Search::shortage(std::size_t claim, std::size_t request, std::size_t alternative) {
  const Position at{claim, request, alternative};
  const DeviceRequest& wanted = alternative_at(at);
  Tally tally;
  const auto count = [&](const Candidate& candidate) {
    const Device& device = *candidate.device;
    if (wanted.device_class != nullptr) {
      if (!matches(wanted.device_class->selectors, {}, candidate).value_or(false)) return;
    }
    ++tally.of_class;
    const bool is_in_use = context_.in_use.is_dedicated(device.id) && !wanted.admin_access;
    if (is_in_use) {
      ++tally.in_use;
      return;
    }
    for (const DeviceSelector& selector : wanted.selectors) {
      if (matches({selector}, {}, candidate).value_or(false)) continue;
      ++tally.by_selector[selector.expression];
      return;
    }
    if (!is_tolerated(device, wanted)) {
      ++tally.tainted;
      const DeviceTaint& taint = device.taints.front();
      tally.taint = printable(fmt::format("{}={}:{}", taint.key, taint.value, taint.effect));
    } else if (!has_capacity(wanted, device)) {
      ++tally.too_small;
    } else if (!device.counter_uses.empty() && !take_counters(candidate)) {
      ++tally.without_counters;
    } else {
      if (!device.counter_uses.empty()) add_counters(candidate, true);
      ++tally.usable;
    }
  };
  for (const Pool& pool : pools_) {
    for (const Slice* slice : pool.slices) {
      for (const Device& device : slice->devices) {
        if (!charge(1)) return {};
        count({&pool, slice, &device});
      }
    }
  }
  const std::size_t needed = wanted.mode == "All" ? std::max<std::size_t>(tally.of_class, 1)
                                                  : static_cast<std::size_t>(wanted.count);
  if (tally.usable >= needed) return {};
  const std::string number =
      wanted.mode == "All" ? std::string("all devices") : count_of(needed, "device");
  const std::string excluded = exclusions(tally);
  const std::string has = tally.of_class == 0 ? std::string("the node has none")
                          : excluded.empty()
                              ? fmt::format("the node has {}", tally.of_class)
                              : fmt::format("of {} on the node, {}", tally.of_class, excluded);
  return fmt::format("request '{}' of {} needs {} of DeviceClass '{}': {}",
                     printable(request_at(at).name), claims_[claim].shown, number,
                     printable(wanted.class_name), has);
}

}  // namespace

Allocation allocate(const std::vector<PendingClaim>& claims, const std::vector<Pool>& pools,
                    std::size_t node, AllocationContext& context) {
  return Search(claims, pools, node, context).run();
}

std::string shortage_on(const std::vector<PendingClaim>& claims, const std::vector<Pool>& pools,
                        std::size_t node, AllocationContext& context) {
  for (const Pool& pool : pools) {
    if (pool.is_incomplete || pool.is_invalid) {
      return fmt::format("resource pool '{}' is {}", printable(pool.id()),
                         pool.is_incomplete ? "incomplete: ResourceSlices are missing"
                                            : "invalid: names of devices or counters are wrong");
    }
  }
  std::vector<std::string> shown;
  bool has_constraints = false;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    shown.push_back(claims[i].shown);
    has_constraints = has_constraints || !claims[i].constraints.empty();
    for (std::size_t j = 0; j < claims[i].requests.size(); ++j) {
      std::string first;
      bool is_short = true;
      for (std::size_t k = 0; k < claims[i].requests[j].alternatives.size(); ++k) {
        std::string text = Search(claims, pools, node, context).shortage(i, j, k);
        is_short = is_short && !text.empty();
        if (k == 0) first = std::move(text);
      }
      if (is_short && !first.empty()) return first;
    }
  }
  return fmt::format("the devices of the node do not suffice for {} together{}", join_words(shown),
                     has_constraints ? " and its constraints" : "");
}

void use(const AllocatedDevice& allocated, DevicesInUse& in_use) {
  if (allocated.is_admin) return;
  const std::uint32_t id = allocated.device->id;
  if (!allocated.is_shared) {
    if (in_use.dedicated.size() <= id) in_use.dedicated.resize(id + 1);
    in_use.dedicated[id] = true;
    return;
  }
  SharedUse& shared = in_use.shared[id];
  if (allocated.consumed.empty()) return;
  shared.is_counted = true;
  add_amounts(allocated.consumed, shared.consumed);
}

}  // namespace cnsched::sim::devices

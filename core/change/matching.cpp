// A renamed pod is recognised by the values of its spec: each value is a hash, and the pods are
// compared as sets of hashes. The number of values and of compared pairs is limited, because a
// manifest may have any number.
#include "core/change/compare.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/workspace/cluster_scope.h"

namespace cnsched::change {

namespace {

using sim::Simulated;
using sim::Simulation;
using yaml::Node;

constexpr std::size_t kMaxValues = 512;
/// Of one side, after equal pods are matched.
constexpr std::size_t kMaxCandidates = 256;

/// What identifies a pod. The release of its API does not.
struct Identity {
  std::string_view scope;
  std::string_view variant;
  std::string_view kind;
  std::string_view ns;
  std::string_view name;
  std::string_view component;
  std::string_view group;

  friend auto operator<=>(const Identity&, const Identity&) = default;
};

Identity identity_of(const Simulated& pod, bool with_scopes) {
  const Workload& workload = *pod.workload;
  const k8s::Object& object = *workload.object;
  return {with_scopes ? workload.scope->name() : std::string_view(),
          workload.scope->variant(),
          object.kind,
          object.ns.name,
          object.name,
          workload.component,
          object.group()};
}

/// The hashes of the values of a pod's spec, sorted.
class Values {
 public:
  explicit Values(const Simulated& pod) {
    add(pod.workload->pod.node(), 0, 0);
    std::ranges::sort(hashes_);
  }

  const std::vector<std::uint64_t>& hashes() const { return hashes_; }
  std::size_t size() const { return hashes_.size(); }
  std::size_t in_common_with(const Values& other) const {
    std::size_t count = 0;
    auto a = hashes_.begin();
    auto b = other.hashes_.begin();
    while (a != hashes_.end() && b != other.hashes_.end()) {
      if (*a == *b) ++count;
      const bool step_a = *a <= *b;
      const bool step_b = *b <= *a;
      if (step_a) ++a;
      if (step_b) ++b;
    }
    return count;
  }

 private:
  static constexpr std::uint64_t kPrime = 0x100000001B3;

  /// `path`: a hash of the keys above, without the positions in lists.
  void add(const Node& node, std::uint64_t path, std::size_t depth) {
    constexpr std::size_t kMaxSpecDepth = 32;
    if (hashes_.size() == kMaxValues || depth == kMaxSpecDepth) return;
    const std::hash<std::string_view> hash;
    if (node.is_scalar()) hashes_.push_back((path ^ hash(node.text())) * kPrime);
    for (const Node* item : node.items()) add(*item, path * kPrime + 1, depth + 1);
    for (const yaml::Entry& entry : node.entries()) {
      if (entry.overridden) continue;
      add(*entry.value, (path ^ hash(entry.key->text())) * kPrime, depth + 1);
    }
  }

  std::vector<std::uint64_t> hashes_;
};

/// A pod that the other side does not have.
struct Lone {
  std::size_t index = 0;
  Identity identity;
  Values values;
};

class Renames {
 public:
  /// Both must outlive it.
  Renames(const std::vector<Lone>& before, const std::vector<Lone>& after)
      : before_(before), after_(after) {}

  /// Pairs of indices of the two lists.
  std::vector<std::pair<const Lone*, const Lone*>> find() {
    match_equal();
    match_similar();
    return std::move(pairs_);
  }

 private:
  /// The name is the most likely to stay, then the namespace.
  static std::size_t kinship(const Identity& a, const Identity& b) {
    return (a.name == b.name ? 2U : 0U) + (a.ns == b.ns ? 1U : 0U);
  }
  static bool may_be_one(const Identity& a, const Identity& b) {
    return a.scope == b.scope && a.variant == b.variant && a.kind == b.kind && a.group == b.group &&
           a.component == b.component;
  }

  void take(const Lone& a, const Lone& b) {
    pairs_.emplace_back(&a, &b);
    taken_.insert({&a, &b});
  }
  bool is_taken(const Lone& lone) const { return taken_.contains(&lone); }

  /// Pods without any difference, by the order of their names; those of one name first.
  void match_equal() {
    using Key = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view,
                           std::string_view, std::vector<std::uint64_t>>;
    std::map<Key, std::pair<std::vector<const Lone*>, std::vector<const Lone*>>> equal;
    const auto key_of = [](const Lone& lone) {
      const Identity& id = lone.identity;
      return Key{id.scope, id.variant, id.kind, id.group, id.component, lone.values.hashes()};
    };
    for (const Lone& lone : before_) equal[key_of(lone)].first.push_back(&lone);
    for (const Lone& lone : after_) equal[key_of(lone)].second.push_back(&lone);
    for (const auto& [key, lones] : equal) {
      // A pod with few values is like any other.
      if (std::get<5>(key).size() < kLeastValues) continue;
      match_by_name(lones.first, lones.second);
      match_in_order(lones.first, lones.second);
    }
  }

  using Lones = std::vector<const Lone*>;

  void match_by_name(const Lones& before, const Lones& after) {
    std::map<std::string_view, std::pair<Lones, Lones>> named;
    for (const Lone* lone : before) named[lone->identity.name].first.push_back(lone);
    for (const Lone* lone : after) named[lone->identity.name].second.push_back(lone);
    for (const auto& [name, lones] : named) match_in_order(lones.first, lones.second);
  }

  void match_in_order(const Lones& before, const Lones& after) {
    Lones a;
    Lones b;
    const auto is_free = [&](const Lone* lone) { return !is_taken(*lone); };
    std::ranges::copy_if(before, std::back_inserter(a), is_free);
    std::ranges::copy_if(after, std::back_inserter(b), is_free);
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) take(*a[i], *b[i]);
  }

  struct Candidate {
    const Lone* before;
    const Lone* after;
    std::size_t kinship;
    double likeness;

    /// The same order if the sides change places.
    auto rank() const {
      const auto& [least, most] = std::minmax(before->identity, after->identity);
      return std::tuple(-likeness, -static_cast<int>(kinship), least, most);
    }
  };

  std::vector<const Lone*> first_free(const std::vector<Lone>& lones) const {
    std::vector<const Lone*> free;
    for (const Lone& lone : lones) {
      if (!is_taken(lone) && lone.values.size() >= kLeastValues) free.push_back(&lone);
      if (free.size() == kMaxCandidates) break;
    }
    return free;
  }

  /// The most similar pods first.
  void match_similar() {
    constexpr double kLeastLikeness = 0.75;
    std::vector<Candidate> candidates;
    const std::vector<const Lone*> after = first_free(after_);
    for (const Lone* a : first_free(before_)) {
      for (const Lone* b : after) {
        if (!may_be_one(a->identity, b->identity)) continue;
        const auto common = static_cast<double>(a->values.in_common_with(b->values));
        const double likeness =
            2 * common / static_cast<double>(a->values.size() + b->values.size());
        if (likeness < kLeastLikeness) continue;
        candidates.push_back({a, b, kinship(a->identity, b->identity), likeness});
      }
    }
    std::ranges::stable_sort(candidates, {}, &Candidate::rank);
    for (const Candidate& candidate : candidates) {
      if (is_taken(*candidate.before) || is_taken(*candidate.after)) continue;
      take(*candidate.before, *candidate.after);
    }
  }

  static constexpr std::size_t kLeastValues = 3;
  const std::vector<Lone>& before_;
  const std::vector<Lone>& after_;
  std::vector<std::pair<const Lone*, const Lone*>> pairs_;
  std::set<const Lone*> taken_;
};

using Index = std::map<Identity, std::vector<std::size_t>>;

Index index_of(const Simulation& simulation, bool with_scopes) {
  Index index;
  for (std::size_t i = 0; i < simulation.workloads().size(); ++i) {
    index[identity_of(simulation.workloads()[i], with_scopes)].push_back(i);
  }
  return index;
}

std::size_t scopes_of(const Simulation& simulation) {
  std::set<std::string_view> names;
  for (const Simulated& pod : simulation.workloads()) names.insert(pod.workload->scope->name());
  return names.size();
}

/// Of pods with one identity, equal ones are matched first: a base and its overlay may both be
/// among the files.
void match_group(const std::vector<std::size_t>& before, const std::vector<std::size_t>& after,
                 const Simulation& old_pods, const Simulation& new_pods,
                 std::vector<PodPair>& matches) {
  if (before.size() == 1 && after.size() == 1) {
    matches.push_back({before.front(), after.front()});
    return;
  }
  using Hashed = std::pair<std::vector<std::uint64_t>, std::size_t>;
  const auto hashed = [](const std::vector<std::size_t>& indices, const Simulation& simulation) {
    std::vector<Hashed> all;
    for (const std::size_t i : indices) {
      all.emplace_back(Values(simulation.workloads()[i]).hashes(), i);
    }
    std::ranges::sort(all);
    return all;
  };
  const std::vector<Hashed> a = hashed(before, old_pods);
  const std::vector<Hashed> b = hashed(after, new_pods);
  std::vector<std::size_t> rest_a;
  std::vector<std::size_t> rest_b;
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->first < j->first)) {
      rest_a.push_back((i++)->second);
    } else if (i == a.end() || j->first < i->first) {
      rest_b.push_back((j++)->second);
    } else {
      matches.push_back({(i++)->second, (j++)->second});
    }
  }
  for (std::size_t k = 0; k < std::max(rest_a.size(), rest_b.size()); ++k) {
    PodPair& match = matches.emplace_back();
    if (k < rest_a.size()) match.before = rest_a[k];
    if (k < rest_b.size()) match.after = rest_b[k];
  }
}

}  // namespace

std::vector<PodPair> match_pods(const Simulation& before, const Simulation& after) {
  const bool with_scopes = scopes_of(before) > 1 && scopes_of(after) > 1;
  const Index old_index = index_of(before, with_scopes);
  const Index new_index = index_of(after, with_scopes);
  std::vector<PodPair> matches;
  std::vector<Lone> removed;
  std::vector<Lone> added;
  for (const auto& [identity, indices] : old_index) {
    const auto found = new_index.find(identity);
    if (found != new_index.end()) {
      match_group(indices, found->second, before, after, matches);
      continue;
    }
    for (const std::size_t i : indices) {
      removed.push_back({i, identity, Values(before.workloads()[i])});
    }
  }
  for (const auto& [identity, indices] : new_index) {
    if (old_index.contains(identity)) continue;
    for (const std::size_t i : indices) {
      added.push_back({i, identity, Values(after.workloads()[i])});
    }
  }
  std::set<const Lone*> renamed;
  for (const auto& [a, b] : Renames(removed, added).find()) {
    matches.push_back({a->index, b->index, true});
    renamed.insert({a, b});
  }
  for (const Lone& lone : removed) {
    if (!renamed.contains(&lone)) matches.push_back({lone.index, std::nullopt});
  }
  for (const Lone& lone : added) {
    if (!renamed.contains(&lone)) matches.push_back({std::nullopt, lone.index});
  }
  const auto identity = [&](const PodPair& match) {
    const auto of = [&](const Simulation& simulation, std::size_t i) {
      return identity_of(simulation.workloads()[i], with_scopes);
    };
    if (!match.after) return of(before, *match.before);
    if (!match.before) return of(after, *match.after);
    return std::min(of(before, *match.before), of(after, *match.after));
  };
  std::vector<std::pair<Identity, PodPair>> named;
  for (const PodPair& match : matches) named.emplace_back(identity(match), match);
  std::ranges::stable_sort(named, {}, &std::pair<Identity, PodPair>::first);
  std::ranges::transform(named, matches.begin(), &std::pair<Identity, PodPair>::second);
  return matches;
}

}  // namespace cnsched::change

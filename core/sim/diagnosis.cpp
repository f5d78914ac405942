// Each filter runs once for all nodes and reports sets of rejected nodes. Source of the order, the
// first reasons and the event: pkg/scheduler/framework/runtime/framework.go, RunFilterPlugins [P2];
// pkg/scheduler/framework/types.go, FitError [P3, P7].

#include "core/sim/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/text.h"

namespace cnsched::sim {

namespace {

/// The error for a preferred term that is invalid. kube-scheduler parses the terms only if more
/// than one node is feasible [P14]. Source: k8s.io/component-helpers nodeaffinity.go,
/// NewPreferredSchedulingTerms.
std::string invalid_preference(const Pod& pod) {
  for (std::size_t i = 0; i < pod.preferred_terms.size(); ++i) {
    const auto& expressions = pod.preferred_terms[i].term.expressions;
    for (std::size_t j = 0; j < expressions.size(); ++j) {
      const k8s::Requirement& r = expressions[j];
      if ((r.op != "Gt" && r.op != "Lt") || r.values.size() != 1) continue;
      const std::string_view value = r.values.front()->text();
      if (k8s::parse_int64(value)) continue;
      return fmt::format(
          "running PreScore plugin \"NodeAffinity\": [{}].matchExpressions[{}].values[0]: Invalid "
          "value: \"{}\": for 'Gt', 'Lt' operators, the value must be an integer",
          i, j, printable(value));
    }
  }
  return {};
}

/// The error of a filter for a node that no earlier plugin rejects; empty if there is none. No
/// filter runs if PreFilter rejects the pod.
std::string filter_error(const std::vector<Rejection>& rejections, const Cluster& cluster) {
  if (std::ranges::none_of(rejections, &Rejection::is_error)) return {};
  const auto of_pod = std::ranges::find(rejections, true, &Rejection::is_of_pod);
  if (of_pod != rejections.end()) return of_pod->is_error ? of_pod->reason : std::string();
  NodeSet rejected = cluster.none();
  for (const Rejection& rejection : rejections) {
    if (!rejection.is_certain) continue;
    if (rejection.is_error && !(rejection.nodes - rejected).empty()) return rejection.reason;
    rejected |= rejection.nodes;
  }
  return {};
}

}  // namespace

Diagnosis::Diagnosis(const Pod& pod, const Cluster& cluster)
    : Diagnosis(pod, cluster, rejections_of(pod, cluster)) {}

Diagnosis::Diagnosis(const Pod& pod, const Cluster& cluster, std::vector<Rejection> rejections)
    : cluster_(&cluster),
      rejections_(std::move(rejections)),
      not_created_(pod.not_created.event),
      is_gated_(pod.is_gated) {
  NodeSet rejected = cluster.none();
  NodeSet uncertain = cluster.none();
  for (const Rejection& rejection : rejections_) {
    (rejection.is_certain ? rejected : uncertain) |= rejection.nodes;
  }
  feasible_ = cluster.all() - rejected - uncertain;
  unknown_ = std::move(uncertain) - rejected;
  const std::size_t feasible = feasible_.count();
  failure_ = filter_error(rejections_, cluster);
  if (failure_.empty() && feasible > 1) failure_ = invalid_preference(pod);
  if (feasible > 0) scores_ = sim::scores(pod, cluster, feasible_);
}

Diagnosis Diagnosis::of_any(const std::vector<NamedDiagnosis>& choices) {
  const Diagnosis& first = *choices.front().diagnosis;
  NodeSet feasible = first.cluster_->none();
  NodeSet unknown = feasible;
  std::vector<std::string> misfits;
  for (const auto& [name, diagnosis] : choices) {
    if (diagnosis->fits_nowhere()) {
      misfits.push_back(name);
    } else {
      feasible |= diagnosis->feasible_;
      unknown |= diagnosis->unknown_;
    }
  }
  Diagnosis all = first;
  if (choices.size() == 1 || misfits.size() == choices.size()) return all;
  all.failure_.clear();
  all.take_nodes(std::move(feasible), unknown, choices);
  if (!misfits.empty()) all.doubt(misfits);
  return all;
}

void Diagnosis::take_nodes(NodeSet feasible, const NodeSet& unknown,
                           const std::vector<NamedDiagnosis>& choices) {
  feasible_ = std::move(feasible);
  unknown_ = unknown - feasible_;
  std::vector<Rejection> kept;
  const auto keep = [&](const Rejection& rejection, NodeSet nodes) {
    if (nodes.empty()) return;
    const auto same = std::ranges::find_if(kept, [&](const Rejection& other) {
      return other.plugin == rejection.plugin && other.reason == rejection.reason &&
             other.is_certain == rejection.is_certain;
    });
    if (same != kept.end()) {
      same->nodes |= nodes;
      return;
    }
    kept.push_back(rejection);
    kept.back().nodes = std::move(nodes);
    kept.back().is_of_pod = false;
  };
  // Every placement rejects the other nodes; one is enough to explain it.
  for (const Rejection& rejection : rejections_) {
    if (rejection.is_certain) keep(rejection, rejection.nodes - feasible_ - unknown_);
  }
  for (const auto& [name, diagnosis] : choices) {
    for (const Rejection& rejection : diagnosis->rejections_) {
      if (!rejection.is_certain) keep(rejection, rejection.nodes & unknown_);
    }
  }
  rejections_ = std::move(kept);
  scores_.clear();
  feasible_.each([&](std::size_t node) {
    for (const auto& [name, diagnosis] : choices) {
      const auto score = diagnosis->score(node);
      if (!score) continue;
      scores_.push_back(*score);
      return;
    }
  });
}

void Diagnosis::doubt(const std::vector<std::string>& misfits) {
  unknown_ |= feasible_;
  feasible_ = cluster_->none();
  scores_.clear();
  rejections_.push_back({&unfiltered,
                         fmt::format("Kueue may assign {}, with which the pod fits on no node",
                                     join_words(misfits, "or")),
                         unknown_, false});
}

NodeSet Diagnosis::feasible_if_created() const { return feasible_without(creation); }

NodeSet Diagnosis::feasible_without(const Plugin& plugin) const {
  NodeSet feasible = cluster_->all();
  for (const Rejection& rejection : rejections_) {
    if (rejection.plugin != &plugin) feasible -= rejection.nodes;
  }
  return feasible;
}

Truth Diagnosis::fits(std::size_t node) const {
  if (feasible_.contains(node)) return Truth::yes;
  return unknown_.contains(node) ? Truth::unknown : Truth::no;
}

std::vector<std::string_view> Diagnosis::reasons(std::size_t node) const {
  return unknown_.contains(node) ? all_reasons(node) : first_reasons(node, rejections_);
}

std::vector<std::string_view> Diagnosis::all_reasons(std::size_t node) const {
  std::vector<std::string_view> reasons;
  for (const Rejection& rejection : rejections_) {
    if (rejection.nodes.contains(node)) reasons.emplace_back(rejection.reason);
  }
  return reasons;
}

std::optional<std::int64_t> Diagnosis::score(std::size_t node) const {
  if (!feasible_.contains(node)) return std::nullopt;
  return scores_[feasible_.rank(node)];
}

/// PreFilter ends at the first plugin with an unresolvable rejection; of others, the last one
/// counts. Source: pkg/scheduler/framework/runtime/framework.go, RunPreFilterPlugins.
const Rejection* Diagnosis::of_pod() const {
  const Rejection* last = nullptr;
  for (const Rejection& rejection : rejections_) {
    if (!rejection.is_of_pod) continue;
    last = &rejection;
    if (rejection.status == Status::unresolvable) break;
  }
  return last;
}

NodeSet Diagnosis::preemptable() const {
  if (const Rejection* whole = of_pod()) {
    return whole->status == Status::unschedulable ? cluster_->all() : cluster_->none();
  }
  NodeSet rest = cluster_->all() - feasible_ - unknown_;
  NodeSet result = cluster_->none();
  for (auto first = rejections_.begin(); first != rejections_.end() && !rest.empty();) {
    const auto end = std::find_if(first, rejections_.end(), [&](const Rejection& rejection) {
      return rejection.plugin != first->plugin;
    });
    NodeSet unschedulable = cluster_->none();
    NodeSet unresolvable = cluster_->none();
    for (; first != end; ++first) {
      if (!first->is_certain) continue;
      (first->status == Status::unschedulable ? unschedulable : unresolvable) |= first->nodes;
    }
    result |= (unschedulable - unresolvable) & rest;
    rest -= unschedulable;
    rest -= unresolvable;
  }
  return result;
}

/// kube-scheduler ends a list of reasons, and nothing else, with a full stop.
std::string Diagnosis::event() const {
  if (!not_created_.empty()) return not_created_;
  // No filter runs. Source: pkg/registry/core/pod/strategy.go, applySchedulingGatedCondition.
  if (is_gated_) return "Scheduling is blocked due to non-empty scheduling gates";
  const bool is_list = cluster_->size() > 0 && failure_.empty();
  return is_list ? summary() + "." : summary();
}

std::string Diagnosis::summary() const {
  if (!not_created_.empty()) return not_created_;
  if (cluster_->size() == 0) return "no nodes available to schedule pods";
  if (!failure_.empty()) return failure_;
  if (const Rejection* whole = of_pod()) {
    return fmt::format("0/{} nodes are available: {}", cluster_->size(), whole->reason);
  }
  std::map<std::string_view, std::size_t> counts;
  NodeSet rest = cluster_->all() - feasible_ - unknown_;
  for (std::size_t i = 0; i < rejections_.size() && !rest.empty();) {
    const Plugin* plugin = rejections_[i].plugin;
    NodeSet counted = cluster_->none();
    for (; i < rejections_.size() && rejections_[i].plugin == plugin; ++i) {
      if (!rejections_[i].is_certain) continue;
      const NodeSet here = rejections_[i].nodes & rest;
      const std::size_t count = here.count();
      if (count > 0) counts[rejections_[i].reason] += count;
      counted |= here;
    }
    rest -= counted;
  }
  std::vector<std::string> parts;
  for (const auto& [reason, count] : counts) parts.push_back(fmt::format("{} {}", count, reason));
  std::ranges::sort(parts);
  const std::size_t unknown = unknown_.count();
  if (unknown > 0) parts.push_back(fmt::format("{} unknown", unknown));
  return fmt::format("{}/{} nodes are available{}{}", feasible_.count(), cluster_->size(),
                     parts.empty() ? "" : ": ", fmt::join(parts, ", "));
}

std::vector<Rejection> rejections_of(const Pod& pod, const Cluster& cluster) {
  FilterResult result;
  for (const Plugin* plugin : plugins()) result.run(*plugin, pod, cluster);
  return std::move(result).rejections();
}

std::vector<std::string_view> first_reasons(std::size_t node,
                                            const std::vector<Rejection>& rejections) {
  const Plugin* first = nullptr;
  std::vector<std::string_view> reasons;
  for (const Rejection& rejection : rejections) {
    if (!rejection.is_certain || !rejection.nodes.contains(node)) continue;
    if (first == nullptr) first = rejection.plugin;
    if (rejection.plugin == first) reasons.emplace_back(rejection.reason);
  }
  return reasons;
}

NodeSet rejected_only_for_volumes(const Diagnosis& diagnosis) {
  const Cluster& cluster = diagnosis.cluster();
  NodeSet for_volumes = cluster.none();
  NodeSet others = cluster.none();
  for (const Rejection& rejection : diagnosis.rejections()) {
    if (rejection.is_of_pod || rejection.is_error) return cluster.none();
    const bool is_place = rejection.plugin == &volume_binding || rejection.plugin == &volume_zone;
    if (!is_place && rejection.is_certain) others |= rejection.nodes;
    if (is_place && rejection.is_certain) for_volumes |= rejection.nodes;
  }
  return for_volumes - others;
}

CausesByNode causes_on(const NodeSet& explained, const Pod& pod, const Cluster& cluster,
                       bool with_texts) {
  CausesByNode causes(cluster.size());
  if (explained.empty()) return causes;
  FilterResult result(explained, causes, with_texts);
  for (const Plugin* plugin : plugins()) result.run(*plugin, pod, cluster);
  return causes;
}

std::vector<Cause> causes_on(std::size_t node, const Pod& pod, const Cluster& cluster) {
  NodeSet explained = cluster.none();
  explained.insert(node);
  return causes_on(explained, pod, cluster)[node];
}

}  // namespace cnsched::sim

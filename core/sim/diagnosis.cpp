// Each plugin is asked once about all nodes, and answers with sets of them. Source of the order,
// the first reasons and the event: pkg/scheduler/framework/runtime/framework.go, RunFilterPlugins;
// pkg/scheduler/framework/types.go, FitError.

#include "core/sim/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/sim/score.h"

namespace cnsched::sim {

namespace {

/// Why the preferences cannot be read, which kube-scheduler finds only when it has nodes to choose
/// from. Source: k8s.io/component-helpers nodeaffinity.go, NewPreferredSchedulingTerms.
std::string unreadable_preference(const Pod& pod) {
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

}  // namespace

Diagnosis::Diagnosis(const Pod& pod, const Cluster& cluster) : cluster_(&cluster) {
  for (const Plugin* plugin : plugins()) {
    if (plugin->filter == nullptr) continue;
    Objections objections(*plugin, objections_);
    plugin->filter(pod, cluster, objections);
  }
  NodeSet refused = cluster.none();
  NodeSet doubtful = cluster.none();
  for (const Objection& objection : objections_) {
    (objection.is_known ? refused : doubtful) |= objection.nodes;
  }
  feasible_ = cluster.all() - refused - doubtful;
  unknown_ = std::move(doubtful) - refused;
  const std::size_t choices = feasible_.count();
  if (choices > 1) failure_ = unreadable_preference(pod);
  if (choices > 0) scores_ = scores(pod, cluster, feasible_);
}

Verdict Diagnosis::verdict(std::size_t node) const {
  if (feasible_.contains(node)) return Verdict::ok;
  return unknown_.contains(node) ? Verdict::unknown : Verdict::infeasible;
}

std::vector<std::string_view> Diagnosis::reasons(std::size_t node) const {
  const bool is_unknown = unknown_.contains(node);
  const Plugin* first = nullptr;
  std::vector<std::string_view> reasons;
  for (const Objection& objection : objections_) {
    if (objection.is_known == is_unknown || !objection.nodes.contains(node)) continue;
    if (first == nullptr) first = objection.plugin;
    if (is_unknown || objection.plugin == first) reasons.emplace_back(objection.reason);
  }
  return reasons;
}

std::vector<std::string_view> Diagnosis::all_reasons(std::size_t node) const {
  std::vector<std::string_view> reasons;
  for (const Objection& objection : objections_) {
    if (objection.nodes.contains(node)) reasons.emplace_back(objection.reason);
  }
  return reasons;
}

std::optional<std::int64_t> Diagnosis::score(std::size_t node) const {
  if (!feasible_.contains(node)) return std::nullopt;
  return scores_[feasible_.rank(node)];
}

/// A full stop closes a list of reasons, nothing else.
std::string Diagnosis::event() const {
  const bool is_list = cluster_->size() > 0 && failure_.empty();
  return is_list ? summary() + "." : summary();
}

std::string Diagnosis::summary() const {
  if (cluster_->size() == 0) return "no nodes available to schedule pods";
  if (!failure_.empty()) return failure_;
  const auto rejection = std::ranges::find(objections_, true, &Objection::is_rejection);
  if (rejection != objections_.end()) {
    return fmt::format("0/{} nodes are available: {}", cluster_->size(), rejection->reason);
  }
  std::map<std::string_view, std::size_t> counts;
  NodeSet rest = cluster_->all() - feasible_ - unknown_;
  for (std::size_t i = 0; i < objections_.size() && !rest.empty();) {
    const Plugin* plugin = objections_[i].plugin;
    NodeSet told = cluster_->none();
    for (; i < objections_.size() && objections_[i].plugin == plugin; ++i) {
      if (!objections_[i].is_known) continue;
      const NodeSet here = objections_[i].nodes & rest;
      const std::size_t count = here.count();
      if (count > 0) counts[objections_[i].reason] += count;
      told |= here;
    }
    rest -= told;
  }
  std::vector<std::string> parts;
  for (const auto& [reason, count] : counts) parts.push_back(fmt::format("{} {}", count, reason));
  std::ranges::sort(parts);
  const std::size_t unknown = unknown_.count();
  if (unknown > 0) parts.push_back(fmt::format("{} not known", unknown));
  return fmt::format("{}/{} nodes are available{}{}", feasible_.count(), cluster_->size(),
                     parts.empty() ? "" : ": ", fmt::join(parts, ", "));
}

Obstacles::Obstacles(const Pod& pod, const Cluster& cluster) {
  for (const Plugin* plugin : plugins()) {
    if (plugin->explainer != nullptr) explain_.push_back(plugin->explainer(pod, cluster));
    if (plugin->explain == nullptr) continue;
    explain_.push_back([plugin, &pod, &cluster](std::size_t node, std::vector<Obstacle>& all) {
      plugin->explain(pod, cluster, node, all);
    });
  }
}

std::vector<Obstacle> Obstacles::on(std::size_t node) const {
  std::vector<Obstacle> all;
  for (const Explain& explain : explain_) explain(node, all);
  return all;
}

std::vector<Obstacle> obstacles(const Pod& pod, const Cluster& cluster, std::size_t node) {
  return Obstacles(pod, cluster).on(node);
}

}  // namespace cnsched::sim

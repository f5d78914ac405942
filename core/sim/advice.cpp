#include "core/sim/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "core/accelerators/catalogue.h"
#include "core/base/text.h"
#include "core/sim/plugin.h"
#include "core/source/source_file.h"
#include "core/yaml/change.h"

namespace cnsched::sim {

namespace {

constexpr std::size_t kMaxEdits = 2;
constexpr std::size_t kMaxCandidates = 8;  // for each workload
/// Each round merges and simulates all files again. Many rounds are needed only if many workloads
/// have edits in one document.
constexpr std::size_t kMaxRounds = 24;
/// The bytes of the files of all rounds after the second: large workspaces get fewer rounds.
constexpr std::size_t kMaxBytes = std::size_t{64} << 20U;

int cost_of(const Suggestion& suggestion) {
  int cost = 0;
  for (const ProposedFix& fix : suggestion.fixes) cost += fix.cost;
  return cost;
}

/// Equal for the same edits, which may make the pod fit on many nodes.
std::string key_of(const Suggestion& suggestion) {
  std::string key;
  for (const ProposedFix& fix : suggestion.fixes) {
    key += fmt::format("{}:{}:{}\n", fix.where.file, fix.where.begin, fix.title);
  }
  return key;
}

/// Finds candidates for one workload.
class Search {
 public:
  Search(const Workspace& workspace, const Simulated& simulated, Arena& values)
      : workspace_(workspace), simulated_(simulated), values_(values) {}

  /// Whether the candidates include every node that needs one or two edits.
  bool is_complete() const { return is_complete_; }

  /// Returns the node with the fewest causes, and in `candidates` the edits to try, the smallest
  /// change first.
  Advice run(std::vector<Suggestion>& candidates) {
    Advice advice;
    const Cluster& cluster = *simulated_.cluster;
    const CausesByNode all = causes_on(cluster.all(), simulated_.pod, cluster, false);
    const NodeSet unknowable = staying_unknown();
    // Of nodes with the same causes, the first one is the nearest, and needs the same edits.
    std::vector<bool> are_seen(2 * all.lists());
    Distance nearest;
    for (std::size_t node = 0; node < cluster.size(); ++node) {
      const bool is_near = all.count(node) <= kMaxEdits;
      const bool stays_unknown = is_near && unknowable.contains(node);
      is_complete_ = is_complete_ && !stays_unknown;
      const std::size_t kind = 2 * all.list_of(node) + (stays_unknown ? 1 : 0);
      if (are_seen[kind]) continue;
      are_seen[kind] = true;
      const std::vector<Cause> causes = all[node];
      if (is_near && !stays_unknown) consider(node, causes);
      const Distance distance = this->distance(node, causes);
      if (!advice.nearest || distance < nearest) {
        nearest = distance;
        advice.nearest = node;
      }
    }
    candidates = best();
    return advice;
  }

 private:
  /// Whether the node lacks devices, the number of causes, then the difficulty of removing
  /// them.
  using Distance = std::tuple<bool, std::size_t, int>;

  Distance distance(std::size_t node, const std::vector<Cause>& causes) const {
    int difficulty = 0;
    bool lacks_devices = false;
    for (const Cause& cause : causes) {
      switch (cause.kind) {
        case Cause::Kind::taint:
          break;
        case Cause::Kind::label:
        case Cause::Kind::empty_term:
          difficulty += 1;
          break;
        case Cause::Kind::resource:
          difficulty += 2;
          lacks_devices = lacks_devices || !has_devices(node, cause.resource, *simulated_.cluster);
          break;
        case Cause::Kind::other:
          difficulty += 3;
      }
    }
    return {lacks_devices, causes.size(), difficulty};
  }

  /// The nodes on which the verdict stays unknown after any edit.
  NodeSet staying_unknown() const {
    NodeSet nodes = simulated_.cluster->none();
    for (const Rejection& rejection : simulated_.diagnosis->rejections()) {
      const bool is_removed =
          rejection.plugin == &taint_toleration || rejection.plugin == &creation;
      if (!rejection.is_certain && !is_removed) nodes |= rejection.nodes;
    }
    return nodes;
  }

  void consider(std::size_t node, const std::vector<Cause>& causes) {
    if (is_worse_than_best(node, causes)) return;
    const PlacementTarget target{workspace_, *simulated_.workload, simulated_.pod,
                                 *simulated_.cluster, node};
    std::vector<std::vector<ProposedFix>> choices;
    for (const Cause& cause : causes) {
      choices.push_back(proposed_fixes(cause, target, values_));
    }
    if (choices.empty()) return;
    if (choices.size() == 1) {
      for (const ProposedFix& one : choices.front()) add({{one}, node, 0});
      return;
    }
    for (const ProposedFix& one : choices.front()) {
      for (const ProposedFix& other : choices.back()) add({{one, other}, node, 0});
    }
  }

  void add(const Suggestion& suggestion) {
    const std::set<const yaml::Document*> documents = documents_of(suggestion);
    if (documents.size() != 1 || found_.size() >= kMaxFound) return;
    if (!found_.try_emplace(key_of(suggestion), suggestion).second) return;
    ranks_.insert(rank_of(suggestion));
    if (ranks_.size() > kMaxCandidates) ranks_.erase(std::prev(ranks_.end()));
  }

  /// Whether enough suggestions are smaller than all that remove these causes, or none does.
  bool is_worse_than_best(std::size_t node, const std::vector<Cause>& causes) const {
    int cost = 0;
    for (const Cause& cause : causes) {
      const auto least = least_cost(cause.kind);
      if (!least) return true;
      cost += *least;
    }
    return ranks_.size() == kMaxCandidates && Rank{causes.size(), cost, node} > *ranks_.rbegin();
  }

  static std::set<const yaml::Document*> documents_of(const Suggestion& suggestion) {
    std::set<const yaml::Document*> documents;
    for (const ProposedFix& fix : suggestion.fixes) documents.insert(fix.document);
    return documents;
  }

  std::vector<Suggestion> best() {
    std::vector<Suggestion> all;
    for (auto& [key, suggestion] : found_) all.push_back(std::move(suggestion));
    std::ranges::stable_sort(all, {}, rank_of);
    if (all.size() > kMaxCandidates) all.resize(kMaxCandidates);
    return all;
  }

  static constexpr std::size_t kMaxFound = 10'000;

  using Rank = std::tuple<std::size_t, int, std::size_t>;
  static Rank rank_of(const Suggestion& s) { return {s.fixes.size(), cost_of(s), s.node}; }

  const Workspace& workspace_;
  const Simulated& simulated_;
  Arena& values_;
  std::map<std::string, Suggestion> found_;
  std::multiset<Rank> ranks_;  ///< the smallest ones of `found_`
  bool is_complete_ = true;
};

/// Tries candidates in rounds, each with at most one candidate for each document.
class Trials {
 public:
  Trials(const Workspace& workspace, const Simulation& simulation, std::size_t max_suggestions,
         std::map<std::size_t, Advice>& advice)
      : workspace_(workspace),
        simulation_(simulation),
        max_suggestions_(max_suggestions),
        advice_(advice) {}

  void add(std::size_t workload, std::vector<Suggestion> candidates) {
    // run_round removes them from the end.
    std::ranges::reverse(candidates);
    if (!candidates.empty()) candidates_[workload] = std::move(candidates);
  }

  void run() {
    std::size_t bytes = 0;
    for (const auto& file : workspace_.sources) bytes += file->bytes().size();
    for (std::size_t round = 0; round < kMaxRounds && !candidates_.empty(); ++round) {
      if (round > 1 && round * bytes > kMaxBytes) return;
      run_round();
    }
  }

 private:
  struct Trial {
    std::size_t workload = 0;
    Suggestion suggestion;
  };

  void run_round() {
    std::vector<Trial> trials;
    std::map<FileId, std::vector<Edit>> edits;
    std::set<const yaml::Document*> touched;
    for (auto& [workload, candidates] : candidates_) {
      if (!touched.insert(candidates.back().fixes.front().document).second) continue;
      Trial trial{workload, std::move(candidates.back())};
      candidates.pop_back();
      if (add_edits(trial.suggestion, edits)) trials.push_back(std::move(trial));
    }
    std::erase_if(candidates_, [](const auto& entry) { return entry.second.empty(); });
    if (!trials.empty()) simulate(trials, edits);
  }

  bool add_edits(const Suggestion& suggestion, std::map<FileId, std::vector<Edit>>& edits) const {
    std::vector<yaml::Change> changes;
    for (const ProposedFix& fix : suggestion.fixes) {
      changes.insert(changes.end(), fix.changes.begin(), fix.changes.end());
    }
    const yaml::Document& document = *suggestion.fixes.front().document;
    const SourceFile& file = workspace_.file_of(document.span);
    const auto made = yaml::edits_for(file, document, changes);
    if (!made) return false;
    std::vector<Edit>& all = edits[file.id()];
    all.insert(all.end(), made->begin(), made->end());
    return true;
  }

  void simulate(std::vector<Trial>& trials, const std::map<FileId, std::vector<Edit>>& edits) {
    std::map<std::string, std::string> texts;
    for (const auto& [id, of_file] : edits) {
      const SourceFile& file = *workspace_.sources[id];
      texts[file.path()] = apply(file.bytes(), of_file);
    }
    Workspace changed;
    changed.load_edited(workspace_, texts);
    // Only the workloads of the trials, which are in the order of the workspace.
    SimulationOptions options = simulation_.options();
    std::size_t seen = 0;
    auto next = trials.begin();
    options.is_simulated = [&](const Workload& workload) {
      const auto& before = simulation_.options().is_simulated;
      if (before && !before(workload)) return false;
      const bool is_next = next != trials.end() && next->workload == seen;
      ++seen;
      if (is_next) ++next;
      return is_next;
    };
    const Simulation after(changed, options);
    if (seen != simulation_.workloads().size()) return;
    for (std::size_t i = 0; i < trials.size(); ++i) keep_if_fits(trials[i], after.workloads()[i]);
  }

  void keep_if_fits(Trial& trial, const Simulated& after) {
    if (!after.diagnosis || after.diagnosis->fits_nowhere()) return;
    const NodeSet feasible = after.diagnosis->feasible_if_created();
    if (feasible.empty()) return;
    trial.suggestion.fits = feasible.count();
    if (!feasible.contains(trial.suggestion.node)) {
      std::optional<std::size_t> first;
      feasible.each([&](std::size_t node) { first = first.value_or(node); });
      trial.suggestion.node = *first;
    }
    std::vector<Suggestion>& kept = advice_[trial.workload].suggestions;
    kept.push_back(std::move(trial.suggestion));
    if (kept.size() >= max_suggestions_) candidates_.erase(trial.workload);
  }

  const Workspace& workspace_;
  const Simulation& simulation_;
  std::size_t max_suggestions_;
  std::map<std::size_t, Advice>& advice_;
  std::map<std::size_t, std::vector<Suggestion>> candidates_;
};

/// The nodes that each plugin certainly rejects, by its name.
std::map<std::string_view, NodeSet> rejected_by_plugin(const Diagnosis& diagnosis) {
  std::map<std::string_view, NodeSet> rejected;
  for (const Rejection& rejection : diagnosis.rejections()) {
    if (!rejection.is_certain || rejection.plugin->name.empty()) continue;
    rejected.try_emplace(rejection.plugin->name, diagnosis.cluster().none()).first->second |=
        rejection.nodes;
  }
  return rejected;
}

/// The plugins that reject all nodes: each plugin that rejects all of them, else a few that
/// together do ("NodeAffinity rejects 8 of 12 nodes and NodeResourcesFit the other 4").
std::string exclusion_of(const Diagnosis& diagnosis) {
  const Cluster& cluster = diagnosis.cluster();
  std::map<std::string_view, NodeSet> rejected = rejected_by_plugin(diagnosis);
  std::vector<std::string> of_all;
  for (const auto& [name, nodes] : rejected) {
    if (nodes == cluster.all()) of_all.emplace_back(name);
  }
  if (!of_all.empty()) {
    return fmt::format("{} {} every node", join_words(of_all),
                       of_all.size() == 1 ? "rejects" : "each reject");
  }
  NodeSet rest = cluster.all();
  std::vector<std::string> parts;
  while (!rest.empty()) {
    const auto most = std::ranges::max_element(
        rejected, {}, [&](const auto& entry) { return (entry.second & rest).count(); });
    if (most == rejected.end()) break;
    const std::size_t count = (most->second & rest).count();
    rest -= most->second;
    parts.push_back(
        parts.empty() ? fmt::format("{} rejects {} of {} nodes", most->first, count, cluster.size())
        : rest.empty() ? fmt::format("{} the other {}", most->first, count)
                       : fmt::format("{} another {}", most->first, count));
    rejected.erase(most);
  }
  return join_words(parts);
}

}  // namespace

bool has_devices(std::size_t node, std::string_view resource, const Cluster& cluster) {
  const auto* wanted = accelerators::find_resource(resource);
  const accelerators::Vendor* vendor = cluster.node(node).vendor;
  const ResourceColumn* column = cluster.resource(resource);
  return (wanted != nullptr && vendor != nullptr && *vendor == wanted->vendor) ||
         (column != nullptr && column->on(node).allocatable > 0);
}

std::map<std::size_t, Advice> advise(const Workspace& workspace, const Simulation& simulation,
                                     std::size_t max_suggestions, Arena& values) {
  std::map<std::size_t, Advice> advice;
  std::set<std::size_t> complete;
  Trials trials(workspace, simulation, max_suggestions, advice);
  for (std::size_t i = 0; i < simulation.workloads().size(); ++i) {
    const Simulated& simulated = simulation.workloads()[i];
    if (!simulated.diagnosis || !simulated.diagnosis->fits_nowhere()) continue;
    // No node is the cause.
    if (!simulated.pod.never_admitted.empty() || !simulated.pod.not_created.reason.empty())
      continue;
    std::vector<Suggestion> candidates;
    Search search(workspace, simulated, values);
    advice[i] = search.run(candidates);
    if (search.is_complete()) complete.insert(i);
    trials.add(i, std::move(candidates));
  }
  trials.run();
  for (auto& [i, one] : advice) {
    const Simulated& simulated = simulation.workloads()[i];
    if (!one.suggestions.empty()) {
      one.nearest = one.suggestions.front().node;
    } else {
      one.exclusion = exclusion_of(*simulated.diagnosis);
      if (complete.contains(i) && !one.exclusion.empty()) {
        one.exclusion = "no change of one or two values makes the pod fit: " + one.exclusion;
      }
    }
    if (one.nearest) one.causes = causes_on(*one.nearest, simulated.pod, *simulated.cluster);
  }
  return advice;
}

}  // namespace cnsched::sim

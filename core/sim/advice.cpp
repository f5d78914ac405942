#include "core/sim/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/sim/plugins.h"
#include "core/source/edit.h"
#include "core/yaml/change.h"

namespace cnsched::sim {

namespace {

constexpr std::size_t kMostEdits = 2;
constexpr std::size_t kMostCandidates = 8;  // that are tried for a workload
/// Each round reads everything again. More are needed only where many workloads wait for edits of
/// one document.
constexpr std::size_t kMostRounds = 24;
/// What all rounds together may read, but for the first two: large runs get fewer.
constexpr std::size_t kMostBytes = std::size_t{64} << 20U;

int cost_of(const Suggestion& suggestion) {
  int cost = 0;
  for (const Remedy& edit : suggestion.edits) cost += edit.cost;
  return cost;
}

/// Tells candidates apart: the same edits help on many nodes.
std::string key_of(const Suggestion& suggestion) {
  std::string key;
  for (const Remedy& edit : suggestion.edits) {
    key += fmt::format("{}:{}:{}\n", edit.where.file, edit.where.begin, edit.title);
  }
  return key;
}

/// Finds what may help one workload.
class Search {
 public:
  Search(const Workspace& run, const Simulated& simulated, Arena& values)
      : run_(run), simulated_(simulated), values_(values) {}

  /// Whether all nodes were considered that one or two edits may help on.
  bool is_sure() const { return is_sure_; }

  /// The node with the fewest obstacles, and in `candidates` what is worth trying, the smallest
  /// change first.
  Advice run(std::vector<Suggestion>& candidates) {
    Advice advice;
    const Cluster& cluster = *simulated_.cluster;
    const Obstacles obstacles(simulated_.pod, cluster);
    for (std::size_t node = 0; node < cluster.size(); ++node) {
      std::vector<Obstacle> in_the_way = obstacles.on(node);
      if (in_the_way.size() <= kMostEdits) consider(node, in_the_way);
      if (!advice.nearest || distance(in_the_way) < distance(advice.obstacles)) {
        advice.nearest = node;
        advice.obstacles = std::move(in_the_way);
      }
    }
    candidates = best();
    return advice;
  }

 private:
  /// How far from fitting: how many obstacles, and how hard they are to remove.
  static std::pair<std::size_t, int> distance(const std::vector<Obstacle>& obstacles) {
    int hardness = 0;
    for (const Obstacle& obstacle : obstacles) {
      switch (obstacle.kind) {
        case Obstacle::Kind::taint:
          break;
        case Obstacle::Kind::label:
        case Obstacle::Kind::empty_term:
          hardness += 1;
          break;
        case Obstacle::Kind::resource:
          hardness += 2;
          break;
        case Obstacle::Kind::other:
          hardness += 3;
      }
    }
    return {obstacles.size(), hardness};
  }

  /// Whether no edit makes it known that the node does.
  bool is_doubtful(std::size_t node) const {
    return std::ranges::any_of(simulated_.diagnosis->objections(), [&](const Objection& objection) {
      return !objection.is_known && objection.nodes.contains(node) &&
             objection.plugin != &taint_toleration;
    });
  }

  void consider(std::size_t node, const std::vector<Obstacle>& in_the_way) {
    if (is_doubtful(node)) {
      is_sure_ = false;
      return;
    }
    const Fitting fitting{run_, *simulated_.workload, simulated_.pod, *simulated_.cluster, node};
    std::vector<std::vector<Remedy>> choices;
    for (const Obstacle& obstacle : in_the_way) {
      choices.push_back(remedies_for(obstacle, fitting, values_));
    }
    if (choices.empty()) return;
    if (choices.size() == 1) {
      for (const Remedy& one : choices.front()) add({{one}, node, 0});
      return;
    }
    for (const Remedy& one : choices.front()) {
      for (const Remedy& other : choices.back()) add({{one, other}, node, 0});
    }
  }

  void add(const Suggestion& suggestion) {
    const std::set<const yaml::Document*> documents = documents_of(suggestion);
    if (documents.size() != 1 || found_.size() >= kMostFound) return;
    found_.try_emplace(key_of(suggestion), suggestion);
  }

  static std::set<const yaml::Document*> documents_of(const Suggestion& suggestion) {
    std::set<const yaml::Document*> documents;
    for (const Remedy& edit : suggestion.edits) documents.insert(edit.document);
    return documents;
  }

  std::vector<Suggestion> best() {
    std::vector<Suggestion> all;
    for (auto& [key, suggestion] : found_) all.push_back(std::move(suggestion));
    std::ranges::stable_sort(all, {}, [](const Suggestion& s) {
      return std::tuple(s.edits.size(), cost_of(s), s.node);
    });
    if (all.size() > kMostCandidates) all.resize(kMostCandidates);
    return all;
  }

  static constexpr std::size_t kMostFound = 10'000;

  const Workspace& run_;
  const Simulated& simulated_;
  Arena& values_;
  std::map<std::string, Suggestion> found_;
  bool is_sure_ = true;
};

/// Tries candidates in rounds: of each document one at a time, of all documents together.
class Trials {
 public:
  Trials(const Workspace& run, const Simulation& simulation, std::size_t most,
         std::map<std::size_t, Advice>& advice)
      : run_(run), simulation_(simulation), most_(most), advice_(advice) {}

  void add(std::size_t workload, std::vector<Suggestion> candidates) {
    // The first to be tried is at the end.
    std::ranges::reverse(candidates);
    if (!candidates.empty()) waiting_[workload] = std::move(candidates);
  }

  void run() {
    std::size_t bytes = 0;
    for (const auto& file : run_.sources) bytes += file->bytes().size();
    for (std::size_t round = 0; round < kMostRounds && !waiting_.empty(); ++round) {
      if (round > 1 && round * bytes > kMostBytes) return;
      try_some();
    }
  }

 private:
  struct Trial {
    std::size_t workload = 0;
    Suggestion suggestion;
  };

  void try_some() {
    std::vector<Trial> trials;
    std::map<FileId, std::vector<Edit>> edits;
    std::set<const yaml::Document*> touched;
    for (auto& [workload, candidates] : waiting_) {
      if (!touched.insert(candidates.back().edits.front().document).second) continue;
      Trial trial{workload, std::move(candidates.back())};
      candidates.pop_back();
      if (add_edits(trial.suggestion, edits)) trials.push_back(std::move(trial));
    }
    std::erase_if(waiting_, [](const auto& entry) { return entry.second.empty(); });
    if (!trials.empty()) judge(trials, edits);
  }

  bool add_edits(const Suggestion& suggestion, std::map<FileId, std::vector<Edit>>& edits) const {
    std::vector<yaml::Change> changes;
    for (const Remedy& edit : suggestion.edits) {
      changes.insert(changes.end(), edit.changes.begin(), edit.changes.end());
    }
    const yaml::Document& document = *suggestion.edits.front().document;
    const SourceFile& file = run_.file_of(document.span);
    const auto made = yaml::edits_for(file, document, changes);
    if (!made) return false;
    std::vector<Edit>& all = edits[file.id()];
    all.insert(all.end(), made->begin(), made->end());
    return true;
  }

  void judge(std::vector<Trial>& trials, const std::map<FileId, std::vector<Edit>>& edits) {
    std::map<std::string, std::string> texts;
    for (const auto& [id, of_file] : edits) {
      const SourceFile& file = *run_.sources[id];
      texts[file.path()] = apply(file.bytes(), of_file);
    }
    Workspace changed;
    changed.load_again(run_, texts);
    const Simulation after(changed, simulation_.options());
    if (after.workloads().size() != simulation_.workloads().size()) return;
    for (Trial& trial : trials) judge(trial, after.workloads()[trial.workload]);
  }

  void judge(Trial& trial, const Simulated& after) {
    if (!after.diagnosis || after.diagnosis->fits_nowhere()) return;
    const NodeSet& feasible = after.diagnosis->feasible();
    if (feasible.empty()) return;
    trial.suggestion.fits = feasible.count();
    if (!feasible.contains(trial.suggestion.node)) {
      std::optional<std::size_t> first;
      feasible.each([&](std::size_t node) { first = first.value_or(node); });
      trial.suggestion.node = *first;
    }
    std::vector<Suggestion>& kept = advice_[trial.workload].suggestions;
    kept.push_back(std::move(trial.suggestion));
    if (kept.size() >= most_) waiting_.erase(trial.workload);
  }

  const Workspace& run_;
  const Simulation& simulation_;
  std::size_t most_;
  std::map<std::size_t, Advice>& advice_;
  std::map<std::size_t, std::vector<Suggestion>> waiting_;
};

/// The nodes that each plugin refuses, by its name.
std::map<std::string_view, NodeSet> refusals_of(const Diagnosis& diagnosis) {
  std::map<std::string_view, NodeSet> refused;
  for (const Objection& objection : diagnosis.objections()) {
    if (!objection.is_known) continue;
    refused.try_emplace(objection.plugin->name, diagnosis.cluster().none()).first->second |=
        objection.nodes;
  }
  return refused;
}

/// Which plugins rule all nodes out: those that do it alone, or as few as do it together
/// ("NodeAffinity rules out 8 of 12 nodes and NodeResourcesFit the other 4").
std::string exclusion_of(const Diagnosis& diagnosis) {
  const Cluster& cluster = diagnosis.cluster();
  std::map<std::string_view, NodeSet> refused = refusals_of(diagnosis);
  std::vector<std::string> alone;
  for (const auto& [name, nodes] : refused) {
    if (nodes == cluster.all()) alone.emplace_back(name);
  }
  if (!alone.empty()) {
    return fmt::format("{} {} out every node", join_words(alone),
                       alone.size() == 1 ? "rules" : "each rule");
  }
  NodeSet rest = cluster.all();
  std::vector<std::string> parts;
  while (!rest.empty()) {
    const auto most = std::ranges::max_element(
        refused, {}, [&](const auto& entry) { return (entry.second & rest).count(); });
    if (most == refused.end()) break;
    const std::size_t count = (most->second & rest).count();
    rest -= most->second;
    parts.push_back(parts.empty()  ? fmt::format("{} rules out {} of {} nodes", most->first, count,
                                                 cluster.size())
                    : rest.empty() ? fmt::format("{} the other {}", most->first, count)
                                   : fmt::format("{} another {}", most->first, count));
    refused.erase(most);
  }
  return join_words(parts);
}

}  // namespace

std::map<std::size_t, Advice> advise(const Workspace& run, const Simulation& simulation,
                                     std::size_t most, Arena& values) {
  std::map<std::size_t, Advice> advice;
  std::set<std::size_t> sure;
  Trials trials(run, simulation, most, advice);
  for (std::size_t i = 0; i < simulation.workloads().size(); ++i) {
    const Simulated& simulated = simulation.workloads()[i];
    if (!simulated.diagnosis || !simulated.diagnosis->fits_nowhere()) continue;
    std::vector<Suggestion> candidates;
    Search search(run, simulated, values);
    advice[i] = search.run(candidates);
    if (search.is_sure()) sure.insert(i);
    trials.add(i, std::move(candidates));
  }
  trials.run();
  for (auto& [i, one] : advice) {
    const Simulated& simulated = simulation.workloads()[i];
    if (one.suggestions.empty()) {
      one.exclusion = exclusion_of(*simulated.diagnosis);
      if (sure.contains(i) && !one.exclusion.empty()) {
        one.exclusion = "no edit of one or two values makes it fit: " + one.exclusion;
      }
      continue;
    }
    one.nearest = one.suggestions.front().node;
    one.obstacles = Obstacles(simulated.pod, *simulated.cluster).on(*one.nearest);
  }
  return advice;
}

}  // namespace cnsched::sim

#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/base/arena.h"
#include "core/facts/cluster_facts.h"
#include "core/k8s/objects.h"
#include "core/kserve/controller_context.h"
#include "core/workspace/workload.h"
#include "core/workspace/workspace.h"

namespace cnsched {

/// How the search for clusters placed the files.
struct ScopeGuess {
  std::vector<std::string> paths{};   ///< of the linted files with objects, by id
  std::set<FileId> used_elsewhere{};  ///< by a kustomization in a scope
  std::set<FileId> divided{};         ///< objects of the file are for different clusters
};

/// The part of a workspace that is for one cluster: the objects that the cluster may have, what is
/// known about it, and the effective pods. Facts of one cluster never decide about the manifests of
/// another. The workspace builds its scopes once; everything else only reads them.
class ClusterScope {
 public:
  struct Content {
    std::string name;       ///< "clusters/prod"
    std::string variant{};  ///< "prod": of the charts with variants whose objects are judged
    k8s::schema::Releases releases{};  ///< of several that are stated, those it is for
    std::vector<std::reference_wrapper<const k8s::Object>> objects;
    /// By file id: whether its objects are judged in this scope; empty: those of all files are.
    std::vector<bool> judged_files{};
    bool judges(FileId file) const { return judged_files.empty() || judged_files[file]; }
    /// Objects that are no facts: another one overrides them, or tests read them.
    std::unordered_set<const k8s::Object*> overridden{};
    std::vector<const PlacedDefinition*> definitions{};
    std::shared_ptr<const ScopeGuess> guess{};  ///< null: the configuration states the clusters
  };
  ClusterScope(const Workspace& workspace, Content content)
      : workspace_(workspace), content_(std::move(content)) {}
  ClusterScope(const ClusterScope&) = delete;
  ClusterScope& operator=(const ClusterScope&) = delete;

  const Workspace& workspace() const { return workspace_; }
  /// A directory, or a name from the configuration. ".": of the files outside of all other scopes.
  std::string_view name() const { return content_.name; }
  /// The variant of charts that is judged in it; empty if no chart has variants.
  std::string_view variant() const { return content_.variant; }

  /// The releases that it is for, of projects with several; of others nothing.
  const k8s::schema::Releases& chosen_releases() const { return content_.releases; }

  /// The objects in scope that the cluster may have, in the order of the files.
  const std::vector<std::reference_wrapper<const k8s::Object>>& objects() const {
    return content_.objects;
  }
  /// Whether the file is linted and its objects are judged by what is known about this cluster. A
  /// scope may also see the objects of files that it does not judge.
  bool is_linted(FileId file) const { return workspace_.is_linted(file) && content_.judges(file); }
  bool is_linted(const k8s::Object& object) const { return is_linted(object.root->span.file); }
  /// Whether objects of the file are for different clusters.
  bool is_divided(FileId file) const {
    return content_.guess != nullptr && content_.guess->divided.contains(file);
  }
  /// Why facts in one file are taken for those of the cluster of another one: "cluster 'a' is
  /// guessed: …". Empty if that is no guess, or the same for all clusters. Printable.
  std::string why_of_cluster(FileId file, FileId fact) const;
  const std::deque<Workload>& workloads() const { return workloads_; }
  /// The pods of one object, in the order of its components.
  std::span<const Workload* const> workloads_of(const k8s::Object& object) const;
  /// What is known about the cluster, by the configuration of the object's file.
  const facts::ClusterFacts& facts(const k8s::Object& object) const;
  /// The same by a configuration; null: without one.
  facts::ClusterFacts facts_by(const facts::ClusterConfig* config) const;
  /// What KServe's controllers read besides the object. New nodes are made in `arena`.
  kserve::ControllerContext controller_context(const k8s::Object& object, Arena& arena) const;
  /// The objects of this scope, by name.
  const k8s::Objects& index() const { return index_; }
  /// Whether the object is a base of any pod.
  bool is_built_on(const k8s::Object& object) const { return built_on_.contains(&object); }

  /// Whether the object is no fact: another one of its name, which is nearer, overrides it, or it
  /// is a fixture of tests beside the manifests.
  bool is_overridden(const k8s::Object& object) const {
    return content_.overridden.contains(&object);
  }

  /// Of the workspace.
  const SourceFile& file_of(Span span) const { return workspace_.file_of(span); }
  bool is_fact(const k8s::Object& object) const { return workspace_.is_fact(object); }
  bool is_patch(const k8s::Object& object) const { return workspace_.is_patch(object); }
  const k8s::Object* object_around(Span place) const { return workspace_.object_around(place); }

  /// Indexes the objects and collects the facts, with at most `jobs` threads. Call it first.
  void index_objects(std::size_t jobs);

  struct Merged {
    std::size_t bytes = 0;
    const k8s::Object* left_out = nullptr;  ///< the first object without its pods, if any
  };
  /// Gives every object its pods, in order, until they take more than `limit` bytes. `earlier`
  /// scopes have theirs.
  Merged add_workloads(std::size_t limit, std::span<const ClusterScope* const> earlier);
  /// No scope is added after this one.
  void forget_builds() { builds_.clear(); }

 private:
  facts::ClusterFacts facts_in_files(const facts::ClusterConfig* config) const;
  facts::ClusterFacts with_releases(facts::ClusterFacts facts,
                                    const facts::ClusterConfig* config) const;
  void add_found_releases(const std::vector<const k8s::Object*>& objects,
                          const facts::ClusterConfig* config, facts::ClusterFacts& facts) const;
  void add_definitions(const facts::ClusterConfig* config, facts::ClusterFacts& facts) const;
  void keep_workloads(const k8s::Object& object, std::span<Workload> workloads);
  kserve::ControllerContext controller_context(const k8s::Object& object,
                                               const k8s::ObjectIndex& index, Arena& arena) const;
  /// How the pods of an object were built: what its controllers looked up.
  struct Build {
    k8s::RecordedIndex::Record lookups{};
    bool depends_on_scope = false;  ///< also on what other objects the scope has
  };
  /// The pods of an object that are added, and how they were built; of pods of an earlier scope
  /// nothing.
  struct Built {
    std::vector<Workload> workloads{};
    std::optional<Build> build{};
  };
  Built workloads_built(const k8s::Object& object, Arena& arena) const;
  Built workloads_of_earlier(const k8s::Object& object,
                             std::span<const ClusterScope* const> earlier) const;
  /// Whether this scope has built pods of the object, and the other one would build the same.
  bool builds_like(const ClusterScope& other, const k8s::Object& object) const;

  const Workspace& workspace_;
  Content content_;
  k8s::Objects index_;
  std::map<const facts::ClusterConfig*, facts::ClusterFacts>
      facts_;  ///< null: what applies without configuration
  std::deque<Workload> workloads_;
  std::vector<const Workload*> workload_list_;  ///< all of `workloads_`
  struct Range {
    std::size_t first = 0;
    std::size_t count = 0;
  };
  std::unordered_map<const k8s::Object*, Range> workloads_of_;  ///< in `workload_list_`
  std::unordered_set<const k8s::Object*> built_on_;
  std::unordered_map<const k8s::Object*, Build> builds_;  ///< for the scopes after this one
  std::vector<std::shared_ptr<Arena>> arenas_;            ///< of merged pods
};

/// The pods of all scopes, by scope. A pod whose object is for several clusters occurs in each.
std::vector<const Workload*> all_workloads(const Workspace& workspace);
/// "clusters/prod", or an empty text if the workspace is for one cluster.
std::string_view cluster_name(const Workload& workload);
/// "prod", or an empty text if the workspace has no variants to distinguish.
std::string_view variant_name(const Workload& workload);
/// "KServe 0.13": of the releases that are stated, those that the scope is for; empty if there is
/// no choice.
std::string describe_releases(const ClusterScope& scope);
/// "cluster 'clusters/prod', variant 'gpu'": what the workload is for, as far as the workspace has
/// several of them. Printable.
std::string describe_scope(const ClusterScope& scope);

}  // namespace cnsched

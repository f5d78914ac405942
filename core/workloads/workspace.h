#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/k8s/objects.h"
#include "core/source/discover.h"
#include "core/source/limits.h"
#include "core/source/source_file.h"
#include "core/workloads/cluster_facts.h"
#include "core/workloads/workload.h"
#include "core/yaml/document.h"

namespace cnsched {

/// What became of a document.
enum class Fate : std::uint8_t {
  checked,       ///< holds an object in scope
  out_of_scope,  ///< none of our business, perhaps not even parsed
  templated,     ///< a Helm or Jinja template, to be rendered first
  broken,        ///< meant for us, but no YAML
};

/// A document of the run.
struct LoadedDocument {
  yaml::Document document;
  Fate fate = Fate::out_of_scope;
  bool linted = true;  ///< false for --cluster files, which only give facts
};

struct Input;
struct Content;

/// Where every document of a run went.
struct Ledger {
  std::size_t files = 0;
  std::size_t documents = 0;
  std::size_t objects = 0;
  std::size_t out_of_scope = 0;
  std::size_t templates = 0;
  std::size_t broken = 0;
  std::size_t unreadable = 0;
};

/// Bytes that lie in no file: an example, a test.
struct MemoryFile {
  std::string path;
  std::string bytes;
  bool linted = true;
};

/// A file of facts that some configurations name: no others' manifests hear of its facts.
struct FactFile {
  std::string path;
  std::vector<const ClusterConfig*> only_for;
};

/// What is kept of linted documents that are none of our business.
enum class OutOfScope : std::uint8_t {
  kept,     ///< as others are, with their texts
  counted,  ///< nothing but their number; of files that hold no others also the head
};

struct LoadOptions {
  std::vector<std::string> files;          ///< to be linted; "-" is standard input
  std::vector<std::string> cluster_files;  ///< only for facts
  std::vector<FactFile> config_files{};    ///< the same, as configurations name them
  std::vector<MemoryFile> memory_files{};
  std::vector<Unreadable> unreadable{};  ///< what the search for files could not read
  std::string stdin_name = "<stdin>";
  Limits limits{};  ///< of what lies on the disk
  OutOfScope out_of_scope = OutOfScope::kept;
  std::size_t jobs = 0;  ///< threads; 0: one per core
  /// Bytes that merged pods may take; 0: as many as honest manifests of that size could need.
  std::size_t merge_limit = 0;
  /// The configuration that holds for a file; may return null.
  std::function<const ClusterConfig*(const std::string& path)> config_for;
};

/// All that a run has read, indexed. Built once by `load`, then only read.
class Workspace {
 public:
  Workspace() = default;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// Reads the files. What cannot be read is noted in `unreadable`; the others are still read.
  void load(LoadOptions options);
  /// Loads what `before` has read, but other texts for the files that `texts` names. The disk is
  /// not looked at.
  void load_again(const Workspace& before, const std::map<std::string, std::string>& texts);

  /// Files may be added before `load` (configurations).
  Sources sources;

  const SourceFile& file_of(Span span) const { return *sources[span.file]; }
  const std::vector<std::unique_ptr<LoadedDocument>>& documents() const { return documents_; }
  /// Objects in scope, of every file, in the order of the files.
  const std::deque<k8s::Object>& objects() const { return objects_; }
  const std::deque<Workload>& workloads() const { return workloads_; }
  /// The pods of one object, in the order of its components.
  std::span<const Workload* const> workloads_of(const k8s::Object& object) const;
  /// Threads that work on it, at most; 0: one per core.
  std::size_t jobs() const { return options_.jobs; }
  const Ledger& ledger() const { return ledger_; }
  const std::vector<Unreadable>& unreadable() const { return unreadable_; }

  /// What is known about the cluster that the object is meant for.
  const ClusterFacts& facts(const k8s::Object& object) const;
  bool is_linted(const k8s::Object& object) const;
  bool is_linted(FileId file) const { return linted_files_[file]; }
  /// Every object in scope, by name.
  const k8s::Objects& index() const { return index_; }
  /// The object in scope that is written around `place`, or null.
  const k8s::Object* object_around(Span place) const;
  /// The document that `place` lies in, or null.
  const LoadedDocument* document_around(Span place) const;
  /// Whether a pod of the run has this object's merged beneath it.
  bool is_built_on(const k8s::Object& object) const { return built_on_.contains(&object); }
  /// Whether the object is only part of one, and says nothing by what it lacks: a kustomization of
  /// the run, or one on the disk beside or above the file, lists the file as a patch; or a
  /// directive stands in it that only patches have.
  bool is_patch(const k8s::Object& object) const { return patches_.contains(&object); }

 private:
  void read_files();
  void take(const Input& input, Content content);
  /// Which of the files are patches.
  void find_patch_files();
  /// Indexes what has been read.
  void index_all();
  void collect_objects();
  void find_patches();
  void collect_facts();
  /// Whether what a file tells of the cluster holds for the manifests of a configuration.
  bool tells(FileId file, const ClusterConfig* config) const;
  /// Gives every object its pods, in order, until they take more than `limit` bytes.
  void add_all_workloads(std::size_t limit);
  void keep_workloads(const k8s::Object& object, std::span<Workload> workloads);
  /// That no pods were merged for `first` and the objects behind it.
  void tell_unmerged(const k8s::Object& first);
  void add_workloads(const k8s::Object& object, Arena& arena,
                     std::vector<Workload>& workloads) const;

  LoadOptions options_;
  std::size_t first_source_ = 0;    ///< of what `load` has read
  std::vector<Unreadable> unread_;  ///< files of which nothing could be read
  std::vector<std::unique_ptr<LoadedDocument>> documents_;
  std::deque<k8s::Object> objects_;
  k8s::Objects index_;
  std::vector<const k8s::Object*> by_place_;  ///< sorted by the spans of their roots
  std::deque<Workload> workloads_;
  std::unordered_set<const k8s::Object*> built_on_;
  std::set<std::string> patch_files_;  ///< by their paths
  std::unordered_set<const k8s::Object*> patches_;
  struct Range {
    std::size_t first = 0;
    std::size_t count = 0;
  };
  std::vector<const Workload*> workload_list_;                  ///< all of `workloads_`
  std::unordered_map<const k8s::Object*, Range> workloads_of_;  ///< in `workload_list_`
  std::map<const ClusterConfig*, ClusterFacts> facts_;  ///< null: what holds without configuration
  std::vector<const ClusterConfig*> config_of_file_;
  std::map<FileId, std::vector<const ClusterConfig*>> tells_only_;
  std::vector<bool> linted_files_;
  std::vector<Unreadable> unreadable_;
  Ledger ledger_;
  std::deque<Arena> arenas_;  ///< of what is merged
};

}  // namespace cnsched

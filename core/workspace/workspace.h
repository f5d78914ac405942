#pragma once

#include <deque>
#include <initializer_list>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/facts/cluster_config.h"
#include "core/k8s/api_kinds.h"
#include "core/k8s/object.h"
#include "core/source/discover.h"
#include "core/source/read_file.h"
#include "core/source/source_file.h"
#include "core/yaml/document.h"

namespace cnsched {

/// What a document is to the workspace.
enum class DocumentStatus : std::uint8_t {
  checked,       ///< holds an object that is checked
  out_of_scope,  ///< holds none, and is not kept as a tree
  templated,     ///< a Helm or Jinja template, which must be rendered first
  broken,        ///< not valid YAML, and in scope or perhaps so
  fact,          ///< holds only facts about the cluster that are not checked (k8s::SchedulingKind)
};

/// A document of the workspace.
struct LoadedDocument {
  yaml::Document document;
  DocumentStatus status = DocumentStatus::out_of_scope;
  bool linted = true;         ///< false in files that only give facts
  bool kind_unknown = false;  ///< of a broken one: nothing shows that it is in scope
};

/// A version of a kind that a CustomResourceDefinition in a file of the workspace defines.
struct PlacedDefinition {
  k8s::schema::Definition definition;
  FileId file = 0;
};

namespace packages {
class OriginFinder;
}
class ClusterScope;
struct FileContent;
struct Input;
class KustomizeBuild;
class Kustomizations;
struct KustomizeResult;
struct LoadOptions;  // core/workspace/load_options.h

/// What has been read and parsed, by file id; null for configurations. Workspaces share it.
using ParsedFiles = std::vector<std::shared_ptr<const FileContent>>;

/// How many of each there are in the linted files.
struct RunStats {
  std::size_t files = 0;
  std::size_t documents = 0;
  std::size_t objects = 0;       ///< that are checked
  std::size_t out_of_scope = 0;  ///< documents without such an object
  std::size_t templates = 0;
  std::size_t broken = 0;
  std::size_t unreadable = 0;
  IgnoredPaths ignored{};  ///< not among the files
};

/// Which variant of which chart a file is rendered from.
struct RenderedVariant {
  std::string chart{};
  std::string name{};       ///< empty: the chart has no variants
  bool is_release = false;  ///< of a chart; otherwise `chart` is an overlay
  std::string ns{};         ///< of the release, if the configuration states it
  bool is_default = false;  ///< of a chart with its own values.yaml alone
};

/// All that has been read, and the clusters that it is for. Built by `load` or `load_edited`; then
/// nothing changes it.
class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// Reads each file once, whatever names and lists lead to it: one that is both linted and named
  /// as a file of facts is linted and gives facts. What cannot be read is noted in `unreadable`;
  /// the others are still read.
  void load(LoadOptions options);
  /// Loads what `before` has read, with other texts for the files that `texts` names, within
  /// `limits`. Parses only these, and reads no manifest from the disk.
  void load_edited(const Workspace& before, const std::map<std::string, std::string>& texts,
                   const Limits& limits = kNoLimits);

  /// Files may be added before `load` (configurations).
  Sources sources;

  const SourceFile& file_of(Span span) const { return *sources[span.file]; }
  const std::vector<const LoadedDocument*>& documents() const { return documents_; }
  /// Objects in scope, of every file, in the order of the files.
  const std::deque<k8s::Object>& objects() const { return objects_; }
  /// What the outputs of `kubectl version` state, in every file.
  const std::vector<const yaml::Node*>& server_versions() const { return server_versions_; }
  /// What the CustomResourceDefinitions of KServe's and Seldon's kinds define, in every file.
  const std::deque<PlacedDefinition>& definitions() const { return definitions_; }
  /// Whether directories show the clusters: no configuration states them.
  bool are_scopes_guessed() const;
  /// The clusters that the objects are for; after `load` at least one.
  const std::list<ClusterScope>& scopes() const { return scopes_; }
  /// For loads that follow.
  const ParsedFiles& parsed() const { return parsed_; }
  /// The maximum number of threads; 0: one per core.
  std::size_t jobs() const;
  const RunStats& stats() const { return stats_; }
  const std::vector<Unreadable>& unreadable() const { return unreadable_; }
  /// What the linted files and directories hold of which other tools make manifests; sorted.
  const std::vector<Unfollowed>& unfollowed() const { return unfollowed_; }

  /// Whether the object is in a file that was named as a file of facts: it describes the cluster.
  bool is_fact(const k8s::Object& object) const;
  bool is_fact(FileId file) const { return uses_[file].fact; }
  bool is_linted(FileId file) const { return uses_[file].linted; }
  /// Whether an engine has made the file from a chart or an overlay.
  bool is_rendered(FileId file) const { return uses_[file].rendered; }
  /// Whether the file is a source of a rendered one.
  bool is_source(FileId file) const { return uses_[file].source; }
  /// Finds the sources of what the rendered files hold; null if there are none.
  packages::OriginFinder* origins() const;
  /// The variant of a chart that the file is rendered from; without a name if it is from none.
  const RenderedVariant& variant_of(FileId file) const { return uses_[file].variant; }
  /// The configuration of a file, or null.
  const facts::ClusterConfig* config_of(FileId file) const { return uses_[file].config; }
  /// The releases of a project that are stated for the files of a configuration, or for those
  /// without one: by flags, or else by the configuration. Several: the files are judged by each.
  const std::vector<facts::StatedRelease>& stated_releases(
      Project project, const facts::ClusterConfig* config) const;
  /// Whether facts of the file apply to the manifests of a configuration.
  bool gives_facts(FileId file, const facts::ClusterConfig* config) const;
  /// Whether any configuration names files of facts.
  bool has_facts_of_configs() const { return !facts_only_for_.empty(); }
  /// The object in scope that is written around `place`, or null.
  const k8s::Object* object_around(Span place) const;
  /// The document that contains `place`, or null.
  const LoadedDocument* document_around(Span place) const;
  /// Whether the object is a kustomize patch, which may lack any field: a kustomization of the
  /// workspace, or one on the disk beside or above the file, lists the file as a patch; or it holds
  /// a directive that only patches have.
  bool is_patch(const k8s::Object& object) const { return patches_.contains(&object); }
  /// Whether the object is in a file that a generator reads, and may lack any field.
  bool is_generator_input(const k8s::Object& object) const;
  /// Whether the name is that of a kustomize variable which the builds of the object's file
  /// declare.
  bool is_kustomize_var(const k8s::Object& object, std::string_view name) const;
  /// Whether a patch, replacement or transformer of kustomize that the object gets in a build may
  /// set the field. What does not depend on one is true of the base already.
  bool may_get_field(const k8s::Object& object, std::string_view field) const;
  bool may_get_field(const k8s::Object& object,
                     std::initializer_list<std::string_view> any_of) const;
  /// Whether the object is a pod template of Spark, by the name of its file or because a file of
  /// the workspace names it [P62].
  bool is_spark_template(const k8s::Object& object) const;
  /// Whether a kustomization adds labels and selectors to the object.
  bool gets_selectors(const k8s::Object& object) const;

 private:
  /// What a file is read for.
  struct FileUse {
    bool linted = false;
    bool fact = false;
    bool rendered = false;
    bool source = false;
    RenderedVariant variant{};
    const facts::ClusterConfig* config = nullptr;
  };

  std::vector<Input> inputs() const;
  std::vector<Input> memory_inputs() const;
  void begin();
  void read(const std::vector<Input>& inputs);
  void take(const Input& input, std::shared_ptr<const FileContent> parsed);
  void note_templates(const FileContent& content);
  void collect_unfollowed();
  /// The linted files with objects, or with what will be some once it is fixed, and those with
  /// nothing but facts.
  struct UsedFiles {
    std::vector<FileId> with_objects{};
    std::vector<FileId> with_facts{};
    bool operator==(const UsedFiles&) const = default;
  };
  UsedFiles used_files() const;
  void read_kustomizations();
  const KustomizeBuild* build_of(const k8s::Object& object) const;
  /// Indexes what has been read.
  void index_all();
  void collect_objects();
  void find_patches();
  void find_namespaces();
  std::string_view namespace_of(const k8s::Object& object) const;
  std::span<const k8s::PackageId> packages_of(FileId file, bool is_namespace_known);
  std::span<const k8s::PackageId> packages_with(const std::set<std::string>& keys);
  void add_scopes();
  /// Notes why the object and those after it are not checked.
  void note_from(const k8s::Object& first, const std::string& reason);

  std::unique_ptr<LoadOptions> options_;
  std::size_t first_source_ = 0;    ///< of what `load` has read
  std::vector<Unreadable> unread_;  ///< files of which nothing could be read
  ParsedFiles parsed_;              ///< owns the documents
  std::vector<const LoadedDocument*> documents_;
  std::deque<k8s::Object> objects_;                    ///< with what kustomizations say of them
  std::map<std::string, k8s::PackageId> package_ids_;  ///< by what names the package
  std::map<std::set<std::string>, std::vector<k8s::PackageId>> packages_;  ///< by their keys
  std::deque<PlacedDefinition> definitions_;
  std::vector<const yaml::Node*> server_versions_;
  std::vector<const k8s::Object*> by_place_;  ///< sorted by the spans of their roots
  std::list<ClusterScope> scopes_;
  std::unique_ptr<KustomizeResult> kustomize_;
  std::shared_ptr<Kustomizations> kustomizations_;
  std::set<std::string> policy_manifests_;    ///< real paths
  std::set<std::string> spark_templates_;     ///< names of files that others name as such
  std::map<std::string, Unfollowed> charts_;  ///< of linted templates, by their real paths
  std::unordered_set<const k8s::Object*> patches_;
  std::map<FileId, std::vector<const facts::ClusterConfig*>> facts_only_for_;
  std::vector<FileUse> uses_;  ///< of each file
  std::vector<Unreadable> unreadable_;
  std::vector<Unfollowed> unfollowed_;
  RunStats stats_;
};

}  // namespace cnsched

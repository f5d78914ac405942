#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/source/source_file.h"
#include "core/workspace/kustomize_build.h"
#include "core/workspace/scope_search.h"

namespace cnsched {

/// In which namespaces the builds of kustomizations put the objects of a file.
struct BuiltNamespaces {
  std::set<std::string> names{};  ///< that `namespace` of some builds sets
  std::set<std::string> roots{};  ///< the kustomizations of builds that set none
};

/// What kustomizations do with some files, by their paths as the user named them.
struct KustomizeResult {
  /// Patches: a kustomization lists them, or they or their directory are named as patches and the
  /// kustomization beside them does not list them as resources.
  std::set<std::string> patches{};
  /// Files whose objects get selectors from `commonLabels`, or `labels` with `includeSelectors`.
  std::set<std::string> with_added_selectors{};
  KustomizeUsers users{};
  std::map<std::string, BuiltNamespaces> namespaces{};  ///< of the files that builds use
  /// The directories, as the user named them, of the linted kustomizations whose build holds one of
  /// the files, or something from a directory that is not linted.
  std::vector<std::string> unbuilt{};
  /// Files that a generator reads, and that no kustomization uses otherwise.
  std::set<std::string> generator_inputs{};
};

/// Reads kustomizations to find out what they do with some files: which of them are patches [P60],
/// and which get labels and selectors from a transformer. Source: kustomize
/// api/types/kustomization.go, fix.go, labels.go.
class Kustomizations {
 public:
  /// Of these files, by their paths as the user named them. Of `facts` only the namespaces.
  explicit Kustomizations(Sources files, std::vector<std::string> facts = {})
      : named_(std::move(files)), facts_(std::move(facts)) {}

  /// Reads a kustomization. Invalid YAML lists nothing; a kustomization is not linted.
  void read(const SourceFile& kustomization);
  /// Reads the kustomizations on the disk that are beside `file` or in a directory above it, up to
  /// the root of its repository; each once, and none that `read` has had.
  void look_around(const std::string& file);
  /// Finds those on the disk that may use a base of files which `look_around` has had: all of its
  /// repository, unless they have been read because it is at or below a `walked` directory. Git's
  /// index lists them, if it has the base.
  void look_for_users(const std::vector<std::string>& walked);
  /// Real paths of files and directories that other generators than those of kustomizations read.
  void add_generator_inputs(const std::set<std::string>& paths);

  KustomizeResult result();
  /// What the builds write into the objects of the file; null: nothing. Any thread may ask, after
  /// `result`. The first question reads all that `look_for_users` has found, and what the index
  /// does not list.
  const KustomizeBuild* build_of(const std::string& file);

 private:
  /// What the kustomization of a directory uses.
  struct Used {
    std::set<std::string> patches{};              ///< real paths
    std::set<std::string> resources{};            ///< real paths of files and directories
    std::vector<packages::Kustomization> read{};  ///< the files of changes are real paths
    bool adds_selectors = false;
    std::string ns{};    ///< that its objects get; empty: none
    std::string name{};  ///< of a linted one: the directory as the user named it
  };

  /// The directories of those that use a file or directory as a resource or patch, by its real
  /// path.
  using UsersByPath = std::map<std::string_view, std::vector<std::string_view>>;

  /// A kustomization that is not read yet.
  struct Found {
    Found(const std::string& path, std::string bytes);

    /// False only if it does not use the file or directory, however it is written: the names on the
    /// way down to it are in the text, unless it is above the kustomization ("..").
    bool may_use(const std::string& path) const;

    SourceFile file;

   private:
    std::set<std::string_view> names_;
    bool has_escapes_ = false;
    bool ends_above_ = false;  ///< a path ends with ".."
  };

  std::string real_directory_of(const std::string& file);
  /// `file` as real_path has it.
  std::string real(const std::string& file);
  void read_from_disk(const std::string& path);
  void add(const SourceFile& kustomization, const std::string& directory);
  bool find_in_index(const std::string& root, const std::set<std::string_view>& bases);
  void find_below(const std::string& root);
  void find(const std::string& path);
  void add_found(const SourceFile& kustomization);
  std::set<std::string> directories_used_by_linted() const;
  std::set<std::string> used_files(const UsersByPath& users) const;
  void read_users();
  void name_files();
  std::set<std::string> patches() const;
  std::set<std::string> with_added_selectors() const;
  KustomizeUsers users() const;
  UsersByPath users_by_path() const;
  std::map<std::string, BuiltNamespaces> namespaces(const UsersByPath& users);
  std::vector<std::string> unbuilt(const UsersByPath& users) const;
  void find_generator_inputs(const UsersByPath& users, KustomizeResult& result) const;
  void find_builds(const UsersByPath& users);

  Sources named_;
  std::vector<std::string> facts_;
  std::map<std::string, std::string> real_directories_;    ///< by the directory as named
  std::map<std::string, std::vector<std::string>> files_;  ///< as named, by their real paths
  std::map<std::string, std::shared_ptr<const SourceFile>> sources_;  ///< the same, one of each
  std::map<std::string, Used> kustomizations_;  ///< by the real paths of their directories
  std::set<std::string> generator_inputs_;      ///< real paths of files and directories
  std::set<std::string> read_;                  ///< real paths of kustomizations
  std::set<std::string> looked_at_;             ///< real paths of directories
  std::list<Found> found_;
  std::size_t found_size_ = 0;     ///< of them, in bytes
  std::set<std::string> indexed_;  ///< repositories of which git's index was read
  /// Files of one build share it.
  std::map<std::string, std::shared_ptr<const KustomizeBuild>> builds_;
  std::once_flag is_built_;
};

}  // namespace cnsched

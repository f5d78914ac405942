#include "core/workspace/scope_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "core/base/text.h"
#include "core/source/path.h"

namespace cnsched {

namespace {

/// Directories whose subdirectories are clusters.
constexpr auto kParentsOfClusters = std::to_array<std::string_view>(
    {"clusters", "environments", "envs", "env", "overlays", "stages", "regions"});
/// Words that name a stage, alone or within a name ("prod-eu").
constexpr auto kStages = std::to_array<std::string_view>(
    {"dev", "develop", "development", "qa", "uat", "int", "integration", "stage", "staging", "stg",
     "preprod", "production", "prod", "prd", "live", "sandbox", "test"});
/// Directories with what the clusters beside them share.
constexpr auto kSharedNames = std::to_array<std::string_view>(
    {"base", "bases", "common", "shared", "global", "default", "defaults", "components", "lib"});

/// "prod-eu", "k8s_prod".
bool names_stage(std::string_view name) {
  std::size_t begin = 0;
  while (begin <= name.size()) {
    const std::size_t end = std::min(name.find_first_of("-_.", begin), name.size());
    if (is_one_of(name.substr(begin, end - begin), kStages)) return true;
    begin = end + 1;
  }
  return false;
}

/// A directory with linted files in it or below it.
struct Directory {
  std::string_view name;
  Directory* parent = nullptr;
  std::map<std::string_view, Directory*> children{};
  std::vector<std::string_view> own{};  ///< identities of the facts directly in it
  std::set<std::string_view> all{};     ///< identities of the facts in it or below it
  bool has_facts = false;               ///< it, or a directory below it
  bool is_scope = false;
  bool has_scopes = false;    ///< below it
  bool has_clusters = false;  ///< facts that are clusters, in it or below it
  /// The index of the cluster whose manifests it holds, outside of the scopes below it.
  std::optional<std::size_t> cluster{};
};

class ScopeSearch {
 public:
  explicit ScopeSearch(const ScopeQuestion& question) : question_(question) {}

  Result<FoundScopes> run() {
    place_files();
    place_facts();
    split_by_identity(root());
    split_by_name(root());
    note_scopes(root());
    FoundScopes found;
    number(root(), "", found);
    if (found.names.size() < 2) return FoundScopes{};
    std::size_t shared = 0;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      found.files.push_back(membership(places_[i]));
      found.files.back().is_used_elsewhere = is_used_elsewhere(i);
      shared += found.files.back().visible_in.size();
      if (shared > FoundScopes::kMaxShared) {
        return Error{fmt::format("{} clusters share too many files", found.names.size())};
      }
    }
    return found;
  }

 private:
  Directory& root() { return directories_[""]; }

  Directory& directory(std::string_view path) {
    const auto [entry, is_new] = directories_.try_emplace(std::string(path));
    Directory& result = entry->second;
    if (!is_new || path.empty()) return result;
    const std::string_view key = entry->first;
    const std::size_t slash = key.rfind('/');
    result.name = slash == std::string_view::npos ? key : key.substr(slash + 1);
    result.parent =
        &directory(slash == std::string_view::npos ? std::string_view() : key.substr(0, slash));
    result.parent->children.emplace(result.name, &result);
    return result;
  }

  static std::string_view parent_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
  }

  /// Places each file in its directory, or in those of the overlays that use it.
  void place_files() {
    std::map<std::string_view, std::set<std::size_t>> clusters;  // files, by directory
    for (const PlacedFact& fact : question_.facts) {
      if (fact.is_cluster) clusters[parent_of(question_.files[fact.file])].insert(fact.file);
    }
    for (std::size_t i = 0; i < question_.files.size(); ++i) {
      const std::string& file = question_.files[i];
      const auto beside = clusters.find(parent_of(file));
      const bool is_one_of_several =
          beside != clusters.end() && beside->second.size() > 1 && beside->second.contains(i);
      std::set<std::string_view> places;
      std::set<std::string_view> seen;
      const std::string_view own = is_one_of_several ? std::string_view(file) : parent_of(file);
      add_places(file, own, places, seen);
      own_places_.push_back(&directory(own));
      std::vector<Directory*> list;
      for (const std::string_view place : places) list.push_back(&directory(place));
      places_.push_back(std::move(list));
    }
  }

  /// `path`: a file, or the directory of a kustomization. `directory`: where it is by itself.
  void add_places(std::string_view path, std::string_view directory,
                  std::set<std::string_view>& places, std::set<std::string_view>& seen) const {
    constexpr std::size_t kMaxUsers = 256;
    for (std::string_view at = path; !question_.users.empty(); at = parent_of(at)) {
      const auto users = question_.users.find(std::string(at));
      if (users != question_.users.end()) {
        bool is_used = false;
        for (const std::string& user : users->second) {
          if (seen.size() > kMaxUsers || !seen.insert(user).second) continue;
          add_places(user, user, places, seen);
          is_used = true;
        }
        if (is_used) return;
        break;  // by itself only
      }
      if (at.empty()) break;
    }
    places.insert(directory);
  }

  /// A base that several overlays use is one fact, and no sign of several clusters, unless one of
  /// them has another version of it.
  void place_facts() {
    std::set<std::string_view> versions;
    for (const PlacedFact& fact : question_.facts) {
      if (is_used_elsewhere(fact.file)) continue;
      place(fact);
      versions.insert(fact.identity);
    }
    for (const PlacedFact& fact : question_.facts) {
      const bool has_versions = !fact.identity.empty() && versions.contains(fact.identity);
      if (is_used_elsewhere(fact.file) && has_versions) place(fact);
    }
  }

  bool is_used_elsewhere(std::size_t file) const {
    return places_[file] != std::vector{own_places_[file]};
  }

  void place(const PlacedFact& fact) {
    for (Directory* place : places_[fact.file]) {
      if (!fact.identity.empty()) place->own.push_back(fact.identity);
      for (Directory* at = place; at != nullptr; at = at->parent) {
        at->has_facts = true;
        at->has_clusters = at->has_clusters || fact.is_cluster;
        if (!fact.identity.empty()) at->all.insert(fact.identity);
      }
    }
  }

  /// The subdirectories that hold a fact of which another one, or the directory itself, holds one
  /// too are scopes.
  static void split_by_identity(Directory& directory) {
    std::map<std::string_view, std::size_t> counts;
    for (const std::string_view identity : std::set(directory.own.begin(), directory.own.end())) {
      ++counts[identity];
    }
    for (const auto& [name, child] : directory.children) {
      if (is_one_of(name, kSharedNames)) continue;
      for (const std::string_view identity : child->all) ++counts[identity];
    }
    for (const auto& [name, child] : directory.children) {
      if (!child->has_facts) continue;
      split_by_identity(*child);
      if (is_one_of(name, kSharedNames)) continue;
      child->is_scope = std::ranges::any_of(
          child->all, [&](std::string_view identity) { return counts[identity] > 1; });
    }
  }

  static void split_by_name(Directory& directory) {
    std::vector<Directory*> clusters;
    const bool holds_clusters = is_one_of(directory.name, kParentsOfClusters);
    for (const auto& [name, child] : directory.children) {
      if (is_one_of(name, kSharedNames)) continue;
      if (holds_clusters || names_stage(name)) clusters.push_back(child);
    }
    if (clusters.size() > 1 && std::ranges::any_of(clusters, &Directory::has_facts)) {
      for (Directory* cluster : clusters) cluster->is_scope = true;
    }
    for (const auto& [name, child] : directory.children) split_by_name(*child);
  }

  /// Adds the identities of facts outside of the scopes below the directory to `shared`, and those
  /// within to `of_scopes`.
  static void collect(const Directory& directory, std::set<std::string_view>& shared,
                      std::set<std::string_view>& of_scopes) {
    shared.insert(directory.own.begin(), directory.own.end());
    for (const auto& [name, child] : directory.children) {
      if (child->is_scope) {
        of_scopes.insert(child->all.begin(), child->all.end());
      } else if (!is_one_of(name, kSharedNames)) {
        collect(*child, shared, of_scopes);
      }
    }
  }

  /// Whether the directory, outside of the scopes below it, has a fact that one of these has too.
  static bool has_facts_of_its_cluster(const Directory& directory) {
    std::set<std::string_view> shared;
    std::set<std::string_view> of_scopes;
    collect(directory, shared, of_scopes);
    return std::ranges::any_of(
        shared, [&](std::string_view identity) { return of_scopes.contains(identity); });
  }

  /// Notes which directories have scopes below them; whether this one is a scope or has some.
  static bool note_scopes(Directory& directory) {
    for (const auto& [name, child] : directory.children) {
      if (note_scopes(*child)) directory.has_scopes = true;
    }
    return directory.is_scope || directory.has_scopes;
  }

  /// Numbers the clusters, in the order of their paths.
  static void number(Directory& directory, const std::string& path, FoundScopes& found) {
    const bool is_area = directory.is_scope || directory.parent == nullptr;
    const bool is_cluster = directory.has_clusters || has_facts_of_its_cluster(directory);
    if (is_area && (!directory.has_scopes || is_cluster)) {
      directory.cluster = found.names.size();
      found.names.push_back(path.empty() ? "." : path);
    }
    for (const auto& [name, child] : directory.children) {
      number(*child, joined(path, name), found);
    }
  }

  static const Directory& area_of(const Directory& place) {
    const Directory* at = &place;
    while (!at->is_scope && at->parent != nullptr) at = at->parent;
    return *at;
  }

  static std::size_t depth_of(const Directory& directory) {
    std::size_t depth = 0;
    for (const Directory* at = directory.parent; at != nullptr; at = at->parent) ++depth;
    return depth;
  }

  static void add_clusters_below(const Directory& directory, std::set<std::size_t>& clusters) {
    if (directory.cluster) clusters.insert(*directory.cluster);
    if (!directory.has_scopes) return;
    for (const auto& [name, child] : directory.children) add_clusters_below(*child, clusters);
  }

  FoundScopes::Membership membership(const std::vector<Directory*>& places) const {
    FoundScopes::Membership result;
    std::set<std::size_t> judged;
    std::set<std::size_t> visible;
    for (const Directory* place : places) {
      const Directory& area = area_of(*place);
      add_clusters_below(area, visible);
      if (area.cluster) {
        judged.insert(*area.cluster);
      } else {
        add_clusters_below(area, judged);
      }
      result.depth = std::max(result.depth, depth_of(area));
    }
    result.judged_in.assign(judged.begin(), judged.end());
    result.visible_in.assign(visible.begin(), visible.end());
    return result;
  }

  const ScopeQuestion& question_;
  std::map<std::string, Directory> directories_;
  std::vector<Directory*> own_places_;           ///< of each file: where it is by itself
  std::vector<std::vector<Directory*>> places_;  ///< of each file
};

}  // namespace

Result<FoundScopes> find_scopes(const ScopeQuestion& question) {
  return ScopeSearch(question).run();
}

}  // namespace cnsched

#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace cnsched {

/// A fact about a cluster, as the search for cluster scopes sees it.
struct PlacedFact {
  std::size_t file = 0;  ///< the index of its file
  /// Equal for two facts that one cluster cannot both have. Empty for facts of which it can have
  /// any number.
  std::string identity;
  /// It is the description of a whole cluster, and there are several: files outside of their scopes
  /// are for none of these clusters.
  bool is_cluster = false;
};

/// The directories with a kustomization that refers to a directory or a file, by the path referred
/// to. Paths as in `ScopeQuestion::files`.
using KustomizeUsers = std::map<std::string, std::set<std::string>>;

struct ScopeQuestion {
  std::span<const std::string> files;  ///< paths of the linted files, or of parts, lexically normal
  std::span<const PlacedFact> facts;
  const KustomizeUsers& users;
};

/// The clusters that files belong to.
struct FoundScopes {
  /// Of the files of all scopes, each counted once for each scope that sees it. Real repositories
  /// have at most some hundred scopes and thousands of files, few of them shared.
  static constexpr std::size_t kMaxShared = 2'000'000;

  struct Membership {
    std::vector<std::size_t> judged_in{};   ///< the scopes whose cluster the file's objects are for
    std::vector<std::size_t> visible_in{};  ///< the scopes whose objects may refer to them
    /// How deep the directory of the file's scope is: facts of a deeper one override others of
    /// their identity.
    std::size_t depth = 0;
    bool is_used_elsewhere = false;  ///< a kustomization elsewhere uses it
  };

  std::vector<std::string> names;  ///< a directory each; empty: one scope has all files
  std::vector<Membership> files;
};

/// Finds the directories that hold the manifests of one cluster each.
///
/// One cluster has one ConfigMap `config-features`, and one Node of a name. Two of them in
/// different directories belong to two clusters: the directories that lead from their nearest
/// common parent to each of them are scopes. Directories that are named as clusters or stages are
/// (`clusters/dev`, `clusters/prod`) are scopes as soon as one of them holds a fact. A file outside
/// of every scope is shared: each scope below the nearest directory with scopes sees it, and its
/// objects are judged in each, unless that directory holds the facts of a cluster itself.
/// Of several descriptions of clusters in one directory, each file or part is a scope. A base
/// counts as part of each overlay that uses it. Fails if too many scopes share too many files.
Result<FoundScopes> find_scopes(const ScopeQuestion& question);

}  // namespace cnsched

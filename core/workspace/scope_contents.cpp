#include "core/workspace/scope_contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "core/base/text.h"
#include "core/k8s/scope.h"
#include "core/workspace/scope_search.h"

namespace cnsched {

namespace {

/// What the search needs to know of an object that is a fact about a cluster; nothing for others.
/// An empty identity: a cluster may have any number of them.
std::optional<std::string> identity_of(const k8s::Object& object) {
  if (object.is("operator.knative.dev", "KnativeServing")) return "KnativeServing";
  if (!kserve::feature_maps_in(object).empty()) return "config-features";
  if (object.is("", "ConfigMap") &&
      (object.name == "inferenceservice-config" || object.name == "seldon-config")) {
    return std::string(object.name);
  }
  const bool is_runtime = object.kind == "ServingRuntime" || object.kind == "ClusterServingRuntime";
  if (is_runtime || object.kind == "ServerConfig") return "";
  const bool describes_nodes = !facts::node_pools_in(object).empty();
  if (!describes_nodes && facts::facts_in({&object}).plugins.empty()) return std::nullopt;
  // Examples often repeat the pool that they need.
  if (object.name.empty() || (describes_nodes && object.kind != "Node")) return "";
  return fmt::format("{} {}", object.kind, object.name);
}

bool is_cluster_config(const k8s::Object& object) {
  return object.is("eksctl.io", "ClusterConfig") && !object.name.empty();
}

/// The linted files with objects or definitions of kinds, and the facts in them.
struct Files {
  static constexpr std::size_t kNone = SIZE_MAX;

  Files(const Workspace& workspace, bool divides_files)
      : index_of(workspace.sources.size(), kNone) {
    for (const k8s::Object& object : workspace.objects()) {
      add_path(workspace, object.root->span.file);
    }
    for (const PlacedDefinition& each : workspace.definitions()) add_path(workspace, each.file);
    const std::size_t shared = length_of_shared_directory();
    for (const k8s::Object& object : workspace.objects()) {
      const FileId file = object.root->span.file;
      if (!workspace.is_linted(file)) continue;
      if (is_fixture(std::string_view(paths[index_of[file]]).substr(shared))) {
        fixtures.push_back(&object);
        continue;
      }
      if (auto identity = identity_of(object)) {
        identities.emplace(&object, *identity);
        facts.push_back({index_of[file], *std::move(identity)});
        if (is_cluster_config(object)) cluster_configs.emplace(facts.size() - 1, &object);
      }
      if (is_cluster_config(object)) cluster_names.insert(object.name);
    }
    if (cluster_names.size() > 1) name_clusters(divides_files);
  }

  /// The index of the path that the object is at.
  std::size_t place_of(const k8s::Object& object) const {
    const auto part = parts.find(&object);
    return part != parts.end() ? part->second : index_of[object.root->span.file];
  }

  /// The length of the path of the directory that all files are in, with the '/' at its end.
  std::size_t length_of_shared_directory() const {
    std::string_view shared = paths.empty() ? std::string_view() : std::string_view(paths.front());
    for (const std::string_view path : paths) {
      const auto length = std::ranges::mismatch(shared, path).in1 - shared.begin();
      shared = shared.substr(0, static_cast<std::size_t>(length));
    }
    return shared.rfind('/') + 1;
  }

  static bool is_fixture(std::string_view path) {
    const std::string lowered = lower(path);
    std::vector<std::string_view> directories = split(lowered, '/');
    directories.pop_back();
    return std::ranges::any_of(directories, k8s::is_fixture_directory);
  }

  /// ClusterConfigs of several names are as many clusters. Those of one file have a path each.
  void name_clusters(bool divides_files) {
    std::map<std::size_t, std::map<std::string_view, std::size_t>> by_file;
    for (const auto& [i, object] : cluster_configs) {
      facts[i].identity = "ClusterConfig";
      facts[i].is_cluster = true;
      by_file[facts[i].file].try_emplace(object->name);
    }
    for (const auto& [i, object] : cluster_configs) {
      auto& names = by_file[facts[i].file];
      if (!divides_files || names.size() < 2) continue;
      std::size_t& part = names[object->name];
      if (part == 0) {
        part = paths.size();
        paths.push_back(fmt::format("{}:{}", paths[facts[i].file], object->name));
      }
      divided.insert(object->root->span.file);
      parts.emplace(object, part);
      facts[i].file = part;
    }
  }

  void add_path(const Workspace& workspace, FileId file) {
    if (!workspace.is_linted(file) || index_of[file] != kNone) return;
    index_of[file] = paths.size();
    const std::filesystem::path path = workspace.sources[file]->path();
    paths.push_back(path.lexically_normal().string());
  }

  std::vector<std::string> paths;
  std::vector<PlacedFact> facts;
  std::unordered_map<const k8s::Object*, std::string> identities;
  /// What tests read, beside the manifests: no facts about their cluster.
  std::vector<const k8s::Object*> fixtures;
  std::vector<std::size_t> index_of;                          ///< by file id
  std::map<std::size_t, const k8s::Object*> cluster_configs;  ///< by the index in `facts`
  std::set<std::string_view> cluster_names;                   ///< of them
  std::map<const k8s::Object*, std::size_t> parts;            ///< indices of paths of their own
  std::set<FileId> divided;                                   ///< files with such parts
};

/// The clusters of the configuration. A file of none of them is shared by all.
Result<FoundScopes> declared_scopes(const Files& files, const Workspace& workspace,
                                    const std::vector<DeclaredCluster>& declared) {
  if (declared.size() * files.paths.size() > FoundScopes::kMaxShared) {
    return Error{fmt::format("{} clusters share too many files", declared.size())};
  }
  FoundScopes found;
  for (const DeclaredCluster& cluster : declared) found.names.push_back(cluster.name);
  found.files.resize(files.paths.size());
  for (FileId id = 0; id < files.index_of.size(); ++id) {
    if (files.index_of[id] == Files::kNone) continue;
    FoundScopes::Membership& membership = found.files[files.index_of[id]];
    for (std::size_t i = 0; i < declared.size(); ++i) {
      if (declared[i].holds(workspace.sources[id]->path())) membership.judged_in.push_back(i);
    }
    membership.depth = membership.judged_in.empty() ? 0 : 1;
    if (membership.judged_in.empty()) {
      for (std::size_t i = 0; i < declared.size(); ++i) membership.judged_in.push_back(i);
    }
    membership.visible_in = membership.judged_in;
  }
  return found;
}

/// Finds the facts that one of the same identity in a deeper directory overrides.
void find_overridden(const Files& files, const FoundScopes& found, ClusterScope::Content& content) {
  const auto depth_of = [&](const k8s::Object& object) {
    return found.files[files.place_of(object)].depth;
  };
  std::map<std::string_view, std::size_t> deepest;
  const auto each_fact = [&](auto visit) {
    for (const k8s::Object& object : content.objects) {
      const auto identity = files.identities.find(&object);
      if (identity != files.identities.end() && !identity->second.empty()) {
        visit(object, identity->second);
      }
    }
  };
  each_fact([&](const k8s::Object& object, const std::string& identity) {
    std::size_t& depth = deepest[identity];
    depth = std::max(depth, depth_of(object));
  });
  each_fact([&](const k8s::Object& object, const std::string& identity) {
    if (depth_of(object) < deepest[identity]) content.overridden.insert(&object);
  });
}

/// How the search placed the files that it was asked about.
std::shared_ptr<const ScopeGuess> guess_of(const Files& files, const FoundScopes& found) {
  ScopeGuess guess;
  guess.divided = files.divided;
  guess.paths.resize(files.index_of.size());
  for (FileId id = 0; id < files.index_of.size(); ++id) {
    const std::size_t file = files.index_of[id];
    if (file == Files::kNone) continue;
    guess.paths[id] = files.paths[file];
    if (found.files[file].is_used_elsewhere) guess.used_elsewhere.insert(id);
  }
  return std::make_shared<const ScopeGuess>(std::move(guess));
}

}  // namespace

Result<std::vector<ClusterScope::Content>> scope_contents(
    const Workspace& workspace, const std::vector<DeclaredCluster>& declared,
    const KustomizeUsers& users) {
  const Files files(workspace, declared.empty());
  const Result<FoundScopes> search = declared.empty()
                                         ? find_scopes({files.paths, files.facts, users})
                                         : declared_scopes(files, workspace, declared);
  if (!search) return search.error();
  const FoundScopes& found = *search;
  std::vector<ClusterScope::Content> contents(std::max<std::size_t>(found.names.size(), 1));
  const bool is_guess = declared.empty() && !found.names.empty();
  const auto guess = is_guess ? guess_of(files, found) : nullptr;
  for (std::size_t i = 0; i < found.names.size(); ++i) {
    contents[i].name = found.names[i];
    contents[i].guess = guess;
    contents[i].judged_files.resize(workspace.sources.size());
  }
  for (const k8s::Object& object : workspace.objects()) {
    const std::size_t file = files.place_of(object);
    if (found.names.empty() || file == Files::kNone) {
      for (ClusterScope::Content& content : contents) content.objects.emplace_back(object);
      continue;
    }
    const FoundScopes::Membership& membership = found.files[file];
    // What is in one file with clusters is for none of them.
    const bool is_beside = files.divided.contains(object.root->span.file);
    for (const std::size_t scope : is_beside ? membership.judged_in : membership.visible_in) {
      contents[scope].objects.emplace_back(object);
    }
    for (const std::size_t scope : membership.judged_in) {
      contents[scope].judged_files[object.root->span.file] = true;
    }
  }
  for (const PlacedDefinition& each : workspace.definitions()) {
    const std::size_t file = files.index_of[each.file];
    for (std::size_t i = 0; i < contents.size(); ++i) {
      const bool is_shared = found.names.empty() || file == Files::kNone;
      if (is_shared || std::ranges::find(found.files[file].visible_in, i) !=
                           found.files[file].visible_in.end()) {
        contents[i].definitions.push_back(&each);
      }
    }
  }
  auto split = split_by_variants(workspace, std::move(contents));
  if (split) split = split_by_releases(workspace, *std::move(split));
  if (!split) return split;
  std::vector<ClusterScope::Content> parts = *std::move(split);
  for (ClusterScope::Content& content : parts) {
    content.overridden.insert(files.fixtures.begin(), files.fixtures.end());
    if (!found.names.empty()) find_overridden(files, found, content);
  }
  return parts;
}

namespace {

using k8s::schema::Releases;

/// The configurations of the files that a scope judges; null: without one.
std::set<const facts::ClusterConfig*> configs_of(const Workspace& workspace,
                                                 const ClusterScope::Content& content) {
  std::set<const facts::ClusterConfig*> configs;
  for (const k8s::Object& object : content.objects) {
    const FileId file = object.root->span.file;
    if (workspace.is_linted(file) && content.judges(file)) {
      configs.insert(workspace.config_of(file));
    }
  }
  return configs;
}

/// The choices among the releases that configurations state: each with the releases of which it
/// states several, and none of the others.
std::set<Releases> choices_for(const Workspace& workspace,
                               const std::set<const facts::ClusterConfig*>& configs) {
  std::set<Releases> all;
  for (const facts::ClusterConfig* config : configs) {
    std::vector<Releases> choices = {{}};
    for (const Project project : k8s::schema::kProjects) {
      const auto& stated = workspace.stated_releases(project, config);
      if (stated.size() < 2) continue;
      std::vector<Releases> longer;
      for (const Releases& choice : choices) {
        for (const facts::StatedRelease& release : stated) {
          longer.push_back(choice);
          longer.back().of(project) = release.version;
        }
      }
      choices = std::move(longer);
    }
    all.insert(choices.begin(), choices.end());
  }
  return all;
}

/// Whether the files of the configuration are judged with the chosen releases: those that are among
/// several that it states, and no others.
bool states(const Workspace& workspace, const facts::ClusterConfig* config,
            const Releases& choice) {
  return std::ranges::all_of(k8s::schema::kProjects, [&](Project project) {
    const auto& stated = workspace.stated_releases(project, config);
    const auto& chosen = choice.of(project);
    if (!chosen) return stated.size() < 2;
    return stated.size() > 1 &&
           std::ranges::find(stated, *chosen, &facts::StatedRelease::version) != stated.end();
  });
}

}  // namespace

Result<std::vector<ClusterScope::Content>> split_by_releases(
    const Workspace& workspace, std::vector<ClusterScope::Content> contents) {
  std::vector<ClusterScope::Content> parts;
  std::size_t objects = 0;
  for (ClusterScope::Content& content : contents) {
    const std::set<Releases> choices = choices_for(workspace, configs_of(workspace, content));
    if (choices.size() < 2) {
      parts.push_back(std::move(content));
      continue;
    }
    objects += choices.size() * content.objects.size();
    if (objects > FoundScopes::kMaxShared) {
      return Error{
          fmt::format("{} combinations of releases share too many objects", choices.size())};
    }
    for (const Releases& choice : choices) {
      ClusterScope::Content& part = parts.emplace_back(content);
      part.releases = choice;
      part.judged_files.resize(workspace.sources.size());
      for (FileId file = 0; file < part.judged_files.size(); ++file) {
        part.judged_files[file] =
            content.judges(file) && states(workspace, workspace.config_of(file), choice);
      }
    }
  }
  return parts;
}

namespace {

/// The variants of each chart whose objects a scope sees, by the chart.
using Variants = std::map<std::string_view, std::set<std::string_view>>;

/// Splits one scope.
class Split {
 public:
  Split(const Workspace& workspace, const ClusterScope::Content& content)
      : workspace_(workspace), content_(content) {
    for (const k8s::Object& object : content.objects) {
      const FileId file = object.root->span.file;
      const RenderedVariant& variant = workspace.variant_of(file);
      if (variant.name.empty()) continue;
      by_chart_[variant.chart].insert(variant.name);
      if (content.judges(file)) names_.insert(variant.name);
    }
  }

  const std::set<std::string_view>& names() const { return names_; }

  /// The part of the scope that is for charts rendered with this variant.
  ClusterScope::Content part(std::string_view name) const {
    ClusterScope::Content part{.name = content_.name,
                               .variant = std::string(name),
                               .releases = content_.releases,
                               .objects = {},
                               .guess = content_.guess};
    for (const k8s::Object& object : content_.objects) {
      if (sees(object.root->span.file, name)) part.objects.emplace_back(object);
    }
    for (const PlacedDefinition* each : content_.definitions) {
      if (sees(each->file, name)) part.definitions.push_back(each);
    }
    part.judged_files.resize(workspace_.sources.size());
    for (FileId file = 0; file < part.judged_files.size(); ++file) {
      const std::string& of = workspace_.variant_of(file).name;
      part.judged_files[file] = content_.judges(file) && (of.empty() || of == name);
    }
    return part;
  }

 private:
  bool sees(FileId file, std::string_view name) const {
    const RenderedVariant& variant = workspace_.variant_of(file);
    if (variant.name.empty() || variant.name == name) return true;
    const auto chart = by_chart_.find(variant.chart);
    if (chart == by_chart_.end() || chart->second.contains(name)) return false;
    return variant.name == *chart->second.begin();
  }

  const Workspace& workspace_;
  const ClusterScope::Content& content_;
  Variants by_chart_;
  std::set<std::string_view> names_;
};

}  // namespace

Result<std::vector<ClusterScope::Content>> split_by_variants(
    const Workspace& workspace, std::vector<ClusterScope::Content> contents) {
  std::vector<ClusterScope::Content> parts;
  std::size_t objects = 0;
  for (ClusterScope::Content& content : contents) {
    const Split split(workspace, content);
    if (split.names().empty()) {
      parts.push_back(std::move(content));
      continue;
    }
    objects += split.names().size() * content.objects.size();
    if (objects > FoundScopes::kMaxShared) {
      return Error{fmt::format("{} variants share too many objects", split.names().size())};
    }
    for (const std::string_view name : split.names()) parts.push_back(split.part(name));
  }
  return parts;
}

}  // namespace cnsched

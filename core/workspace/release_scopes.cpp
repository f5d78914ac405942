#include "core/workspace/release_scopes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/workspace/scope_search.h"

namespace cnsched {

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
bool states(const Workspace& workspace, const facts::ClusterConfig* config, const Releases& choice) {
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

}  // namespace cnsched

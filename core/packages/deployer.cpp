#include "core/packages/deployer.h"

#include <algorithm>

namespace cnsched::packages {

namespace {

bool names_source(const yaml::Node& source) {
  return source["chart"] || source["path"] || source["repoURL"];
}

/// Whether an Application's `spec` has a source, or several.
bool has_source(const yaml::Node& spec) {
  return names_source(spec["source"]) ||
         std::ranges::any_of(spec["sources"].items(),
                             [](const yaml::Node* item) { return names_source(*item); });
}

}  // namespace

std::optional<Unfollowed::Kind> deployer_kind(const k8s::Object& object) {
  using enum Unfollowed::Kind;
  const yaml::Node& spec = object.spec();
  if (object.is("argoproj.io", "Application") && has_source(spec)) return application;
  if (object.is("argoproj.io", "ApplicationSet") && has_source(spec["template"]["spec"])) {
    return application_set;
  }
  if (object.is("helm.toolkit.fluxcd.io", "HelmRelease")) return helm_release;
  if (object.is("kustomize.toolkit.fluxcd.io", "Kustomization")) return flux_kustomization;
  return std::nullopt;
}

std::set<std::string> policy_manifests(const k8s::Object& object) {
  std::set<std::string> paths;
  if (!object.is("policy.open-cluster-management.io", "PolicyGenerator")) return paths;
  for (const yaml::Node* policy : object["policies"].items()) {
    for (const yaml::Node* manifest : (*policy)["manifests"].items()) {
      paths.emplace((*manifest)["path"].text());
    }
  }
  return paths;
}

}  // namespace cnsched::packages

#pragma once

#include <optional>
#include <set>
#include <string>

#include "core/k8s/object.h"
#include "core/source/discover.h"

namespace cnsched::packages {

/// What the object is if a controller deploys from it what a chart, a path or a repository holds:
/// Argo CD's Application and ApplicationSet with a source, Flux's HelmRelease and Kustomization.
/// Source: argo-cd 3.2 pkg/apis/application/v1alpha1/types.go, ApplicationSource; fluxcd
/// helm-controller 1.4 and kustomize-controller 1.7 api/.
std::optional<Unfollowed::Kind> deployer_kind(const k8s::Object& object);

/// The files and directories, relative to its own, that a PolicyGenerator of Red Hat Advanced
/// Cluster Management wraps into policies. They may have parts of objects, which the policies
/// compare with those of a cluster. Source: open-cluster-management.io/policy-generator-plugin 1.17
/// internal/types/types.go.
std::set<std::string> policy_manifests(const k8s::Object& object);

}  // namespace cnsched::packages

#pragma once

#include <optional>

#include "core/k8s/object.h"
#include "core/source/discover.h"

namespace cnsched {

/// What the object is if a controller deploys from it what a chart, a path or a repository holds:
/// Argo CD's Application and ApplicationSet with a source, Flux's HelmRelease and Kustomization.
/// Source: argo-cd 3.2 pkg/apis/application/v1alpha1/types.go, ApplicationSource; fluxcd
/// helm-controller 1.4 and kustomize-controller 1.7 api/.
std::optional<Unfollowed::Kind> deployer_kind(const k8s::Object& object);

}  // namespace cnsched

#include "core/source/unfollowed.h"

namespace cnsched {

std::string_view name_of(Unfollowed::Kind kind) {
  using enum Unfollowed::Kind;
  switch (kind) {
    case chart:
      return "helm-chart";
    case template_file:
      return "helm-template";
    case kustomization:
      return "kustomization";
    case application:
      return "argo-cd-application";
    case application_set:
      return "argo-cd-application-set";
    case helm_release:
      return "flux-helm-release";
    case flux_kustomization:
      return "flux-kustomization";
    case jsonnet:
      return "jsonnet";
    case cue:
      return "cue";
    case terraform:
      break;
  }
  return "terraform";
}

}  // namespace cnsched

#include "core/packages/deployer.h"
#include "testdata/support.h"

namespace cnsched::packages::deployer_test {

std::string deployer_in(const std::string& text) {
  const Parsed parsed(text);
  const auto kind = deployer_kind(parsed.object());
  return kind ? std::string(name_of(*kind)) : "none";
}

TEST_CASE("an Application or ApplicationSet of Argo CD is one if it has a source") {
  const std::string application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\n";
  CHECK(deployer_in(application + "spec: {source: {repoURL: https://a.invalid, path: x}}\n") ==
        "argo-cd-application");
  CHECK(deployer_in(application + "spec: {sources: [{ref: values}, {chart: llama}]}\n") ==
        "argo-cd-application");
  CHECK(deployer_in(application + "spec: {project: default}\n") == "none");
  CHECK(deployer_in("apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\n"
                    "spec: {template: {spec: {source: {path: '{{.path}}'}}}}\n") ==
        "argo-cd-application-set");
  CHECK(deployer_in("apiVersion: argoproj.io/v1alpha1\nkind: AppProject\n") == "none");
  CHECK(deployer_in("apiVersion: app.k8s.io/v1beta1\nkind: Application\n"
                    "spec: {source: {path: x}}\n") == "none");
}

TEST_CASE("a HelmRelease or Kustomization of Flux is one; a kustomization of kustomize is none") {
  CHECK(deployer_in("apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n") ==
        "flux-helm-release");
  CHECK(deployer_in("apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n") ==
        "flux-kustomization");
  CHECK(deployer_in("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n") ==
        "none");
}

}  // namespace cnsched::packages::deployer_test

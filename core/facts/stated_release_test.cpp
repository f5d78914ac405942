#include "core/facts/stated_release.h"

#include <deque>

#include "testdata/support.h"

namespace cnsched::facts::stated_release_test {

/// "kubernetes 1.30, kserve 0.13": what documents show.
std::string found_in(const std::vector<std::string>& texts) {
  std::deque<Parsed> parsed;
  std::vector<const k8s::Object*> pointers;
  std::vector<const yaml::Node*> servers;
  for (const std::string& text : texts) {
    parsed.emplace_back(text);
    if (const yaml::Node& server = server_version(parsed.back().root())) {
      servers.push_back(&server);
      continue;
    }
    for (const k8s::Object& object : parsed.back().objects) pointers.push_back(&object);
  }
  const FoundReleases found = releases_in(pointers, servers);
  std::string words;
  for (const Project project : k8s::schema::kProjects) {
    for (const StatedRelease& release : found.stated.of(project)) {
      words += (words.empty() ? "" : ", ") + std::string(key_of(project)) + " " +
               to_string(release.version);
    }
  }
  if (found.knative) words += " knative " + to_string(*found.knative);
  return words;
}

std::string node(const std::string& kubelet) {
  return "{apiVersion: v1, kind: Node, metadata: {name: a}, status: {nodeInfo: {kubeletVersion: " +
         kubelet + "}}}";
}

std::string controller(const std::string& image) {
  return "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {template: {spec: "
         "{containers: [{name: manager, image: '" +
         image + "'}]}}}}";
}

TEST_CASE("kubectl version and kubelets state the release of Kubernetes") {
  CHECK(found_in({"serverVersion: {gitVersion: v1.29.6-eks-1552ad0}"}) == "kubernetes 1.29");
  CHECK(found_in({node("v1.30.1+k3s1"), node("v1.29.0")}) == "kubernetes 1.30");
  CHECK(found_in({node("v1.28.1"), "serverVersion: {gitVersion: v1.30.2}"}) == "kubernetes 1.30");
  CHECK(found_in({node("v1.19.1")}).empty());
  CHECK(found_in({node("unknown"), "clientVersion: {gitVersion: v1.30.2}"}).empty());
}

TEST_CASE("images of controllers state their releases") {
  CHECK(found_in({controller("kserve/kserve-controller:v0.13.1")}) == "kserve 0.13");
  CHECK(found_in({controller("docker.io/seldonio/seldonv2-controller:2.8.2")}) == "seldon 2.8");
  CHECK(found_in({controller("seldonio/seldon-core-operator:1.18.2")}) == "seldon 1.18");
  CHECK(found_in({controller("kserve/kserve-controller@sha256:abc")}).empty());
  CHECK(found_in({controller("kserve/kserve-controller:latest")}).empty());
  CHECK(found_in({controller("kserve/kserve-controller:v0.99.0")}).empty());
}

TEST_CASE("controllers of several clusters state nothing") {
  CHECK(found_in({controller("kserve/kserve-controller:v0.13.1"),
                  controller("kserve/kserve-controller:v0.14.0")})
            .empty());
  CHECK(found_in({controller("kserve/kserve-controller:v0.13.1"),
                  controller("kserve/kserve-controller:v0.13.0")}) == "kserve 0.13");
}

TEST_CASE("the label of Knative's controller states its release") {
  const std::string labels =
      "{app.kubernetes.io/name: knative-serving, app.kubernetes.io/version: '1.14.0'}";
  CHECK(found_in({"{apiVersion: apps/v1, kind: Deployment, metadata: {name: controller, labels: " +
                  labels + "}}"}) == " knative 1.14");
}

}  // namespace cnsched::facts::stated_release_test

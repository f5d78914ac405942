#include "rules/engine/config.h"

#include <doctest/doctest.h>

#include "testdata/support.h"

namespace cnsched::rules {

namespace {

std::string mode_of(const Config* config) {
  return config == nullptr ? "none" : std::string(config->cluster.default_deployment_mode->text);
}

}  // namespace

TEST_CASE("each file has the nearest configuration above it, up to the repository's root") {
  const test::TemporaryDirectory tree;
  tree.write(".cnsched.yaml", "cluster: {defaultDeploymentMode: ModelMesh}\n");
  tree.write("repo/.git/HEAD", "");
  tree.write("repo/.cnsched.yaml", "cluster: {defaultDeploymentMode: RawDeployment}\n");
  tree.write("repo/prod/.cnsched.yaml", "cluster: {defaultDeploymentMode: Serverless}\n");
  tree.write("other/.git/HEAD", "");
  const std::string top = tree.write("repo/a.yaml", "");
  const std::string deep = tree.write("repo/prod/eu/b.yaml", "");
  const std::string outside = tree.write("other/c.yaml", "");

  Sources sources;
  const auto configs = Configs::discover({top, deep, outside}, sources);
  REQUIRE(configs);
  CHECK(mode_of(configs->find(top)) == "RawDeployment");
  CHECK(mode_of(configs->find(deep)) == "Serverless");
  CHECK(mode_of(configs->find(outside)) == "none");
}

TEST_CASE("a configuration that is named holds for every file") {
  const test::TemporaryDirectory tree;
  const std::string path = tree.write("c.yaml", "cluster: {defaultDeploymentMode: Standard}\n");
  Sources sources;
  const auto configs = Configs::only(path, sources);
  REQUIRE(configs);
  CHECK(mode_of(configs->find("/anywhere/x.yaml")) == "Standard");
}

TEST_CASE("every mistake of a configuration is told at once, with its place and the likely name") {
  const test::TemporaryDirectory tree;
  const std::string path = tree.write(".cnsched.yaml", R"(cluster:
  kserv: "0.15"
  kubernetes: 1.30
  defaultDeploymentMode: raw
rulez: {}
)");
  Sources sources;
  const auto configs = Configs::only(path, sources);
  REQUIRE_FALSE(configs);
  const std::string& message = configs.error().message;
  INFO(message);
  CHECK(message.find(path + ":2:3: unknown key 'kserv' in 'cluster', did you mean 'kserve'?") !=
        std::string::npos);
  CHECK(message.find(":3:15: 'kubernetes' has to be a string, not a number; quote it") !=
        std::string::npos);
  CHECK(message.find(":4:26: 'raw' is no deployment mode") != std::string::npos);
  CHECK(message.find(":5:1: unknown key 'rulez'") != std::string::npos);
}

TEST_CASE("an empty configuration states nothing, and one that is no mapping is refused") {
  const test::TemporaryDirectory tree;
  Sources sources;
  CHECK(Configs::only(tree.write("empty.yaml", ""), sources));
  CHECK(Configs::only(tree.write("comment.yaml", "# later\n"), sources));
  CHECK_FALSE(Configs::only(tree.write("list.yaml", "- a\n"), sources));
  CHECK_FALSE(Configs::only(tree.write("two.yaml", "cluster: {}\n---\ncluster: {}\n"), sources));
  CHECK_FALSE(Configs::only(tree.path("missing.yaml"), sources));
}

}  // namespace cnsched::rules

#include "core/workspace/kustomize_build.h"

#include <sys/stat.h>

#include "core/workspace/workspace.h"
#include "testdata/git_repository.h"

namespace cnsched::kustomize_build_test {

using test::git_or_skip;
using test::GitRepository;

/// Whether the kustomization in `over` may set the field of the Pod 'server' of its base.
bool may_set(const std::string& kustomization, std::string_view field,
             const std::map<std::string, std::string>& files = {}) {
  const TemporaryDirectory tree;
  LoadOptions options;
  options.files = {
      tree.write("base/kustomization.yaml", "resources: [pod.yaml]\n"),
      tree.write("base/pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: server}\n"),
      tree.write("over/kustomization.yaml", "resources: [../base]\n" + kustomization)};
  for (const auto& [name, text] : files) tree.write(name, text);
  Workspace workspace;
  workspace.load(std::move(options));
  return workspace.may_get_field(*workspace.objects().begin(), field);
}

TEST_CASE("a patch for the object may set the fields that it mentions") {
  const std::string patch = "kind: Pod\nmetadata: {name: server}\nspec: {image: a}\n";
  CHECK(may_set("patches: [{path: p.yaml}]\n", "image", {{"over/p.yaml", patch}}));
  CHECK(may_set("patchesStrategicMerge: [p.yaml]\n", "image", {{"over/p.yaml", patch}}));
  CHECK(may_set("patchesStrategicMerge:\n- |-\n  " + std::string("kind: Pod\n  metadata: {name: "
                                                                 "server}\n  image: a\n"),
                "image"));
  CHECK(may_set("transformers: [p.yaml]\n", "image", {{"over/p.yaml", patch}}));
  CHECK_FALSE(may_set("patches: [{path: p.yaml}]\n", "volumes", {{"over/p.yaml", patch}}));
  CHECK_FALSE(may_set("resources: [p.yaml]\n", "image", {{"over/p.yaml", patch}}));
  CHECK_FALSE(may_set("patches: [{path: p.yaml}]\n", "image",
                      {{"over/p.yaml", "kind: Pod\nmetadata: {name: other}\nimage: a\n"}}));
}

TEST_CASE("a target selects objects by kind and name") {
  const auto targets = [](const std::string& target) {
    return may_set("patches:\n- target: " + target +
                       "\n  patch: '[{op: add, path: /spec/containers/0/image, value: a}]'\n",
                   "image");
  };
  CHECK(targets("{kind: Pod, name: server}"));
  CHECK(targets("{kind: Pod}"));
  CHECK(targets("{kind: Pod|Job, name: s.*}"));
  CHECK(targets("{name: team-server}"));
  CHECK(targets("{labelSelector: app=a}"));
  CHECK_FALSE(targets("{kind: Job, name: server}"));
  CHECK_FALSE(targets("{kind: Pod, name: other}"));
}

TEST_CASE("a patch that cannot be read may set any field") {
  CHECK(may_set("patches: [{path: missing.yaml}]\n", "image"));
  CHECK(may_set("patches: [{path: ../.git/config}]\n", "image", {{".git/config", ""}}));
  CHECK_FALSE(may_set("patches: [{path: missing.yaml, target: {kind: Job}}]\n", "image"));
}

TEST_CASE("finds the users of a base in its repository if only the base is linted") {
  const TemporaryDirectory tree;
  tree.write(".git/HEAD");
  tree.write("base/kustomization.yaml", "resources: [pod.yaml]\n");
  const std::string pod =
      tree.write("base/pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: server}\n");
  tree.write("teams/a/kustomization.yaml",
             "resources: [../../base]\npatches: [{target: {kind: Pod}, patch: '{image: a}'}]\n");
  const auto finds = [&](const std::vector<std::string>& walked) {
    Workspace workspace;
    workspace.load({.files = {pod}, .walked = walked});
    return workspace.may_get_field(*workspace.objects().begin(), "image");
  };
  CHECK(finds({}));
  CHECK(finds({tree.path("base")}));
  // Then the kustomization would be among the files, had it not been excluded.
  CHECK_FALSE(finds({tree.root().string()}));
}

TEST_CASE("finds the users of a base that git tracks, and what git does not track yet") {
  const std::string git = git_or_skip();
  if (git.empty()) return;
  const GitRepository tree(git);
  const std::string pod =
      tree.write("base/pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: server}\n");
  tree.write("base/kustomization.yaml", "resources: [pod.yaml]\n");
  tree.write("over/kustomization.yaml", "namespace: over\nresources: [../base]\n");
  tree.write(".hidden/kustomization.yaml", "namespace: hidden\nresources: [../base]\n");
  // Written in other ways, or by itself no user of the base.
  tree.write("top/kustomization.yaml", "resources: [\"../o\\x76er\"]\n");
  tree.write("over/below/kustomization.yaml",
             "resources: [..]\npatches: [{target: {kind: Pod}, patch: '{tag: a}'}]\n");
  tree.write("other/kustomization.yaml", "namespace: other\nresources: [a.yaml]\n");
  const auto objects = [&] {
    auto workspace = std::make_unique<Workspace>();
    workspace->load({.files = {pod}});
    return workspace;
  };
  const auto may_set = [&](std::string_view field) {
    const auto workspace = objects();
    return workspace->may_get_field(workspace->objects().front(), field);
  };
  tree.run({"add", "base", "over", "top", "other", ".hidden"});
  CHECK(objects()->objects().front().ns.name == "over");
  CHECK(may_set("tag"));
  CHECK_FALSE(may_set("image"));
  tree.write("new/kustomization.yaml",
             "resources: [../base]\npatches: [{target: {kind: Pod}, patch: '{image: a}'}]\n");
  CHECK(may_set("image"));
  fs::remove(tree.path("over/kustomization.yaml"));
  CHECK_FALSE(may_set("tag"));
  CHECK(objects()->objects().front().ns.name == "");
}

TEST_CASE("patches that aliases repeat are read once") {
  std::string list = "patches:\n- &a {path: a.yaml, target: {kind: Job}}\n";
  for (int i = 0; i < 10'000; ++i) list += "- *a\n";
  CHECK_FALSE(may_set(list, "image"));
}

}  // namespace cnsched::kustomize_build_test

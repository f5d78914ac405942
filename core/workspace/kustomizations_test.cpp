#include "core/workspace/kustomizations.h"

#include <sys/stat.h>

#include "core/workspace/workspace.h"
#include "testdata/support.h"

namespace cnsched::kustomizations_test {

constexpr const char* kPod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {}\n";
constexpr const char* kListsPatch = "patches:\n- path: patch.yaml\n";

/// For each object of the run, in order, whether it is a patch: "y" or "n".
std::string patches(const Workspace& workspace) {
  return joined(
      workspace.objects(),
      [&](const k8s::Object& object) { return workspace.is_patch(object) ? "y" : "n"; }, "");
}

std::string patches_of(LoadOptions options) {
  Workspace workspace;
  workspace.load(std::move(options));
  return patches(workspace);
}

/// Whether a pod in `file`, of which nothing is on the disk, is a patch; the kustomization is in
/// base/overlay.
std::string in_memory(const std::string& kustomization, const std::string& file) {
  return patches_of({.memory_files = {{"base/overlay/kustomization.yaml", kustomization},
                                      {"base/" + file, kPod}}});
}

TEST_CASE("recognises a patch in every field of a kustomization") {
  CHECK(in_memory("patches:\n- path: a.yaml\n", "overlay/a.yaml") == "y");
  CHECK(in_memory("patches: [{target: {kind: Pod}, path: a.yaml}]\n", "overlay/a.yaml") == "y");
  CHECK(in_memory("patchesStrategicMerge:\n- a.yaml\n", "overlay/a.yaml") == "y");
  CHECK(in_memory("patches:\n- a.yaml\n", "overlay/a.yaml") == "y");
  CHECK(in_memory(R"({"patches": [{"path": "a.yaml"}]})", "overlay/a.yaml") == "y");
  CHECK(in_memory("---\npatches: &p [{path: a.yaml}]\npatchesStrategicMerge: *p\n",
                  "overlay/a.yaml") == "y");
}

TEST_CASE("resolves a kustomization's paths from its directory") {
  CHECK(in_memory("patches: [{path: ./a.yaml}]\n", "overlay/a.yaml") == "y");
  CHECK(in_memory("patches: [{path: gpu/../gpu//./a.yaml}]\n", "overlay/gpu/a.yaml") == "y");
  CHECK(in_memory("patches: [{path: ../a.yaml}]\n", "a.yaml") == "y");
  CHECK(in_memory("patches: [{path: a.yaml}]\n", "a.yaml") == "n");
  CHECK(in_memory("patches: [{path: a.yaml}]\n", "overlay/gpu/a.yaml") == "n");
  CHECK(in_memory("patches: [{path: overlay/a.yaml}]\n", "overlay/a.yaml") == "n");
}

TEST_CASE("does not treat a kustomization's other files as patches") {
  CHECK(in_memory("resources: [a.yaml]\npatches: [{path: b.yaml}]\n", "overlay/a.yaml") == "n");
  CHECK(in_memory("patchesJson6902: [{path: a.yaml}]\n", "overlay/a.yaml") == "n");
  CHECK(in_memory("patchesStrategicMerge:\n- |\n  kind: Pod\n  metadata: {name: a.yaml}\n",
                  "overlay/a.yaml") == "n");
  CHECK(in_memory("spec: {patches: [{path: a.yaml}]}\n", "overlay/a.yaml") == "n");
  CHECK(in_memory("# patches: [{path: a.yaml}]\n", "overlay/a.yaml") == "n");
}

TEST_CASE(
    "a Kustomization or Component is one with or without its apiVersion, any other kind not") {
  const std::string list = "patches: [{path: a.yaml}]\n";
  CHECK(in_memory("kind: Kustomization\n" + list, "overlay/a.yaml") == "y");
  CHECK(in_memory("apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n" + list,
                  "overlay/a.yaml") == "y");
  CHECK(in_memory("apiVersion: v1\nkind: ConfigMap\n" + list, "overlay/a.yaml") == "n");
}

TEST_CASE("ignores a kustomization that is not valid") {
  for (const std::string text :
       {"patches: [{path: a.yaml}]\n\tx: ]\n", "", "[patches]", "patches", "patches: a.yaml",
        "patches: {path: a.yaml}", "patches: [[a.yaml]]",
        "patches: [{path: [a.yaml]}, null, '', {path: }]",
        "{{- if .patches }}\npatches: [{path: a.yaml}]\n{{- end }}\n"}) {
    CAPTURE(text);
    CHECK(in_memory(text, "overlay/a.yaml") == "n");
  }
  CHECK(in_memory("patches: ]\n---\npatches: [{path: a.yaml}]\n", "overlay/a.yaml") == "y");
}

TEST_CASE("limits long paths and paths that aliases repeat") {
  const std::string endless(std::size_t{1} << 20U, '/');
  std::string list = "patches:\n- '" + endless + "'\n- &a " + endless.substr(0, 4000) + "\n";
  for (int i = 0; i < 10'000; ++i) list += "- *a\n";
  CHECK(in_memory(list + "- a.yaml\n", "overlay/a.yaml") == "y");
}

TEST_CASE("a kustomization is found by the names that kustomize knows") {
  const TemporaryDirectory tree;
  tree.write(".git/HEAD");
  for (const std::string name : {"kustomization.yaml", "kustomization.yml", "Kustomization"}) {
    CAPTURE(name);
    tree.write(name + "-dir/" + name, kListsPatch);
    CHECK(patches_of({.files = {tree.write(name + "-dir/patch.yaml", kPod)}}) == "y");
  }
  tree.write("other/my-kustomization.yaml", kListsPatch);
  tree.write("other/KUSTOMIZATION.YAML", kListsPatch);
  CHECK(patches_of({.files = {tree.write("other/patch.yaml", kPod)}}) == "n");
}

TEST_CASE("reads a kustomization on the disk if only the patch is linted") {
  const TemporaryDirectory tree;
  tree.write(".git/HEAD");
  tree.write("app/kustomization.yaml", "patches:\n- path: patch.yaml\n- path: gpu/l4/patch.yaml\n");
  const std::string beside = tree.write("app/patch.yaml", kPod);
  const std::string below = tree.write("app/gpu/l4/patch.yaml", kPod);
  const std::string whole = tree.write("app/gpu/l4/pod.yaml", kPod);
  CHECK(patches_of({.files = {beside, below, whole}}) == "yyn");

  const WorkingDirectory here(tree.root() / "app/gpu");
  CHECK(patches_of({.files = {"../patch.yaml", "l4/patch.yaml", "./l4/pod.yaml"}}) == "yyn");
}

TEST_CASE("ignores a kustomization outside the repository") {
  const TemporaryDirectory tree;
  tree.write("kustomization.yaml", "patches: [{path: repo/patch.yaml}]\n");
  const std::string patch = tree.write("repo/patch.yaml", kPod);
  CHECK(patches_of({.files = {patch}}) == "y");
  tree.write("repo/.git/HEAD");
  CHECK(patches_of({.files = {patch}}) == "n");
}

TEST_CASE("reads a linted kustomization anywhere, as out of scope") {
  const TemporaryDirectory tree;
  tree.write(".git/HEAD");
  const std::string kustomization =
      tree.write("prod/kustomization.yaml", "patches: [{path: ../shared/patch.yaml}]\n");
  const std::string patch = tree.write("shared/patch.yaml", kPod);
  CHECK(patches_of({.files = {patch}}) == "n");

  Workspace workspace;
  workspace.load({.files = {kustomization, patch}});
  CHECK(patches(workspace) == "y");
  CHECK(workspace.stats().files == 2);
  CHECK(workspace.stats().documents == 2);
  CHECK(workspace.stats().objects == 1);
  CHECK(workspace.stats().out_of_scope == 1);
}

TEST_CASE("does not count a kustomization on the disk as a linted file") {
  const TemporaryDirectory tree;
  tree.write("kustomization.yaml", "patches: [{path: patch.yaml}]\n---\nkind: ]\n");
  Workspace workspace;
  workspace.load({.files = {tree.write("patch.yaml", kPod)}});
  CHECK(patches(workspace) == "y");
  CHECK(workspace.stats().files == 1);
  CHECK(workspace.stats().documents == 1);
  CHECK(workspace.sources.size() == 1);
  CHECK(workspace.unreadable().empty());
}

TEST_CASE("ignores a kustomization that cannot be read") {
  const TemporaryDirectory tree;
  tree.write(".git/HEAD");
  tree.write("kustomization.yaml", "patches: [{path: a/patch.yaml}]\n");
  fs::create_directories(tree.path("a/kustomization.yaml"));
  REQUIRE(::mkfifo(tree.path("a/kustomization.yml").c_str(), 0600) == 0);
  fs::create_symlink("gone", tree.path("a/Kustomization"));
  Workspace workspace;
  workspace.load({.files = {tree.write("a/patch.yaml", kPod)}});
  CHECK(patches(workspace) == "y");
  CHECK(workspace.unreadable().empty());

  fs::remove(tree.path("a/Kustomization"));
  fs::create_symlink("/dev/zero", tree.path("a/Kustomization"));
  CHECK(patches_of({.files = {tree.path("a/patch.yaml")}}) == "y");
}

TEST_CASE("ignores a kustomization above the size limit") {
  const TemporaryDirectory tree;
  const std::string patch = tree.write("patch.yaml", kPod);
  const std::string text = std::string(kListsPatch) + '#';
  tree.write("kustomization.yaml", text);
  CHECK(patches_of({.files = {patch}}) == "y");
  tree.write("kustomization.yaml", text + std::string(kFileSizeLimit, '#'));
  CHECK(patches_of({.files = {patch}}) == "n");
}

TEST_CASE("resolves a linked kustomization's paths from the link's directory") {
  const TemporaryDirectory tree;
  tree.write(".git/HEAD");
  tree.write("shared/kustomization.yaml", kListsPatch);
  const std::string patch = tree.write("app/patch.yaml", kPod);
  fs::create_symlink("../shared/kustomization.yaml", tree.path("app/kustomization.yaml"));
  CHECK(patches_of({.files = {patch}}) == "y");
  fs::create_directory_symlink("app", tree.path("same"));
  CHECK(patches_of({.files = {tree.path("same/patch.yaml")}}) == "y");
}

TEST_CASE("treats standard input as a patch if its file name is listed") {
  const TemporaryDirectory tree;
  tree.write("kustomization.yaml", kListsPatch);
  const std::string text = tree.write("text", kPod);
  for (const auto& [name, expected] : {std::pair("patch.yaml", "y"), std::pair("pod.yaml", "n")}) {
    const StandardInput in(text);
    CHECK(patches_of({.files = {"-"}, .stdin_name = tree.path(name)}) == expected);
  }
  const StandardInput in(text);
  CHECK(patches_of({.files = {"-"}}) == "n");
}

TEST_CASE("prefers a kustomization on standard input to the one on the disk") {
  const TemporaryDirectory tree;
  const std::string old = tree.write("kustomization.yaml", kListsPatch);
  const std::string patch = tree.write("patch.yaml", kPod);
  const std::string text = tree.write("text", "resources: [patch.yaml]\n");
  const StandardInput in(text);
  CHECK(patches_of({.files = {"-", patch}, .stdin_name = old}) == "n");
}

TEST_CASE("recognises a patch by its directive, for that object only") {
  const std::string patch =
      "---\napiVersion: v1\nkind: Pod\nmetadata: {name: q}\n"
      "spec: {tolerations: [{$patch: replace}]}\n";
  CHECK(patches_of({.memory_files = {{"a.yaml", kPod + patch}}}) == "ny");
}

TEST_CASE("all objects of a file that is listed are patches") {
  CHECK(in_memory(kListsPatch, "overlay/patch.yaml") == "y");
  const std::string two = std::string(kPod) + "---\n" + kPod;
  CHECK(patches_of({.memory_files = {{"kustomization.yaml", kListsPatch}, {"patch.yaml", two}}}) ==
        "yy");
}

TEST_CASE("keeps the status of a patch when files are loaded again") {
  const TemporaryDirectory tree;
  tree.write(".git/HEAD");
  const std::string kustomization = tree.write("kustomization.yaml", kListsPatch);
  const std::string patch = tree.write("patch.yaml", kPod);
  const std::string whole = tree.write("pod.yaml", kPod);
  Workspace before;
  before.load({.files = {patch, "/no/such.yaml", whole}});
  fs::remove(kustomization);
  Workspace again;
  again.load_edited(before, {{patch, std::string(kPod) + "# fixed\n"}});
  CHECK(patches(again) == "yn");
  Workspace once_more;
  once_more.load_edited(again, {{whole, std::string(kPod) + "$patch: merge\n"}});
  CHECK(patches(once_more) == "yy");
}

TEST_CASE("recognises a broken patch once it is fixed") {
  const TemporaryDirectory tree;
  tree.write("kustomization.yaml", kListsPatch);
  const std::string patch = tree.write("patch.yaml", "apiVersion: v1\nkind: Pod\nspec: ]\n");
  Workspace before;
  before.load({.files = {patch}});
  CHECK(patches(before).empty());
  Workspace again;
  again.load_edited(before, {{patch, kPod}});
  CHECK(patches(again) == "y");
}

TEST_CASE(
    "a file named as a patch is one unless the kustomization beside it lists it as a resource") {
  CHECK(in_memory("#patches:\n#- path: manager_patch.yaml\n", "overlay/manager_patch.yaml") == "y");
  CHECK(in_memory("resources: [a.yaml]\n", "overlay/patch-gpu.yaml") == "y");
  CHECK(in_memory("resources: [patch-gpu.yaml]\n", "overlay/patch-gpu.yaml") == "n");
  CHECK(in_memory("resources: [a.yaml]\n", "overlay/dispatcher.yaml") == "n");
  CHECK(in_memory("resources: [a.yaml]\n", "patch.yaml") == "n");
  CHECK(in_memory("resources: [a.yaml]\n", "overlay/patches/account.yaml") == "y");
  CHECK(in_memory("resources: [patches/a.yaml]\n", "overlay/patches/a.yaml") == "n");
  CHECK(in_memory("resources: [a.yaml]\n", "overlay/more/patches/account.yaml") == "n");
}

TEST_CASE("finds files that get selectors from a kustomization") {
  const auto gets_selectors = [](const std::string& kustomization) {
    const auto workspace = workspace_of({{"base/kustomization.yaml", "resources: [a.yaml]\n"},
                                         {"base/a.yaml", kPod},
                                         {"other/b.yaml", kPod},
                                         {"top/kustomization.yaml", kustomization}});
    std::string all;
    for (const k8s::Object& object : workspace->objects()) {
      all += workspace->gets_selectors(object) ? 'y' : 'n';
    }
    return all;
  };
  CHECK(gets_selectors("resources: [../base]\ncommonLabels: {app: a}\n") == "yn");
  CHECK(gets_selectors(
            "resources: [../base, ../other/b.yaml]\nlabels: [{includeSelectors: true}]\n") == "yy");
  CHECK(gets_selectors("resources: [../base]\nlabels: [{pairs: {app: a}}]\n") == "nn");
  CHECK(gets_selectors("commonLabels: {app: a}\n") == "nn");
}

/// A kustomization with these fields.
MemoryFile kustomization(const std::string& directory, const std::string& fields) {
  return {directory + "/kustomization.yaml", fields};
}

/// Of each pair of the objects, in order, whether the one is seen from the other.
std::string meeting(std::vector<MemoryFile> files) {
  Workspace workspace;
  workspace.load({.memory_files = std::move(files)});
  std::string text;
  const auto& objects = workspace.objects();
  for (std::size_t i = 0; i < objects.size(); ++i) {
    for (std::size_t k = i + 1; k < objects.size(); ++k) {
      text += objects[i].ns.meets(objects[k].ns) ? 'y' : 'n';
    }
  }
  return text;
}

/// Of each pair of the objects, in order, whether they are in one namespace: "y", "n" if the files
/// show two, "?" if it is not known.
std::string in_one_namespace(std::vector<MemoryFile> files, const std::string& ns = "") {
  Workspace workspace;
  workspace.load({.memory_files = std::move(files), .ns = ns});
  std::string text;
  const auto objects = workspace.objects();
  for (std::size_t i = 0; i < objects.size(); ++i) {
    for (std::size_t k = i + 1; k < objects.size(); ++k) {
      const k8s::Namespace& a = objects[i].ns;
      const k8s::Namespace& b = objects[k].ns;
      text += a == b ? 'y' : a.may_be(b) ? '?' : 'n';
    }
  }
  return text;
}

TEST_CASE("objects that name no namespace are in one if they are created together") {
  const std::string in_ml = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: ml}\n";
  CHECK(in_one_namespace({{"a/x.yaml", kPod}, {"./a/y.yaml", kPod}}) == "y");
  CHECK(in_one_namespace({{"a/x.yaml", kPod}, {"b/y.yaml", kPod}}) == "?");
  CHECK(in_one_namespace({{"a/x.yaml", kPod}, {"b/y.yaml", kPod}}, "ml") == "y");
  CHECK(in_one_namespace({{"a/x.yaml", kPod}, {"a/y.yaml", in_ml}}) == "?");
  CHECK(meeting({{"a/x.yaml", kPod}, {"a/y.yaml", in_ml}}) == "n");
  CHECK(meeting({{"a/x.yaml", std::string(kPod) + "---\n" + in_ml}}) == "y");
  CHECK(in_one_namespace({{"a/x.yaml", in_ml}, {"b/y.yaml", in_ml}}) == "y");
  CHECK(in_one_namespace({{"a/x.yaml", in_ml}, {"b/y.yaml", kPod}}, "other") == "n");
}

TEST_CASE("a build of a kustomization puts its objects into one namespace") {
  const MemoryFile base = kustomization("base", "resources: [a.yaml, b.yaml]\n");
  const MemoryFile a = {"base/a.yaml", kPod};
  const MemoryFile b = {"base/b.yaml", kPod};
  const MemoryFile in_dev = {"dev/c.yaml", kPod};
  const MemoryFile dev = kustomization("dev", "namespace: dev\nresources: [../base, c.yaml]\n");
  const MemoryFile prod = kustomization("prod", "namespace: prod\nresources: [../base]\n");
  CHECK(in_one_namespace({base, a, b}) == "y");
  CHECK(in_one_namespace({base, a, b, dev, in_dev}) == "yyy");
  // Both overlays have the base, one of them what is in it.
  CHECK(in_one_namespace({base, a, b, dev, in_dev, prod}) == "y??");
  CHECK(in_one_namespace({kustomization("x", "resources: [a.yaml]\n"),
                          {"x/a.yaml", kPod},
                          kustomization("y", "resources: [a.yaml]\n"),
                          {"y/a.yaml", kPod}}) == "?");
  CHECK(in_one_namespace({kustomization("x", "namespace: ml\nresources: [a.yaml]\n"),
                          {"x/a.yaml", kPod},
                          kustomization("y", "namespace: ml\nresources: [a.yaml]\n"),
                          {"y/a.yaml", kPod}}) == "y");
}

TEST_CASE("a component is in the namespace of those that use it, or in one of its own") {
  const std::vector<MemoryFile> files = {
      kustomization("c", "kind: Component\nresources: [quota.yaml]\n"),
      {"c/quota.yaml", kPod},
      kustomization("app", "namespace: app\nresources: [a.yaml]\n"),
      {"app/a.yaml", kPod}};
  CHECK(in_one_namespace(files) == "?");
  std::vector<MemoryFile> used = files;
  used[2].bytes += "components: [../c]\n";
  CHECK(in_one_namespace(used) == "y");
}

TEST_CASE(
    "an overlay's namespace replaces what is written, and an outer one that of an inner one") {
  const std::string in_ml = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: ml}\n";
  CHECK(in_one_namespace({kustomization("inner", "namespace: a\nresources: [x.yaml]\n"),
                          {"inner/x.yaml", in_ml},
                          kustomization("outer", "namespace: b\nresources: [../inner]\n"),
                          {"plain/y.yaml",
                           "apiVersion: v1\nkind: Pod\nmetadata: {name: p, "
                           "namespace: b}\n"}}) == "y");
  // A kustomization that uses itself ends.
  CHECK(in_one_namespace({kustomization("o", "resources: [x.yaml, ../o]\n"),
                          {"o/x.yaml", kPod},
                          {"o/y.yaml", kPod}}) == "y");
}

}  // namespace cnsched::kustomizations_test

#include "core/workspace/workspace.h"
#include "core/base/text.h"
#include "testdata/support.h"

namespace cnsched::workspace_test {

using kserve::DeploymentMode;

constexpr const char* kPod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {}\n";
constexpr const char* kService = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n";

const Workload& workload(const Workspace& workspace, std::string_view name,
                         std::string_view component) {
  for (const Workload& each : scope_of(workspace).workloads()) {
    if (each.object->name == name && each.component == component) return each;
  }
  FAIL("no workload " << std::string(name));
  return scope_of(workspace).workloads().front();
}

/// What the pod depends on and the run does not hold.
std::string unknown(const Workload& workload) {
  std::vector<std::string> all;
  for (const k8s::Unknown& each : workload.unknown) {
    if (each.kind == k8s::Unknown::Kind::named) all.push_back(each.what);
  }
  return join_words(all);
}

std::string statuses(const Workspace& workspace) {
  std::string text;
  for (const auto& document : workspace.documents()) {
    // checked, out of scope, templated, broken, fact
    text += std::string_view("cotbf")[static_cast<std::size_t>(document->status)];
  }
  return text;
}

TEST_CASE("counts every document by its status") {
  const auto workspace = workspace_of({
      {"a.yaml", std::string(kPod) + "---\n" + kService + "---\n" + kPod},
      {"b.yaml",
       "apiVersion: v1\nkind: Pod\nspec:\n  {{- toYaml .Values.spec }}\n---\nkind: Service\n"},
      {"c.yaml", "apiVersion: v1\nkind: Pod\nspec: ]\n---\n" + std::string(kPod)},
      {"d.yaml", "# nothing but a comment\n"},
      {"e.json", R"({"kind": "List", "apiVersion": "v1", "items": [)"
                 R"({"apiVersion": "v1", "kind": "Pod"}, {"apiVersion": "v1", "kind": "Node"},)"
                 R"( {"apiVersion": "v1", "kind": "Secret"}]})"},
  });
  CHECK(statuses(*workspace) == "coctobcc");
  const RunStats& stats = workspace->stats();
  CHECK(stats.files == 5);
  CHECK(stats.documents == 8);
  CHECK(stats.objects == 5);
  CHECK(stats.out_of_scope == 2);
  CHECK(stats.templates == 1);
  CHECK(stats.unreadable == 0);
}

TEST_CASE("reports broken JSON and UTF-16 as broken, in scope or perhaps so") {
  std::string utf16 = "\xFF\xFE";
  for (const char c : std::string_view(kPod)) {
    utf16 += c;
    utf16 += '\0';
  }
  const auto workspace =
      workspace_of({{"a.json", R"({"apiVersion":"v1","kind":"Pod","spec":{"nodeName":"a",})"},
                    {"b.yaml", utf16},
                    {"c.json", R"({"apiVersion":"v1","kind":"Service","spec":{)"}});
  CHECK(statuses(*workspace) == "bbb");
  CHECK_FALSE(workspace->documents()[1]->kind_unknown);
  CHECK(workspace->documents()[2]->kind_unknown);
}

TEST_CASE("reports an unreadable file and reads the others") {
  Workspace workspace;
  workspace.load({.files = {"/no/such/file.yaml"},
                  .memory_files = {{"a.yaml", kPod}},
                  .unreadable = {{"elsewhere", "gone"}}});
  REQUIRE(workspace.unreadable().size() == 2);
  CHECK(workspace.unreadable()[0].path == "elsewhere");
  CHECK(workspace.unreadable()[1].path == "/no/such/file.yaml");
  CHECK(workspace.stats().unreadable == 2);
  CHECK(workspace.stats().files == 1);
  CHECK(workspace.objects().size() == 1);
}

TEST_CASE("reports a file above a limit with line and flag, and reads the others") {
  const TemporaryDirectory directory;
  const std::string pod = kPod;
  const std::string good = directory.write("good.yaml", pod);
  const std::string two = directory.write("two.yaml", pod + "---\n" + pod);
  const std::string large = directory.write("large.yaml", pod + std::string(1000, '#') + "\n");
  const auto unreadable_of = [&](const std::string& path, const Limits& limits) {
    Workspace workspace;
    workspace.load({.files = {path, good}, .limits = limits});
    CHECK(workspace.stats().files == 2 - workspace.unreadable().size());
    CHECK(workspace.stats().unreadable == workspace.unreadable().size());
    CHECK_FALSE(workspace.objects().empty());
    if (workspace.unreadable().empty()) return std::string("nothing");
    const Unreadable& unreadable = workspace.unreadable().front();
    CHECK(unreadable.path == path);
    return fmt::format("{}: {}", unreadable.line, unreadable.reason);
  };
  const auto lines = static_cast<std::size_t>(std::ranges::count(pod, '\n'));

  CHECK(unreadable_of(two, {.documents = 2}) == "nothing");
  CHECK(unreadable_of(two, {.documents = 1}) ==
        fmt::format("{}: the file has more than 1 document: split it, leave it out, or allow "
                    "more with --max-documents",
                    lines + 1));
  CHECK(unreadable_of(large, {.line_length = 1000}) == "nothing");
  CHECK(unreadable_of(large, {.line_length = 999}) ==
        fmt::format("{}: the line is longer than the limit of 999 bytes: break it, leave the file "
                    "out, or allow more with --max-line-length",
                    lines + 1));
  CHECK(unreadable_of(large, {.file_size = pod.size() + 1001}) == "nothing");
  CHECK(unreadable_of(large, {.file_size = 1024}) ==
        "0: larger than the limit of 1 KiB: split it, leave it out, or allow more with "
        "--max-file-size");
}

TEST_CASE("does not apply the limits to fixed files") {
  const TemporaryDirectory directory;
  const std::string path = directory.write("a.yaml", kPod);
  Workspace workspace;
  workspace.load({.files = {path}, .limits = {.line_length = 100}});
  Workspace again;
  again.load_edited(workspace, {{path, kPod + std::string(200, '#')}});
  CHECK(again.unreadable().empty());
}

TEST_CASE("files that only give facts are neither linted nor counted") {
  const auto workspace =
      workspace_of({{"a.yaml", kPod},
                    {.path = "nodes.yaml",
                     .bytes = "apiVersion: v1\nkind: Node\nmetadata: {name: n}\n",
                     .linted = false}});
  CHECK(workspace->stats().files == 1);
  CHECK(workspace->stats().documents == 1);
  CHECK(workspace->stats().objects == 1);
  REQUIRE(workspace->objects().size() == 2);
  CHECK(workspace->is_linted(workspace->objects()[0].root->span.file));
  CHECK_FALSE(workspace->is_linted(workspace->objects()[1].root->span.file));
  CHECK(scope_of(*workspace).facts(workspace->objects()[0]).pools.size() == 1);
}

TEST_CASE("reads a linted file that is also a file of facts once") {
  const TemporaryDirectory directory;
  const std::string both =
      directory.write("both.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: n}\n");
  const std::string node = directory.write("node.yaml", "apiVersion: v1\nkind: Node\n");
  const facts::ClusterConfig config;
  Workspace workspace;
  workspace.load({.files = {both},
                  .cluster_files = {directory.path("./both.yaml"), node},
                  .config_files = {{both, {&config}}, {node, {&config}}}});
  REQUIRE(workspace.objects().size() == 2);
  CHECK(workspace.is_linted(workspace.objects()[0].root->span.file));
  CHECK(workspace.is_fact(workspace.objects()[0]));
  CHECK_FALSE(workspace.is_linted(workspace.objects()[1].root->span.file));
  CHECK(workspace.is_fact(workspace.objects()[1]));
  Workspace again;
  again.load_edited(workspace, {});
  CHECK(again.objects().size() == 2);
  CHECK(again.is_fact(again.objects()[0]));
}

TEST_CASE("keeps facts of configurations when files are loaded again") {
  const TemporaryDirectory directory;
  const std::string pod = directory.write("a.yaml", kPod);
  const std::string node = directory.write("node.yaml", "apiVersion: v1\nkind: Node\n");
  const facts::ClusterConfig config;
  Workspace workspace;
  workspace.load({.files = {pod}, .config_files = {{node, {&config}}}});
  Workspace again;
  again.load_edited(workspace, {});
  CHECK(again.objects().size() == 2);
  CHECK(scope_of(again).facts(again.objects()[0]).pools.empty());
  CHECK(scope_of(again).facts(again.objects()[1]).pools.size() == 1);
}

TEST_CASE("reports a broken document in a file of facts, with its position") {
  const auto workspace = workspace_of({{.path = "nodes.yaml",
                                        .bytes = "apiVersion: v1\nkind: Node\nmetadata: ]\n",
                                        .linted = false}});
  REQUIRE(workspace->unreadable().size() == 1);
  CHECK(workspace->unreadable().front().path.starts_with("nodes.yaml:3:"));
  CHECK_FALSE(workspace->unreadable().front().reason.empty());
}

TEST_CASE("reads files on several threads and keeps their order") {
  std::vector<MemoryFile> files;
  for (int i = 0; i < 200; ++i) {
    files.push_back({fmt::format("{}.yaml", i),
                     fmt::format("apiVersion: v1\nkind: Pod\nmetadata: {{name: p{}}}\n", i)});
  }
  Workspace workspace;
  workspace.load({.memory_files = files, .jobs = 8});
  REQUIRE(workspace.objects().size() == 200);
  for (std::size_t i = 0; i < 200; ++i) {
    CHECK(workspace.objects()[i].name == fmt::format("p{}", i));
    CHECK(workspace.file_of(workspace.objects()[i].root->span).path() == fmt::format("{}.yaml", i));
  }
}

TEST_CASE("sets the deployment mode only for KServe's two kinds") {
  const auto workspace = workspace_of(
      {{"a.yaml", inference_service("", "name: isvc") + "---\n" + kPod +
                      manifest("InferenceGraph", "name: graph", "{}") +
                      manifest("LLMInferenceService", "name: llm", "{template: {}}")}});
  CHECK(workload(*workspace, "isvc", "predictor").mode.mode == DeploymentMode::unknown);
  CHECK(workload(*workspace, "graph", "router").mode.mode == DeploymentMode::unknown);
  CHECK(workload(*workspace, "p", "").mode.mode == DeploymentMode::standard);
  CHECK(workload(*workspace, "llm", "template").mode.mode == DeploymentMode::standard);
}

TEST_CASE("applies a configuration only to the objects of its files") {
  facts::ClusterConfig standard;
  const Parsed mode("RawDeployment");
  standard.default_deployment_mode = &mode.root();
  Workspace workspace;
  workspace.load({.memory_files = {{"team/a.yaml", inference_service("", "name: a")},
                                   {"b.yaml", inference_service("", "name: b")}},
                  .config_for = [&](const std::string& path) {
                    return path.starts_with("team/") ? &standard : nullptr;
                  }});
  CHECK(workload(workspace, "a", "predictor").mode.mode == DeploymentMode::standard);
  CHECK(workload(workspace, "b", "predictor").mode.mode == DeploymentMode::unknown);
}

TEST_CASE("facts for the scheduler are read, but do not count as checked") {
  const std::string claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c}\n";
  const auto workspace = workspace_of({{"a.yaml", claim + "---\n" + kPod + "---\n" + kService}});
  CHECK(statuses(*workspace) == "fco");
  CHECK(workspace->stats().objects == 1);
  CHECK(workspace->stats().out_of_scope == 2);
  CHECK(workspace->objects().size() == 2);
}

TEST_CASE("knows the patches among the items of a list") {
  const std::string item =
      "- {apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, metadata: ";
  const auto workspace =
      workspace_of({{"list.yaml", "apiVersion: v1\nkind: List\nitems:\n" + item + "{name: a}}\n" +
                                      item + "{name: b, $patch: delete}}\n" + item +
                                      "{name: c, \"\\x24patch\": d}}\n"}});
  std::string patches;
  for (const k8s::Object& object : workspace->objects()) {
    if (workspace->is_patch(object)) patches += object.name;
  }
  CHECK(patches == "bc");
}

TEST_CASE("marks a pod unknown if it or one of its bases is a patch") {
  const std::string runtime = manifest("ServingRuntime", "name: r",
                                       "{containers: [{name: kserve-container, $patch: merge}]}");
  const auto workspace =
      workspace_of({{"patch.yaml", inference_service("model: {$patch: replace}", "name: part")},
                    {"run.yaml", inference_service("model: {runtime: r}", "name: whole") + runtime},
                    {"pod.yaml", kPod}});
  CHECK(unknown(workload(*workspace, "part", "predictor")) ==
        "the object that the patch of InferenceService 'part' applies to");
  CHECK(unknown(workload(*workspace, "whole", "predictor")) ==
        "the object that the patch of ServingRuntime 'r' applies to");
  CHECK(unknown(workload(*workspace, "r", "")) ==
        "the object that the patch of ServingRuntime 'r' applies to");
  CHECK(unknown(workload(*workspace, "p", "")).empty());
}

TEST_CASE("reports pods that are left out because of the size limit") {
  const std::string service =
      inference_service("model: {modelFormat: {name: a}, storageUri: 's3://b/c'}");
  Workspace workspace;
  workspace.load({.memory_files = {{"a.yaml", service + service + service}}, .merge_limit = 1});
  CHECK(workspace.objects().size() == 3);
  CHECK(scope_of(workspace).workloads().size() == 1);
  REQUIRE(workspace.unreadable().size() == 1);
  CHECK(workspace.unreadable().front().path == "a.yaml:7:1");
  CHECK(workspace.stats().unreadable == 1);
}

}  // namespace cnsched::workspace_test

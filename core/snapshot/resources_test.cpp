#include "core/snapshot/resources.h"
#include "core/base/text.h"
#include "core/facts/cluster_config.h"
#include "core/yaml/write.h"
#include "testdata/support.h"

namespace cnsched::snapshot::resources_test {

bool states_nothing(std::string_view /*key*/) { return false; }

/// The sources below the folders, without tests, in one text.
std::string sources_of(std::initializer_list<const char*> folders) {
  std::string all;
  for (const char* folder : folders) {
    for (const std::string& path : files_below(project_file(folder), {".cpp"})) {
      // A list of kinds, which says nothing about any.
      if (path.ends_with("/unknown_kind.cpp") || path.ends_with("_test.cpp")) continue;
      all += read_all(path);
    }
  }
  return all;
}

/// The first steps of the paths of settings: "router" of "router/image" and of ["data"]["router"].
std::set<std::string> settings_in(std::string_view code) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
  constexpr std::string_view kData = "[\"data\"][";
  std::set<std::string> settings;
  for (std::size_t at = code.find('"'); at != std::string_view::npos; at = code.find('"', at + 1)) {
    const std::size_t end = code.find_first_not_of(kLetters, at + 1);
    if (end == std::string_view::npos || end == at + 1) continue;
    const std::size_t close = code.find_first_not_of(kLetters, end + 1);
    const bool is_path = code[end] == '/' && close != std::string_view::npos && close > end + 1 &&
                         (code[close] == '"' || code[close] == '{');
    const bool is_key = code[end] == '"' && code.substr(0, at).ends_with(kData);
    if (is_path || is_key) settings.emplace(code.substr(at + 1, end - at - 1));
  }
  return settings;
}

/// "SchedulingKind::limit_range" for "LimitRange".
std::string enumerator_of(std::string_view kind) {
  const std::string code = project_text("core/k8s/api_kinds.cpp");
  const std::size_t name = code.find(fmt::format("\"{}\"", kind));
  if (name == std::string::npos) return "no kind of the scheduler";
  const std::size_t row = code.rfind('{', name) + 1;
  return "SchedulingKind::" + code.substr(row, code.find(',', row) - row);
}

std::vector<Fetch> fetch_of_kind(std::string_view kind) {
  std::vector<Fetch> all = fetches(states_nothing, "");
  std::erase_if(all, [&](const Fetch& fetch) {
    return fetch.resource == nullptr || fetch.resource->kind != kind;
  });
  return all;
}

TEST_CASE("something reads every kind of a snapshot") {
  const std::string code = sources_of({"core/kserve", "core/seldon", "core/sim", "core/facts",
                                       "core/workspace", "rules"}) +
                           project_text("core/k8s/api_kinds.cpp");
  for (const Resource& resource : resources()) {
    CAPTURE(resource.kind);
    const bool has_enumerator = has(code, enumerator_of(resource.kind));
    const bool is_named = has_enumerator || has(code, fmt::format("\"{}\"", resource.kind));
    CHECK(is_named);
    CHECK((resource.group.empty() || has_enumerator || has(code, resource.group)));
  }
}

TEST_CASE("no command reads Secrets, and each names its type in full") {
  std::set<std::string> seen;
  for (const Fetch& fetch : fetches(states_nothing, "")) {
    const std::string command = shell_command(fetch, 0, 10'000);
    CAPTURE(command);
    CHECK_FALSE(has(lower(command), "secret"));
    CHECK(command.ends_with(" -o yaml"));
    if (fetch.resource == nullptr) continue;
    CHECK(seen.insert(fetch.resource->full_name()).second);
    CHECK_FALSE(fetch.resource->why.empty());
    CHECK_FALSE(fetch.resource->fields.empty());
    CHECK((has(command, " -A")) == fetch.resource->namespaced);
  }
}

TEST_CASE("keys of the configuration replace what they state") {
  const yaml::Shape& shape = facts::cluster_shape();
  std::set<std::string_view> keys;
  for (const auto& field : shape.fields) keys.insert(field.name);
  CHECK(keys.contains(kVersionKey));
  for (const Resource& resource : resources()) {
    if (!resource.key.empty()) CHECK(keys.contains(resource.key));
  }
  const auto with_plugin = fetches([](auto key) { return key == "devicePlugin"; }, "");
  CHECK(std::ranges::none_of(with_plugin, [](const Fetch& fetch) {
    return fetch.resource != nullptr && fetch.resource->kind == "DaemonSet";
  }));
  CHECK(with_plugin.size() + 2 == fetches(states_nothing, "").size());
}

TEST_CASE("the settings that cnsched reads of a controller's ConfigMap are kept") {
  const std::string code = sources_of({"core/kserve", "core/seldon"});
  std::string kept;
  for (const Resource& resource : resources()) {
    if (resource.kind == "ConfigMap") kept += std::string(resource.fields) + " ";
  }
  const std::set<std::string> read = settings_in(code);
  for (const std::string& key : read) {
    CAPTURE(key);
    CHECK(has(kept, "data." + key + " "));
  }
  CHECK(read.size() > 5);
}

TEST_CASE("commands are words of a shell") {
  CHECK(shell_command(fetch_of_kind("Pod").front(), 0, 1000) ==
        "kubectl get pods -A "
        "'--field-selector=status.phase!=Succeeded,status.phase!=Failed' -o yaml");
  CHECK(shell_command(fetch_of_kind("RuntimeClass").front(), 0, 1000) ==
        "kubectl get runtimeclasses.node.k8s.io -o yaml");
  CHECK(shell_command({nullptr, {"--context=it's me"}}, 2, 1000) ==
        "  kubectl '--context=it'\\''s me'");
  CHECK(shell_command({nullptr, {"get", "aaaaaaaaaa", "b"}}, 0, 20) ==
        "kubectl get \\\n    aaaaaaaaaa b");
  CHECK(fetches(states_nothing, "prod").back().arguments.front() == "--context=prod");
}

const Resource& resource_of(std::string_view kind) {
  return *std::ranges::find(resources(), kind, &Resource::kind);
}

/// The object as it is kept; empty if it is no fact.
std::string kept_text(const std::string& text) {
  const Parsed parsed(text);
  const k8s::Object& object = parsed.object();
  const Resource& resource = resource_of(object.kind);
  if (!is_fact(object, resource)) return {};
  Arena arena;
  return yaml::to_yaml(reduced(object, resource, arena));
}

std::string masked_text(std::string_view text) {
  bool is_value = false;
  return masked(text, is_value);
}

TEST_CASE("of a Node the fields that rules and simulation read are kept, names first") {
  CHECK(kept_text("kind: Node\nstatus: {allocatable: {cpu: '8'}, images: [{names: [a]}], "
                  "nodeInfo: {kubeletVersion: v1.31.2, machineID: x}}\n"
                  "spec: {taints: [{key: a, effect: NoSchedule}], podCIDR: x}\n"
                  "metadata: {annotations: {a/b: c}, labels: {x: 'true'}, name: a, uid: u}\n"
                  "apiVersion: v1\n") ==
        "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  labels:\n    x: \"true\"\n"
        "status:\n  allocatable:\n    cpu: \"8\"\n  nodeInfo:\n    kubeletVersion: v1.31.2\n"
        "spec:\n  taints:\n  - key: a\n    effect: NoSchedule\n");
}

TEST_CASE("pods that occupy no node are no facts") {
  const std::string pod = "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: b}, ";
  CHECK(kept_text(pod + "spec: {containers: []}}").empty());
  CHECK(kept_text(pod + "spec: {nodeName: n}, status: {phase: Failed}}").empty());
  CHECK_FALSE(kept_text(pod + "spec: {nodeName: n}, status: {phase: Running}}").empty());
  CHECK(kept_text(pod + "spec: {}, status: {phase: Pending}}").empty());
  CHECK_FALSE(kept_text(pod + "spec: {}, status: {nominatedNodeName: n}}").empty());
  const Parsed secret("{apiVersion: v1, kind: Secret, metadata: {name: a}, spec: {nodeName: n}}");
  CHECK_FALSE(is_fact(secret.object(), resource_of("Pod")));
}

TEST_CASE("pods keep no arguments, environment or images") {
  const std::string kept = kept_text(
      "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {nodeName: n, containers: [{name: c, "
      "image: hidden, args: [--enable-admission-plugins=hidden], command: [hidden], "
      "env: [{name: hidden, value: hidden}], ports: [{hostPort: 80}], lifecycle: {hidden: 1}}], "
      "volumes: [{name: v, secret: {secretName: hidden}}, "
      "{name: w, persistentVolumeClaim: {claimName: c}}]}}");
  CHECK_FALSE(has(kept, "hidden"));
  CHECK(has(kept, "hostPort: 80"));
  CHECK_FALSE(has(kept, "name: v"));
  CHECK(has(kept, "claimName: c"));
}

TEST_CASE("the admission plugins of the API server are kept") {
  CHECK(has(kept_text("{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {component: "
                      "kube-apiserver}}, spec: {nodeName: n, containers: [{name: c, command: "
                      "[kube-apiserver, --etcd=x, --enable-admission-plugins=A]}]}}"),
            "command:\n    - --enable-admission-plugins=A\n"));
}

TEST_CASE("properties of definitions stay, their descriptions do not") {
  CHECK(kept_text("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
                  "metadata: {name: a}\nspec:\n  versions:\n  - name: v1\n    schema:\n"
                  "      openAPIV3Schema:\n        description: x\n        properties:\n"
                  "          description: {type: string, title: x, default: {title: kept}}\n"
                  "          env: {items: {description: x, type: object}}\n"
                  "          annotations: {additionalProperties: {type: string}}\n") ==
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n"
        "  name: a\nspec:\n  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema:\n"
        "        properties:\n          description:\n            type: string\n"
        "            default:\n              title: kept\n          env:\n            items:\n"
        "              type: object\n          annotations:\n"
        "            additionalProperties:\n              type: string\n");
}

TEST_CASE("values of flags for credentials are masked") {
  CHECK(masked_text("--api-key=a") == "--api-key=REDACTED");
  CHECK(masked_text("vllm serve --hf_token 'a' --port 80 -password=\"b\"") ==
        "vllm serve --hf_token 'REDACTED' --port 80 -password=\"REDACTED\"");
  CHECK(masked_text("--api-key=$(KEY)") == "--api-key=$(KEY)");
  CHECK(masked_text("--max-num-batched-tokens=1 --tokenizer a --keyed b") ==
        "--max-num-batched-tokens=1 --tokenizer a --keyed b");
  CHECK(masked_text("--token --port 80") == "--token --port 80");
  CHECK(masked_text("a--token b") == "a--token b");
  CHECK(masked_text("--api-key 'two WORDS' -v") == "--api-key 'REDACTED' -v");
  CHECK(masked_text("export HF_TOKEN=a; MODE=b") == "export HF_TOKEN=REDACTED; MODE=b");
  CHECK(masked_text("--hftoken=a") == "--hftoken=REDACTED");
  CHECK(masked_text("--secret=$abc") == "--secret=REDACTED");
  CHECK(masked_text("--model=https://user:word@host") == "REDACTED");
  CHECK(masked_text("Authorization: Bearer a") == "REDACTED");
  CHECK(masked_text("--config={\"api_key\": \"a\"}") == "REDACTED");
  bool is_value = false;
  CHECK(masked("--token", is_value) == "--token");
  CHECK(is_value);
  CHECK(masked("two words", is_value) == "REDACTED");
  CHECK_FALSE(is_value);
  CHECK(masked_text("").empty());
}

TEST_CASE("deep and repeated values are kept without a crash") {
  std::string deep = "x";
  for (int i = 0; i < 450; ++i) deep = "{a: " + deep + "}";
  CHECK_FALSE(kept_text("apiVersion: mlops.seldon.io/v1alpha1\nkind: Server\n"
                        "metadata: {name: a}\nspec:\n  x: &x [1, 2]\n  y: [*x, *x]\n  z: " +
                        deep + "\n")
                  .empty());
}

}  // namespace cnsched::snapshot::resources_test

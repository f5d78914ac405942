#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "testdata/support.h"

namespace cnsched::cli::config_test {

Ran config(const std::vector<std::string>& arguments) { return run_program({"config"}, arguments); }
Ran lint(const std::vector<std::string>& arguments) { return run_program({"lint"}, arguments); }

/// One finding of invalid-toleration, about an InferenceService.
std::string manifest(const std::string& name = "llama") {
  return "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: " + name +
         ", namespace: team, annotations: {serving.kserve.io/deploymentMode: "
         "RawDeployment}}\nspec:\n  predictor:\n    tolerations:\n"
         "    - {key: k, operator: Exists, value: x}\n    nodeSelector: {k: x}\n    "
         "model: {modelFormat: {name: onnx}}\n";
}

TEST_CASE("config shows the effective configuration and the source of each value") {
  const Repository repository;
  repository.write("base.yaml", "cluster:\n  kserve: \"0.15\"\nrules: {taint: off}\n");
  repository.write(".cnsched.yaml",
                   "extends: base.yaml\nexclude:\n- charts/\n"
                   "overrides:\n- files: [prod/]\n  rules:\n    taint: error\n");
  repository.write("prod/a.yaml");
  const Ran ran = config({});
  CHECK(ran.exit == 0);
  CHECK(ran.err == "");
  CHECK(
      ran.out.starts_with("# from .cnsched.yaml, which extends base.yaml\n"
                          "# fields are judged by these releases:\n"
                          "#   kubernetes: newest (1.36)\n#   kserve: 0.15 (base.yaml:2)\n"
                          "#   seldon: newest (2.10)\nrules:\n"));
  CHECK(has(ran.out, "  yaml-syntax: error  # default\n"));
  CHECK(has(ran.out, "  invalid-taint: \"off\"  # base.yaml:3\n"));
  CHECK(has(ran.out, "exclude:\n- charts/  # .cnsched.yaml:3\n"));
  CHECK(has(ran.out, "cluster:\n  kserve: \"0.15\"  # base.yaml:2\n"));
  CHECK(has(ran.out, "generate: {}  # default\n"));
  for (const char* path : {"prod/a.yaml", "prod"}) {
    CHECK(has(config({path}).out, "  invalid-taint: error  # .cnsched.yaml:7\n"));
  }
  // The output is a valid configuration.
  const std::string shown = repository.write("shown.yaml", ran.out);
  CHECK(config({"-c", shown}).exit == 0);
}

TEST_CASE("config shows where releases and definitions are from") {
  const Repository repository;
  repository.write(".cnsched.yaml", "cluster: {kserve: [\"0.13\", \"0.15\"]}\n");
  repository.write("dump.yaml",
                   "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n"
                   "status: {nodeInfo: {kubeletVersion: v1.29.1}}\n---\n"
                   "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n"
                   "  group: serving.kserve.io\n  names: {kind: InferenceService}\n"
                   "  versions: [{name: v1beta1, served: true}]\n");
  const Ran ran = config({"--cluster", "dump.yaml", "--seldon", "2.8"});
  CHECK(ran.err == "");
  CHECK(has(ran.out,
            "#   kubernetes: 1.29 (dump.yaml:4)\n"
            "#   kserve: 0.13 (.cnsched.yaml:1) and 0.15 (.cnsched.yaml:1)\n"
            "#   seldon: 2.8 (--seldon)\n"
            "# and by these CustomResourceDefinitions:\n"
            "#   serving.kserve.io/v1beta1 InferenceService: dump.yaml:11\n"));
  const Ran flag = config({"--kserve", "0.20", "--format", "json"});
  CHECK(has(flag.out, "\"release\": \"0.20\""));
  CHECK(has(flag.out, "\"source\": \"--kserve\""));
}

TEST_CASE("config reports a missing configuration, and prints JSON") {
  const Repository repository;
  CHECK(config({}).out.starts_with("# no configuration applies\n"));
  repository.write(".cnsched.yaml", "rules: {taint: off}\n");
  CHECK(config({"--no-config"}).out.starts_with("# no configuration"));
  const auto json = nlohmann::json::parse(config({"--format", "json"}).out);
  CHECK(json["files"] == nlohmann::json::array({".cnsched.yaml"}));
  CHECK(json["config"]["rules"]["invalid-taint"] == "off");
  CHECK(json["config"]["exclude"].empty());
}

TEST_CASE("config reports an excluded file, a missing path and an invalid configuration") {
  const Repository repository;
  repository.write(".cnsched.yaml", "exclude: [charts/]\n");
  repository.write("charts/a.yaml");
  CHECK(config({"charts/a.yaml"}).err ==
        "charts/a.yaml: excluded by 'charts/' (.cnsched.yaml:1)\n");
  CHECK(config({"nowhere"}).exit == 3);
  repository.write(".cnsched.yaml", "excluded: [charts/]\n");
  const Ran bad = config({});
  CHECK(bad.exit == 2);
  CHECK(bad.out == "");
  CHECK(bad.err ==
        "error: .cnsched.yaml:1:1: unknown key 'excluded' in 'the configuration', did you mean "
        "'exclude'?\n");
}

TEST_CASE("config --init writes an initial file, and does not overwrite") {
  const Repository repository;
  const Ran ran = config({"--init"});
  CHECK(ran.exit == 0);
  CHECK(ran.err == "wrote .cnsched.yaml\n");
  CHECK(config({"--init", "-o", "-"}).out == read_all(".cnsched.yaml"));
  CHECK(config({"--init"}).exit == 0);  // the content is the same
  repository.write("other.yaml", "rules: {}\n");
  CHECK(config({"--init", "-o", "other.yaml"}).exit == 3);
  CHECK(read_all("other.yaml") == "rules: {}\n");
  CHECK(config({"-o", "x.yaml"}).exit == 2);
  CHECK(config({"--init", "--schema"}).exit == 2);
}

TEST_CASE("config --schema prints a JSON Schema") {
  const auto json = nlohmann::json::parse(config({"--schema"}).out);
  CHECK(json["$schema"] == "https://json-schema.org/draft/2020-12/schema");
  CHECK(json["properties"].contains("rules"));
}

TEST_CASE("file names and bytes of a configuration are escaped on a terminal") {
  const Repository repository;
  const std::string name = "a\x1b[31m\nerror: b.yaml";
  repository.write(name, "rules: {\"x\\e[2J\": off}\nexclude: [\"\\e]0;x\\a\"]\n");
  for (const char* format : {"yaml", "json"}) {
    const Ran ran = config({"-c", name, "--format", format});
    CHECK(ran.exit == 2);
    CHECK_FALSE(has(ran.err, "\x1b"));
    CHECK_FALSE(has(ran.err, "\nerror: b.yaml"));
  }
  repository.write(name, "exclude: [\"\\e]0;x\\a\"]\n");
  const Ran ran = config({"-c", name});
  CHECK(ran.exit == 0);
  CHECK_FALSE(has(ran.out, "\x1b"));
  CHECK_FALSE(has(ran.out, "\nerror"));
}

TEST_CASE("lint applies rules, overrides and exclude; the command line takes precedence") {
  const Repository repository;
  repository.write("a.yaml", manifest());
  repository.write("charts/b.yaml", manifest());
  repository.write(".cnsched.yaml", "exclude: [charts/]\n");
  CHECK(has(lint({}).err, "found 1 error\n"));
  repository.write(".cnsched.yaml", "rules: {invalid-toleration: info}\n");
  CHECK(has(lint({}).err, "found 2 infos\n"));
  CHECK(has(lint({"--severity", "invalid-toleration=error"}).err, "found 2 errors\n"));
  repository.write(".cnsched.yaml", "overrides: [{files: [charts/], rules: {toleration: off}}]\n");
  CHECK(has(lint({}).err, "found 1 error\n"));
  CHECK(has(lint({"--extend-select", "toleration"}).err, "found 2 errors\n"));
  repository.write(
      ".cnsched.yaml",
      "overrides: [{objects: [{kind: InferenceService, name: lla*}], rules: {all: off}}]\n");
  CHECK(lint({}).exit == 0);
  repository.write("a.yaml", manifest("bert"));
  CHECK(has(lint({}).err, "found 1 error\n"));
}

TEST_CASE("exclude applies to named files only with --force-exclude") {
  const Repository repository;
  repository.write(".cnsched.yaml", "exclude: [vendor/, '!vendor/keep.yaml', '*.gen.yaml']\n");
  repository.write("vendor/.cnsched.yaml", "rules: {}\n");
  repository.write("vendor/keep.yaml", manifest());
  repository.write("x.gen.yaml", manifest());
  CHECK(lint({}).exit == 0);
  for (const char* path : {"vendor/keep.yaml", "x.gen.yaml", "vendor"}) {
    CAPTURE(path);
    CHECK(lint({path}).exit == 1);
    CHECK(lint({path, "--force-exclude"}).exit == 0);
    CHECK(lint({path, "--force-exclude", "--no-config"}).exit == 1);
    CHECK(has(lint({path, "--force-exclude", "-v"}).err, "(.cnsched.yaml:1)\n"));
  }
  repository.write("elsewhere.yaml", "exclude: [x.gen.yaml]\n");
  CHECK(lint({"x.gen.yaml", "--force-exclude", "-c", "elsewhere.yaml"}).exit == 0);
}

TEST_CASE("cluster facts of a configuration apply to the files of the configuration") {
  const Repository repository;
  const std::string nodes =
      "apiVersion: v1\nkind: Node\nmetadata: {name: n, labels: {nvidia.com/gpu.present: 'true'}}\n"
      "spec:\n  taints: [{key: dedicated, value: gpu, effect: NoSchedule}]\n"
      "status: {allocatable: {nvidia.com/gpu: 1, cpu: 8}}\n";
  const std::string pod =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: main\n"
      "    image: a\n    resources: {limits: {nvidia.com/gpu: 1}}\n";
  repository.write("facts/nodes.yaml", nodes);
  repository.write("a/.cnsched.yaml", "cluster: {files: [../facts/nodes.yaml]}\n");
  repository.write("a/pod.yaml", pod);
  repository.write("b/.cnsched.yaml", "cluster: {}\n");
  repository.write("b/pod.yaml", pod);
  const std::vector<std::string> arguments = {"a",       "b",        "--format",
                                              "concise", "--select", "gpu-toleration-missing"};
  const Ran ran = lint(arguments);
  CHECK(has(ran.out, "a/pod.yaml:"));
  CHECK_FALSE(has(ran.out, "b/pod.yaml:"));
  CHECK(has(ran.err, "of 4 files"));
  repository.write("a/.cnsched.yaml", "cluster: {files: [nowhere.yaml]}\n");
  const Ran lost = lint(arguments);
  CHECK(lost.exit == 3);
  CHECK(has(lost.err, "a/nowhere.yaml: no such file or directory"));
  repository.write("a/.cnsched.yaml", "cluster: {files: [/dev/zero]}\n");
  const Ran outside = lint(arguments);
  CHECK(outside.exit == 2);
  CHECK(has(outside.err, "'/dev/zero' is outside of the repository"));
}

TEST_CASE("config --init has the lines that deployment-mode-unknown advises") {
  const Repository repository;
  repository.write("a.yaml",
                   "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n"
                   "metadata: {name: a}\nspec:\n  predictor:\n    nodeSelector: {a: b}\n"
                   "    model: {modelFormat: {name: onnx}}\n");
  const auto found = nlohmann::json::parse(lint({"--format", "json"}).out)["findings"];
  REQUIRE(found.size() == 2);
  CHECK(found[0]["rule"] == "deployment-mode-unknown");
  CHECK(found[1]["severity"] == "info");
  const std::string snippet = found[0]["snippet"];
  const std::string start = config({"--init", "-o", "-"}).out;
  for (const std::string_view line : split(snippet, '\n')) {
    CHECK(has(start, "\n# " + std::string(line) + "\n"));
  }
  repository.write(".cnsched.yaml", snippet + "\n");
  CHECK(lint({}).exit == 0);
}

}  // namespace cnsched::cli::config_test

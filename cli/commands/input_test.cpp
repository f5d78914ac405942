#include "cli/commands/input.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "testdata/support.h"

namespace cnsched::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kPod =
    "# Source: llama/templates/pod.yaml\n"
    "apiVersion: v1\n"
    "kind: Pod\n"
    "metadata: {name: p}\n"
    "spec:\n"
    "  tolerations: [{key: a, operator: exists}, {key: a, operator: exists}]\n"
    "  containers: [{name: c, image: x}]\n";

constexpr const char* kTemplate = "apiVersion: v1\nkind: Pod\nmetadata: {{ .Values.metadata }}\n";

/// A chart, and a program that prints a pod in place of Helm.
class Chart {
 public:
  Chart() : here_(tree_.root()) {
    tree_.write("deploy/llama/Chart.yaml", "name: llama\n");
    tree_.write("deploy/llama/templates/pod.yaml", kTemplate);
    tree_.write("pod.yaml", kPod);
    fs::permissions(tree_.write("helm", "#!/bin/sh\nexec /bin/cat pod.yaml\n"),
                    fs::perms::owner_all);
  }

  static test::Ran run(const std::string& command, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {command, "deploy", "--no-config", "--render",
                                          "helm",  "--helm", "./helm"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return test::run_program(arguments);
  }

  const test::TemporaryDirectory& tree() const { return tree_; }

 private:
  test::TemporaryDirectory tree_;
  test::WorkingDirectory here_;
};

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("--render lints what a chart renders to, and names the template") {
  const Chart chart;
  const test::Ran ran = Chart::run("lint", {"--select", "invalid-toleration"});
  CHECK(ran.exit == 1);
  CHECK(has(ran.out, "--> deploy/llama/<rendered>:6:36  Pod p"));
  CHECK(has(ran.out, "rendered from: llama/templates/pod.yaml"));
  CHECK(has(ran.err, "checked 1 object in 1 document of 1 file (0 out of scope, 0 Helm templates"));
}

TEST_CASE("--render works for render and simulate too") {
  const Chart chart;
  CHECK(has(Chart::run("render").out, "name: p\n"));
  chart.tree().write("nodes.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: n}\n");
  CHECK(has(Chart::run("simulate", {"--cluster", "nodes.yaml"}).err, "checked 1 object"));
}

TEST_CASE("--fix does not change what is rendered") {
  const Chart chart;
  const test::Ran ran = Chart::run("lint", {"--fix", "--unsafe-fixes"});
  CHECK(ran.exit == 1);
  CHECK_FALSE(has(ran.err, "fixed"));
  CHECK_FALSE(fs::exists("deploy/llama/<rendered>"));
  CHECK(test::read_all("deploy/llama/templates/pod.yaml") == kTemplate);
}

TEST_CASE("a chart that cannot be rendered is unreadable; other files are linted") {
  const Chart chart;
  chart.tree().write("deploy/pod.yaml", kPod);
  chart.tree().write("helm", "#!/bin/sh\necho 'Error: \x1b[31mno\n::error::x' >&2; exit 1\n");
  const test::Ran ran = Chart::run("lint");
  CHECK(ran.exit == 3);
  CHECK(has(ran.err, "error: deploy/llama: not rendered: helm: Error: \\x1b[31mno\n"));
  CHECK(has(ran.out, "deploy/pod.yaml:6"));
}

TEST_CASE("an unknown engine is a usage error, and flags of Helm require --render") {
  CHECK(test::run_program({"lint", "--render", "helm,tilt"}).err ==
        "error: --render: invalid value 'tilt' (helm, kustomize or all)\n");
  CHECK(test::run_program({"lint", "--render", "tilt"}).exit == 2);
  CHECK(test::run_program({"lint", "--helm-set", "a=b"}).exit == 2);
}

TEST_CASE("skipped charts are counted, with the flag that renders them") {
  const Chart chart;
  CHECK(has(test::run_program({"lint", "deploy", "--no-config"}).err,
            "1 Helm template in 1 chart skipped (add --render helm)\n"));
}

}  // namespace cnsched::cli

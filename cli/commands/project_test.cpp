#include "testdata/support.h"

namespace cnsched::cli::project_test {

constexpr const char* kPod =
    "# Source: llama/templates/pod.yaml\n"
    "apiVersion: v1\n"
    "kind: Pod\n"
    "metadata: {name: p}\n"
    "spec:\n"
    "  tolerations: [{key: a, operator: exists}, {key: a, operator: exists}]\n"
    "  containers: [{name: c, image: x}]\n";

constexpr const char* kTemplate = "apiVersion: v1\nkind: Pod\nmetadata: {{ .Values.metadata }}\n";

/// A chart, and a program that prints a pod instead of Helm.
struct Chart : WorkingTree {
  Chart() {
    write("deploy/llama/Chart.yaml", "name: llama\n");
    write("deploy/llama/templates/pod.yaml", kTemplate);
    write("pod.yaml", kPod);
    write_program("helm", "exec /bin/cat " + fs::absolute("pod.yaml").string());
  }

  static Ran run(const std::string& command, std::vector<std::string> more = {}) {
    return run_program({command, "deploy", "--no-config", "--render", "helm", "--helm", "./helm"},
                       more);
  }
};

TEST_CASE("--render lints what a chart renders to, and names the template") {
  const Chart chart;
  const Ran ran = Chart::run("lint", {"--select", "invalid-toleration"});
  CHECK(ran.exit == 1);
  CHECK(has(ran.out, "--> deploy/llama/<rendered>:6:36  Pod p"));
  CHECK(has(ran.out, "rendered from: deploy/llama/templates/pod.yaml"));
  CHECK(has(ran.err, "checked 1 object in 1 document of 1 file (0 out of scope, 0 Helm templates"));
}

TEST_CASE("--render works for render and simulate too") {
  const Chart chart;
  CHECK(has(Chart::run("render").out, "name: p\n"));
  chart.write("nodes.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: n}\n");
  CHECK(has(Chart::run("simulate", {"--cluster", "nodes.yaml"}).err, "checked 1 object"));
}

TEST_CASE("--fix does not change what is rendered") {
  const Chart chart;
  const Ran ran = Chart::run("lint", {"--fix", "--unsafe-fixes"});
  CHECK(ran.exit == 1);
  CHECK_FALSE(has(ran.err, "fixed"));
  CHECK_FALSE(fs::exists("deploy/llama/<rendered>"));
  CHECK(read_all("deploy/llama/templates/pod.yaml") == kTemplate);
}

TEST_CASE("a chart that cannot be rendered is unreadable; other files are linted") {
  const Chart chart;
  chart.write("deploy/pod.yaml", kPod);
  chart.write("helm", "#!/bin/sh\necho 'Error: \x1b[31mno\n::error::x' >&2; exit 1\n");
  const Ran ran = Chart::run("lint");
  CHECK(ran.exit == 3);
  CHECK(has(ran.err, "error: deploy/llama: not rendered: helm: Error: \\x1b[31mno\n"));
  CHECK(has(ran.out, "deploy/pod.yaml:6"));
}

TEST_CASE("an unknown engine is a usage error, and flags of Helm require --render") {
  CHECK(run_program({"lint", "--render", "helm,tilt"}).err ==
        "error: --render: invalid value 'tilt' (helm, kustomize or all)\n");
  CHECK(run_program({"lint", "--render", "tilt"}).exit == 2);
  CHECK(run_program({"lint", "--helm-set", "a=b"}).exit == 2);
}

TEST_CASE("skipped charts are counted, with the flag that renders them") {
  const Chart chart;
  CHECK(has(run_program({"lint", "deploy", "--no-config"}).err,
            "1 Helm template in 1 chart skipped (add --render helm)\n"));
}

TEST_CASE("skipped templates are no objects and do not change the exit code") {
  const Chart chart;
  const auto exit_of = [](const std::string& least) {
    return run_program({"lint", "deploy", "--no-config", "--min-objects", least}).exit;
  };
  CHECK(exit_of("0") == 0);
  CHECK(exit_of("1") == 1);
  chart.write("deploy/pod.yaml",
              "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
              "spec: {containers: [{name: c, image: x}]}\n");
  CHECK(exit_of("1") == 0);
  CHECK(exit_of("2") == 1);
}

TEST_CASE("names what other tools make manifests of, whatever is kept of documents") {
  const WorkingTree tree;
  tree.write("llama/Chart.yaml");
  tree.write("llama/templates/pod.yaml", kTemplate);
  tree.write("apps.yaml",
             "kind: Service\napiVersion: v1\n---\napiVersion: argoproj.io/v1alpha1\n"
             "kind: Application\nmetadata: {name: llama}\nspec: {source: {path: llama}}\n");
  tree.write("main.jsonnet");
  tree.write("lib/k.libsonnet");
  tree.write("ignored/x.tf");
  tree.write(".gitignore", "ignored/\n");
  fs::create_directory(".git");
  for (const char* flag : {"--no-config", "-v", "--fix"}) {
    CAPTURE(flag);
    const Ran ran = run_program({"lint", flag});
    CHECK(ran.exit == 0);
    CHECK(has(ran.err,
              "1 Helm template in 1 chart skipped (add --render helm)\n"
              "1 Argo CD Application not followed\n2 Jsonnet files not read\nchecked 0 objects"));
  }
  CHECK(has(run_program({"lint", "-v"}).err, "main.jsonnet: jsonnet, not read\n"));
  CHECK_FALSE(has(run_program({"lint", "-q"}).err, "not read"));
  const std::string json = run_program({"lint", "--format", "json"}).out;
  CHECK(has(json, R"("path": "apps.yaml",)"));
  CHECK(has(json, R"("path": "lib/k.libsonnet")"));
  CHECK_FALSE(has(json, "x.tf"));
}

/// A chart, a program that prints a pod with the last --set as its operator, and a
/// configuration.
struct VariantScene : Repository {
  VariantScene() {
    write("deploy/llama/Chart.yaml", "name: llama\n");
    write("deploy/llama/templates/pod.yaml", kTemplate);
    write("deploy/llama/values-dev.yaml");
    write_program("tools/helm.sh",
                  "last=none; for a; do case $a in --set=*) last=${a#--set=} ;; esac; done\necho "
                  "'apiVersion: "
                  "v1\nkind: Pod\n"
                  "metadata: {name: p}\nspec:\n  containers: [{name: c, image: x}]'\n"
                  "echo \"  tolerations: [{key: a, operator: $last}]\"");
  }

  /// Lints with this section in a file given with -c.
  Ran lint(const std::string& render, std::vector<std::string> more = {},
           const std::string& format = "concise") const {
    write("tools/c.yaml", "render:\n  helm: helm.sh\n" + render);
    return run_program({"lint", "deploy", "-c", "tools/c.yaml", "--select", "invalid-toleration",
                        "--format", format},
                       more);
  }
};

const std::string kVariants =
    "  engines: helm\n"
    "  charts:\n"
    "  - path: ../deploy/llama\n"
    "    variants:\n"
    "    - {name: dev, set: [Exists]}\n"
    "    - {name: prod, set: [exists]}\n";

TEST_CASE("a configuration given with -c renders the variants of a chart") {
  const VariantScene scene;
  const Ran ran = scene.lint(kVariants);
  CHECK(ran.exit == 1);
  CHECK(ran.out.starts_with("deploy/llama/<rendered prod>:6:36: error: in variant 'prod': "));
  CHECK(has(ran.err, "checked 2 objects in 2 documents of 2 files"));
  const Ran json = scene.lint(kVariants, {}, "json");
  CHECK(has(json.out, "\"variants\": [\n        \"prod\"\n      ],"));
}

TEST_CASE("simulate shows each variant, with the errors that lint finds in it") {
  const VariantScene scene;
  scene.lint(kVariants);  // writes the configuration
  scene.write("nodes.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: n}\n");
  const Ran ran =
      run_program({"simulate", "deploy", "-c", "tools/c.yaml", "--cluster", "nodes.yaml"});
  const std::size_t dev = ran.out.find("in variant 'dev'");
  const std::size_t prod = ran.out.find("in variant 'prod'");
  const std::size_t lint = ran.out.find("finds 1 error: ");
  REQUIRE(dev < prod);
  REQUIRE(prod < ran.out.size());
  CHECK(lint > prod);
  CHECK(ran.out.find("finds", lint + 1) == std::string::npos);
}

TEST_CASE("flags win over the configuration") {
  const VariantScene scene;
  const Ran ran = scene.lint(kVariants, {"--render", "helm", "--helm-set", "exist"});
  CHECK(ran.out.starts_with("deploy/llama/<rendered dev>:6:36: error: invalid toleration"));
  CHECK(has(scene.lint(kVariants, {"--render", "kustomize"}).err,
            "1 Helm template in 1 chart skipped"));
  CHECK(scene.lint(kVariants, {"--no-config"}).exit == 0);
}

TEST_CASE("values files in a chart are variants") {
  const VariantScene scene;
  const Ran ran =
      scene.lint("  engines: [all]\n  valuesFiles: [values-*.yaml]\n", {"--show-files"});
  CHECK(ran.exit == 0);
  CHECK(has(scene.lint("  engines: [all]\n  valuesFiles: [values-*.yaml]\n").out,
            "deploy/llama/<rendered values-dev>:6:36: error: "));
}

TEST_CASE("'render' in a configuration that was found is an error, and nothing is started") {
  const VariantScene scene;
  scene.write("deploy/.cnsched.yaml", "render: {engines: helm, helm: llama/evil}\n");
  scene.write_program("deploy/llama/evil", "echo >started");
  for (const std::vector<std::string>& more :
       {std::vector<std::string>(), {"--render", "helm", "--helm", "deploy/llama/evil"}}) {
    const Ran ran = run_program({"lint", "deploy"}, more);
    CHECK(ran.exit == 2);
    CHECK(has(ran.err, "deploy/.cnsched.yaml:1:9: 'render' starts programs"));
    CHECK_FALSE(fs::exists("started"));
  }
}

TEST_CASE("values files that are addresses or lead out are rejected before anything starts") {
  const VariantScene scene;
  const Ran ran = run_program({"lint", "deploy", "--no-config", "--render", "helm", "--helm-values",
                               "https://a.invalid/v.yaml"});
  CHECK(ran.exit == 2);
  CHECK(ran.err ==
        "error: --helm-values: 'https://a.invalid/v.yaml' is an address, and nothing is fetched: "
        "download it and name the file\n");
  fs::create_symlink("/etc/passwd", "prod.yaml");
  CHECK(run_program(
            {"lint", "deploy", "--no-config", "--render", "helm", "--helm-values", "prod.yaml"})
            .err ==
        "error: --helm-values: 'prod.yaml' is a link that leads out of the repository: "
        "name the file that it leads to\n");
}

}  // namespace cnsched::cli::project_test

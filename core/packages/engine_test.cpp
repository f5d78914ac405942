#include "core/packages/engine.h"
#include "core/base/sandbox.h"
#include "testdata/support.h"

namespace cnsched::packages::engine_test {

/// A directory with a chart, and a program in place of an engine.
class Scene {
 public:
  Scene() { tree_.write("chart/Chart.yaml"); }

  /// The chart, rendered by a program with this script.
  Rendering render(const std::string& script, RenderOptions options = {}) const {
    options.helm = program("engine", script);
    const Package package{Package::Kind::chart, tree_.path("chart")};
    return render_packages(std::span(&package, 1), options).front();
  }

  std::string program(const std::string& name, const std::string& script) const {
    return tree_.write_program(name, script);
  }

  std::string path(const std::string& name) const { return tree_.path(name); }
  void write(const std::string& name, const std::string& text) const { tree_.write(name, text); }

 private:
  TemporaryDirectory tree_;
};

/// Prints each argument on a line. Of the copy only names are known:
/// "/tmp/cnsched-a1b2c3/p0/files".
constexpr const char* kPrintArguments =
    R"(for a; do echo "$a" | /usr/bin/sed 's|/.*/p0/|COPY/|'; done)";

TEST_CASE("helm gets a release name, a copy of the chart, of values, and sets") {
  const Scene scene;
  const std::string values = scene.program("a,b.yaml", "");
  const Rendering made =
      scene.render(kPrintArguments, {.helm_values = {values}, .helm_sets = {"a=$(b)"}});
  REQUIRE_FALSE(made.failure);
  CHECK(made.text ==
        "template\n--include-crds\n--kube-version=1.36.0\n--values=COPY/values-0.yaml\n"
        "--set=a=$(b)\n--\nchart\nCOPY/files\n");
}

TEST_CASE("an engine sees nothing of the user's environment and no program on PATH") {
  const Scene scene;
  const Rendering made = scene.render(
      R"(test "$HOME" = "$PATH" && test -d "$HOME" && test "$HELM_PLUGINS" = "$HOME" && echo "$USER|")");
  CHECK(made.text == "|\n");
}

TEST_CASE("the message of a failing engine is the failure of the package") {
  const Scene scene;
  const Rendering made = scene.render("echo 'Error: no such value' >&2; exit 1");
  REQUIRE(made.failure);
  CHECK(made.failure->path == scene.path("chart"));
  CHECK(made.failure->reason == "not rendered: engine: Error: no such value");
  CHECK(scene.render("printf 'panic: x\\n\\ngoroutine 1' >&2; exit 2").failure->reason ==
        "not rendered: engine: panic: x");
  CHECK(scene.render("exit 7").failure->reason == "not rendered: engine exits with 7");
  CHECK(scene.render("kill -SEGV $$").failure->reason == "not rendered: engine ended by signal 11");
}

TEST_CASE("an engine that hangs or writes without end is ended") {
  const Scene scene;
  CHECK(scene.render("while :; do :; done", {.timeout = std::chrono::seconds(1)}).failure->reason ==
        "not rendered: engine has not ended after 1 s (--render-timeout)");
  CHECK(scene.render("while :; do echo x; done", {.max_output = 1024}).failure->reason ==
        "not rendered: engine writes more than 1 KiB (--max-file-size)");
}

TEST_CASE("a missing engine is a failure of each package") {
  const std::vector<Package> packages = {{Package::Kind::chart, "a"},
                                         {Package::Kind::overlay, "b"}};
  const auto made = render_packages(packages, {});
  REQUIRE(made.size() == 2);
  CHECK(made[0].failure->reason ==
        "not rendered: there is no 'helm' on PATH outside of what is checked (--helm names it)");
  CHECK(
      made[1].failure->reason ==
      "not rendered: there is neither 'kustomize' nor 'kubectl' on PATH outside of what is checked "
      "(--kustomize names one)");
}

TEST_CASE("kubectl builds kustomizations too, each where it is in the copy") {
  const Scene scene;
  scene.write(".git/HEAD", "");
  scene.write("-o=x/kustomization.yaml", "resources: [../a.yaml]\n");
  const Package package{.kind = Package::Kind::overlay,
                        .path = scene.path("-o=x"),
                        .files = {scene.path("-o=x/kustomization.yaml")}};
  const auto printed = [&](const std::string& name) {
    return render_packages(std::span(&package, 1),
                           {.kustomize = scene.program(name, R"(echo "$*" in ${PWD##*/} with *)")})
        .front()
        .text;
  };
  CHECK(printed("kustomize") == "build . in -o=x with kustomization.yaml\n");
  CHECK(printed("kubectl") == "kustomize . in -o=x with kustomization.yaml\n");
}

TEST_CASE("a plugin of kustomize is named, with a way out") {
  const Scene scene;
  CHECK(scene
            .render(
                "echo \"Error: loading generator plugins: failed to load generator: external "
                "plugins disabled; unable to load external plugin 'PolicyGenerator'\" >&2; exit 1")
            .failure->reason ==
        "not rendered: it needs the plugin 'PolicyGenerator'; cnsched starts no plugins: check "
        "what your own build makes, with 'kustomize build --enable-alpha-plugins DIRECTORY | "
        "cnsched lint -'");
}

TEST_CASE("charts that an overlay uses are rendered by helm") {
  const Scene scene;
  scene.write("o/kustomization.yaml", "helmCharts: [{name: a}]\n");
  scene.write("o/charts/a/Chart.yaml", "name: a\n");
  const Package package{.kind = Package::Kind::overlay,
                        .path = scene.path("o"),
                        .files = {scene.path("o/kustomization.yaml")},
                        .charts = {scene.path("o/charts/a")}};
  RenderOptions options{.kustomize =
                            scene.program("kustomize", R"(echo "$*"; /bin/cat charts/a/*)")};
  CHECK(has(render_packages(std::span(&package, 1), options).front().failure->reason,
            "it uses a chart, and there is no 'helm'"));
  options.helm = "/bin/helm";
  CHECK(render_packages(std::span(&package, 1), options).front().text ==
        "build --enable-helm --helm-command /bin/helm .\nname: a\n");
}

TEST_CASE("an engine can neither make sockets nor leave its group, and writes in one place") {
  const Scene scene;
  const Package package{Package::Kind::chart, scene.path("chart")};
  const auto with = [&](const std::string& program) {
    return render_packages(std::span(&package, 1), {.helm = program}).front();
  };
  // A script is the user's own: only its sockets are refused.
  // A script is the user's own: its files have no limits.
  const Rendering connecting =
      with(scene.program("connects", "/usr/bin/python3 -c 'import socket; socket.socket()' 2>&1"));
  const Rendering leaving = with(scene.program("leaves", "/usr/bin/setsid /bin/true 2>&1; exit 0"));
  if (sandbox_support().refuses_sockets) {
    CHECK(connecting.failure);
    CHECK(has(leaving.text, "setsid"));
  }
  scene.write("o/kustomization.yaml", "resources: []\n");
  const Package overlay{.kind = Package::Kind::overlay,
                        .path = scene.path("o"),
                        .files = {scene.path("o/kustomization.yaml")}};
  const Rendering writing =
      render_packages(std::span(&overlay, 1), {.kustomize = "/bin/mkdir"}).front();
  if (sandbox_support().limits_files) CHECK(has(writing.failure->reason, "Permission denied"));
}

TEST_CASE("a file of a chart may have another text in the copy") {
  const Scene scene;
  scene.write("chart/values.yaml", "a: 1\n");
  Package package{Package::Kind::chart, scene.path("chart")};
  const RenderOptions options{.helm = scene.program("engine", "/bin/cat values.yaml")};
  CHECK(render_packages(std::span(&package, 1), options).front().text == "a: 1\n");
  package.replaced[scene.path("chart/values.yaml")] = "a: 2\n";
  CHECK(render_packages(std::span(&package, 1), options).front().text == "a: 2\n");
}

TEST_CASE("all packages together have limits") {
  const Scene scene;
  const std::vector<Package> packages(30, Package{Package::Kind::chart, scene.path("chart")});
  const auto made = render_packages(
      packages, {.helm = scene.program("engine", "printf '%0100d' 1"), .max_output = 100});
  CHECK_FALSE(made.front().failure);
  CHECK(made.back().failure->reason ==
        "not rendered: what is rendered is larger than 800 bytes in all (8 times --max-file-size)");
  const RenderOptions slow{.helm = scene.program("slow", "exit 0"),
                           .timeout = std::chrono::seconds(1)};
  slow.budget->milliseconds = 10'000;
  CHECK(render_packages(packages, slow).front().failure->reason ==
        "not rendered: all packages together may take 10 s (10 times --render-timeout)");
}

TEST_CASE("what is rendered has a name in the directory of the package") {
  const Scene scene;
  CHECK(rendered_name({Package::Kind::chart, scene.path("chart")}) ==
        scene.path("chart/<rendered>"));
  CHECK(rendered_name({Package::Kind::chart, "a.tgz"}) == "a.tgz:<rendered>");
  CHECK(rendered_name({Package::Kind::overlay, "."}) == "<rendered>");
}

TEST_CASE("a variant is rendered with its settings, and the flags come last") {
  const Scene scene;
  const std::string program = scene.program("engine", kPrintArguments);
  const std::string values = scene.program("prod.yaml", "");
  const std::string flag = scene.program("flag.yaml", "");
  const Package package{Package::Kind::chart,
                        scene.path("chart"),
                        {.name = "prod",
                         .values = {values},
                         .sets = {"a=1"},
                         .ns = "ml",
                         .release = "--llama",
                         .kubernetes = "1.30",
                         .api_versions = {"a/v1", "b/v1"}}};
  const Rendering made =
      render_packages(std::span(&package, 1),
                      {.helm = program, .helm_values = {flag}, .helm_sets = {"a=2"}})
          .front();
  CHECK(made.text ==
        "template\n--include-crds\n--kube-version=1.30\n--namespace=ml\n--api-versions=a/v1\n"
        "--api-versions=b/v1\n--values=COPY/values-0.yaml\n--values=COPY/values-1.yaml\n"
        "--set=a=1\n--set=a=2\n--\n--llama\nCOPY/files\n");
  CHECK(rendered_name(package) == scene.path("chart/<rendered prod>"));
  CHECK(rendered_name({Package::Kind::chart, "a.tgz", {.name = "prod"}}) ==
        "a.tgz:<rendered prod>");
  const std::string fails = scene.program("fails", "exit 7");
  CHECK(render_packages(std::span(&package, 1), {.helm = fails}).front().failure->reason ==
        "variant 'prod': not rendered: fails exits with 7");
}

TEST_CASE("an engine that ignores SIGTERM and one that leaves a process behind are ended") {
  const Scene scene;
  const auto begin = std::chrono::steady_clock::now();
  CHECK(
      scene
          .render("trap '' TERM HUP INT; while :; do :; done", {.timeout = std::chrono::seconds(1)})
          .failure->reason == "not rendered: engine has not ended after 1 s (--render-timeout)");
  // The process in the background keeps standard output open.
  CHECK(scene.render("(while :; do :; done) & echo 'a: b'").text == "a: b\n");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
}

TEST_CASE("an engine that prints without end on standard error fails with its first line") {
  const Scene scene;
  const Rendering made = scene.render(
      "i=0; while [ $i -lt 20000 ]; do echo 'Error: first' >&2; i=$((i+1)); done; exit 1");
  REQUIRE(made.failure);
  CHECK(made.failure->reason == "not rendered: engine: Error: first");
}

}  // namespace cnsched::packages::engine_test

#include "core/packages/engine.h"
#include "testdata/support.h"

namespace cnsched::engine_test {

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

 private:
  TemporaryDirectory tree_;
};

TEST_CASE("helm gets a release name, the chart, values and sets") {
  const Scene scene;
  const Rendering made = scene.render(R"(for a; do echo "$a"; done)",
                                      {.helm_values = {"v.yaml"}, .helm_sets = {"a=$(b)"}});
  REQUIRE_FALSE(made.failure);
  CHECK(made.text ==
        "template\nchart\n" + scene.path("chart") +
            "\n--include-crds\n--kube-version\n1.36.0\n--values\nv.yaml\n--set\na=$(b)\n");
}

TEST_CASE("an engine sees nothing of the user's environment and no program on PATH") {
  const Scene scene;
  const Rendering made = scene.render(
      R"(test "$HOME" = "$PATH" && test -d "$HOME" && test "$HELM_PLUGINS" = "$HOME" && echo "$USER|$HTTPS_PROXY")");
  CHECK(made.text == "|http://127.0.0.1:9\n");
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
        "not rendered: engine writes more than 1 KiB");
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

TEST_CASE("kubectl builds kustomizations too") {
  const Scene scene;
  const Package package{Package::Kind::overlay, "overlay"};
  const auto arguments = [&](const std::string& name) {
    return render_packages(std::span(&package, 1),
                           {.kustomize = scene.program(name, R"(echo "$*")")})
        .front()
        .text;
  };
  CHECK(arguments("kustomize") == "build overlay\n");
  CHECK(arguments("kubectl") == "kustomize overlay\n");
}

TEST_CASE("a directory whose name begins with a dash is no flag of an engine") {
  const Scene scene;
  const std::string program = scene.program("engine", R"(echo "$*")");
  const Package overlay{Package::Kind::overlay, "-o/tmp/x"};
  CHECK(render_packages(std::span(&overlay, 1), {.kustomize = program}).front().text ==
        "build ./-o/tmp/x\n");
  Package chart{Package::Kind::chart, "--post-renderer=x/chart"};
  chart.variant.release = "--output-dir=..";
  CHECK(render_packages(std::span(&chart, 1), {.helm = program})
            .front()
            .text.starts_with("template chart ./--post-renderer=x/chart --include-crds"));
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
  const std::string program = scene.program("engine", R"(for a; do echo "$a"; done)");
  const Package package{Package::Kind::chart,
                        scene.path("chart"),
                        {.name = "prod",
                         .values = {"prod.yaml"},
                         .sets = {"a=1"},
                         .ns = "ml",
                         .release = "llama",
                         .kubernetes = "1.30",
                         .api_versions = {"a/v1", "b/v1"}}};
  const Rendering made =
      render_packages(std::span(&package, 1),
                      {.helm = program, .helm_values = {"flag.yaml"}, .helm_sets = {"a=2"}})
          .front();
  CHECK(made.text == "template\nllama\n" + scene.path("chart") +
                         "\n--include-crds\n--kube-version\n1.30\n--namespace\nml\n"
                         "--api-versions\na/v1\n--api-versions\nb/v1\n"
                         "--values\nprod.yaml\n--values\nflag.yaml\n--set\na=1\n--set\na=2\n");
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

}  // namespace cnsched::engine_test

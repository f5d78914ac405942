#include "rules/config/config.h"
#include "testdata/support.h"

namespace cnsched::rules::config_test {

std::string mode_of(const Config* config) {
  return config == nullptr ? "none" : std::string(config->cluster.default_deployment_mode->text());
}

TEST_CASE("uses the nearest configuration above each file, up to the repository's root") {
  const TemporaryDirectory tree;
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

TEST_CASE("uses a named configuration for every file") {
  const TemporaryDirectory tree;
  const std::string path = tree.write("c.yaml", "cluster: {defaultDeploymentMode: Standard}\n");
  Sources sources;
  const auto configs = Configs::only(path, sources);
  REQUIRE(configs);
  CHECK(mode_of(configs->find("/anywhere/x.yaml")) == "Standard");
}

TEST_CASE("reports all errors of a configuration, with places and corrections") {
  const TemporaryDirectory tree;
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
  CHECK(has(message, path + ":2:3: unknown key 'kserv' in 'cluster', did you mean 'kserve'?"));
  CHECK(has(message, ":3:15: 'kubernetes' must be a string, not a number; quote it"));
  CHECK(has(message, ":4:26: 'raw' is not a valid deployment mode"));
  CHECK(has(message, ":5:1: unknown key 'rulez'"));
}

TEST_CASE("accepts an empty configuration and rejects one that is not a mapping") {
  const TemporaryDirectory tree;
  Sources sources;
  CHECK(Configs::only(tree.write("empty.yaml", ""), sources));
  CHECK(Configs::only(tree.write("comment.yaml", "# later\n"), sources));
  CHECK_FALSE(Configs::only(tree.write("list.yaml", "- a\n"), sources));
  CHECK_FALSE(Configs::only(tree.write("two.yaml", "cluster: {}\n---\ncluster: {}\n"), sources));
  CHECK_FALSE(Configs::only(tree.path("missing.yaml"), sources));
}

/// What is wrong with a configuration; empty if nothing is.
std::string errors_of(const std::string& path) {
  Sources sources;
  const auto configs = Configs::only(path, sources);
  return configs ? "" : configs.error().message;
}

TEST_CASE("reads prices by resource and product") {
  const TemporaryDirectory tree;
  Sources sources;
  const auto configs = Configs::only(
      tree.write("p.yaml", "prices: {nvidia.com/gpu: {NVIDIA-L4: 0.81, T4: '2'}}\n"), sources);
  REQUIRE(configs);
  const change::Prices& prices = configs->find("a.yaml")->prices;
  CHECK(prices.at("nvidia.com/gpu").at("NVIDIA-L4") == 0.81);
  CHECK(prices.at("nvidia.com/gpu").at("T4") == 2);
  for (const std::string price : {"-1", "1e3", "cheap", "[]", "1.", "''"}) {
    CAPTURE(price);
    CHECK_FALSE(
        Configs::only(tree.write("bad.yaml", "prices: {a: {b: " + price + "}}\n"), sources));
  }
}

TEST_CASE("extends configurations: merges mappings by key and replaces lists") {
  const TemporaryDirectory tree;
  tree.write("base/first.yaml",
             "cluster: {kserve: '0.14', kubernetes: '1.30', files: [nodes.yaml]}\n"
             "rules: {taint: off, yaml: info}\nexclude: [a, b]\n"
             "generate: {templateDirs: [ours]}\n");
  tree.write("base/second.yaml", "cluster: {kubernetes: '1.33'}\nrules: {taint: error}\n");
  const std::string path =
      tree.write(".cnsched.yaml",
                 "extends: [base/first.yaml, base/second.yaml]\n"
                 "cluster: {kserve: '0.15', knative:}\nexclude: [c]\nrules: {label: off}\n");
  Sources sources;
  const auto configs = Configs::only(path, sources);
  REQUIRE_MESSAGE(configs, (configs ? "" : configs.error().message));
  const Config& config = *configs->find("x.yaml");
  CHECK(config.cluster.releases.kserve.front().version == Version{0, 15, 0});
  CHECK(config.cluster.releases.kubernetes.front().version == Version{1, 33, 0});
  const Levels& levels = config.rules.front().levels;
  CHECK(levels.find("invalid-taint")->level == Level::error);
  CHECK(levels.find("yaml-syntax")->level == Level::info);
  CHECK(levels.find("invalid-label")->level == Level::off);
  REQUIRE(config.exclude.size() == 1);
  CHECK(config.exclude.front().where->text() == "c");
  // Paths are relative to the file that names them.
  CHECK(config.template_dirs == std::vector<std::string>{tree.path("base/ours")});
  CHECK(config.cluster_files == std::vector<std::string>{tree.path("base/nodes.yaml")});
  REQUIRE(config.files.size() == 3);
  CHECK(config.files[0] == path);
  CHECK(config.files[1].ends_with("second.yaml"));
}

TEST_CASE("rejects a cycle of extended files and a missing extended file") {
  const TemporaryDirectory tree;
  const std::string self = tree.write("self.yaml", "rules: {}\nextends: ./self.yaml\n");
  CHECK(errors_of(self) == self + ":2:10: './self.yaml' extends this file: the files form a cycle");
  tree.write("a.yaml", "extends: b.yaml\n");
  const std::string b = tree.write("b.yaml", "extends: [a.yaml]\n");
  CHECK(has(errors_of(tree.path("a.yaml")),
            ":1:11: 'a.yaml' extends this file: the files form a cycle"));
  const std::string lost = tree.write("lost.yaml", "extends: [nowhere.yaml]\n");
  CHECK(errors_of(lost).starts_with(lost + ":1:11: file '"));
}

TEST_CASE("a configuration that was found names files of its repository only") {
  const TemporaryDirectory tree;
  const std::string outside = tree.write("outside.yaml", "SECRET: 1\n");
  tree.write("policies/p.yaml", "SECRET: 1\n");
  tree.write("repo/.git/config", "SECRET: 1\n");
  tree.write("repo/rules.yaml", "rules: {taint: off}\n");
  const std::string manifest = tree.write("repo/a.yaml", "");
  fs::create_symlink(outside, tree.path("repo/link.yaml"));
  fs::create_symlink(tree.path("policies"), tree.path("repo/linked"));
  tree.write("repo/more/q.txt");
  fs::create_symlink(outside, tree.path("repo/more/p.yaml"));
  tree.write("repo/chain.yaml", "extends: link.yaml\n");
  const auto error_of = [&](const std::string& text) {
    tree.write("repo/.cnsched.yaml", text);
    Sources sources;
    const auto found = Configs::discover({manifest}, sources);
    return found ? "" : found.error().message;
  };
  CHECK(error_of("extends: rules.yaml\n") == "");
  CHECK(error_of("extends: ../repo/rules.yaml\n") == "");
  for (const std::string& path :
       {outside, std::string("../outside.yaml"), std::string("link.yaml"),
        std::string("chain.yaml"), std::string("/proc/self/environ"), std::string(".git/config")}) {
    for (const char* key : {"extends: [{}]\n", "policyFiles: [{}]\n", "cluster: {{files: [{}]}}\n",
                            "generate: {{templateDirs: [{}]}}\n"}) {
      if (path == "chain.yaml" && key[0] != 'e') continue;  // is a file like any other there
      const std::string error = error_of(fmt::format(fmt::runtime(key), path));
      CHECK_MESSAGE(has(error, ".yaml:1:"), key << path << error);
      CHECK_FALSE(has(error, "SECRET"));
    }
  }
  for (const char* path : {"linked", "more", ".."}) {
    const std::string error = error_of(fmt::format("policyFiles: [{}]\n", path));
    CHECK_MESSAGE(has(error, ".yaml:1:15: '"), error);
    CHECK_FALSE(has(error, "SECRET"));
  }
  CHECK(has(error_of("extends: ../outside.yaml\n"),
            "'../outside.yaml' is outside of the repository"));
  // The configuration itself is a link.
  fs::remove(tree.path("repo/.cnsched.yaml"));
  fs::create_symlink(outside, tree.path("repo/.cnsched.yaml"));
  Sources sources;
  const auto linked = Configs::discover({manifest}, sources);
  REQUIRE_FALSE(linked);
  CHECK(has(linked.error().message, "is a link out of the repository"));
}

TEST_CASE("a named configuration extends any file, but what that names must be in its repository") {
  const TemporaryDirectory tree;
  tree.write("shared.yaml", "extends: other/rules.yaml\n");
  tree.write("other/rules.yaml", "rules: {taint: off}\n");
  tree.write("repo/.git/HEAD");
  tree.write("repo/.cnsched.yaml", "extends: ../shared.yaml\n");
  CHECK(errors_of(tree.write("repo/ci.yaml", "extends: ../shared.yaml\n")) == "");
  CHECK(errors_of(tree.path("repo/.cnsched.yaml")) == "");
  CHECK(has(errors_of(tree.write("own.yaml", "extends: repo/.cnsched.yaml\n")),
            "'../shared.yaml' is outside of the repository"));
}

TEST_CASE("limits type, size, depth and number of extended files") {
  const TemporaryDirectory tree;
  CHECK(errors_of(tree.write("device.yaml", "extends: /dev/zero\n")) ==
        "/dev/zero: is not a regular file");
  CHECK(has(errors_of(tree.write("stdin.yaml", "extends: /dev/stdin\n")), "not a regular file"));
  CHECK(has(errors_of(tree.write("folder.yaml", "extends: .\n")), "not a regular file"));
  tree.write("huge.yaml", std::string(std::size_t{2} << 20U, '#'));
  CHECK(errors_of(tree.write("large.yaml", "extends: huge.yaml\n"))
            .ends_with("huge.yaml: larger than the limit of 1 MiB: split it, or leave it out"));
  for (int i = 0; i < 40; ++i) {
    tree.write(fmt::format("deep{}.yaml", i), fmt::format("extends: deep{}.yaml\n", i + 1));
  }
  CHECK(has(errors_of(tree.path("deep0.yaml")), "more than 16 files extend each other"));
  std::string wide = "extends:\n";
  for (int i = 0; i < 40; ++i) wide += "- base.yaml\n";
  tree.write("base.yaml", "rules: {}\n");
  CHECK(has(errors_of(tree.write("wide.yaml", wide)), "more than 16 items"));
}

TEST_CASE("reads a shared base once") {
  const TemporaryDirectory tree;
  for (int i = 0; i < 15; ++i) {
    tree.write(fmt::format("level{}.yaml", i),
               fmt::format("extends: [level{0}.yaml, ./level{0}.yaml]\n", i + 1));
  }
  tree.write("level15.yaml", "rules: {taint: off}\n");
  Sources sources;
  const auto configs = Configs::only(tree.path("level0.yaml"), sources);
  REQUIRE(configs);
  CHECK(sources.size() == 16);
  CHECK(configs->find("x")->rules.front().levels.find("invalid-taint")->level == Level::off);
}

TEST_CASE("reports the errors of all configurations once") {
  const TemporaryDirectory tree;
  tree.write(".git/HEAD");  // what a configuration extends is in its repository
  tree.write("base.yaml", "rules: {taynt: off}\n");
  tree.write("a/.cnsched.yaml", "extends: ../base.yaml\ncluster: 1\n");
  tree.write("b/.cnsched.yaml", "extends: ../base.yaml\nexclude: {}\n");
  Sources sources;
  const auto configs = Configs::discover({tree.path("a/x.yaml"), tree.path("b/x.yaml")}, sources);
  REQUIRE_FALSE(configs);
  const std::string& message = configs.error().message;
  CAPTURE(message);
  CHECK(std::ranges::count(message, '\n') == 2);
  CHECK(has(message, "base.yaml:1:9: 'taynt' is not a valid rule or group of rules"));
  CHECK(has(message, ":2:10: 'cluster' must be a mapping, not an integer"));
  CHECK(has(message, ":2:10: 'exclude' must be a list, not a mapping"));
}

TEST_CASE("limits the errors of one file") {
  const TemporaryDirectory tree;
  std::string text = "rules:\n";
  for (int i = 0; i < 100'000; ++i) text += fmt::format("  r{}: off\n", i);
  text.resize(std::min(text.size(), std::size_t{1} << 20U));
  text.resize(text.rfind('\n') + 1);
  const std::string errors = errors_of(tree.write("c.yaml", text));
  CHECK(std::ranges::count(errors, '\n') < 101);
}

TEST_CASE("lists each cluster file once, with the configurations that name it") {
  const TemporaryDirectory tree;
  tree.write(".git/HEAD");
  tree.write("base.yaml", "cluster: {files: [nodes.yaml]}\n");
  tree.write("a/.cnsched.yaml", "cluster: {files: [../nodes.yaml, own.yaml]}\n");
  tree.write("b/.cnsched.yaml", "extends: ../base.yaml\n");
  Sources sources;
  const auto configs = Configs::discover({tree.path("a/x.yaml"), tree.path("b/x.yaml")}, sources);
  REQUIRE_MESSAGE(configs, (configs ? "" : configs.error().message));
  const auto files = configs->cluster_files();
  REQUIRE(files.size() == 2);
  CHECK(files[0].path == tree.path("nodes.yaml"));
  CHECK(files[0].only_for.size() == 2);
  CHECK(files[1].path == tree.path("a/own.yaml"));
  CHECK(files[1].only_for.size() == 1);
}

TEST_CASE("reads how charts are rendered, with paths relative to the file") {
  const WorkingTree tree;
  tree.write("ci/render.yaml", R"(render:
  engines: [helm, kustomize]
  helm: bin/helm
  timeout: 5
  valuesFiles: [ci/*.yaml]
  charts:
  - path: ../charts/llama
    variants:
    - name: dev
    - name: prod
      values: [prod.yaml, /etc/all.yaml]
      set: [gpus=8]
      namespace: ml
      releaseName: chat
      kubernetes: "1.34"
      apiVersions: [a/v1]
)");
  Sources sources;
  const auto configs = Configs::only("ci/render.yaml", sources);
  REQUIRE_MESSAGE(configs, (configs ? "" : configs.error().message));
  const packages::RenderSettings& render = configs->find("")->render;
  CHECK(render.kinds.charts);
  CHECK(render.kinds.overlays);
  CHECK(render.helm == "ci/bin/helm");
  CHECK(render.kustomize == "");
  CHECK(render.timeout == 5);
  CHECK(render.values_files == std::vector<std::string>{"ci/*.yaml"});
  REQUIRE(render.charts.size() == 1);
  CHECK(render.charts[0].path == "charts/llama");
  REQUIRE(render.charts[0].variants.size() == 2);
  CHECK(render.charts[0].variants[0].name == "dev");
  const packages::Variant& prod = render.charts[0].variants[1];
  CHECK(prod.values == std::vector<std::string>{"ci/prod.yaml", "/etc/all.yaml"});
  CHECK(prod.sets == std::vector<std::string>{"gpus=8"});
  CHECK(prod.ns == "ml");
  CHECK(prod.release == "chat");
  CHECK(prod.kubernetes == "1.34");
  CHECK(prod.api_versions == std::vector<std::string>{"a/v1"});
}

TEST_CASE("only the file given with --config may start programs") {
  const WorkingTree tree;
  tree.write(".git/HEAD");
  tree.write(".cnsched.yaml", "render: {engines: all}\n");
  tree.write("extends.yaml", "extends: .cnsched.yaml\n");
  Sources sources;
  const std::string message =
      ".cnsched.yaml:1:9: 'render' starts programs: only the file given with -c may have it, not "
      "one that is found or extended; move it to a file of your own and use 'cnsched lint -c FILE'";
  const auto found = Configs::discover({"a.yaml"}, sources);
  REQUIRE_FALSE(found);
  CHECK(found.error().message == message);
  const auto extended = Configs::only("extends.yaml", sources);
  REQUIRE_FALSE(extended);
  CHECK(extended.error().message == message);
  CHECK(Configs::only(".cnsched.yaml", sources));
  tree.write(".cnsched.yaml", "render:\n");
  CHECK_FALSE(Configs::discover({"a.yaml"}, sources));
}

TEST_CASE("rejects settings of rendering that are no files, names or patterns in the chart") {
  const auto error_of = [](const std::string& render) {
    const WorkingTree tree;
    tree.write("c.yaml", "render: {" + render + "}\n");
    Sources sources;
    const auto configs = Configs::only("c.yaml", sources);
    return configs ? "none"
                   : configs.error().message.substr(configs.error().message.find(": ") + 2);
  };
  const auto variant = [&](const std::string& text) {
    return error_of("charts: [{path: a, variants: [{" + text + "}]}]");
  };
  CHECK(variant("name: a, values: ['https://a.invalid/v.yaml']") ==
        "'https://a.invalid/v.yaml' is an address, and nothing is fetched: name a file");
  CHECK(variant("name: a, set: [url=https://a.invalid]") == "none");
  CHECK(variant("name: a/b") ==
        "'a/b' is not a valid name of a variant: use letters, digits, '-', '_' and '.'");
  CHECK(variant("name: a}, {name: a") == "two variants of the chart are named 'a'");
  CHECK(variant("name: a, kubernetes: x") == "'x' is not a version such as \"1.34\"");
  CHECK(variant("values: [a]") == "'variants[]' requires 'name'");
  for (const std::string pattern : {"../*.yaml", "a/../../b", "/etc/*"}) {
    CHECK(error_of("valuesFiles: ['" + pattern + "']") ==
          "'" + pattern + "' leads out of the chart: a pattern is relative to each chart");
  }
  CHECK(error_of("timeout: 0") == "'timeout' must be from 1 to 86400 seconds");
  CHECK(error_of("engines: tilt") == "'tilt' is not a valid engine: use helm, kustomize or all");
}

}  // namespace cnsched::rules::config_test

#include "rules/engine/selection.h"
#include "testdata/support.h"

namespace cnsched::rules::selection_test {

/// Without any configuration.
std::optional<Level> level_of(const Selection& selection, std::string_view id) {
  return selection.level_of(id, {}, {});
}

/// A selection for files below a configuration.
struct Configured {
  explicit Configured(const std::string& config, const SelectionOptions& options = {}) {
    tree.write(".git/HEAD");
    tree.write(".cnsched.yaml", config);
    auto read = Configs::discover({tree.path("prod/a.yaml"), tree.path("staging/a.yaml")}, sources);
    REQUIRE_MESSAGE(read, (read ? "" : read.error().message));
    configs = *std::move(read);
    selection = *Selection::from(options);
    selection.follow(configs);
  }

  /// The level of a finding about an InferenceService of that name in that file.
  std::optional<Level> of(std::string_view id, const std::string& name = "a",
                          const std::string& file = "prod/a.yaml") const {
    const Subject subject{.kind = "InferenceService", .ns = "team", .name = name};
    return selection.level_of(id, selection.settings_of(tree.path(file)), subject);
  }

  TemporaryDirectory tree;
  Sources sources;
  Configs configs;
  Selection selection;
};

TEST_CASE("runs every rule with its own severity by default") {
  const auto selection = Selection::from({});
  REQUIRE(selection);
  CHECK(selection->runs("yaml-syntax"));
  CHECK(selection->runs("deployment-mode"));
  CHECK_FALSE(level_of(*selection, "yaml-syntax"));
}

TEST_CASE("--select accepts comma-separated ids and groups") {
  const auto selection = Selection::from({.select = {"taint,yaml-syntax", "deployment-mode"}});
  REQUIRE(selection);
  CHECK(selection->runs("custom-gpu-taint"));
  CHECK(selection->runs("invalid-taint"));
  CHECK(selection->runs("yaml-syntax"));
  CHECK(selection->runs("deployment-mode"));
  CHECK_FALSE(selection->runs("duplicate-key"));
}

TEST_CASE("--ignore removes rules, and --extend-select adds one of them again") {
  const auto selection = Selection::from({.ignore = {"yaml"}, .extend_select = {"duplicate-key"}});
  REQUIRE(selection);
  CHECK_FALSE(selection->runs("yaml-syntax"));
  CHECK(selection->runs("duplicate-key"));
  CHECK(selection->runs("invalid-taint"));
}

TEST_CASE("--severity sets a rule's or a group's severity, and off switches it off") {
  const auto selection = Selection::from({.severity = {"taint=info", "duplicate-key=off"}});
  REQUIRE(selection);
  CHECK(level_of(*selection, "custom-gpu-taint") == Level::info);
  CHECK_FALSE(selection->runs("duplicate-key"));
}

TEST_CASE("--severity does not switch a rule on that is not selected") {
  const auto selection = Selection::from({.select = {"yaml"}, .severity = {"taint=error"}});
  REQUIRE(selection);
  CHECK_FALSE(selection->runs("custom-gpu-taint"));
}

TEST_CASE("rejects an unknown rule and suggests the likely one") {
  const auto selection = Selection::from({.select = {"custom-gpu-tain"}});
  REQUIRE_FALSE(selection);
  CHECK(selection.error().message ==
        "unknown rule or group 'custom-gpu-tain', did you mean 'custom-gpu-taint'? ('cnsched "
        "rules' lists them)");
}

TEST_CASE("rejects an unknown severity and a setting without one") {
  for (const char* setting : {"taint=fatal", "taint", "=error", "taint="}) {
    INFO(setting);
    CHECK_FALSE(Selection::from({.severity = {setting}}));
  }
}

TEST_CASE("uses the most specific entry of a configuration, whatever the order") {
  const Configured run(
      "rules:\n  custom-gpu-taint: error\n  taint: {severity: info}\n  all: off\n");
  CHECK(run.of("custom-gpu-taint") == Level::error);
  CHECK(run.of("invalid-taint") == Level::info);
  CHECK(run.of("yaml-syntax") == Level::off);
  CHECK(run.selection.runs("custom-gpu-taint"));
  CHECK_FALSE(run.selection.runs("yaml-syntax"));
}

TEST_CASE("accepts off without quotes, which YAML 1.1 reads as false") {
  for (const char* text : {"off", "Off", "false", "no", "'off'", "{severity: off}"}) {
    CAPTURE(text);
    CHECK(Configured(fmt::format("rules: {{taint: {}}}\n", text)).of("invalid-taint") ==
          Level::off);
  }
}

TEST_CASE("gives the command line precedence over the configuration") {
  const std::string config = "rules: {taint: off, yaml: info}\n";
  CHECK(Configured(config, {.select = {"taint"}}).selection.runs("invalid-taint"));
  CHECK_FALSE(Configured(config, {.select = {"taint"}}).of("invalid-taint"));
  CHECK(Configured(config, {.select = {"yaml"}}).of("yaml-syntax") == Level::info);
  CHECK_FALSE(Configured(config, {.select = {"label"}}).selection.runs("yaml-syntax"));
  CHECK_FALSE(Configured(config, {.ignore = {"yaml"}}).selection.runs("yaml-syntax"));
  CHECK_FALSE(Configured(config, {.extend_select = {"invalid-taint"}}).of("invalid-taint"));
  CHECK(Configured(config, {.severity = {"taint=warning"}}).of("invalid-taint") == Level::warning);
  CHECK(Configured(config, {.severity = {"taint=warning"}}).selection.runs("invalid-taint"));
  CHECK(Configured(config, {.severity = {"yaml=error"}}).of("yaml-syntax") == Level::error);
}

TEST_CASE("applies overrides to paths and objects; the last one for a rule counts") {
  const Configured run(R"(
rules: {taint: off}
overrides:
- files: [prod/]
  rules: {taint: warning, yaml: info}
- files: [prod/]
  objects: [{kind: Inference*, name: "demo-?", namespace: team}, {name: other}]
  rules: {invalid-taint: error}
- objects: [{namespace: elsewhere}]
  rules: {all: off}
)");
  CHECK(run.of("invalid-taint") == Level::warning);
  CHECK(run.of("invalid-taint", "demo-1") == Level::error);
  CHECK(run.of("invalid-taint", "demo-12") == Level::warning);
  CHECK(run.of("invalid-taint", "other") == Level::error);
  CHECK(run.of("yaml-syntax", "demo-1") == Level::info);
  CHECK(run.of("invalid-taint", "demo-1", "staging/a.yaml") == Level::off);
  CHECK(run.selection.runs("invalid-taint"));
  const RuleSettings here = run.selection.settings_of(run.tree.path("prod/a.yaml"));
  CHECK(run.selection.level_of("invalid-taint", here, {}) == Level::warning);
}

TEST_CASE("a rule that is off for one file runs for a file without configuration") {
  const TemporaryDirectory tree;
  tree.write("a/.git/HEAD");
  tree.write("b/.git/HEAD");
  tree.write("a/.cnsched.yaml", "rules: {all: off}\n");
  Sources sources;
  const auto one = Configs::discover({tree.path("a/x.yaml")}, sources);
  const auto both = Configs::discover({tree.path("a/x.yaml"), tree.path("b/x.yaml")}, sources);
  CHECK_FALSE(one->may_run("yaml-syntax"));
  CHECK(both->may_run("yaml-syntax"));
}

TEST_CASE("settings of a rule apply to the rule that follows it, unless they name that one") {
  constexpr const char* kLeader = "knative-feature-disabled";
  constexpr const char* kFollower = "deployment-mode-unknown";
  CHECK(Selection::from({.select = {kLeader}})->runs(kFollower));
  CHECK_FALSE(Selection::from({.select = {kFollower}})->runs(kLeader));
  CHECK_FALSE(Selection::from({.select = {kLeader}, .ignore = {kFollower}})->runs(kFollower));
  CHECK_FALSE(Selection::from({.ignore = {kLeader}})->runs(kFollower));
  const Configured off("rules: {knative-feature-disabled: off}\n");
  CHECK(off.of(kFollower) == Level::off);
  const Configured mixed("rules: {all: off, knative-feature-disabled: info}\n");
  CHECK(mixed.of(kFollower) == Level::info);
  const Configured named(
      "rules: {knative-feature-disabled: off, deployment-mode-unknown: error}\n");
  CHECK(named.of(kFollower) == Level::error);
}

}  // namespace cnsched::rules::selection_test

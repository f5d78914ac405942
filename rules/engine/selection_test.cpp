#include "rules/engine/selection.h"

#include <doctest/doctest.h>

namespace cnsched::rules {

TEST_CASE("without options every rule runs, with its own severity") {
  const auto selection = Selection::from({});
  REQUIRE(selection);
  CHECK(selection->runs("yaml-syntax"));
  CHECK(selection->runs("deployment-mode"));
  CHECK_FALSE(selection->severity_of("yaml-syntax"));
}

TEST_CASE("--select takes ids, groups and several of them between commas") {
  const auto selection = Selection::from({.select = {"taint,yaml-syntax", "deployment-mode"}});
  REQUIRE(selection);
  CHECK(selection->runs("custom-gpu-taint"));
  CHECK(selection->runs("invalid-taint"));
  CHECK(selection->runs("yaml-syntax"));
  CHECK(selection->runs("deployment-mode"));
  CHECK_FALSE(selection->runs("duplicate-key"));
}

TEST_CASE("--ignore takes away, and --extend-select gives back one of what it took") {
  const auto selection = Selection::from({.ignore = {"yaml"}, .extend_select = {"duplicate-key"}});
  REQUIRE(selection);
  CHECK_FALSE(selection->runs("yaml-syntax"));
  CHECK(selection->runs("duplicate-key"));
  CHECK(selection->runs("invalid-taint"));
}

TEST_CASE("--severity sets a rule's or a group's severity, and off switches it off") {
  const auto selection = Selection::from({.severity = {"taint=info", "duplicate-key=off"}});
  REQUIRE(selection);
  CHECK(selection->severity_of("custom-gpu-taint") == Severity::info);
  CHECK_FALSE(selection->runs("duplicate-key"));
}

TEST_CASE("--severity does not switch a rule on that is not selected") {
  const auto selection = Selection::from({.select = {"yaml"}, .severity = {"taint=error"}});
  REQUIRE(selection);
  CHECK_FALSE(selection->runs("custom-gpu-taint"));
}

TEST_CASE("an unknown rule is refused with the name that was probably meant") {
  const auto selection = Selection::from({.select = {"custom-gpu-tain"}});
  REQUIRE_FALSE(selection);
  CHECK(selection.error().message ==
        "no rule or group is called 'custom-gpu-tain', did you mean 'custom-gpu-taint'? ('cnsched "
        "rules' lists them)");
}

TEST_CASE("a severity that is none, or no setting at all, is refused") {
  for (const char* setting : {"taint=fatal", "taint", "=error", "taint="}) {
    INFO(setting);
    CHECK_FALSE(Selection::from({.severity = {setting}}));
  }
}

}  // namespace cnsched::rules

#include "testdata/reported.h"

namespace cnsched::cli::xml_formats_test {

TEST_CASE("checkstyle has a file for each file with findings") {
  const Reported reported(
      {{"./a.yaml", rejected_pod("p")},
       {"b.yaml", "a: b\n"},
       {"c.yaml", rejected_pod("größe", "größe") + "---\n" + rejected_pod("q")}});
  const std::string text = reported.as("checkstyle");
  CHECK(has(text,
            "<checkstyle version=\"4.3\">\n  <file name=\"a.yaml\">\n"
            "    <error line=\"6\" column=\"24\" severity=\"error\" message=\"invalid toleration "
            "operator &apos;exists&apos;: the API server rejects the pod spec; help: use Equal or "
            "Exists, did you mean &apos;Exists&apos;?\" source=\"cnsched.invalid-toleration\"/>\n  "
            "</file>\n"
            "  <file name=\"c.yaml\">\n"));
  CHECK_FALSE(has(text, "b.yaml"));
  CHECK(has(text, "<error line=\"13\" column=\"24\""));
}

TEST_CASE("checkstyle reports unreadable files") {
  Workspace workspace;
  workspace.load({.unreadable = {{"gone.yaml", "no such file"}}});
  const std::vector<Diagnostic> none;
  std::ostringstream out;
  write_checkstyle({workspace, none}, out);
  CHECK(has(out.str(),
            "  <file name=\"gone.yaml\">\n    <error line=\"1\" severity=\"error\" message=\"no "
            "such file\" source=\"cnsched.unreadable\"/>\n  </file>\n"));
}

std::string junit(const Outcome& outcome) {
  std::ostringstream out;
  write_junit(outcome, out);
  return out.str();
}

TEST_CASE("JUnit has a suite for each file, a case for each object, a failure for each finding") {
  const Reported reported(
      {{"a.yaml", rejected_pod("bad") + "---\napiVersion: v1\nkind: Pod\nmetadata: {name: fine, "
                                        "namespace: team}\n---\nkind: Service\n"},
       {"b.yaml", ""}});
  CHECK(reported.as("junit") == R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="cnsched" tests="4" failures="1" errors="0" skipped="2" time="0">
  <testsuite name="a.yaml" file="a.yaml" tests="3" failures="1" errors="0" skipped="1" time="0">
    <testcase name="Pod bad" classname="v1/Pod" file="a.yaml" line="1" time="0">
      <failure message="invalid toleration operator &apos;exists&apos;: the API server rejects the pod spec" type="invalid-toleration">a.yaml:6:24: error: invalid toleration operator &apos;exists&apos;: the API server rejects the pod spec
help: use Equal or Exists, did you mean &apos;Exists&apos;?</failure>
    </testcase>
    <testcase name="Pod team/fine" classname="v1/Pod" file="a.yaml" line="8" time="0"/>
    <testcase name="document 3" classname="document" file="a.yaml" line="11" time="0">
      <skipped message="out of scope"/>
    </testcase>
  </testsuite>
  <testsuite name="b.yaml" file="b.yaml" tests="1" failures="0" errors="0" skipped="1" time="0">
    <testcase name="no document" classname="document" file="b.yaml" line="1" time="0">
      <skipped message="empty"/>
    </testcase>
  </testsuite>
</testsuites>
)");
}

TEST_CASE("findings below --fail-on are not failures in JUnit") {
  Reported reported("a.yaml", rejected_pod("p"));
  reported.findings.front().severity = Severity::warning;
  Outcome strict = reported.outcome();
  CHECK(has(junit(strict), "<failure "));
  strict.fail_on = Severity::error;
  CHECK(has(junit(strict), R"(tests="1" failures="0")"));
  CHECK(has(junit(strict), "<system-out>a.yaml:6:24: warning: "));
  CHECK(has(junit(strict), "[invalid-toleration]</system-out>"));
}

TEST_CASE("invalid YAML is an error for JUnit if it fails the run") {
  Reported reported("a.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: p\n");
  CHECK(reported.findings.empty());
  CHECK(has(reported.as("junit"), "<skipped message=\"no YAML\"/>"));
  reported.findings.push_back({.rule = "yaml-syntax", .where = {0, 20, 21}, .message = "broken"});
  const std::string text = reported.as("junit");
  CHECK(has(text, R"(tests="1" failures="0" errors="1" skipped="0")"));
  CHECK(has(text, "<error message=\"broken\" type=\"yaml-syntax\">a.yaml:2:"));
  CHECK_FALSE(has(text, "no YAML"));
}

TEST_CASE("JUnit is never empty and reports unreadable files") {
  Workspace nothing;
  nothing.load({});
  const std::vector<Diagnostic> none;
  CHECK(has(junit({nothing, none}), "<skipped message=\"no manifests\"/>"));
  Workspace unread;
  unread.load({.unreadable = {{"gone.yaml", "no such file"}}});
  const std::string text = junit({unread, none});
  CHECK(has(text, R"(tests="1" failures="0" errors="1" skipped="0")"));
  CHECK(has(text, "<error message=\"no such file\" type=\"unreadable\">no such file</error>"));
}

TEST_CASE("a finding outside of all objects belongs to the document") {
  Reported reported("a.yaml", "# comment\n" + rejected_pod("p"));
  reported.findings.front().where = {0, 0, 9};
  CHECK(has(reported.as("junit"), "<failure "));
}

TEST_CASE("each object of a list is a separate case") {
  const Reported reported("a.yaml",
                          "apiVersion: v1\nkind: List\nitems:\n"
                          "- {apiVersion: v1, kind: Pod, metadata: {name: a}}\n"
                          "- {apiVersion: v1, kind: Pod, metadata: {name: b}, spec: "
                          "{tolerations: [{key: a, operator: exists}]}}\n");
  const std::string text = reported.as("junit");
  CHECK(
      has(text, R"(<testcase name="Pod a" classname="v1/Pod" file="a.yaml" line="4" time="0"/>)"));
  CHECK(has(text,
            "name=\"Pod b\" classname=\"v1/Pod\" file=\"a.yaml\" line=\"5\" time=\"0\">\n"
            "      <failure "));
}

}  // namespace cnsched::cli::xml_formats_test

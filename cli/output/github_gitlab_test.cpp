#include "core/base/text.h"
#include "rules/engine/fingerprint.h"
#include "testdata/reported.h"

namespace cnsched::cli::github_gitlab_test {

std::string summary(const Reported& reported) {
  std::ostringstream out;
  write_step_summary(reported.outcome(), out);
  return out.str();
}

TEST_CASE("GitHub gets a workflow command for each finding") {
  const Reported reported("deploy/pod.yaml", rejected_pod("p"));
  CHECK(reported.as("github") ==
        "::error title=cnsched (invalid-toleration),file=deploy/pod.yaml,line=6,endLine=6,col=24,"
        "endColumn=30::deploy/pod.yaml:6:24: invalid toleration operator 'exists': the API server "
        "rejects the pod spec%0Ahelp: use Equal or Exists, did you mean 'Exists'?\n");
}

TEST_CASE("GitHub gets the chart's template of a finding on standard input, if it exists") {
  const WorkingTree tree;
  const auto command = [](const std::string& path, const std::string& source) {
    const std::string text =
        Reported(path, "---\n# Source: " + source + "\n" + rejected_pod("p")).as("github");
    return text.substr(0, text.find("::", 2));
  };
  const std::string title = "::error title=cnsched (invalid-toleration)";
  CHECK(command("<stdin>", "llm/templates/pod.yaml") == title);
  tree.write("llm/templates/pod.yaml");
  CHECK(command("<stdin>", "llm/templates/pod.yaml") == title + ",file=llm/templates/pod.yaml");
  CHECK(command("<stdin>", "../llm/templates/pod.yaml") == title);
  CHECK(command("<stdin>", tree.path("llm/templates/pod.yaml")) == title);
  tree.write("charts/asr/templates/pod.yaml");
  CHECK(command("<stdin>", "asr/templates/pod.yaml") ==
        title + ",file=charts/asr/templates/pod.yaml");
  tree.write("Chart.yaml");
  tree.write("templates/own.yaml");
  CHECK(command("<stdin>", "name/templates/own.yaml") == title + ",file=templates/own.yaml");
  CHECK(
      command("out.yaml", "llm/templates/pod.yaml").starts_with(title + ",file=out.yaml,line=8,"));
}

TEST_CASE("GitHub's commands are named after the severity") {
  Reported reported("pod.yaml", rejected_pod("p"));
  Diagnostic& finding = reported.findings.front();
  finding.severity = Severity::warning;
  CHECK(reported.as("github").starts_with("::warning "));
  finding.severity = Severity::info;
  CHECK(reported.as("github").starts_with("::notice "));
}

TEST_CASE("escapes the special characters of workflow commands") {
  const Reported reported("a%b:c,d.yaml", rejected_pod("p", "'100%,a:b'"));
  const std::string text = reported.as("github");
  CHECK(has(text, ",file=a%25b%3Ac%2Cd.yaml,line=6,"));
  CHECK(has(text, "::a%25b:c,d.yaml:6:24: invalid toleration operator '100%25,a:b'"));
}

TEST_CASE("reports unreadable files to GitHub as errors") {
  Workspace workspace;
  workspace.load({.unreadable = {{"a%\n.yaml", "no such file"}}});
  const std::vector<Diagnostic> none;
  std::ostringstream out;
  write_github({workspace, none}, out);
  CHECK(out.str() == "::error title=cnsched::a%25\\x0a.yaml: no such file\n");
}

TEST_CASE("the summary of a step is a table of all findings") {
  CHECK(summary(Reported("pod.yaml", rejected_pod("p"))) ==
        "### cnsched\n\n1 error\n\n"
        "| severity | place | rule | finding |\n|---|---|---|---|\n"
        "| error | pod.yaml:6 | invalid-toleration | invalid toleration operator 'exists': the API "
        "server rejects the pod spec; help: use Equal or Exists, did you mean 'Exists'? |\n\n"
        "checked 1 object in 1 document of 1 file (0 out of scope, 0 Helm templates skipped, "
        "0 unreadable)\n");
  CHECK(summary(Reported("pod.yaml", "a: b\n"))
            .starts_with("### cnsched\n\nno findings\n\nchecked "));
}

TEST_CASE("escapes markup in a summary") {
  Reported reported("a|b`c`.yaml", rejected_pod("p"));
  reported.findings.front().message = "'x | <b> `y` [z](http://e)'";
  const std::string text = summary(reported);
  CHECK(has(text, R"(| error | a\|b\`c\`.yaml:6 |)"));
  CHECK(has(text, R"('x \| \<b\> \`y\` \[z\](http\://e)')"));
}

TEST_CASE("a summary stays within GitHub's limit, and counts the omitted findings") {
  Reported reported("pod.yaml", rejected_pod("p"));
  reported.findings.resize(9000, reported.findings.front());
  const std::string text = summary(reported);
  CHECK(text.size() < 600000);
  const auto rows = static_cast<std::size_t>(std::ranges::count(text, '|')) / 5 - 2;
  CHECK(has(text, "\n\n" + std::to_string(9000 - rows) + " more\n\nchecked "));
}

nlohmann::json gitlab(const Reported& reported, const std::string& project) {
  std::ostringstream out;
  write_gitlab(reported.outcome(), project, out);
  return nlohmann::json::parse(out.str());
}

/// The path of the finding of a file on disk in GitLab's report.
std::string path_in(const std::string& project, const std::string& file) {
  const Reported reported(file, rejected_pod("p"));
  return gitlab(reported, project)[0]["location"]["path"];
}

TEST_CASE("GitLab's report has the fields of its code quality widget") {
  const Reported reported("deploy/pod.yaml", rejected_pod("p"));
  CHECK(gitlab(reported, "") ==
        nlohmann::json::array(
            {{{"description",
               "invalid-toleration: invalid toleration operator 'exists': the API server rejects "
               "the pod spec; help: use Equal or Exists, did you mean 'Exists'?"},
              {"check_name", "invalid-toleration"},
              {"fingerprint", rules::fingerprints(reported.workspace(), reported.findings)[0]},
              {"severity", "major"},
              {"location", {{"path", "deploy/pod.yaml"}, {"lines", {{"begin", 6}}}}}}}));
}

TEST_CASE("GitLab's report uses GitLab's names of severities") {
  Reported reported("pod.yaml", rejected_pod("p"));
  Diagnostic& finding = reported.findings.front();
  const auto severity = [&] { return gitlab(reported, "")[0]["severity"]; };
  finding.severity = Severity::warning;
  CHECK(severity() == "minor");
  finding.severity = Severity::info;
  CHECK(severity() == "info");
  finding.rule = "yaml-syntax";
  CHECK(severity() == "critical");
}

TEST_CASE("a fingerprint for GitLab does not change when lines move") {
  const Reported before("pod.yaml", rejected_pod("p"));
  const Reported after("pod.yaml", "# a comment\n\n" + rejected_pod("p"));
  CHECK(gitlab(before, "")[0]["fingerprint"] == gitlab(after, "")[0]["fingerprint"]);
  CHECK(gitlab(after, "")[0]["location"]["lines"]["begin"] == 8);
}

TEST_CASE("GitLab's paths are relative to the project, or to the repository") {
  const TemporaryDirectory tree;
  tree.write("repository/.git/HEAD");
  const std::string file = tree.write("repository/team/deploy/pod.yaml");
  CHECK(path_in("", file) == "team/deploy/pod.yaml");
  CHECK(path_in(tree.path("repository/team"), file) == "deploy/pod.yaml");
  CHECK(path_in(tree.path("repository/team") + "/", file) == "deploy/pod.yaml");
  CHECK(path_in(tree.path("elsewhere"), file) == "team/deploy/pod.yaml");
}

}  // namespace cnsched::cli::github_gitlab_test

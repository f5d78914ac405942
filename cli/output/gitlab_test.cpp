#include "rules/engine/fingerprint.h"
#include "testdata/reported.h"

namespace cnsched::cli::gitlab_test {

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

}  // namespace cnsched::cli::gitlab_test

#include "cli/commands/reporting.h"

#include <cstdlib>

#include "testdata/reported.h"

namespace cnsched::cli::reporting_test {

/// A repository with a manifest, and the reports of a run over it.
struct ReportedRepository : TemporaryDirectory {
  ReportedRepository() {
    write(".git/HEAD");
    manifest = write("deploy/pod.yaml", rejected_pod("p"));
  }

  Ran lint(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"lint", "--select", "invalid-toleration", "-q"});
    return run_program(arguments);
  }

  std::string manifest;
};

TEST_CASE("--report writes files in addition to standard output") {
  const ReportedRepository repository;
  const std::string sarif = repository.path("out.sarif");
  const std::string junit = repository.path("junit.xml");
  const Ran ran = repository.lint({repository.manifest, "--format", "concise", "--report",
                                   "sarif=" + sarif, "--report", "junit=" + junit});
  CHECK(ran.exit == 1);
  CHECK(ran.err == "");
  CHECK(ran.out == repository.lint({repository.manifest, "--format", "concise"}).out);
  CHECK(read_all(sarif) == repository.lint({repository.manifest, "--format", "sarif"}).out);
  CHECK(read_all(junit) == repository.lint({repository.manifest, "--format", "junit"}).out);
}

TEST_CASE("a pretty report in a file has no colors") {
  const ReportedRepository repository;
  const std::string file = repository.path("report.txt");
  repository.lint({repository.manifest, "--color", "always", "--report", "pretty=" + file});
  CHECK(has(read_all(file), "error[invalid-toleration]: "));
  CHECK_FALSE(has(read_all(file), "\x1b"));
}

TEST_CASE("a report replaces that of the previous run, even among the manifests") {
  const ReportedRepository repository;
  const std::string file = repository.path("deploy/report.json");
  const std::vector<std::string> arguments = {repository.path("deploy"), "--report",
                                              "gitlab=" + file};
  CHECK(repository.lint(arguments).exit == 1);
  const std::string first = read_all(file);
  CHECK(repository.lint(arguments).exit == 1);
  CHECK(read_all(file) == first);
  repository.write("deploy/pod.yaml", "apiVersion: v1\nkind: Pod\n");
  CHECK(repository.lint(arguments).exit == 0);
  CHECK(read_all(file) == "[]\n");
}

TEST_CASE("rejects an invalid report before reading") {
  const ReportedRepository repository;
  const std::string missing = repository.path("missing.yaml");
  struct Row {
    std::string report;
    std::string message;
  };
  for (const auto& [report, message] : {
           Row{"sarf=x", "error: --report: no format is called 'sarf', did you mean 'sarif'? ("},
           Row{"out.sarif", "error: --report: no format is called 'out.sarif'"},
           Row{"=x", "error: --report: no format is called ''"},
           Row{"sarif", "error: --report: 'sarif' has no file: write sarif=FILE"},
           Row{"sarif=", "error: --report: 'sarif=' has no file: write sarif=FILE"},
           Row{"json=-", "error: --report: '-' is not a file: --format writes to standard output"},
       }) {
    CAPTURE(report);
    const Ran ran = repository.lint({missing, "--report", report});
    CHECK(ran.exit == 2);
    CHECK(ran.out.empty());
    CHECK(has(ran.err, message));
  }
  CHECK(repository.lint({repository.manifest, "--diff", "--report", "json=x"}).exit == 2);
  const Ran ran = repository.lint({missing, "--format", "junut"});
  CHECK(ran.exit == 2);
  CHECK(has(ran.err, "error: --format: invalid value 'junut', did you mean 'junit'? (pretty, "));
}

TEST_CASE("a report overwrites neither an input file nor another report") {
  const ReportedRepository repository;
  const std::string before = read_all(repository.manifest);
  const std::string cluster = repository.write("cluster.yaml", "a: b\n");
  const std::string config = repository.write("c.yaml", "cluster: {}\n");
  const auto rejected = [&](const std::string& path) {
    const Ran ran = repository.lint({repository.manifest, "--cluster", cluster, "--config", config,
                                     "--report", "json=" + path});
    CHECK(ran.exit == 2);
    CHECK(ran.out.empty());
    return ran.err;
  };
  CHECK(has(rejected(repository.manifest), "pod.yaml' is a manifest: a report would overwrite it"));
  CHECK(has(rejected(repository.path("deploy/../deploy/./pod.yaml")), "is a manifest"));
  CHECK(has(rejected(cluster), "is an input file"));
  CHECK(has(rejected(config), "is an input file"));
  CHECK(read_all(repository.manifest) == before);
  const Ran twice =
      repository.lint({repository.manifest, "--report", "json=" + repository.path("x"), "--report",
                       "sarif=" + repository.path("./x")});
  CHECK(twice.exit == 2);
  CHECK(has(twice.err, "two reports have the same file '"));
}

TEST_CASE("prints an error for a report that cannot be written, and writes the others") {
  const ReportedRepository repository;
  const std::string good = repository.path("good.xml");
  const Ran ran = repository.lint({repository.manifest, "--report",
                                   "sarif=" + repository.path("none/out.sarif"), "--report",
                                   "junit=" + good, "--exit-zero"});
  CHECK(ran.exit == 3);
  CHECK(has(ran.out, "invalid-toleration"));
  CHECK(has(ran.err, "none/out.sarif' cannot be written: the directory '"));
  CHECK(has(ran.err, "/none' does not exist: create it first\n"));
  CHECK(std::filesystem::exists(good));
  CHECK(repository.lint({repository.manifest, "--report", "json=" + repository.path("deploy")})
            .exit == 3);
}

TEST_CASE("appends to the summary of the step in GitHub Actions") {
  const ReportedRepository repository;
  const std::string file = repository.write("summary.md", "before\n");
  const EnvironmentVariable variable("GITHUB_STEP_SUMMARY", file);
  CHECK(repository.lint({repository.manifest, "--format", "concise"}).exit == 1);
  CHECK(read_all(file) == "before\n");
  CHECK(repository.lint({repository.manifest, "--format", "github"}).exit == 1);
  CHECK(read_all(file).starts_with("before\n### cnsched\n\n1 error\n\n"));
  CHECK(has(read_all(file), "| error | deploy/pod.yaml:6 | invalid-toleration | "));
}

TEST_CASE("reports a summary that cannot be written") {
  const ReportedRepository repository;
  const EnvironmentVariable variable("GITHUB_STEP_SUMMARY", repository.path("none/summary.md"));
  const Ran ran = repository.lint({repository.manifest, "--format", "github"});
  CHECK(ran.exit == 3);
  CHECK(has(ran.out, "::error title=cnsched (invalid-toleration),file=deploy/pod.yaml,"));
  CHECK(has(ran.err, "summary.md: the step's summary cannot be written\n"));
}

TEST_CASE("GitLab's paths are relative to CI_PROJECT_DIR") {
  const ReportedRepository repository;
  const EnvironmentVariable variable("CI_PROJECT_DIR", repository.path("deploy"));
  const Ran ran = repository.lint({repository.manifest, "--format", "gitlab"});
  CHECK(nlohmann::json::parse(ran.out)[0]["location"]["path"] == "pod.yaml");
}

TEST_CASE("JUnit's failures depend on --fail-on") {
  const ReportedRepository repository;
  const std::vector<std::string> arguments = {repository.manifest, "--format", "junit",
                                              "--severity", "invalid-toleration=warning"};
  CHECK(has(repository.lint(arguments).out, R"(failures="1")"));
  std::vector<std::string> lenient = arguments;
  lenient.insert(lenient.end(), {"--fail-on", "error"});
  CHECK(has(repository.lint(lenient).out, R"(failures="0")"));
}

TEST_CASE("SARIF lists the selected rules") {
  const ReportedRepository repository;
  const auto rules = [](const Ran& ran) {
    return nlohmann::json::parse(ran.out)["runs"][0]["tool"]["driver"]["rules"].size();
  };
  CHECK(rules(repository.lint({repository.manifest, "--format", "sarif"})) == 1);
  CHECK(rules(run_program({"lint", repository.manifest, "--format", "sarif", "-q"})) ==
        rules::all_rules().size());
}

}  // namespace cnsched::cli::reporting_test

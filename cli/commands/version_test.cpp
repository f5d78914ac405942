#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "testdata/support.h"

namespace cnsched::cli {

TEST_CASE("version --json names the build, its libraries and the releases of the tables") {
  const test::Ran ran = test::run_program({"version", "--json"});
  CHECK(ran.exit == 0);
  const auto json = nlohmann::json::parse(ran.out);
  CHECK("cnsched " + json["version"].get<std::string>() + "\n" ==
        test::run_program({"version"}).out);
  std::vector<std::string> names;
  for (const auto& each : json["dependencies"]) names.push_back(each["name"]);
  CHECK(names == std::vector<std::string>{"CLI11", "fmt", "rang", "RE2", "utf8proc", "yaml-cpp"});
  const auto& commit = json["commit"];
  CHECK((commit.is_null() || commit.get<std::string>().size() == 40));
}

TEST_CASE("version --json names the releases that the tables state") {
  const auto json = nlohmann::json::parse(test::run_program({"version", "--json"}).out);
  const auto table = [](const char* name) {
    const std::string text =
        test::read_all(test::project_file(std::string("core/k8s/schema/") + name + ".table"));
    return text.substr(0, text.find('\n'));
  };
  std::map<std::string, std::string> releases;
  for (const auto& each : json["releases"]) releases[each["project"]] = each["release"];
  CHECK(table("kubernetes").find("# Kubernetes " + releases["Kubernetes"] + ":") !=
        std::string::npos);
  CHECK(table("kserve").find("# KServe " + releases["KServe"] + ":") != std::string::npos);
  CHECK(table("seldon").find("# Seldon Core " + releases["Seldon Core 2"] + " ") !=
        std::string::npos);
  const std::string facts = test::read_all(test::project_file("docs/facts/seldon.md"));
  CHECK(facts.find("Release: Seldon Core " + releases["Seldon Core 1"]) != std::string::npos);
  const std::string knative = test::read_all(test::project_file("docs/facts/knative.md"));
  CHECK(knative.find("Release: Knative " + releases["Knative Serving"]) != std::string::npos);
}

}  // namespace cnsched::cli

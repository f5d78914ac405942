#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/k8s/schema/releases.h"
#include "testdata/support.h"

namespace cnsched::cli::version_test {

TEST_CASE("version --json names the build, its libraries and the releases of the tables") {
  const Ran ran = run_program({"version", "--json"});
  CHECK(ran.exit == 0);
  const auto json = nlohmann::json::parse(ran.out);
  CHECK("cnsched " + json["version"].get<std::string>() + "\n" == run_program({"version"}).out);
  std::vector<std::string> names;
  for (const auto& each : json["dependencies"]) names.push_back(each["name"]);
  CHECK(names == std::vector<std::string>{"CLI11", "fmt", "nlohmann-json", "rang", "RE2",
                                          "utf8proc", "yaml-cpp"});
  const auto& commit = json["commit"];
  CHECK((commit.is_null() || commit.get<std::string>().size() == 40));
}

TEST_CASE("version --json names the releases that the tables state") {
  const auto json = nlohmann::json::parse(run_program({"version", "--json"}).out);
  // tools/schema notes in its inputs the releases that the tables are made from.
  const auto condensed = [](const char* name) {
    const std::string text = project_text(std::string("tools/schema/inputs/") + name + ".tsv");
    const std::size_t begin = text.find("# releases ");
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  std::map<std::string, std::string> releases;
  for (const auto& each : json["releases"]) releases[each["project"]] = each["release"];
  CHECK(condensed("kubernetes").ends_with(" " + releases["Kubernetes"]));
  CHECK(condensed("kserve").ends_with(" " + releases["KServe"] + " head"));
  CHECK(condensed("seldon").ends_with(" " + releases["Seldon Core 2"]));
  for (const k8s::schema::Release& each : k8s::schema::kReleases) {
    if (each.oldest.empty()) continue;
    const std::string name = each.project == "Seldon Core 2" ? "seldon" : lower(each.project);
    CHECK(condensed(name.c_str()).starts_with(fmt::format("# releases {} ", each.oldest)));
  }
  const std::string facts = project_text("docs/facts/seldon.md");
  CHECK(has(facts, "Release: Seldon Core " + releases["Seldon Core 1"]));
  const std::string knative = project_text("docs/facts/knative.md");
  CHECK(has(knative, "Release: Knative " + releases["Knative Serving"]));
}

}  // namespace cnsched::cli::version_test

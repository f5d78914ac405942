// Compares `expected.yaml` of every folder of testdata/pods with the output of `cnsched render
// --with-origin` for its YAML files. `cluster.yaml` is passed with --cluster.
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/k8s/object.h"
#include "core/yaml/split.h"
#include "core/yaml/write.h"
#include "testdata/support.h"

namespace cnsched::pods_test {

using Json = nlohmann::json;

constexpr std::string_view kExpected = "expected.yaml";
constexpr std::string_view kCluster = "cluster.yaml";

std::vector<fs::path> folders() {
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(project_file("testdata/pods"))) {
    if (entry.is_directory()) all.push_back(entry.path());
  }
  std::ranges::sort(all);
  return all;
}

/// The manifests of the working directory.
std::vector<std::string> manifests() {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(".")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".yaml") || name.starts_with('.')) continue;
    if (name != kExpected && name != kCluster) files.push_back(name);
  }
  std::ranges::sort(files);
  return files;
}

/// `cnsched render` in the working directory.
std::string rendered(const std::vector<std::string>& files, const std::string& flag) {
  std::vector<std::string> arguments = {"render", flag};
  if (fs::exists(kCluster)) arguments.insert(arguments.end(), {"--cluster", std::string(kCluster)});
  arguments.insert(arguments.end(), files.begin(), files.end());
  const Ran ran = run_program(arguments);
  CHECK_MESSAGE(ran.exit == 0, ran.err);
  return ran.out;
}

/// The nonempty documents of a YAML stream, parsed by cnsched.
std::multiset<Json> pods_in_yaml(const std::string& text) {
  std::multiset<Json> pods;
  const SourceFile file(0, "rendered.yaml", text);
  for (const Span where : yaml::split(file)) {
    const yaml::Document document = yaml::parse(file, where);
    for (const yaml::Problem& problem : document.problems) FAIL_CHECK(problem.message);
    if (document.root->is_mapping()) pods.insert(Json::parse(yaml::to_json(*document.root)));
  }
  return pods;
}

std::multiset<Json> pods_in_json(const std::string& text) {
  std::multiset<Json> pods;
  const Json output = Json::parse(text);
  for (const Json& element : output.at("pods")) pods.insert(element.at("pod"));
  return pods;
}

/// Without placeholder images, which JSON output omits.
std::multiset<Json> without_stand_ins(const std::multiset<Json>& pods) {
  std::multiset<Json> result;
  for (Json pod : pods) {
    for (const char* list : {"containers", "initContainers"}) {
      if (!pod.at("spec").contains(list)) continue;
      for (Json& container : pod.at("spec").at(list)) {
        if (container.value("image", "") == "unknown") container.erase("image");
      }
    }
    result.insert(std::move(pod));
  }
  return result;
}

TEST_CASE("every folder of testdata/pods renders as recorded, in any order and format") {
  for (const fs::path& folder : folders()) {
    const std::string name = folder.filename().string();
    SUBCASE(name.c_str()) {
      INFO("testdata/pods/", name);
      const WorkingDirectory here(folder);
      std::vector<std::string> files = manifests();
      REQUIRE_FALSE(files.empty());
      const std::string text = rendered(files, "--with-origin");
      check_recorded((folder / kExpected).string(), text);

      const std::multiset<Json> pods = pods_in_yaml(text);
      CHECK(without_stand_ins(pods) == pods_in_json(rendered(files, "--format=json")));
      std::ranges::reverse(files);
      CHECK(pods == pods_in_yaml(rendered(files, "--with-origin")));
    }
  }
}

}  // namespace cnsched::pods_test

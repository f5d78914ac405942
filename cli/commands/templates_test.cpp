#include <nlohmann/json.hpp>

#include "testdata/support.h"

namespace cnsched::cli::templates_test {

std::string custom(std::string_view manifest) {
  return fmt::format(
      "apiVersion: cnsched/v1\nkind: Template\nmetadata: {{name: pod, summary: a pod}}\n"
      "parameters:\n- use: name\n---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: ${{{{ name "
      "}}}}\nspec:\n{}",
      manifest);
}

TEST_CASE("templates lists the templates") {
  const Ran ran = run_program({"templates", "--no-config"});
  CHECK(ran.exit == 0);
  CHECK(has(ran.out, "isvc-gpu\n    InferenceService "));
  const auto json =
      nlohmann::json::parse(run_program({"templates", "--format", "json", "--no-config"}).out);
  CHECK(json["schemaVersion"] == 1);
  CHECK(json["templates"].size() >= 14);
  CHECK(json["templates"][0]["name"] == "device-plugin-tolerations");
  CHECK(json["templates"][0]["summary"].is_string());
}

TEST_CASE("templates NAME describes the parameters and gives a valid command") {
  const Ran ran = run_program({"templates", "isvc-gpu", "--no-config"});
  CHECK(ran.exit == 0);
  CHECK(has(ran.out, "  gpus  default 1\n      number of accelerators"));
  const auto json = nlohmann::json::parse(
      run_program({"templates", "isvc-gpu", "--format", "json", "--no-config"}).out)["template"];
  CHECK(json["name"] == "isvc-gpu");
  CHECK(json["example"].get<std::string>().starts_with("cnsched generate isvc-gpu --set name="));
  const auto& first = json["parameters"][0];
  CHECK(first["name"] == "name");
  CHECK(first["type"] == "dns-label");
  CHECK(first["required"] == true);
  CHECK(run_program({"templates", "isvc-gp", "--no-config"}).exit == 2);
}

TEST_CASE("templates --accelerators lists the accelerators of each platform") {
  const Ran ran = run_program({"templates", "--accelerators"});
  CHECK(ran.exit == 0);
  CHECK(ran.out.starts_with("gke\n  Google Kubernetes Engine"));
  CHECK(has(ran.out, "nvidia-l4, "));
  const auto json =
      nlohmann::json::parse(run_program({"templates", "--accelerators", "--format", "json"}).out);
  CHECK(json["accelerators"].size() == 6);
  CHECK(json["accelerators"]["gke"][0]["name"].is_string());
}

TEST_CASE("templates --check reports mistakes in a template") {
  const TemporaryDirectory tree;
  const std::string good =
      tree.write("good.yaml", custom("  containers:\n  - name: a\n    image: b\n"));
  const Ran fine = run_program({"templates", "--check", good, "--no-config"});
  CHECK(fine.exit == 0);
  CHECK(fine.out == good + ": template 'pod' is fine\n");

  const std::string bad = tree.write("bad.yaml", custom("  a: ${{ nam }}\n"));
  const Ran wrong = run_program({"templates", "--check", bad, "--check", good, "--no-config"});
  CHECK(wrong.exit == 1);
  CHECK(wrong.out == fmt::format("{}:12:6: no parameter is called 'nam', did you mean 'name'?\n"
                                 "{}: template 'pod' is fine\n",
                                 bad, good));
  CHECK(run_program({"templates", "--check", tree.path("none.yaml")}).exit == 3);
}

TEST_CASE("templates --check lints the template rendered with its examples") {
  const TemporaryDirectory tree;
  const std::string path = tree.write(
      "t.yaml", custom("  containers:\n  - name: a\n    image: b\n    resources:\n      requests:\n"
                       "        nvidia.com/gpu: 1\n"));
  const Ran ran = run_program({"templates", "--check", path, "--no-config"});
  CHECK(ran.exit == 1);
  CHECK(has(ran.err, "error[accelerator-request-limit]"));
}

}  // namespace cnsched::cli::templates_test

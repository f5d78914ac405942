#include "cli/output/diff.h"

#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "testdata/scenario.h"
#include "testdata/sides.h"

namespace cnsched::cli::output_diff_test {

std::string gpu_nodes(std::string_view pool, std::string_view product, std::string_view taint) {
  std::string text;
  for (const std::string_view index : {"1", "2"}) {
    text += test::node(
        fmt::format("{}-{}", pool, index),
        fmt::format("pool: {}, cloud.google.com/gke-nodepool: {}, nvidia.com/gpu.product: {}", pool,
                    pool, product),
        taint.empty()
            ? ""
            : fmt::format("taints: [{{key: dedicated, value: {}, effect: NoSchedule}}]", taint),
        "cpu: 8, memory: 32Gi, pods: 10, nvidia.com/gpu: 4");
  }
  return text;
}

std::string service(std::string_view runtime, int replicas) {
  return fmt::format(
      "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n"
      "metadata:\n  name: llama\n  namespace: ml\n  annotations:\n    "
      "serving.kserve.io/deploymentMode: RawDeployment\nspec:\n  predictor:\n    minReplicas: {}\n"
      "    model:\n      modelFormat: {{name: vllm}}\n      runtime: {}\n",
      replicas, runtime);
}

std::string runtime(std::string_view name, std::string_view pool, int gpus) {
  return fmt::format(
      "apiVersion: serving.kserve.io/v1alpha1\nkind: ClusterServingRuntime\n"
      "metadata: {{name: {}}}\nspec:\n  supportedModelFormats: [{{name: vllm}}]\n"
      "  nodeSelector:\n    pool: {}\n  containers:\n  - name: kserve-container\n"
      "    image: vllm\n    resources:\n      limits:\n        nvidia.com/gpu: {}\n",
      name, pool, gpus);
}

/// The runtime of a service is swapped: its new pool has a taint.
Compared swapped_runtime() {
  const auto files = [](std::string_view used, int replicas) {
    return std::vector<MemoryFile>{
        {"nodes.yaml",
         gpu_nodes("l4", "NVIDIA-L4", "") + gpu_nodes("a100", "NVIDIA-A100-SXM4-80GB", "training"),
         false, true},
        {"runtimes.yaml", runtime("small", "l4", 1) + "---\n" + runtime("large", "a100", 2)},
        {"svc.yaml", service(used, replicas)},
        {"web.yaml", deployment("web", "containers: [{name: c, image: i}]")}};
  };
  return {files("small", 1), files("large", 2)};
}

/// Many pods that change, with names that are markup and commands.
Compared hostile(std::size_t pods) {
  const auto files = [&](std::string_view pool) {
    std::string text;
    for (std::size_t i = 0; i < pods; ++i) {
      text += fmt::format(
          "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: \"</details>|::error::<b>{}\\n## "
          "x\"}}\nspec: {{containers: [], nodeSelector: {{\"a|b\": \"{}`<script>\"}}}}\n",
          i, pool);
    }
    return std::vector<MemoryFile>{{"p.yaml", std::move(text)}};
  };
  return {files("a"), files("b")};
}

DiffOutcome outcome_of(const Compared& compared) {
  return {.before = compared.old_side,
          .after = compared.new_side,
          .difference = compared.difference,
          .prices = {{"nvidia.com/gpu", {{"NVIDIA-L4", 0.81}, {"nvidia-a100-80gb", 3.5}}}}};
}

std::string pretty(const Compared& compared) {
  std::ostringstream out;
  write_diff(outcome_of(compared), 80, false, out);
  return out.str();
}

std::string markdown(const Compared& compared) {
  std::ostringstream out;
  write_diff_markdown(outcome_of(compared), out);
  return out.str();
}

TEST_CASE("pretty shows each change on a line or two") {
  CHECK(pretty(swapped_runtime()) == R"(InferenceService 'llama', predictor (svc.yaml:1)
  replicas: 1 → 2 (svc.yaml:10)
  nodeSelector['pool']: l4 (runtimes.yaml:7) → a100 (runtimes.yaml:21)
  requests and limits['nvidia.com/gpu'] of container 'kserve-container': 1
    (runtimes.yaml:13) → 2 (runtimes.yaml:27)
  nvidia-l4 ×1 → nvidia-a100-80gb ×2
  fits 2 of 4 nodes → fits nowhere: taint 'dedicated=training:NoSchedule' is
    not tolerated (Node 'a100-1')

totals
  pods: 2 → 3
  CPU: 0.1 → 0.2
  memory: 100Mi → 200Mi
  nvidia-a100-80gb (nvidia.com/gpu) in pool a100: 0 → 4
  nvidia-l4 (nvidia.com/gpu) in pool l4: 1 → 0
  cost per hour: 0.81 → 14.00

pods: 1 changed; 1 pod lost its last node
)");
}

TEST_CASE("pretty says if nothing changes") {
  const Compared same({{"p.yaml", test::pod("")}}, {{"p.yaml", test::pod("")}});
  CHECK(pretty(same) == "no change in placement\n");
}

TEST_CASE("Markdown has a marker, a table and folded details") {
  CHECK(markdown(swapped_runtime()) == R"(<!-- cnsched diff -->
### cnsched: placement gets worse

pods: 1 changed; 1 pod lost its last node

| pod | accelerators | nodes |
|---|---|---|
| ❌ InferenceService 'llama', predictor (svc.yaml:1) | nvidia-l4 ×1 → nvidia-a100-80gb ×2 | fits 2 of 4 nodes → fits nowhere: taint 'dedicated=training:NoSchedule' is not tolerated (Node 'a100-1') |

| total | before | after |
|---|---|---|
| pods | 2 | 3 |
| CPU | 0.1 | 0.2 |
| memory | 100Mi | 200Mi |
| nvidia-a100-80gb (nvidia.com/gpu) in pool a100 | 0 | 4 |
| nvidia-l4 (nvidia.com/gpu) in pool l4 | 1 | 0 |
| cost per hour | 0.81 | 14.00 |

<details><summary>3 changes</summary>


**InferenceService 'llama', predictor (svc.yaml:1)**

- replicas: 1 → 2 (svc.yaml:10)
- nodeSelector\['pool'\]: l4 (runtimes.yaml:7) → a100 (runtimes.yaml:21)
- requests and limits\['nvidia.com/gpu'\] of container 'kserve-container': 1 (runtimes.yaml:13) → 2 (runtimes.yaml:27)

</details>
)");
}

TEST_CASE("Markdown stays below GitHub's limit, and counts what it leaves out") {
  const std::string text = markdown(hostile(2000));
  CHECK(text.size() <= 60'000);
  CHECK(text.starts_with(kDiffMarker));
  CHECK(has(text, "more pods are not shown"));
  CHECK_FALSE(has(text, "<script>"));
  CHECK_FALSE(has(text, "<b>"));
  for (const std::string_view line : split(text, '\n')) CHECK_FALSE(line.starts_with("##  x"));
}

TEST_CASE("JSON has both sides, the changes with their places, and totals") {
  std::ostringstream out;
  const Compared compared = swapped_runtime();
  write_diff_json(outcome_of(compared), out);
  const nlohmann::json json = nlohmann::json::parse(out.str());
  CHECK(json["schemaVersion"] == 1);
  REQUIRE(json["pods"].size() == 1);
  const nlohmann::json& pod = json["pods"][0];
  CHECK(pod["change"] == "changed");
  CHECK(pod["lostLastNode"] == true);
  CHECK(pod["before"]["verdict"] == "fits");
  CHECK(pod["before"]["fittingNodes"] == 2);
  CHECK(pod["after"]["verdict"] == "nowhere");
  CHECK(pod["changes"][1]["name"] == "nodeSelector['pool']");
  CHECK(pod["changes"][1]["before"] == nlohmann::json({{"value", "l4"},
                                                       {"origin", "value"},
                                                       {"file", "runtimes.yaml"},
                                                       {"line", 7},
                                                       {"column", 11}}));
  CHECK(json["totals"]["after"]["pods"] == nlohmann::json({{"min", 3}, {"max", 3}}));
  CHECK(json["totals"]["before"]["costPerHour"]["min"] == 0.81);
}

TEST_CASE("annotations of GitHub are at the lines that cause the changes") {
  std::ostringstream out;
  const Compared compared = swapped_runtime();
  write_diff_github(outcome_of(compared), out);
  CHECK(
      out.str() ==
      R"(::notice title=cnsched (diff),file=svc.yaml,line=10,endLine=10,col=18,endColumn=19::svc.yaml:10:18: InferenceService 'llama', predictor (svc.yaml:1): replicas: 1 → 2 (svc.yaml:10)
::error title=cnsched (diff),file=runtimes.yaml,line=21,endLine=21,col=11,endColumn=15::runtimes.yaml:21:11: InferenceService 'llama', predictor (svc.yaml:1): nodeSelector['pool']: l4 (runtimes.yaml:7) → a100 (runtimes.yaml:21); fits 2 of 4 nodes → fits nowhere: taint 'dedicated=training:NoSchedule' is not tolerated (Node 'a100-1')
::error title=cnsched (diff),file=runtimes.yaml,line=27,endLine=27,col=25,endColumn=26::runtimes.yaml:27:25: InferenceService 'llama', predictor (svc.yaml:1): requests and limits['nvidia.com/gpu'] of container 'kserve-container': 1 (runtimes.yaml:13) → 2 (runtimes.yaml:27); fits 2 of 4 nodes → fits nowhere: taint 'dedicated=training:NoSchedule' is not tolerated (Node 'a100-1')
)");
}

TEST_CASE("commands in names do not reach GitHub's runner") {
  std::ostringstream out;
  const Compared compared = hostile(300);
  write_diff_github(outcome_of(compared), out);
  std::size_t commands = 0;
  const std::string text = out.str();
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    CAPTURE(std::string(line));
    CHECK(line.starts_with("::notice title=cnsched (diff),file=p.yaml,line="));
    ++commands;
  }
  CHECK(commands == 100);
}

}  // namespace cnsched::cli::output_diff_test

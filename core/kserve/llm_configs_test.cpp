#include "core/kserve/llm_configs.h"

#include "testdata/llm_pods.h"
#include "testdata/support.h"

namespace cnsched::kserve::llm_configs_test {

std::string unknown_of(const std::string& component, const std::string& spec,
                       const std::string& more = "") {
  return LlmPods(llm_service(spec) + more).unknown(component);
}

TEST_CASE("selects the presets that the service's fields require") {
  const auto preset = [](std::string_view name) {
    return fmt::format("KServe's preset 'kserve-config-llm-{}'", name);
  };
  const std::string t = "template: {containers: [{name: main}]}";
  const std::string w = "worker: {containers: [{name: main}]}";
  const std::string data = "parallelism: {data: 4}";
  CHECK(unknown_of("template", "{" + t + "}") == preset("template"));
  CHECK(unknown_of("worker", "{" + w + ", " + data + "}") == preset("worker-data-parallel"));
  CHECK(unknown_of("worker", "{" + w + ", parallelism: {dataLocal: 4}}") ==
        preset("worker-data-parallel"));
  CHECK(unknown_of("worker", "{" + w + ", parallelism: {pipeline: 2}}") ==
        "LLMInferenceServiceConfig 'kserve-config-llm-worker-pipeline-parallel' (KServe ships none "
        "of that name)");
  CHECK(unknown_of("worker", "{" + w + ", parallelism: {data: 0}}").empty());
  CHECK(unknown_of("worker", "{" + w + "}").empty());

  const std::string disaggregated = "{" + t + ", prefill: {" + t + "}}";
  CHECK(unknown_of("template", disaggregated) == preset("decode-template"));
  CHECK(unknown_of("prefill", disaggregated) == preset("prefill-template"));
  const std::string groups = fmt::format("{{{1}, {2}, prefill: {{{1}, {2}}}}}", t, w, data);
  CHECK(unknown_of("worker", groups) == preset("decode-worker-data-parallel"));
  CHECK(unknown_of("prefill worker", groups) == preset("prefill-worker-data-parallel"));

  const std::string scheduler = "{router: {scheduler: {" + t + "}}}";
  CHECK(unknown_of("scheduler", scheduler) == preset("scheduler"));
  CHECK(unknown_of("scheduler", "{router: {scheduler: {pool: {ref: {name: p}}, " + t + "}}}")
            .empty());
}

TEST_CASE("selects the presets of scheduler plugins") {
  const auto with_plugin = [](std::string_view plugin) {
    return fmt::format(
        "{{router: {{scheduler: {{config: {{inline: {{plugins: [{{type: {}}}]}}}}}}}}}}", plugin);
  };
  CHECK(unknown_of("scheduler", with_plugin("predicted-latency-producer")) ==
        "KServe's preset 'kserve-config-llm-scheduler', "
        "KServe's preset 'kserve-config-llm-scheduler-latency-predictor'");
  // Only head has tokenizers.
  const std::string tokenizer = "{router: {scheduler: {tokenizer: {template: {containers: []}}}}}";
  for (const std::string& spec : {with_plugin("token-producer"), tokenizer}) {
    const LlmPods in_head(llm_service(spec), {.kserve = {{.version = kHeadRelease}}});
    CHECK(in_head.unknown("tokenizer") == "KServe's preset 'kserve-config-llm-tokenizer'");
    CHECK_FALSE(has(LlmPods(llm_service(spec)).summary(), "tokenizer"));
  }
}

TEST_CASE("selects presets by the fields of a baseRef") {
  CHECK(unknown_of("worker", "{baseRefs: [{name: wide}]}",
                   llm_config("wide", "{worker: {containers: []}, parallelism: {data: 2}}")) ==
        "KServe's preset 'kserve-config-llm-worker-data-parallel'");
}

TEST_CASE("looks up a preset by the name in the status") {
  const std::string status =
      "status: {annotations: {serving.kserve.io/config-llm-template: v1-config-llm-template}}\n";
  CHECK(LlmPods(llm_service("{template: {}}") + status).unknown("template") ==
        "KServe's preset 'v1-config-llm-template'");
}

TEST_CASE("marks every pod incomplete if a baseRef is missing") {
  const LlmPods pods(
      llm_service("{baseRefs: [{name: gone}], template: {}, router: {scheduler: {}}}"));
  for (const std::string component : {"template", "scheduler"}) {
    CHECK(pods.unknown(component).starts_with("LLMInferenceServiceConfig 'gone'!"));
    CHECK(pods.of(component).is_incomplete());
  }
  CHECK_FALSE(LlmPods(llm_service("{template: {}}")).of("template").is_incomplete());
}

TEST_CASE("merges presets, then baseRefs in order, then the service's spec") {
  const auto priority = [](const std::string& name) {
    return "{template: {priorityClassName: " + name + "}}";
  };
  const std::string configs = llm_config("kserve-config-llm-template", priority("preset")) +
                              llm_config("one", priority("one")) +
                              llm_config("two", priority("two"));
  const auto result = [&](const std::string& spec) {
    return std::string(
        LlmPods(llm_service(spec) + configs).of("template").pod["priorityClassName"].text());
  };
  CHECK(result("{}") == "preset");
  CHECK(result("{baseRefs: [{name: one}]}") == "one");
  CHECK(result("{baseRefs: [{name: two}, {name: one}]}") == "one");
  CHECK(result("{baseRefs: [{name: one}, {name: two}]}") == "two");
  CHECK(result("{baseRefs: [{name: one}], template: {priorityClassName: own}}") == "own");
  CHECK(result("{baseRefs: [{name: one}], template: {priorityClassName: ''}}") == "one");
}

TEST_CASE("prefers a config in the service's namespace") {
  const LlmPods pods(llm_service("{baseRefs: [{name: gpu}]}") +
                     llm_config("gpu", "{template: {nodeName: theirs}}", "kserve") +
                     llm_config("gpu", "{template: {nodeName: ours}}", "ml"));
  CHECK(pods.of("template").pod["nodeName"].text() == "ours");
}

TEST_CASE("ignores a config without a spec") {
  const LlmPods pods(
      llm_service("{baseRefs: [{name: none}, {name: list}], template: {nodeName: a}}") +
      llm_config("none", "null") + llm_config("list", "[1]"));
  CHECK(pods.of("template").pod["nodeName"].text() == "a");
  CHECK(pods.of("template").bases.empty());
}

TEST_CASE("limits a list of a hundred thousand baseRefs") {
  std::string refs = "[";
  for (int i = 0; i < 100'000; ++i) refs += "{name: a},";
  const LlmPods pods(llm_service("{template: {nodeName: own}, baseRefs: " + refs + "]}") +
                     llm_config("a", "{template: {hostname: a}}"));
  CHECK(pods.of("template").pod["nodeName"].text() == "own");
  CHECK(pods.unknown("template").starts_with("what baseRefs beyond the first 16 add!"));
}

}  // namespace cnsched::kserve::llm_configs_test

namespace cnsched::kserve::llm_roles_test {

/// The number of GPUs; 0 if unknown.
std::int64_t gpus(const std::string& settings) {
  const Parsed parsed(settings);
  const auto found = vllm_gpus_per_pod(parsed.root(), std::nullopt);
  return found ? found->count : 0;
}

TEST_CASE("derives vLLM's GPUs from the tensor parallelism") {
  CHECK(gpus("{parallelism: {tensor: 4}}") == 4);
  CHECK(gpus("{parallelism: {tensor: 4, pipeline: 2}, worker: {}}") == 4);
}

TEST_CASE("multiplies by dataLocal where workers pass it on") {
  CHECK(gpus("{parallelism: {tensor: 2, data: 8, dataLocal: 4}, worker: {}}") == 8);
  CHECK(gpus("{parallelism: {data: 16, dataLocal: 8}, worker: {}}") == 8);
  CHECK(gpus("{parallelism: {tensor: 2, data: 8, dataLocal: 4}}") == 0);
  CHECK(gpus("{parallelism: {tensor: 2, pipeline: 2}}") == 2);
}

TEST_CASE("returns nothing for parallelism that is missing or not a number") {
  CHECK(gpus("{}") == 0);
  CHECK(gpus("{parallelism: {expert: true}, worker: {}}") == 0);
  CHECK(gpus("{parallelism: {tensor: 0}}") == 0);
  CHECK(gpus("{parallelism: {tensor: \"${TP}\"}}") == 0);
  CHECK(gpus("{parallelism: {tensor: 9223372036854775807}}") == 0);
  CHECK(gpus("{parallelism: [1]}") == 0);
}

}  // namespace cnsched::kserve::llm_roles_test

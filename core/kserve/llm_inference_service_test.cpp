#include "core/kserve/llm_inference_service.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/yaml/write.h"
#include "testdata/support.h"

namespace cnsched::kserve {

namespace {

std::string service(const std::string& spec, const std::string& metadata = "") {
  return fmt::format(
      "apiVersion: serving.kserve.io/v1alpha2\nkind: LLMInferenceService\n"
      "metadata: {{name: llama, namespace: ml{}}}\nspec: {}\n---\n",
      metadata, spec);
}

std::string config(const std::string& name, const std::string& spec,
                   const std::string& ns = "kserve") {
  return fmt::format(
      "apiVersion: serving.kserve.io/v1alpha2\nkind: LLMInferenceServiceConfig\n"
      "metadata: {{name: {}, namespace: {}}}\nspec: {}\n---\n",
      name, ns, spec);
}

/// The pods of the service in a manifest.
class Pods {
 public:
  explicit Pods(const std::string& text) : workspace_(test::workspace_of({{"in.yaml", text}})) {}

  const Workload& of(std::string_view component) const {
    for (const Workload& pod : workspace_->workloads()) {
      if (pod.object->kind == "LLMInferenceService" && pod.component == component) return pod;
    }
    FAIL("no pod is called " << std::string(component));
    return workspace_->workloads().front();
  }
  /// The components and how many pods each has.
  std::string summary() const {
    std::string text;
    for (const Workload& pod : workspace_->workloads()) {
      if (pod.object->kind != "LLMInferenceService") continue;
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", pod.component, *pod.replicas);
    }
    return text;
  }
  /// What is unknown of a pod, named ones with a '!'.
  std::string unknown(std::string_view component) const {
    std::string text;
    for (const k8s::Unknown& each : of(component).unknown) {
      text += (text.empty() ? "" : ", ") + each.what + (each.named ? "!" : "");
    }
    return text;
  }
  std::string_view at(const yaml::Node& node) const {
    return workspace_->file_of(node.span).text(node.span);
  }

 private:
  std::unique_ptr<Workspace> workspace_;
};

std::string unknown_of(const std::string& component, const std::string& spec,
                       const std::string& more = "") {
  return Pods(service(spec) + more).unknown(component);
}

}  // namespace

TEST_CASE("KServe asks for the preset that fits what the service asks for") {
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
  CHECK(unknown_of("tokenizer", "{router: {scheduler: {tokenizer: {" + t + "}}}}") ==
        preset("tokenizer"));
}

TEST_CASE("plugins of the scheduler bring presets of their own") {
  const auto with_plugin = [](std::string_view plugin) {
    return fmt::format(
        "{{router: {{scheduler: {{config: {{inline: {{plugins: [{{type: {}}}]}}}}}}}}}}", plugin);
  };
  CHECK(unknown_of("scheduler", with_plugin("predicted-latency-producer")) ==
        "KServe's preset 'kserve-config-llm-scheduler', "
        "KServe's preset 'kserve-config-llm-scheduler-latency-predictor'");
  CHECK(unknown_of("tokenizer", with_plugin("token-producer")) ==
        "KServe's preset 'kserve-config-llm-tokenizer'");
}

TEST_CASE("what a baseRef asks for decides on the preset too") {
  CHECK(unknown_of("worker", "{baseRefs: [{name: wide}]}",
                   config("wide", "{worker: {containers: []}, parallelism: {data: 2}}")) ==
        "KServe's preset 'kserve-config-llm-worker-data-parallel'");
}

TEST_CASE("a preset that the status pins is looked up by that name") {
  const std::string pinned =
      "apiVersion: serving.kserve.io/v1alpha2\nkind: LLMInferenceService\n"
      "metadata: {name: llama}\nspec: {template: {}}\n"
      "status: {annotations: {serving.kserve.io/config-llm-template: v1-config-llm-template}}\n";
  CHECK(Pods(pinned).unknown("template") == "KServe's preset 'v1-config-llm-template'");
}

TEST_CASE("a baseRef that the run does not hold leaves every pod incomplete") {
  const Pods pods(service("{baseRefs: [{name: gone}], template: {}, router: {scheduler: {}}}"));
  for (const std::string component : {"template", "scheduler"}) {
    CHECK(pods.unknown(component).starts_with("LLMInferenceServiceConfig 'gone'!"));
    CHECK(pods.of(component).is_incomplete());
  }
  CHECK_FALSE(Pods(service("{template: {}}")).of("template").is_incomplete());
}

TEST_CASE("the service's own spec wins over baseRefs, later ones over earlier, all over presets") {
  const auto priority = [](const std::string& name) {
    return "{template: {priorityClassName: " + name + "}}";
  };
  const std::string configs = config("kserve-config-llm-template", priority("preset")) +
                              config("one", priority("one")) + config("two", priority("two"));
  const auto result = [&](const std::string& spec) {
    return std::string(Pods(service(spec) + configs).of("template").pod["priorityClassName"].text);
  };
  CHECK(result("{}") == "preset");
  CHECK(result("{baseRefs: [{name: one}]}") == "one");
  CHECK(result("{baseRefs: [{name: two}, {name: one}]}") == "one");
  CHECK(result("{baseRefs: [{name: one}, {name: two}]}") == "two");
  CHECK(result("{baseRefs: [{name: one}], template: {priorityClassName: own}}") == "own");
  CHECK(result("{baseRefs: [{name: one}], template: {priorityClassName: ''}}") == "one");
}

TEST_CASE("a config of the service's own namespace is nearer than any other") {
  const Pods pods(service("{baseRefs: [{name: gpu}]}") +
                  config("gpu", "{template: {nodeName: theirs}}", "kserve") +
                  config("gpu", "{template: {nodeName: ours}}", "ml"));
  CHECK(pods.of("template").pod["nodeName"].text == "ours");
}

TEST_CASE("a pod that only a config describes is written in the service's spec") {
  const Pods pods(service("{baseRefs: [{name: gpu}]}") +
                  config("gpu", "{template: {nodeSelector: {gpu: a100}}}"));
  const Workload& pod = pods.of("template");
  CHECK(pod.written == &pod.object->spec());
  CHECK(pod.own.node().is_missing());
  REQUIRE(pod.bases.size() == 1);
  CHECK(pod.bases[0].object->name == "gpu");
  CHECK(&pod.pod["nodeSelector"]["gpu"] == &pod.bases[0].pod["nodeSelector"]["gpu"]);
}

TEST_CASE("a preset that the run does not hold still brings its pods") {
  CHECK(Pods(service("{model: {uri: hf://a/b}, prefill: {}, router: {scheduler: {}}}")).summary() ==
        "template 1, prefill 1, scheduler 1");
  CHECK(Pods(service("{router: {scheduler: null}}")).summary().empty());
  CHECK(Pods(service("{router: {scheduler: {pool: {ref: {name: p}}}}}")).summary().empty());
}

TEST_CASE("replicas are the service's, else those of its scaling, else one") {
  const auto summary = [](const std::string& spec, const std::string& metadata = "") {
    return Pods(service("{template: {}" + spec + "}", metadata)).summary();
  };
  CHECK(summary("") == "template 1");
  CHECK(summary(", replicas: 0") == "template 0");
  CHECK(summary(", replicas: 3, scaling: {minReplicas: 5}") == "template 3");
  CHECK(summary(", scaling: {minReplicas: 5}") == "template 5");
  CHECK(summary(", prefill: {template: {}, replicas: 4}") == "template 1, prefill 4");
  CHECK(summary(", router: {scheduler: {template: {}, replicas: 2}}") == "template 1, scheduler 2");
  CHECK(summary(", replicas: 3", ", annotations: {serving.kserve.io/stop: 'True'}") ==
        "template 0");
  CHECK(summary(", replicas: 99999999999999999999") == "template 1");
  CHECK(summary(", replicas: -3") == "template 0");
}

TEST_CASE("workers fill the groups that parallelism asks for") {
  const auto workers = [](const std::string& parallelism, const std::string& replicas = "1",
                          const std::string& leader = "template: {}, ") {
    const Pods pods(service(fmt::format("{{{}worker: {{}}, replicas: {}, parallelism: {}}}", leader,
                                        replicas, parallelism)));
    const Workload& worker = pods.of("worker");
    return fmt::format("{}{}", *worker.replicas, worker.never_created.empty() ? "" : " never");
  };
  CHECK(workers("{data: 8, dataLocal: 2}") == "3");
  CHECK(workers("{data: 8, dataLocal: 2}", "2") == "6");
  CHECK(workers("{data: 7, dataLocal: 2}") == "2");
  CHECK(workers("{data: 2, pipeline: 5}") == "1");
  CHECK(workers("{pipeline: 5}") == "4");
  CHECK(workers("{data: 2, dataLocal: 4}") == "0 never");
  CHECK(workers("{}") == "0 never");
  CHECK(workers("{pipeline: 2147483647}", "2147483647") == "4611686011984936962");
}

TEST_CASE("without a leader of its own a group is all workers") {
  const std::string preset = config("kserve-config-llm-worker-data-parallel", "{}");
  const Pods alone(service("{worker: {}, parallelism: {data: 4}}") + preset);
  CHECK(alone.summary() == "worker 4");
  CHECK((*alone.of("worker").labels)["llm-d.ai/role"].text == "decode");
  const Pods led(service("{template: {}, worker: {}, parallelism: {data: 4}}") + preset);
  CHECK(led.summary() == "template 1, worker 3");
  CHECK((*led.of("worker").labels)["llm-d.ai/role"].is_missing());
}

TEST_CASE("a scheduler for an InferencePool of the user's is never created") {
  const Pods pods(service("{router: {scheduler: {pool: {ref: {name: p}}, template: {}}}}"));
  CHECK_FALSE(pods.of("scheduler").never_created.empty());
  CHECK(
      Pods(service("{router: {scheduler: {template: {}}}}")).of("scheduler").never_created.empty());
}

TEST_CASE("a managed device is claimed by the pod and by one container") {
  const auto claims = [](const std::string& annotations, const std::string& containers) {
    const Pods pods(service(
        "{template: {containers: [" + containers + "]}}",
        ", annotations: {serving.kserve.io/exp-dra-device-class: gpu.example" + annotations + "}"));
    const Workload& pod = pods.of("template");
    std::string text =
        std::string(pod.pod["resourceClaims"].at(0)["name"].text) + " " +
        std::string(pod.pod["resourceClaims"].at(0)["resourceClaimTemplateName"].text);
    for (const k8s::Container& container : pod.pod.containers()) {
      for (const yaml::Node* claim : (*container.node)["resources"]["claims"].items) {
        text += fmt::format(" {}:{}", container.name(), (*claim)["name"].text);
      }
    }
    return text;
  };
  const std::string two = "{name: a}, {name: main, resources: {limits: {cpu: 1}}}";
  const std::string pod = "managed-device llama-managed-dra";
  const std::string named = ", serving.kserve.io/exp-dra-container-name: ";
  CHECK(claims("", two) == pod + " a:managed-device");
  CHECK(claims(named + "main", two) == pod + " main:managed-device");
  CHECK(claims(named + "gone", two) == pod);
  CHECK(claims("", "") == pod);
  CHECK(claims("", "{name: a, resources: {claims: [{name: managed-device}]}}") ==
        pod + " a:managed-device");
}

TEST_CASE("a scheduler claims no managed device") {
  const Pods pods(service("{router: {scheduler: {template: {containers: [{name: main}]}}}}",
                          ", annotations: {serving.kserve.io/exp-dra-device-class: gpu.example}"));
  CHECK(pods.of("scheduler").pod["resourceClaims"].is_missing());
}

TEST_CASE("the storage initializer can be switched off, and loads for no scheduler") {
  const std::string t = "template: {containers: [{name: main}]}";
  const auto initializers = [&](const std::string& more, const std::string& component) {
    const Pods pods(service("{model: {uri: hf://a/b}, " + t + more + "}"));
    return pods.of(component).pod["initContainers"].items.size();
  };
  CHECK(initializers("", "template") == 1);
  CHECK(initializers(", storageInitializer: {enabled: false}", "template") == 0);
  CHECK(initializers(", router: {scheduler: {" + t + "}}", "scheduler") == 0);
  CHECK(initializers(", router: {scheduler: {template: {containers: [{name: tokenizer}]}}}",
                     "scheduler") == 1);
}

TEST_CASE("leader and workers run under one service account, schedulers under their own") {
  const auto account = [](const std::string& spec, const std::string& component) {
    return std::string(Pods(service(spec)).of(component).pod["serviceAccountName"].scalar());
  };
  CHECK(account("{template: {}}", "template").empty());
  CHECK(account("{template: {initContainers: [{name: llm-d-routing-sidecar}]}}", "template") ==
        "llama-kserve");
  CHECK(account("{template: {}, worker: {}}", "worker") == "llama-kserve-mn");
  CHECK(account("{template: {serviceAccountName: a}, worker: {serviceAccountName: b}}", "worker") ==
        "a");
  CHECK(account("{template: {}, worker: {serviceAccountName: b}}", "template") == "b");
  CHECK(account("{prefill: {template: {}, worker: {}}}", "prefill") == "llama-kserve-mn-prefill");
  CHECK(account("{router: {scheduler: {template: {}}}}", "scheduler") == "llama-epp-sa");
  CHECK(account("{router: {scheduler: {template: {serviceAccountName: a}}}}", "scheduler") == "a");
}

TEST_CASE("expressions are filled in with the settings of the controller") {
  const std::string settings =
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: inferenceservice-config}\n"
      "data: {ingress: '{\"enableLLMInferenceServiceTLS\": true}'}\n";
  const std::string spec =
      "{template: {nodeSelector: {tls: '{{ if .GlobalConfig.EnableTLS }}on{{else}}off{{ end }}'}}}";
  const auto tls = [](const Pods& pods) {
    return std::string(pods.of("template").pod["nodeSelector"]["tls"].text);
  };
  CHECK(tls(Pods(service(spec))) == "off");
  CHECK(tls(Pods(service(spec) + settings)) == "on");
}

TEST_CASE("a list of a hundred thousand baseRefs ends") {
  std::string refs = "[";
  for (int i = 0; i < 100'000; ++i) refs += "{name: a},";
  const Pods pods(service("{template: {nodeName: own}, baseRefs: " + refs + "]}") +
                  config("a", "{template: {hostname: a}}"));
  CHECK(pods.of("template").pod["nodeName"].text == "own");
  CHECK(pods.unknown("template").starts_with("what baseRefs beyond the first 64 add!"));
}

}  // namespace cnsched::kserve

#include "core/kserve/pods.h"
#include "testdata/llm_pods.h"

namespace cnsched::kserve::llm_inference_service_test {

TEST_CASE("points at the service's spec for a pod that only a config describes") {
  const LlmPods pods(llm_service("{baseRefs: [{name: gpu}]}") +
                     llm_config("gpu", "{template: {nodeSelector: {gpu: a100}}}"));
  const Workload& pod = pods.of("template");
  CHECK(pod.written == &pod.object->spec());
  CHECK(pod.own.node().is_missing());
  REQUIRE(pod.bases.size() == 1);
  CHECK(pod.bases[0].object->name == "gpu");
  CHECK(&pod.pod["nodeSelector"].under("gpu") == &pod.bases[0].pod["nodeSelector"].under("gpu"));
}

TEST_CASE("creates the pods of a missing preset") {
  CHECK(LlmPods(llm_service("{model: {uri: hf://a/b}, prefill: {}, router: {scheduler: {}}}"))
            .summary() == "template 1, prefill 1, scheduler 1");
  CHECK(LlmPods(llm_service("{router: {scheduler: null}}")).summary().empty());
  CHECK(LlmPods(llm_service("{router: {scheduler: {pool: {ref: {name: p}}}}}")).summary().empty());
}

TEST_CASE("takes replicas from the service, then from its scaling, else 1") {
  const auto summary = [](const std::string& spec, const std::string& metadata = "") {
    return LlmPods(llm_service("{template: {}" + spec + "}", metadata)).summary();
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

TEST_CASE("derives the number of workers from the parallelism") {
  const auto workers = [](const std::string& parallelism, const std::string& replicas = "1",
                          const std::string& leader = "template: {}, ") {
    const LlmPods pods(llm_service(fmt::format("{{{}worker: {{}}, replicas: {}, parallelism: {}}}",
                                               leader, replicas, parallelism)));
    const Workload& worker = pods.of("worker");
    return fmt::format("{}{}", *worker.replicas, worker.never_created ? " never" : "");
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

TEST_CASE("counts only workers in a group without a leader") {
  const std::string preset = llm_config("kserve-config-llm-worker-data-parallel", "{}");
  const LlmPods alone(llm_service("{worker: {}, parallelism: {data: 4}}") + preset);
  CHECK(alone.summary() == "worker 4");
  CHECK((*alone.of("worker").labels).under("llm-d.ai/role").text() == "decode");
  const LlmPods led(llm_service("{template: {}, worker: {}, parallelism: {data: 4}}") + preset);
  CHECK(led.summary() == "template 1, worker 3");
  CHECK((*led.of("worker").labels).under("llm-d.ai/role").is_missing());
}

TEST_CASE("never creates a scheduler for a user's InferencePool") {
  const LlmPods pods(llm_service("{router: {scheduler: {pool: {ref: {name: p}}, template: {}}}}"));
  CHECK(pods.of("scheduler").never_created);
  CHECK_FALSE(
      LlmPods(llm_service("{router: {scheduler: {template: {}}}}")).of("scheduler").never_created);
}

TEST_CASE("adds the claim of a managed device to the pod and to one container") {
  const auto claims = [](const std::string& annotations, const std::string& containers) {
    const LlmPods pods(llm_service(
        "{template: {containers: [" + containers + "]}}",
        ", annotations: {serving.kserve.io/exp-dra-device-class: gpu.example" + annotations + "}"));
    const Workload& pod = pods.of("template");
    std::string text =
        std::string(pod.pod["resourceClaims"].at(0)["name"].text()) + " " +
        std::string(pod.pod["resourceClaims"].at(0)["resourceClaimTemplateName"].text());
    for (const k8s::Container& container : pod.pod.containers()) {
      for (const yaml::Node* claim : (*container.node)["resources"]["claims"].items()) {
        text += fmt::format(" {}:{}", container.name(), (*claim)["name"].text());
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

TEST_CASE("adds no device claim to a scheduler") {
  const LlmPods pods(
      llm_service("{router: {scheduler: {template: {containers: [{name: main}]}}}}",
                  ", annotations: {serving.kserve.io/exp-dra-device-class: gpu.example}"));
  CHECK(pods.of("scheduler").pod["resourceClaims"].is_missing());
}

TEST_CASE("omits a disabled storage initializer, and adds none to a scheduler") {
  const std::string t = "template: {containers: [{name: main}]}";
  const auto initializers = [&](const std::string& more, const std::string& component) {
    const LlmPods pods(llm_service("{model: {uri: hf://a/b}, " + t + more + "}"));
    return pods.of(component).pod["initContainers"].items().size();
  };
  CHECK(initializers("", "template") == 1);
  CHECK(initializers(", storageInitializer: {enabled: false}", "template") == 0);
  CHECK(initializers(", router: {scheduler: {" + t + "}}", "scheduler") == 0);
  CHECK(initializers(", router: {scheduler: {template: {containers: [{name: tokenizer}]}}}",
                     "scheduler") == 1);
}

TEST_CASE("shares a service account between leader and workers, not with schedulers") {
  const auto account = [](const std::string& spec, const std::string& component) {
    return std::string(LlmPods(llm_service(spec)).of(component).pod["serviceAccountName"].text());
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

TEST_CASE("fills in expressions with the controller's settings") {
  const std::string settings =
      object("v1", "ConfigMap", "inferenceservice-config",
             "data: {ingress: '{\"enableLLMInferenceServiceTLS\": true}'}");
  const std::string spec =
      "{template: {nodeSelector: {tls: '{{ if .GlobalConfig.EnableTLS }}on{{else}}off{{ end }}'}}}";
  const auto tls = [](const LlmPods& pods) {
    return std::string(pods.of("template").pod["nodeSelector"].under("tls").text());
  };
  CHECK(tls(LlmPods(llm_service(spec))) == "off");
  CHECK(tls(LlmPods(llm_service(spec) + settings)) == "on");
}

}  // namespace cnsched::kserve::llm_inference_service_test

#include "templates/pin.h"
#include "core/base/diff.h"
#include "core/base/text.h"
#include "testdata/support.h"

namespace cnsched::templates::pin_test {

/// The manifest after "---", pinned as the lines before it say: "NAME=VALUE NAME=VALUE", "component
/// NAME", "container NAME" and "replace".
PinRequest request_of(std::string_view text) {
  constexpr std::string_view kEnd = "---\n";
  const std::size_t end = text.find(kEnd);
  PinRequest request{.path = "m.yaml", .text = fmt::format("{}\n", text.substr(end + kEnd.size()))};
  for (const std::string_view line : split(text.substr(0, end), '\n')) {
    const std::string_view name = line.substr(line.find(' ') + 1);
    if (line.starts_with("component ")) {
      request.components.emplace_back(name);
    } else if (line.starts_with("container ")) {
      request.container = name;
    } else if (line == "replace") {
      request.replaces = true;
    } else if (!line.empty()) {
      request.values.sets = words_of(line);
    }
  }
  return request;
}

/// The manifest with its pin. Nothing is added a second time.
std::string pin_of(PinRequest asked) {
  const Pinned once = pin(asked, {});
  CHECK(once.problems.empty());
  asked.text = once.text;
  const Pinned twice = pin(asked, {});
  CHECK(twice.problems.empty());
  CHECK(twice.text == once.text);
  return once.text;
}

/// The problems, or what the pin changes: the lines of a diff.
std::string result_of(const PinRequest& request) {
  const Pinned once = pin(request, {});
  if (once.failure != Pinned::Failure::none) {
    CHECK(once.text == request.text);
    const bool in_manifest = once.failure == Pinned::Failure::manifest;
    return fmt::format("{}: {}", in_manifest ? "manifest" : "request",
                       fmt::join(once.problems, "\n"));
  }
  const std::string diff = unified_diff(request.text, pin_of(request), "", "");
  return diff.empty() ? "unchanged"
                      : diff.substr(diff.find("@@"), diff.size() - diff.find("@@") - 1);
}

PinRequest request(const std::string& manifest, const std::string& settings,
                   const std::string& component = {}) {
  PinRequest made{.path = "m.yaml", .text = manifest, .values = {.sets = words_of(settings)}};
  if (!component.empty()) made.components = {component};
  return made;
}

const std::string kIsvc =
    "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: "
    "llama}\nspec:\n";

/// A plain pod with these lines in its spec.
std::string pod_with(const std::string& lines) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n" + lines;
}

const std::string kGpu =
    "  containers:\n  - name: a\n    resources: {limits: {nvidia.com/gpu: 1}}\n";

TEST_CASE("pins pods to an accelerator of a platform") {
  check_cases("templates/pin.cases",
              [](std::string_view text) { return result_of(request_of(text)); });
}

TEST_CASE("keeps line ends and other documents") {
  const std::string text =
      pin_of(request("# a\r\napiVersion: v1\r\nkind: Secret\r\ndata: {a:  "
                     "b}\r\n---\r\napiVersion: v1\r\nkind: "
                     "Pod\r\nmetadata: {name: a}\r\nspec:\r\n  containers:\r\n  "
                     "- name: a\r\n---\r\n# c\r\na: {b: "
                     "c}\r\n",
                     "platform=gke accelerator=nvidia-l4", "a"));
  CHECK(text ==
        "# a\r\napiVersion: v1\r\nkind: Secret\r\ndata: {a:  b}\r\n---\r\napiVersion: v1\r\nkind: "
        "Pod\r\nmetadata: {name: a}\r\nspec:\r\n  containers:\r\n  - name: a\r\n    resources:\r\n "
        "     limits:\r\n        "
        "nvidia.com/gpu: 1\r\n  nodeSelector:\r\n    cloud.google.com/gke-accelerator: "
        "nvidia-l4\r\n---\r\n# c\r\na: {b: c}\r\n");
}

TEST_CASE("keeps JSON without a line end at its end") {
  CHECK(
      pin_of(request(R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"},)"
                     R"( "spec": {"containers": [{"name": "a"}]}})",
                     "platform=gke accelerator=nvidia-l4", "a")) ==
      R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"},)"
      R"( "spec": {"containers": [{"name": "a", "resources": {"limits": {"nvidia.com/gpu": 1}}}],)"
      R"( "nodeSelector": {"cloud.google.com/gke-accelerator": "nvidia-l4"}}})");
}

TEST_CASE("rejects an accelerator that the platform does not have, with all other errors") {
  const Pinned result = pin(request(pod_with(kGpu), "gpus=many platfrom=gke"), {});
  CHECK(result.failure == Pinned::Failure::request);
  CHECK(result.problems.size() == 4);
  CHECK(result.corrected_settings.size() == 2);
  CHECK(has(result_of(request(pod_with(kGpu), "platform=gke accelerator=nvidia-l40s")),
            "GKE has no 'nvidia-l40s'"));
}

TEST_CASE("pins every kind of manifest to every accelerator, idempotently") {
  const auto component_of = [](const std::string& manifest) -> std::string {
    if (has(manifest, "LLMInferenceService")) return "template";
    return has(manifest, "InferenceService") ? "predictor" : "a";
  };
  const std::vector<std::string> manifests = {
      pod_with(kGpu),
      pod_with("  nodeSelector:\n" + kGpu),
      pod_with("  tolerations: []\n  affinity:\n  containers: [{name: a}]\n"),
      kIsvc + "  predictor: {model: {modelFormat: {name: a}}}\n",
      kIsvc +
          "  predictor:\n    triton:\n      resources:\n        requests: {nvidia.com/gpu: 1}\n"
          "        limits: {nvidia.com/gpu: 1}\n    tolerations:\n    - operator: Exists\n",
      kIsvc +
          "  predictor:\n    minReplicas: 1\n    containers:\n    - name: kserve-container\n"
          "      image: a",
      "apiVersion: mlops.seldon.io/v1alpha1\nkind: Server\nmetadata: {name: a}\nspec: "
      "{serverConfig: mlserver}\n",
      "kind: LLMInferenceService\napiVersion: serving.kserve.io/v1alpha1\nspec:\n  template:\n    "
      "containers: [{name: main}]\n",
  };
  for (const std::string& manifest : manifests) {
    for (const std::string platform :
         {"gke", "eks", "karpenter", "aks", "gpu-operator", "generic"}) {
      for (const std::string accelerator :
           {"nvidia-tesla-t4", "nvidia-a100-80gb", "nvidia-h100-80gb", "google-tpu-v5e",
            "amd-mi300x", "nvidia-a100-40gb-mig-1g.5gb"}) {
        CAPTURE(manifest);
        CAPTURE(platform);
        CAPTURE(accelerator);
        PinRequest asked =
            request(manifest, fmt::format("platform={} accelerator={}", platform, accelerator),
                    component_of(manifest));
        asked.replaces = true;
        const Pinned once = pin(asked, {});
        CHECK(once.failure != Pinned::Failure::manifest);
        if (once.failure != Pinned::Failure::none) continue;
        CHECK(once.text != manifest);
        asked.text = once.text;
        CHECK(pin(asked, {}).text == once.text);
        // And back again.
        asked.values.sets = {"platform=generic", "accelerator=nvidia-l4"};
        CHECK(pin(asked, {}).failure == Pinned::Failure::none);
      }
    }
  }
}

}  // namespace cnsched::templates::pin_test

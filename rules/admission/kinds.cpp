#include "rules/admission/kinds.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace cnsched::rules {

namespace {

constexpr std::string_view kRuntimeParts = "[[{'': o.spec, ?'worker': o.spec.?workerSpec}]]";
constexpr std::string_view kTemplateParts = "[[{?'': o.spec.?template.?spec}]]";
constexpr std::string_view kPodSpecParts = "[[{?'': o.spec.?podSpec}]]";

// The pods of core/kserve and core/seldon, as far as the object alone describes them.
constexpr auto kKinds = std::to_array<AdmittedKind>({
    {.name = "InferenceService",
     .group = "serving.kserve.io",
     .versions = "v1beta1",
     .resource = "inferenceservices",
     .parts = "[[{?'predictor': o.spec.?predictor, ?'transformer': o.spec.?transformer, "
              "?'explainer': o.spec.?explainer, ?'worker': o.spec.?predictor.?workerSpec}]]"},
    {.name = "LLMInferenceService",
     .group = "serving.kserve.io",
     .versions = "v1alpha1 v1alpha2",
     .resource = "llminferenceservices",
     .parts = "[[{?'template': o.spec.?template, ?'worker': o.spec.?worker, "
              "?'prefill': o.spec.?prefill.?template, ?'prefill worker': o.spec.?prefill.?worker, "
              "?'scheduler': o.spec.?router.?scheduler.?template, "
              "?'tokenizer': o.spec.?router.?scheduler.?tokenizer.?template}]]"},
    {.name = "ServingRuntime",
     .group = "serving.kserve.io",
     .versions = "v1alpha1",
     .resource = "servingruntimes",
     .parts = kRuntimeParts},
    {.name = "ClusterServingRuntime",
     .group = "serving.kserve.io",
     .versions = "v1alpha1",
     .resource = "clusterservingruntimes",
     .parts = kRuntimeParts},
    {.name = "SeldonDeployment",
     .group = "machinelearning.seldon.io",
     .versions = "v1 v1alpha2 v1alpha3",
     .resource = "seldondeployments",
     .parts = "list(o.spec.?predictors).map(d, list(d.?componentSpecs).map(c, {?'': c.?spec}))"},
    {.name = "Server",
     .group = "mlops.seldon.io",
     .versions = "v1alpha1",
     .resource = "servers",
     .parts = kPodSpecParts},
    {.name = "ServerConfig",
     .group = "mlops.seldon.io",
     .versions = "v1alpha1",
     .resource = "serverconfigs",
     .parts = kPodSpecParts},
    {.name = "Model", .group = "mlops.seldon.io", .versions = "v1alpha1", .resource = "models"},
    {.name = "Node", .group = "", .versions = "v1", .resource = "nodes"},
    {.name = "Pod",
     .group = "",
     .versions = "v1",
     .resource = "pods",
     .parts = "[[{'': o.spec}]]",
     .made = true},
    {.name = "Deployment",
     .group = "apps",
     .versions = "v1",
     .resource = "deployments",
     .parts = kTemplateParts,
     .made = true},
    {.name = "StatefulSet",
     .group = "apps",
     .versions = "v1",
     .resource = "statefulsets",
     .parts = kTemplateParts,
     .made = true},
    {.name = "LeaderWorkerSet",
     .group = "leaderworkerset.x-k8s.io",
     .versions = "v1",
     .resource = "leaderworkersets",
     .parts = "[[{?'leader': o.spec.?leaderWorkerTemplate.?leaderTemplate.?spec, "
              "?'worker': o.spec.?leaderWorkerTemplate.?workerTemplate.?spec}]]",
     .made = true},
    {.name = "Service",
     .group = "serving.knative.dev",
     .versions = "v1",
     .resource = "services",
     .parts = kTemplateParts,
     .made = true},
});

// serving.kserve.io: KServe; seldon-: Seldon Core 1 and 2.
constexpr auto kLabels = std::to_array<std::string_view>(
    {"serving.kserve.io/inferenceservice", "serving.kserve.io/inferencegraph",
     "seldon-deployment-id", "seldon-server-name"});

}  // namespace

std::vector<const AdmittedKind*> kinds_named(std::string_view names, bool made) {
  const std::vector<std::string_view> words = split(names, ' ');
  std::vector<const AdmittedKind*> kinds;
  for (const AdmittedKind& kind : kKinds) {
    const bool is_named =
        names.empty() ? !kind.parts.empty() : std::ranges::find(words, kind.name) != words.end();
    if (is_named && (made || !kind.made)) kinds.push_back(&kind);
  }
  return kinds;
}

std::span<const std::string_view> labels_of_made_objects() { return kLabels; }

}  // namespace cnsched::rules

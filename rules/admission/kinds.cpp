#include "rules/admission/kinds.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace cnsched::rules {

namespace {

constexpr std::string_view kPodTemplate =
    "[[part('', o.spec.template.spec, o.spec.template.?metadata.?labels, true, false)]]";

// part(component, pod spec, labels, whether nothing else is merged into it, fragment). The pods of
// core/kserve and core/seldon, as far as the object alone describes them.
constexpr auto kKinds = std::to_array<AdmittedKind>({
    {.name = "InferenceService",
     .group = "serving.kserve.io",
     .versions = "v1beta1",
     .resource = "inferenceservices",
     .parts = R"([text(o.spec.?predictor.?model.?runtime) == ''].map(complete,
      ['predictor', 'transformer', 'explainer'].filter(c, is_set(o.spec[?c]))
        .map(c, part(c, o.spec[c], o.spec[c].?labels, c != 'predictor' || complete, false)) +
      (is_set(o.spec.?predictor.?workerSpec) ?
        [part('worker', o.spec.predictor.workerSpec, o.spec.predictor.?labels, complete, false)] :
        [])))"},
    {.name = "LLMInferenceService",
     .group = "serving.kserve.io",
     .versions = "v1alpha1 v1alpha2",
     .resource = "llminferenceservices",
     .parts = R"([list(o.spec.?baseRefs).size() == 0].map(complete, [
        part('template', o.spec.?template.orValue(null), o.spec.?labels, complete, false),
        part('worker', o.spec.?worker.orValue(null), o.spec.?labels, complete, false),
        part('prefill', o.spec.?prefill.?template.orValue(null), o.spec.?prefill.?labels, complete, false),
        part('prefill worker', o.spec.?prefill.?worker.orValue(null), o.spec.?prefill.?labels, complete, false),
        part('scheduler', o.spec.?router.?scheduler.?template.orValue(null), optional.none(), complete, false),
        part('tokenizer', o.spec.?router.?scheduler.?tokenizer.?template.orValue(null), optional.none(), complete, false)
      ].filter(p, p.spec != null)))"},
    {.name = "ServingRuntime",
     .group = "serving.kserve.io",
     .versions = "v1alpha1",
     .resource = "servingruntimes",
     .parts = R"([[part('', o.spec, o.spec.?labels, true, true)] +
      (is_set(o.spec.?workerSpec) ? [part('worker', o.spec.workerSpec, optional.none(), true, true)] : [])])"},
    {.name = "ClusterServingRuntime",
     .group = "serving.kserve.io",
     .versions = "v1alpha1",
     .resource = "clusterservingruntimes",
     .parts = R"([[part('', o.spec, o.spec.?labels, true, true)] +
      (is_set(o.spec.?workerSpec) ? [part('worker', o.spec.workerSpec, optional.none(), true, true)] : [])])"},
    {.name = "SeldonDeployment",
     .group = "machinelearning.seldon.io",
     .versions = "v1 v1alpha2 v1alpha3",
     .resource = "seldondeployments",
     .parts = R"(list(o.spec.?predictors).map(d, list(d.?componentSpecs).filter(c, is_set(c.?spec))
      .map(c, part('', c.spec, c.?metadata.?labels, true, false))))"},
    {.name = "Server",
     .group = "mlops.seldon.io",
     .versions = "v1alpha1",
     .resource = "servers",
     .parts = "[[part('', map_of(o.spec.?podSpec), o.metadata.?labels, "
              "text(o.spec.?serverConfig) in ['', 'mlserver', 'triton'], false)]]"},
    {.name = "ServerConfig",
     .group = "mlops.seldon.io",
     .versions = "v1alpha1",
     .resource = "serverconfigs",
     .parts = "[[part('', map_of(o.spec.?podSpec), o.metadata.?labels, true, true)]]"},
    {.name = "Model", .group = "mlops.seldon.io", .versions = "v1alpha1", .resource = "models"},
    {.name = "Node", .group = "", .versions = "v1", .resource = "nodes"},
    {.name = "Pod",
     .group = "",
     .versions = "v1",
     .resource = "pods",
     .parts = "[[part('', o.spec, o.metadata.?labels, true, false)]]",
     .made = true},
    {.name = "Deployment",
     .group = "apps",
     .versions = "v1",
     .resource = "deployments",
     .parts = kPodTemplate,
     .made = true},
    {.name = "StatefulSet",
     .group = "apps",
     .versions = "v1",
     .resource = "statefulsets",
     .parts = kPodTemplate,
     .made = true},
    {.name = "LeaderWorkerSet",
     .group = "leaderworkerset.x-k8s.io",
     .versions = "v1",
     .resource = "leaderworkersets",
     .parts = R"([(is_set(o.spec.leaderWorkerTemplate.?leaderTemplate.?spec) ?
        [part('leader', o.spec.leaderWorkerTemplate.leaderTemplate.spec,
          o.spec.leaderWorkerTemplate.leaderTemplate.?metadata.?labels, true, false)] : []) +
      [part('worker', o.spec.leaderWorkerTemplate.workerTemplate.spec,
        o.spec.leaderWorkerTemplate.workerTemplate.?metadata.?labels, true, false)]])",
     .made = true},
    {.name = "Service",
     .group = "serving.knative.dev",
     .versions = "v1",
     .resource = "services",
     .parts = kPodTemplate,
     .made = true},
});

// serving.kserve.io: KServe; seldon-: Seldon Core 1 and 2.
constexpr auto kLabels = std::to_array<std::string_view>(
    {"serving.kserve.io/inferenceservice", "serving.kserve.io/inferencegraph",
     "seldon-deployment-id", "seldon-server-name"});

constexpr auto kSystemNamespaces = std::to_array<std::string_view>({"amd-gpu-operator",
                                                                    "cert-manager",
                                                                    "gpu-operator",
                                                                    "istio-system",
                                                                    "keda",
                                                                    "knative-eventing",
                                                                    "knative-operator",
                                                                    "knative-serving",
                                                                    "kourier-system",
                                                                    "kserve",
                                                                    "kube-node-lease",
                                                                    "kube-public",
                                                                    "kube-system",
                                                                    "kueue-system",
                                                                    "lws-system",
                                                                    "node-feature-discovery",
                                                                    "nvidia-gpu-operator",
                                                                    "redhat-ods-applications",
                                                                    "redhat-ods-operator",
                                                                    "seldon-system"});

}  // namespace

std::span<const AdmittedKind> admitted_kinds() { return kKinds; }

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

std::span<const std::string_view> system_namespaces() { return kSystemNamespaces; }

}  // namespace cnsched::rules

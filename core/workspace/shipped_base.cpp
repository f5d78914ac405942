#include "core/workspace/shipped_base.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/kserve/containers.h"
#include "core/kserve/hardware_profile.h"
#include "core/kserve/runtime.h"
#include "core/kserve/shipped_runtimes.h"
#include "core/seldon/shipped.h"
#include "core/workspace/cluster_scope.h"

namespace cnsched {

namespace {

/// Source: kserve config/runtimes/, except for the runtimes that span nodes [K30].
constexpr auto kOfRuntimes =
    std::to_array<k8s::ShippedAmount>({{"cpu", "1", "1"}, {"memory", "2Gi", "2Gi"}});
/// Source: seldon-core v2 k8s/helm-charts/seldon-core-v2-setup/values.yaml. With kustomize there
/// are other requests and no limits [S43].
constexpr auto kOfServerConfigs = std::to_array<k8s::ShippedAmount>(
    {{"cpu", "100m", ""}, {"memory", seldon::kShippedMemory, seldon::kShippedMemory}});

std::optional<k8s::ShippedBase> runtime_of(const Workload& workload, const k8s::Objects& objects) {
  const yaml::Node& written = *workload.written;
  if (workload.component != "predictor" || written["workerSpec"]) return std::nullopt;
  // A dump of a cluster's runtimes has all of them.
  if (objects.contains("serving.kserve.io", "ClusterServingRuntime")) return std::nullopt;
  const yaml::Node& block = kserve::framework_block(written);
  if (!block || !kserve::runtime_name(written).empty()) return std::nullopt;
  const bool model = block.key()->text() == "model";
  const std::string_view format = model ? block["modelFormat"]["name"].text() : block.key()->text();
  const facts::ClusterFacts& facts = workload.scope->facts(*workload.object);
  if (!kserve::ships_runtime_for(format, facts.releases().kserve)) return std::nullopt;
  return k8s::ShippedBase{fmt::format("KServe's own runtimes for '{}'", format),
                          kserve::kServingContainer, kOfRuntimes};
}

std::optional<k8s::ShippedBase> server_config_of(const Workload& workload) {
  const std::string_view name = workload.object->spec()["serverConfig"].text();
  if (seldon::shipped_containers(name).empty()) return std::nullopt;
  return k8s::ShippedBase{fmt::format("the ServerConfig '{}' of Seldon's Helm chart", name), name,
                          kOfServerConfigs};
}

}  // namespace

std::optional<k8s::ShippedBase> shipped_base(const Workload& workload,
                                             const k8s::Objects& objects) {
  const bool has_base = std::ranges::any_of(workload.bases, [](const k8s::Base& base) {
    return !kserve::is_hardware_profile(*base.object);
  });
  if (has_base || workload.is_incomplete()) return std::nullopt;
  if (workload.object->kind == "InferenceService") return runtime_of(workload, objects);
  if (workload.object->kind == "Server") return server_config_of(workload);
  return std::nullopt;
}

}  // namespace cnsched

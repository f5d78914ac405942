#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include "core/workspace/workload.h"

namespace cnsched::rules {

/// The two pod specs that Seldon's operator merges: a Server over its ServerConfig, or a
/// SeldonRuntime's override over its component in the SeldonConfig.
struct ConfigLayers {
  std::string config;  ///< "ServerConfig 'gpu'"
  k8s::PodSpec below;
  k8s::PodSpec above;
};

/// "ServerConfig 'gpu'", "component 'seldon-envoy' of SeldonConfig 'default'".
inline std::string config_called(std::string_view kind, std::string_view name,
                                 const Workload& workload) {
  if (kind == "ServerConfig") return fmt::format("ServerConfig '{}'", name);
  return fmt::format("component '{}' of {} '{}'", workload.name, kind, name);
}

/// Both layers of a pod in Domain::merged_by_seldon, if the lower one was read.
inline std::optional<ConfigLayers> config_layers_of(const Workload& workload) {
  if (workload.bases.size() != 1) return std::nullopt;
  const k8s::Base& base = workload.bases.front();
  return ConfigLayers{config_called(base.object->kind, base.object->name, workload), base.pod,
                      workload.own};
}

}  // namespace cnsched::rules

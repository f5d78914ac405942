#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cnsched::seldon {

// The ServerConfigs and SeldonConfig that Seldon Core 2 ships. They are the base layer of pods
// whose ServerConfig or SeldonConfig is in no manifest [S41, S42]. Source: seldon-core v2
// operator/config/serverconfigs/, k8s/yaml/components.yaml.

/// The containers of one of Seldon's shipped ServerConfigs; empty if it ships none of that name.
std::vector<std::string_view> shipped_containers(std::string_view server_config);

/// The names of those, and of the Servers that Seldon also ships, one for each [S42]. Source:
/// k8s/helm-charts/seldon-core-v2-servers.
inline constexpr auto kShippedServers = std::to_array<std::string_view>({"mlserver", "triton"});

/// The names of the SeldonConfigs that Seldon ships.
inline constexpr auto kShippedSeldonConfigs = std::to_array<std::string_view>({"default"});

/// The capabilities of a shipped ServerConfig; nothing if there is none of that name.
std::span<const std::string_view> shipped_capabilities(std::string_view server_config);

/// The memory request of their model servers with the Helm chart; with kustomize it is 1G [S43].
/// Source: k8s/helm-charts/seldon-core-v2-setup/values.yaml.
inline constexpr std::string_view kShippedMemory = "1Gi";
/// The percentage by which the agents overcommit it.
inline constexpr int kShippedOvercommit = 10;

/// Whether any of those ServerConfigs has this capability.
bool is_shipped_capability(std::string_view tag);
/// Whether the ServerConfig's pod has an item in `list` of its podSpec, or of `container` if that
/// is not empty. `value` is the name of a volume or port, or the path of a mount. Only items that
/// every installation has.
bool is_shipped_item(std::string_view server_config, std::string_view container,
                     std::string_view list, std::string_view value);
/// Its only volumeClaimTemplate, "mlserver-models"; empty if there is no such ServerConfig.
std::string shipped_claim(std::string_view server_config);
/// The value of `field` in the pods' securityContext; empty if it is not set.
std::string_view shipped_security(std::string_view field);

/// The components of Seldon's SeldonConfig `default`.
std::vector<std::string_view> shipped_components();
/// The only container of a component of Seldon's SeldonConfig `default`; empty if it has no such
/// component.
std::string_view shipped_component_container(std::string_view component);

}  // namespace cnsched::seldon

#pragma once

#include <string_view>
#include <vector>

namespace cnsched::seldon {

// What comes with Seldon Core 2, and so lies beneath pods whose ServerConfig or SeldonConfig no
// manifest shows. Source: seldon-core v2 operator/config/serverconfigs/, k8s/yaml/components.yaml.

/// The containers of one of Seldon's own ServerConfigs; empty if it ships none of that name.
std::vector<std::string_view> shipped_containers(std::string_view server_config);

/// The only container of a component of Seldon's SeldonConfig `default`; empty if it has no such
/// component.
std::string_view shipped_component_container(std::string_view component);

}  // namespace cnsched::seldon

#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/yaml/node.h"

namespace cnsched::seldon {

// Seldon's agent runs beside each model server, and reports to Seldon's scheduler what the server
// can do [S44]. Source: seldon-core v2 scheduler/cmd/agent/cli/{cli,env,normalise}.go.

inline constexpr std::string_view kCapabilitiesVariable = "SELDON_SERVER_CAPABILITIES";
inline constexpr std::string_view kMemoryVariable = "MEMORY_REQUEST";
inline constexpr std::string_view kOvercommitVariable = "SELDON_OVERCOMMIT_PERCENTAGE";
inline constexpr std::string_view kServerTypeVariable = "SELDON_SERVER_TYPE";

/// A setting that the agent takes from a variable, unless it is started with the flag.
struct AgentSetting {
  std::string_view variable;
  std::string_view flag;
  bool whole_number = true;  ///< it exits if it cannot read one
};

/// The settings that decide what is placed on the server.
std::span<const AgentSetting> agent_settings();

/// The agent's container: the one called so, else one with its image, else a missing node.
const yaml::Node& agent_in(const yaml::Node& containers);
/// The same for rclone, which fetches the models.
const yaml::Node& rclone_in(const yaml::Node& containers);

/// The entry of the container's env that its process sees: the last one of that name. Missing if
/// there is none.
const yaml::Node& variable_of(const yaml::Node& container, std::string_view name);
/// Whether the setting may come from a flag, a ConfigMap or a Secret instead of its variable.
bool may_be_set_elsewhere(const yaml::Node& container, const AgentSetting& setting);

/// Whether the agent can read `text` as one of its numbers (Go's ParseUint).
bool is_whole_number(std::string_view text);
/// Whether the agent knows such a server.
bool is_server_type(std::string_view type);
/// The tags of a list as the agent splits it: at commas, without the blanks around them; an empty
/// one is a tag like others.
std::vector<std::string_view> tags_in(std::string_view list);

}  // namespace cnsched::seldon

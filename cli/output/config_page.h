#pragma once

#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>

#include "rules/engine/config.h"

namespace cnsched::cli {

/// The configuration that is in force for a file or directory.
struct InForce {
  const rules::Config* config = nullptr;  ///< null: there is none
  rules::RuleSettings rules;
  const Sources& sources;
};

/// All of it as YAML, behind each value where it is from. It is a configuration itself.
void write_config(const InForce& in_force, std::ostream& out);
/// The same as JSON, without the places.
nlohmann::ordered_json json_of(const InForce& in_force);

/// A JSON Schema (draft 2020-12) of the configuration.
nlohmann::ordered_json config_schema();

/// A configuration to start from: every key, explained, with its example commented out. Lines that
/// begin with "## " stay comments when the "# " of the others is taken away.
std::string starting_config();

}  // namespace cnsched::cli

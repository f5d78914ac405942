#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "cli/output/json.h"
#include "core/k8s/schema/schema.h"
#include "rules/config/config.h"

namespace cnsched::cli {

/// The effective configuration of a file or directory.
struct EffectiveConfig {
  const rules::Config* config = nullptr;  ///< null: there is none
  rules::RuleSettings rules;
  const Sources& sources;
  /// By what fields are judged: flags, the configuration, --cluster files, or else the newest.
  facts::StatedReleases releases{};
  std::vector<const k8s::schema::Definition*> definitions{};
};

/// Writes it as YAML, which is a valid configuration. A comment after each value gives its source.
void write_config(const EffectiveConfig& effective, std::ostream& out);
/// The same as JSON, without the sources.
Json json_of(const EffectiveConfig& effective);

/// A JSON Schema (draft 2020-12) of the configuration.
Json config_schema();

/// A configuration to start from: every key with its explanation and a commented-out example. Lines
/// that begin with "## " stay comments when "# " is removed from the others.
std::string starting_config();

}  // namespace cnsched::cli

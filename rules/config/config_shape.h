#pragma once

#include <string>

#include "core/packages/variant.h"
#include "core/yaml/shape.h"

namespace cnsched::rules {

/// The keys of a configuration. The reader, the JSON Schema, the initial file and the manual page
/// are generated from it.
const yaml::Shape& config_shape();

/// The keys of `render`.
yaml::Shape render_shape();

/// Reports what the shape does not show, and any section in a file that was not named by --config:
/// it starts programs, and a file that is found comes from whom the manifests come from.
void check_render(const yaml::Node& section, bool named, yaml::StrictReader& reader);

/// Reads a valid section of a file in `directory`, which its paths are relative to.
packages::RenderSettings read_render(const yaml::Node& section, const std::string& directory);

}  // namespace cnsched::rules

#pragma once

#include <string_view>

#include "cli/lsp/hover_text.h"
#include "core/yaml/node.h"

namespace cnsched::cli::lsp {

/// Describes the accelerator that a value of a manifest, or its key, names: a resource, a node
/// label or a label's value. Adds nothing if it names none.
void add_accelerator_record(const yaml::Node& node, HoverText& text);

}  // namespace cnsched::cli::lsp

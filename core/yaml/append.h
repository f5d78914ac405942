#pragma once

#include <string>
#include <vector>

#include "core/yaml/edited.h"

namespace cnsched::yaml {

/// Ways to write `lines`, indented as they are to be, at the end of a collection in block style.
Ways ways_to_append(const Edited& edited, const Node& collection, std::string lines);

/// Writes `text` behind the last of a collection in brackets, which has one.
std::vector<Edit> append_in_brackets(const Edited& edited, const Node& collection,
                                     const std::string& text);

}  // namespace cnsched::yaml

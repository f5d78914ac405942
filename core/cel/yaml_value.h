#pragma once

#include "core/cel/value.h"
#include "core/yaml/node.h"

namespace cnsched::cel {

/// A YAML value as CEL sees the JSON that kubectl sends: whole numbers are int, others double.
/// Mappings and lists are read when they are used, so the node must outlive the value.
Value value_of(const yaml::Node& node);

}  // namespace cnsched::cel

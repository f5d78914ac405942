#pragma once

#include "core/base/arena.h"
#include "core/snapshot/resources.h"

namespace cnsched::snapshot {

/// Whether the object is a fact: of the kind and name, and no pod without a node, pod that has
/// ended or DaemonSet without a device plugin.
bool is_fact(const k8s::Object& object, const Resource& resource);

/// The object with only the fields that the resource keeps, the names first. Values of environment
/// variables are dropped unless rules read them, and so are most annotations; values that arguments
/// give to flags for credentials are masked. The tree is made in `arena`.
const yaml::Node& reduced(const k8s::Object& object, const Resource& resource, Arena& arena);

/// `text`, a word or a command line, with the values of flags such as --api-key masked. `is_value`:
/// the text follows such a flag; afterwards: the next word does.
std::string masked(std::string_view text, bool& is_value);

}  // namespace cnsched::snapshot

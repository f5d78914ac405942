#pragma once

#include <string>
#include <string_view>

namespace cnsched::kserve {

/// The name of what a controller makes from an object called `parent`: `parent` and `suffix`, or,
/// where that is longer than the 63 characters of a label, with a hash in place of the rest [N17].
/// Source: knative.dev/pkg kmeta/names.go, ChildName.
std::string child_name(std::string_view parent, std::string_view suffix);

}  // namespace cnsched::kserve

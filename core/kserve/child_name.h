#pragma once

#include <string>
#include <string_view>

namespace cnsched::kserve {

/// The name of an object that a controller creates from the object `parent`: `parent` and `suffix`.
/// If they have more than the 63 characters of a label, a hash replaces a part [N17]. Source:
/// knative.dev/pkg kmeta/names.go, ChildName.
std::string child_name(std::string_view parent, std::string_view suffix);

}  // namespace cnsched::kserve

#pragma once

#include <string_view>
#include <vector>

namespace cnsched::seldon {

/// The main container of a ServerConfig or of a SeldonConfig's component: the only one that is not
/// one of Seldon's helpers. Empty if there is not exactly one.
std::string_view main_container(const std::vector<std::string_view>& containers);

/// The probably intended container for an unknown name: one whose name differs in case or
/// separators; or the model server, for its name in other systems or the name of the ServerConfig
/// or component, `config`. Empty if there is none.
std::string_view intended_container(std::string_view name, std::string_view config,
                                    const std::vector<std::string_view>& containers);

}  // namespace cnsched::seldon

#pragma once

#include <string_view>
#include <vector>

namespace cnsched::seldon {

/// Of the containers of a ServerConfig or of a SeldonConfig's component the main one: the
/// only one that is not a helper of Seldon's. Empty if it is unclear.
std::string_view main_container(const std::vector<std::string_view>& containers);

/// The container that an unknown name probably means: one that differs in case or separators, or
/// the model server for its name in other systems or the name of the ServerConfig or component,
/// `config`. Empty if there is none.
std::string_view meant_container(std::string_view name, std::string_view config,
                                 const std::vector<std::string_view>& containers);

}  // namespace cnsched::seldon

#pragma once

#include <string_view>
#include <vector>

namespace cnsched::seldon {

/// Of the containers of a ServerConfig or of a SeldonConfig's component the one that does the work:
/// the only one that is none of Seldon's helpers. Empty if there is no telling.
std::string_view main_container(const std::vector<std::string_view>& containers);

/// Which of `containers` a name that is none of theirs was probably meant for: written in other
/// letters, as other systems call a model server, or like the ServerConfig or component itself,
/// `config`. Empty if it resembles none.
std::string_view meant_container(std::string_view name, std::string_view config,
                                 const std::vector<std::string_view>& containers);

}  // namespace cnsched::seldon

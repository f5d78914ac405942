#include "core/seldon/names.h"

#include <fmt/format.h>

namespace cnsched::seldon {

std::string item_name(std::string_view label, const yaml::Node& item, std::size_t index) {
  const std::string_view name = item["name"].text();
  return name.empty() ? fmt::format("{}[{}]", label, index) : fmt::format("{} {}", label, name);
}

}  // namespace cnsched::seldon

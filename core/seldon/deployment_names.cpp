#include "core/seldon/deployment_names.h"

#include <fmt/format.h>

#include "core/base/md5.h"

namespace cnsched::seldon {

namespace {

std::string fitting(const std::string& name) {
  constexpr std::size_t kLongest = 63;
  return name.size() > kLongest ? "seldon-" + md5_hex(name) : name;
}

}  // namespace

std::string deployment_id(std::string_view seldon_deployment) {
  return fitting(std::string(seldon_deployment));
}

std::string component_deployment(std::string_view seldon_deployment, std::string_view predictor,
                                 std::size_t index, std::string_view metadata_name,
                                 const std::vector<const yaml::Node*>& containers) {
  std::string name = fmt::format("{}-{}-{}-", seldon_deployment, predictor, index);
  if (!metadata_name.empty()) return fitting(name.append(metadata_name));
  for (std::size_t i = 0; i < containers.size(); ++i) {
    if (i > 0) name += '-';
    name += (*containers[i])["name"].text();
  }
  return fitting(name);
}

std::string predictor_name(std::string_view seldon_deployment, std::string_view predictor,
                           std::string_view suffix) {
  return fitting(fmt::format("{}-{}{}", seldon_deployment, predictor, suffix));
}

}  // namespace cnsched::seldon

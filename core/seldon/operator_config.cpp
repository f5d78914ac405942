#include "core/seldon/operator_config.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "core/yaml/tree.h"

namespace cnsched::seldon {

using yaml::Node;

namespace {

std::string path_of_server(std::string_view implementation) {
  return fmt::format("predictor_servers/{}", implementation);
}

/// "registry/b:1" for "registry/a:1"; empty if the repository is not `from`.
std::string beside(std::string_view image, std::string_view from, std::string_view to) {
  const std::size_t tag = image.rfind(':');
  const std::size_t slash = image.rfind('/');
  if (tag == std::string_view::npos || slash == std::string_view::npos || tag < slash) return {};
  if (image.substr(slash + 1, tag - slash - 1) != from) return {};
  return fmt::format("{}/{}{}", image.substr(0, slash), to, image.substr(tag));
}

}  // namespace

bool is_open_inference(std::string_view protocol) {
  return protocol == "v2" || protocol == "kfserving";
}

bool OperatorConfig::has_server(std::string_view implementation) const {
  return config_.has(path_of_server(implementation));
}

const Node& OperatorConfig::image_for(std::string_view implementation,
                                      std::string_view protocol) const {
  const std::string path = fmt::format("{}/protocols/{}", path_of_server(implementation), protocol);
  const Node& image = config_.find(path + "/image", arena_);
  const Node& version = config_.find(path + "/defaultImageVersion", arena_);
  if (image.text().empty()) return yaml::missing_node();
  if (version.text().empty()) return image;
  return yaml::string_like(arena_, image, fmt::format("{}:{}", image.text(), version.text()));
}

const Node& OperatorConfig::server_image(std::string_view implementation,
                                         std::string_view protocol) const {
  const Node& image = image_for(implementation, protocol.empty() ? "seldon" : protocol);
  if (image || !is_open_inference(protocol)) return image;
  return image_for(implementation, protocol == "v2" ? "kfserving" : "v2");
}

const Node& OperatorConfig::explainer_image(std::string_view protocol) const {
  return config_.find(is_open_inference(protocol) ? "explainer/image_v2" : "explainer/image",
                      arena_);
}

const Node& OperatorConfig::initializer_image() const {
  return config_.find("storageInitializer/image", arena_);
}

const Node& OperatorConfig::initializer_resources(const Node& like) const {
  return config_.resources("storageInitializer", like, arena_);
}

const Node& OperatorConfig::orchestrator_image() const {
  constexpr auto kServers = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"SKLEARN_SERVER", "sklearnserver"},
       {"XGBOOST_SERVER", "xgboostserver"},
       {"MLFLOW_SERVER", "mlflowserver"},
       {"TENSORFLOW_SERVER", "tfserving-proxy"}});
  const Node* cause = nullptr;
  std::string found;
  for (const auto& [implementation, repository] : kServers) {
    const Node& server = image_for(implementation, "seldon");
    const std::string image = beside(server.text(), repository, "seldon-core-executor");
    if (image.empty() || (cause != nullptr && image != found)) return yaml::missing_node();
    found = image;
    cause = &server;
  }
  return yaml::string_like(arena_, *cause, found);
}

}  // namespace cnsched::seldon

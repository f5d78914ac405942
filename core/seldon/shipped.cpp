#include "core/seldon/shipped.h"

#include <algorithm>
#include <array>
#include <utility>

namespace cnsched::seldon {

std::vector<std::string_view> shipped_containers(std::string_view server_config) {
  if (server_config != "mlserver" && server_config != "triton") return {};
  return {"rclone", "agent", server_config};
}

std::string_view shipped_component_container(std::string_view component) {
  using Pair = std::pair<std::string_view, std::string_view>;
  constexpr auto kComponents = std::to_array<Pair>({{"seldon-scheduler", "scheduler"},
                                                    {"seldon-pipelinegateway", "pipelinegateway"},
                                                    {"seldon-modelgateway", "modelgateway"},
                                                    {"hodometer", "hodometer"},
                                                    {"seldon-envoy", "envoy"},
                                                    {"seldon-dataflow-engine", "dataflow-engine"}});
  const auto found = std::ranges::find(kComponents, component, &Pair::first);
  return found == kComponents.end() ? std::string_view() : found->second;
}

}  // namespace cnsched::seldon

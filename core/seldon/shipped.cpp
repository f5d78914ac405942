#include "core/seldon/shipped.h"

#include <algorithm>
#include <utility>

namespace cnsched::seldon {

std::vector<std::string_view> shipped_containers(std::string_view server_config) {
  if (std::ranges::find(kShippedServers, server_config) == kShippedServers.end()) return {};
  return {"rclone", "agent", server_config};
}

std::span<const std::string_view> shipped_capabilities(std::string_view server_config) {
  // Apache Spark's is spelled like this.
  static constexpr auto kOfMlserver = std::to_array<std::string_view>(
      {"mlserver", "alibi-detect", "alibi-explain", "huggingface", "lightgbm", "mlflow", "python",
       "sklearn", "spark-mlib", "xgboost"});
  static constexpr auto kOfTriton = std::to_array<std::string_view>(
      {"triton", "dali", "fil", "onnx", "openvino", "python", "pytorch", "tensorflow", "tensorrt"});
  if (server_config == "mlserver") return kOfMlserver;
  if (server_config == "triton") return kOfTriton;
  return {};
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

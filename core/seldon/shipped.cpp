#include "core/seldon/shipped.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"

namespace cnsched::seldon {

namespace {

constexpr auto kMlserver = std::to_array<std::string_view>(
    {"mlserver", "alibi-detect", "alibi-explain", "huggingface", "lightgbm", "mlflow", "python",
     "sklearn", "spark-mlib", "xgboost"});
constexpr auto kTriton = std::to_array<std::string_view>(
    {"triton", "dali", "fil", "onnx", "openvino", "python", "pytorch", "tensorflow", "tensorrt"});

using Pair = std::pair<std::string_view, std::string_view>;

/// Components and their containers.
constexpr auto kComponents = std::to_array<Pair>({{"seldon-scheduler", "scheduler"},
                                                  {"seldon-pipelinegateway", "pipelinegateway"},
                                                  {"seldon-modelgateway", "modelgateway"},
                                                  {"hodometer", "hodometer"},
                                                  {"seldon-envoy", "envoy"},
                                                  {"seldon-dataflow-engine", "dataflow-engine"}});

/// An item of a list in a ServerConfig. An empty `server_config` matches all of them.
struct Item {
  std::string_view server_config;
  std::string_view container;
  std::string_view list;
  std::string_view value;
};

constexpr auto kItems = std::to_array<Item>({{"", "", "volumes", "config-volume"},
                                             {"", "rclone", "volumeMounts", "/mnt/agent"},
                                             {"", "agent", "volumeMounts", "/mnt/agent"},
                                             {"", "agent", "volumeMounts", "/mnt/config"},
                                             {"mlserver", "mlserver", "volumeMounts", "/mnt/agent"},
                                             {"mlserver", "mlserver", "ports", "server-grpc"},
                                             {"mlserver", "mlserver", "ports", "server-http"},
                                             {"triton", "", "volumes", "dshm"},
                                             {"triton", "triton", "volumeMounts", "/mnt/agent"},
                                             {"triton", "triton", "volumeMounts", "/dev/shm"},
                                             {"triton", "triton", "ports", "server-grpc"},
                                             {"triton", "triton", "ports", "server-http"}});

bool is_shipped(std::string_view server_config) {
  return is_one_of(server_config, kShippedServers);
}

}  // namespace

bool is_shipped_item(std::string_view server_config, std::string_view container,
                     std::string_view list, std::string_view value) {
  return is_shipped(server_config) && std::ranges::any_of(kItems, [&](const Item& item) {
           return (item.server_config.empty() || item.server_config == server_config) &&
                  item.container == container && item.list == list && item.value == value;
         });
}

std::string shipped_claim(std::string_view server_config) {
  return is_shipped(server_config) ? std::string(server_config) + "-models" : std::string();
}

std::vector<std::string_view> shipped_containers(std::string_view server_config) {
  if (!is_shipped(server_config)) return {};
  return {"rclone", "agent", server_config};
}

std::span<const std::string_view> shipped_capabilities(std::string_view server_config) {
  if (server_config == "mlserver") return kMlserver;
  if (server_config == "triton") return kTriton;
  return {};
}

bool is_shipped_capability(std::string_view tag) {
  return is_one_of(tag, kMlserver) || is_one_of(tag, kTriton);
}

std::string_view shipped_security(std::string_view field) {
  if (field == "runAsNonRoot") return "true";
  if (field == "runAsUser") return "1000";
  return {};
}

std::vector<std::string_view> shipped_components() {
  std::vector<std::string_view> names;
  for (const Pair& component : kComponents) names.push_back(component.first);
  return names;
}

std::string_view shipped_component_container(std::string_view component) {
  const auto found = std::ranges::find(kComponents, component, &Pair::first);
  return found == kComponents.end() ? std::string_view() : found->second;
}

}  // namespace cnsched::seldon

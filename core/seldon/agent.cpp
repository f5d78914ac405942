#include "core/seldon/agent.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "core/base/text.h"
#include "core/k8s/pod_spec.h"

namespace cnsched::seldon {

namespace {

using yaml::Node;

/// "seldon-agent" of "docker.io/seldonio/seldon-agent:2.10.0".
std::string_view image_name(const Node& container) {
  std::string_view image = container["image"].text();
  image = image.substr(0, image.find('@'));
  const std::size_t slash = image.rfind('/');
  if (slash != std::string_view::npos) image.remove_prefix(slash + 1);
  return image.substr(0, image.find(':'));
}

/// The container with that name, or the first with that image.
const Node& helper_in(const Node& containers, std::string_view name, std::string_view image) {
  const Node& called = k8s::item_named(containers, name);
  if (called) return called;
  const auto has_image = [&](const Node* container) {
    return image_name(*container).find(image) != std::string_view::npos;
  };
  const auto found = std::ranges::find_if(containers.items(), has_image);
  return found == containers.items().end() ? yaml::missing_node() : **found;
}

}  // namespace

std::span<const AgentSetting> agent_settings() {
  static constexpr auto kSettings = std::to_array<AgentSetting>({
      {kCapabilitiesVariable, "capabilities", false},
      {kMemoryVariable, "memory-bytes"},
      {kServerTypeVariable, "server-type", false},
      {kOvercommitVariable, "over-commit-percentage"},
      {"SELDON_MODEL_INFERENCE_LAG_THRESHOLD", "model-inference-lag-threshold"},
      {"SELDON_MODEL_INACTIVE_SECONDS_THRESHOLD", "model-inactive-seconds-threshold"},
      {"SELDON_SCALING_STATS_PERIOD_SECONDS", "scaling-stats-period-seconds"},
      {"SELDON_MAX_LOAD_ELAPSED_TIME_MINUTES", "max-load-elapsed-time-minutes"},
      {"SELDON_MAX_LOAD_RETRY_COUNT", "max-load-retry-count"},
      {"SELDON_UNLOAD_GRACE_PERIOD_SECONDS", "unload-grace-period-seconds"},
  });
  return kSettings;
}

const Node& agent_in(const Node& containers) {
  return helper_in(containers, "agent", "seldon-agent");
}

const Node& rclone_in(const Node& containers) { return helper_in(containers, "rclone", "rclone"); }

const Node& variable_of(const Node& container, std::string_view name) {
  const Node* last = &yaml::missing_node();
  for (const Node* variable : container["env"].items()) {
    if ((*variable)["name"].text() == name) last = variable;
  }
  return *last;
}

bool may_be_set_elsewhere(const Node& container, const AgentSetting& setting) {
  if (!container["envFrom"].is_empty()) return true;
  // The flag may also be inside a shell command.
  const std::string flag = "-" + std::string(setting.flag);
  for (const std::string_view field : {"command", "args"}) {
    for (const Node* word : container[field].items()) {
      if (word->text().find(flag) != std::string_view::npos) return true;
    }
  }
  return false;
}

bool is_server_type(std::string_view type) { return type == "mlserver" || type == "triton"; }

std::vector<std::string_view> tags_in(std::string_view list) {
  std::vector<std::string_view> tags = split(list, ',');
  for (std::string_view& tag : tags) tag = trim(tag);
  return tags;
}

}  // namespace cnsched::seldon

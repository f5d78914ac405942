#include "core/seldon/server_capacity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/quantity.h"
#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/k8s/pod_spec.h"
#include "core/seldon/shipped.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"

namespace cnsched::seldon {

namespace {

using yaml::Node;

/// Above any real server, and small enough that products cannot overflow.
constexpr std::int64_t kMaxMemory = std::int64_t{1} << 47U;
constexpr std::int64_t kMaxPercent = 10'000;

/// A whole number as agents parse it: decimal digits only.
std::optional<std::int64_t> parse_digits(std::string_view text, std::int64_t most) {
  const auto number = whole_number<std::int64_t>(text);
  return number && *number >= 0 && *number <= most ? number : std::nullopt;
}

/// A valid quantity of memory up to kMaxMemory.
std::optional<std::int64_t> bytes_of(std::string_view text) {
  const auto quantity = Quantity::parse(text);
  if (!quantity || quantity->is_negative() || quantity->value() > kMaxMemory) return std::nullopt;
  return quantity->value();
}

/// Nothing if the operator rejects the numbers or one is a placeholder.
std::optional<Scaling> valid_scaling(const Node& spec) {
  for (const std::string_view field : {"replicas", "minReplicas", "maxReplicas"}) {
    if (!spec.under(field).is_empty() && !yaml::integer_of(spec.under(field))) return std::nullopt;
  }
  const Scaling scaling = server_scaling(spec);
  return scaling.error.empty() ? std::optional(scaling) : std::nullopt;
}

/// Reads one Server. If Seldon ships its ServerConfig and no manifest defines it, combines the
/// shipped values with the Server's changes.
class CapacityReader {
 public:
  CapacityReader(const k8s::Object& server, const k8s::PodTemplate& pod,
                 const k8s::ObjectIndex& objects)
      : spec_(server.spec()),
        pod_(pod.pod.node()),
        agent_(agent_in(pod_["containers"])),
        config_(spec_["serverConfig"]) {
    // If a manifest has a ServerConfig of that name, it may be the one in use, or a patch of it.
    shipped_ = pod.bases.empty() && !shipped_containers(config_.text()).empty() &&
               !objects.contains(server.group(), "ServerConfig", std::nullopt, config_.text());
    is_complete_ = !pod.bases.empty() && !agent_["image"].text().empty();
  }

  ServerCapacity read() const {
    ServerCapacity capacity{.replicas = replicas()};
    if (shipped_ || is_complete_) {
      capacity.capabilities = capabilities();
      capacity.memory = memory();
    }
    return capacity;
  }

 private:
  std::optional<std::int64_t> replicas() const {
    const auto scaling = valid_scaling(spec_);
    return scaling ? std::optional(scaling->replicas) : std::nullopt;
  }

  std::optional<Capabilities> capabilities() const {
    const Node& set = variable_of(agent_, kCapabilitiesVariable);
    if (set) {
      const Node& value = set["value"];
      if (value.text().empty() || k8s::is_placeholder(value.text())) return std::nullopt;
      return Capabilities(tags_in(value.text()), value);
    }
    return shipped_ ? modified_shipped() : std::nullopt;
  }

  /// Seldon's shipped list with the changes of the Server's spec.
  std::optional<Capabilities> modified_shipped() const {
    const Node& replacing = spec_["capabilities"];
    const bool replaces = !replacing.items().empty();
    const Node& added = replaces ? replacing : spec_["extraCapabilities"];
    std::vector<std::string_view> tags;
    if (!replaces) {
      const auto shipped = shipped_capabilities(config_.text());
      tags.assign(shipped.begin(), shipped.end());
    }
    for (const Node* item : added.items()) {
      if (k8s::is_placeholder(item->text())) return std::nullopt;
      std::ranges::copy(tags_in(item->text()), std::back_inserter(tags));
    }
    return Capabilities(std::move(tags), added.items().empty() ? config_ : added, !replaces);
  }

  std::optional<ServerMemory> memory() const {
    ServerMemory memory;
    const Node& set = variable_of(agent_, kMemoryVariable);
    const auto request = set ? request_from_variable(set, memory) : shipped_request(memory);
    const auto percent = overcommit(memory);
    if (!request || !percent) return std::nullopt;
    memory.request = *request;
    memory.percent = *percent;
    return memory;
  }

  std::optional<std::int64_t> request_from_variable(const Node& set, ServerMemory& memory) const {
    const Node& from = set["valueFrom"]["resourceFieldRef"];
    if (!from) {
      memory.written = &set["value"];
      return parse_digits(set["value"].text(), kMaxMemory);
    }
    const Node& divisor = from["divisor"];
    const bool whole_bytes = divisor.is_empty() || divisor.text() == "0" || divisor.text() == "1";
    if (from["resource"].text() != "requests.memory" || !whole_bytes) return std::nullopt;
    return request_of(from["containerName"].text(), memory);
  }

  /// Without a request, the API server copies the container's limit.
  std::optional<std::int64_t> request_of(std::string_view container, ServerMemory& memory) const {
    const Node& resources = k8s::item_named(pod_["containers"], container)["resources"];
    const Node& requested = resources["requests"]["memory"];
    memory.written = requested ? &requested : &resources["limits"]["memory"];
    memory.container = container;
    return bytes_of(memory.written->text());
  }

  /// The Server's requests and limits override Seldon's individually.
  std::optional<std::int64_t> shipped_request(ServerMemory& memory) const {
    if (!shipped_) return std::nullopt;
    memory.container = config_.text();
    const Node& container = k8s::item_named(pod_["containers"], memory.container);
    const Node& requested = container["resources"]["requests"]["memory"];
    if (requested.is_missing()) return bytes_of(kShippedMemory);
    memory.written = &requested;
    return bytes_of(requested.text());
  }

  std::optional<std::int64_t> overcommit(ServerMemory& memory) const {
    const Node& set = variable_of(agent_, kOvercommitVariable);
    if (!set) return shipped_ ? kShippedOvercommit : 0;
    if (set["valueFrom"]) return std::nullopt;
    memory.percent_written = &set["value"];
    const std::string_view text = set["value"].text();
    return text.empty() ? std::optional<std::int64_t>(0) : parse_digits(text, kMaxPercent);
  }

  const Node& spec_;
  const Node& pod_;
  const Node& agent_;
  const Node& config_;  ///< its name
  bool shipped_ = false;
  bool is_complete_ = false;
};

/// Limits long texts that aliases repeat; no server has as many capabilities.
constexpr std::size_t kLongestList = 100'000;

std::string joined(const Node& list) {
  std::string text;
  for (std::size_t i = 0; i < list.items().size() && text.size() < kLongestList; ++i) {
    if (i > 0) text += ',';
    text += list.items()[i]->text().substr(0, kLongestList);
  }
  return text;
}

/// Rewrites the variable. The total length of new values is limited.
class Rewriter {
 public:
  Rewriter(Arena& arena, const Node& replacing, const Node& extra)
      : arena_(arena),
        source_(replacing.items().empty() ? extra : replacing),
        extends_(replacing.items().empty()),
        text_(joined(source_)),
        whole_(yaml::string_like(arena, source_, text_)) {}

  const Node& containers(const Node& list) {
    std::vector<const Node*> changed;
    for (const Node* container : list.items()) changed.push_back(&this->container(*container));
    return yaml::sequence_like(arena_, list, changed);
  }

 private:
  const Node& container(const Node& node) {
    const Node& list = node["env"];
    std::vector<const Node*> changed;
    bool any = false;
    for (const Node* variable : list.items()) {
      const Node& now = this->variable(*variable);
      any = any || &now != variable;
      changed.push_back(&now);
    }
    return any ? yaml::with(arena_, node, "env"_key, yaml::sequence_like(arena_, list, changed))
               : node;
  }

  /// Like the operator, drops valueFrom.
  const Node& variable(const Node& node) {
    const Node& name = node["name"];
    if (name.text() != kCapabilitiesVariable) return node;
    return yaml::mapping_like(arena_, node,
                              {yaml::entry_of(arena_, "name"_key, name),
                               yaml::entry_of(arena_, "value"_key, value(node["value"].text()))});
  }

  const Node& value(std::string_view before) {
    if (!extends_ || before.size() + text_.size() > remaining_) return whole_;
    remaining_ -= before.size() + text_.size();
    return yaml::string_like(arena_, source_, std::string(before) + "," + text_);
  }

  Arena& arena_;
  const Node& source_;
  bool extends_;
  std::string text_;
  const Node& whole_;
  std::size_t remaining_ = 10 * kLongestList;
};

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

std::int64_t ServerMemory::available() const { return request * (100 + percent) / 100; }

ServerCapacity capacity_of(const k8s::Object& server, const k8s::PodTemplate& pod,
                           const k8s::ObjectIndex& objects) {
  return CapacityReader(server, pod, objects).read();
}

Scaling server_scaling(const Node& spec) {
  const auto written = yaml::integer_of(spec["replicas"]);
  const std::int64_t least = yaml::integer_of(spec["minReplicas"]).value_or(0);
  const std::int64_t most = yaml::integer_of(spec["maxReplicas"]).value_or(0);
  const std::int64_t replicas = written.value_or(least > 0 ? least : 1);
  const auto invalid = [&](const std::string& why) {
    return Scaling{replicas, "scaling spec is invalid: " + why};
  };
  if (least > 0 && replicas < least) {
    return invalid(
        fmt::format("number of replicas {} must be >= min replicas {}", replicas, least));
  }
  if (least > 0 && most > 0 && least > most) {
    return invalid(
        fmt::format("min number of replicas {} must be <= max number of replicas {}", least, most));
  }
  if (most > 0 && replicas > most) {
    return invalid(fmt::format("number of replicas {} must be <= max replicas {}", replicas, most));
  }
  return {replicas, {}};
}

const Node& with_capabilities(Arena& arena, const Node& containers, const Node& server_spec) {
  const Node& replacing = server_spec["capabilities"];
  const Node& extra = server_spec["extraCapabilities"];
  if (containers.items().empty() || (replacing.items().empty() && extra.items().empty())) {
    return containers;
  }
  return Rewriter(arena, replacing, extra).containers(containers);
}

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
    for (const Node* word : container.under(field).items()) {
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

std::vector<RequiredTag> required_tags(const yaml::Node& model_spec) {
  std::vector<RequiredTag> tags;
  const auto add = [&](const yaml::Node& node, RequiredTag::From from) {
    if (node.is_scalar()) tags.push_back({trim(node.text()), &node, from});
  };
  for (const yaml::Node* item : model_spec["requirements"].items()) {
    add(*item, RequiredTag::From::requirements);
  }
  add(model_spec["modelType"], RequiredTag::From::model_type);
  const yaml::Node& explainer = model_spec["explainer"];
  if (explainer.is_mapping()) {
    tags.push_back({kExplainerTag, &explainer, RequiredTag::From::explainer});
  }
  return tags;
}

bool can_be_capability(std::string_view tag) {
  return !tag.empty() && tag.find(',') == std::string_view::npos;
}

const yaml::Node& pin_of(const yaml::Node& model_spec) {
  const yaml::Node& server = model_spec["server"];
  return server.is_scalar() ? server : yaml::missing_node();
}

std::optional<ReplicasNeeded> replicas_needed(const yaml::Node& spec) {
  const auto scaling = valid_scaling(spec);
  if (!scaling) return std::nullopt;
  const std::int64_t least = yaml::integer_of(spec["minReplicas"]).value_or(0);
  return least > 0 ? ReplicasNeeded{least, &spec["minReplicas"]}
                   : ReplicasNeeded{scaling->replicas, &spec["replicas"]};
}

}  // namespace cnsched::seldon

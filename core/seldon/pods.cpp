#include "core/seldon/pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/yaml/tree.h"

namespace cnsched::seldon {

std::vector<k8s::PodTemplate> pod_templates(const k8s::Object& object, const k8s::Objects& objects,
                                            const k8s::ControllerConfig& config, Arena& arena) {
  if (object.is("machinelearning.seldon.io", "SeldonDeployment")) {
    return seldon_deployment_pods(object, config, arena);
  }
  if (object.group() != "mlops.seldon.io") return {};
  if (object.kind == "SeldonConfig") return seldon_config_fragments(object);
  if (object.kind == "SeldonRuntime") return seldon_runtime_pods(object, objects, arena);
  if (object.kind == "Server") return server_pods(object, objects, arena);
  const yaml::Node& spec = object.spec()["podSpec"];
  if (object.kind != "ServerConfig" || !spec.is_mapping()) return {};
  return {k8s::pod_fragment("", spec, spec)};
}

namespace {

using yaml::Entry;
using yaml::Node;

bool is_bookkeeping(std::string_view key) {
  constexpr auto kKeys = std::to_array<std::string_view>(
      {"meta.helm.sh/release-name", "meta.helm.sh/release-namespace",
       "kubectl.kubernetes.io/last-applied-configuration"});
  return std::ranges::find(kKeys, key) != kKeys.end();
}

}  // namespace

void MetadataMap::add_without_bookkeeping(const Node& mapping) {
  for (const Entry& entry : mapping.entries()) {
    if (!entry.overridden && !is_bookkeeping(entry.key->text())) all_.add(entry);
  }
}

void MetadataMap::set(yaml::Key key, const Node& value) {
  if (value) all_.add(key, value);
}

void MetadataMap::set(yaml::Key key, std::string_view value, const Node& like) {
  set(key, yaml::string_like(arena_, like, value));
}

void MetadataMap::set_constant(yaml::Key key, std::string_view value) {
  set(key, value, yaml::nowhere());
}

std::string item_name(std::string_view label, const yaml::Node& item, std::size_t index) {
  const std::string_view name = item["name"].text();
  return name.empty() ? fmt::format("{}[{}]", label, index) : fmt::format("{} {}", label, name);
}

namespace {

/// Whether `name`, in lower case, is the container's name or a common variant of it.
bool is_variant_of(std::string_view name, std::string_view container) {
  const std::string base = lower(container);
  if (!name.starts_with(base)) return false;
  const std::string_view rest = name.substr(base.size());
  return rest.empty() || rest == "-container" || rest == "-server" || rest == "server";
}

/// Whether `name`, in lower case, is a usual name of a model server in other tools.
bool is_model_server(std::string_view name) {
  constexpr auto kGenericNames =
      std::to_array<std::string_view>({"container", "inference-server", "kserve-container", "main",
                                       "model", "model-server", "server"});
  return std::ranges::find(kGenericNames, name) != kGenericNames.end() ||
         is_variant_of(name, "mlserver") || is_variant_of(name, "triton");
}

}  // namespace

std::string_view main_container(const std::vector<std::string_view>& containers) {
  std::string_view main;
  for (const std::string_view name : containers) {
    if (name == "agent" || name == "rclone") continue;
    if (!main.empty()) return {};
    main = name;
  }
  return main;
}

std::string_view intended_container(std::string_view name, std::string_view config,
                                    const std::vector<std::string_view>& containers) {
  constexpr std::size_t kMaxContainers = 100;  // no real manifest has more
  if (containers.size() > kMaxContainers) return {};
  const std::string folded = lower(name);
  const auto found = std::ranges::find_if(
      containers, [&](std::string_view container) { return is_variant_of(folded, container); });
  if (found != containers.end()) return *found;
  if (is_model_server(folded) || folded == lower(config)) return main_container(containers);
  return nearest(name, containers).value_or(std::string_view());
}

}  // namespace cnsched::seldon

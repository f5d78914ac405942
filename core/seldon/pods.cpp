#include "core/seldon/pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/seldon/pod_merge.h"
#include "core/seldon/server_capacity.h"
#include "core/seldon/shipped.h"
#include "core/yaml/tree.h"

namespace cnsched::seldon {

std::vector<k8s::PodTemplate> pod_templates(const k8s::Object& object,
                                            const k8s::ObjectIndex& objects,
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
  return is_one_of(key, {"meta.helm.sh/release-name", "meta.helm.sh/release-namespace",
                         "kubectl.kubernetes.io/last-applied-configuration"});
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
  return is_one_of(name, {"container", "inference-server", "kserve-container", "main", "model",
                          "model-server", "server"}) ||
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

namespace {

using k8s::Object;
using yaml::Node;

/// Whether the ServerConfig is one that Seldon ships. Those set no placement and request no
/// accelerators.
bool runs_shipped_containers(std::string_view config) {
  return !shipped_containers(config).empty();
}

/// One Server and its ServerConfig, if known.
class ServerPod {
 public:
  ServerPod(const Object& server, const Object* config, Arena& arena)
      : server_(server), spec_(server.spec()), config_(config), arena_(arena) {}

  k8s::PodTemplate make() const {
    const Node& own = spec_["podSpec"];
    k8s::PodTemplate pod = k8s::plain_pod("", pod_spec(), own.is_mapping() ? own : spec_);
    pod.own = k8s::PodSpec(own);
    pod.name = server_.name;
    pod.labels = &labels();
    pod.annotations = &metadata("annotations").result();
    pod.claim_templates = &config_spec()["volumeClaimTemplates"];
    add_config(pod);
    const Scaling scaling = server_scaling(spec_);
    pod.replicas = scaling.replicas;
    if (!pod.never_created && !scaling.error.empty()) {
      pod.never_created =
          k8s::NeverCreated{scaling.error, k8s::NeverCreated::By::controller, &spec_["replicas"]};
    }
    return pod;
  }

 private:
  const Node& pod_spec() const {
    const Node& config = stored_config(arena_, config_spec()["podSpec"]);
    const Node& merged = merge_pod_specs(arena_, config, stored_override(arena_, spec_["podSpec"]));
    const Node& containers = merged["containers"];
    const Node& capable = with_capabilities(arena_, containers, spec_);
    const Node& complete =
        &capable == &containers ? merged : yaml::with(arena_, merged, "containers"_key, capable);
    return with_claims(arena_, complete, config_spec()["volumeClaimTemplates"], server_.name);
  }

  const Node& labels() const {
    MetadataMap labels = metadata("labels");
    const Node& name = server_["metadata"]["name"];
    labels.set_constant("app.kubernetes.io/name"_key, "seldon-server");
    labels.set("seldon-server-name"_key, name);
    if (name) set_identity(labels, name);
    return labels.result();
  }

  /// Labels or annotations of both objects.
  MetadataMap metadata(std::string_view field) const {
    MetadataMap all(arena_);
    if (config_ != nullptr) all.add_without_bookkeeping((*config_)["metadata"].under(field));
    all.add_without_bookkeeping(server_["metadata"].under(field));
    return all;
  }

  void add_config(k8s::PodTemplate& pod) const {
    const std::string_view name = spec_["serverConfig"].text();
    if (config_ != nullptr) {
      pod.bases.push_back({config_, k8s::PodSpec(config_spec()["podSpec"])});
    } else if (name.empty()) {
      pod.never_created = k8s::NeverCreated{"'serverConfig' is missing"};
    } else {
      pod.unknown.push_back(
          {fmt::format("ServerConfig '{}'", name),
           runs_shipped_containers(name) ? k8s::Unknown::Kind::chosen : k8s::Unknown::Kind::named});
    }
  }

  const Node& config_spec() const {
    return config_ == nullptr ? yaml::missing_node() : config_->spec();
  }

  const Object& server_;
  const Node& spec_;
  const Object* config_;
  Arena& arena_;
};

}  // namespace

std::vector<k8s::PodTemplate> server_pods(const Object& server, const k8s::ObjectIndex& objects,
                                          Arena& arena) {
  const std::string_view name = server.spec()["serverConfig"].text();
  // The operator searches its own namespace, which no manifest states.
  const Object* config =
      name.empty() ? nullptr
                   : objects.find(server.group(), "ServerConfig", std::nullopt, name, server);
  return {ServerPod(server, config, arena).make()};
}

}  // namespace cnsched::seldon

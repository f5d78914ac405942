#include "core/seldon/pods.h"

#include <fmt/format.h>

#include "core/seldon/pod_merge.h"
#include "core/seldon/server_capacity.h"
#include "core/seldon/shipped.h"
#include "core/yaml/tree.h"

namespace cnsched::seldon {

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
    if (config_ != nullptr) all.add_without_bookkeeping((*config_)["metadata"][field]);
    all.add_without_bookkeeping(server_["metadata"][field]);
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

std::vector<k8s::PodTemplate> server_pods(const Object& server, const k8s::Objects& objects,
                                          Arena& arena) {
  const std::string_view name = server.spec()["serverConfig"].text();
  // The operator searches its own namespace, which no manifest states.
  const Object* config =
      name.empty() ? nullptr
                   : objects.find(server.group(), "ServerConfig", std::nullopt, name, server);
  return {ServerPod(server, config, arena).make()};
}

}  // namespace cnsched::seldon

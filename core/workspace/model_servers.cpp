#include "core/workspace/model_servers.h"

#include <algorithm>
#include <tuple>

#include "core/accelerators/resource_name.h"
#include "core/seldon/shipped.h"

namespace cnsched {

namespace {

constexpr std::string_view kGroup = "mlops.seldon.io";

/// A ServerConfig that the run does not hold may bring a device.
Truth reaches_device(const Workload& workload) {
  const k8s::PodSpec& pod = workload.pod;
  return truth_of(!pod["resourceClaims"].is_empty() ||
                  std::ranges::any_of(pod.containers(), accelerators::has_device_access)) |
         (workload.is_incomplete() ? Truth::unknown : Truth::no);
}

}  // namespace

bool ModelServer::can_run(std::span<const seldon::RequiredTag> tags) const {
  return capacity.capabilities && std::ranges::all_of(tags, [&](const seldon::RequiredTag& t) {
           return capacity.capabilities->contains(t.tag);
         });
}

ModelServers::ModelServers(const ClusterScope& scope) {
  for (const k8s::Object& object : scope.objects()) {
    if (!object.is(kGroup, "Server")) continue;
    ModelServer server{.object = &object};
    for (const Workload* pod : scope.workloads_of(object)) {
      server.capacity = seldon::capacity_of(object, *pod, scope.index());
      server.has_device = reaches_device(*pod);
    }
    servers_.push_back(std::move(server));
  }
  // By name, so that findings do not depend on the order of the files.
  std::ranges::sort(servers_, {}, [&](const ModelServer& server) {
    const Span where = server.object->root->span;
    return std::tuple(server.name(), std::string_view(scope.file_of(where).path()), where.begin);
  });
  for (const ModelServer& server : servers_) {
    by_namespace_[server.object->ns.name].push_back(&server);
  }
}

ModelServers::List ModelServers::visible_to(const k8s::Namespace& ns) const {
  constexpr std::size_t kMaxServers = 300;
  List seen;
  if (!ns.is_known()) {
    if (servers_.size() > kMaxServers) return {};
    for (const ModelServer& server : servers_) seen.push_back(&server);
    return seen;
  }
  for (const std::string_view of : {ns.name, std::string_view()}) {
    const auto found = by_namespace_.find(of);
    if (found == by_namespace_.end()) continue;
    if (seen.size() + found->second.size() > kMaxServers) return {};
    seen.insert(seen.end(), found->second.begin(), found->second.end());
  }
  std::ranges::sort(seen);  // their positions in the list of all
  return seen;
}

const ModelServer* ModelServers::first_named(std::string_view name) const {
  const auto found = std::ranges::lower_bound(servers_, name, {}, &ModelServer::name);
  return found != servers_.end() && found->name() == name ? &*found : nullptr;
}

bool can_run_on_shipped(std::span<const seldon::RequiredTag> tags, const ModelServers::List& seen) {
  return std::ranges::any_of(seldon::kShippedServers, [&](std::string_view name) {
    if (std::ranges::find(seen, name, &ModelServer::name) != seen.end()) return false;
    const auto offered = seldon::shipped_capabilities(name);
    return std::ranges::all_of(tags, [&](const seldon::RequiredTag& t) {
      return std::ranges::find(offered, t.tag) != offered.end();
    });
  });
}

std::vector<const k8s::Object*> linted_models(const ClusterScope& scope) {
  std::vector<const k8s::Object*> models;
  for (const k8s::Object& object : scope.objects()) {
    if (object.is(kGroup, "Model") && scope.is_linted(object)) models.push_back(&object);
  }
  return models;
}

}  // namespace cnsched

#include "core/sim/model_loading.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/quantity.h"
#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/seldon/server_capacity.h"

namespace cnsched::sim {

namespace {

/// The requirements of a Model on its Server.
struct ModelRequirements {
  explicit ModelRequirements(const yaml::Node& spec)
      : tags(seldon::required_tags(spec)), pin(&seldon::pin_of(spec)) {
    const auto quantity = Quantity::parse(spec["memory"].text());
    if (spec["memory"].is_scalar() && quantity) memory = quantity->value();
    memory_text = spec["memory"].text();
    if (const auto needed = seldon::replicas_needed(spec)) replicas = needed->count;
  }

  std::vector<seldon::RequiredTag> tags;
  const yaml::Node* pin;
  std::optional<std::int64_t> memory;
  std::string_view memory_text;
  std::optional<std::int64_t> replicas;
};

/// Compares what a Model requires with what a Server has.
class ServerFilter {
 public:
  ServerFilter(const ModelRequirements& required, const ModelServer& server)
      : required_(required), result_{&server} {}

  ServerVerdict result() && {
    if (*required_.pin && required_.pin->text() != result_.server->name()) {
      reject(fmt::format("the Model is pinned to Server '{}'", printable(required_.pin->text())));
    }
    tags();
    memory();
    replicas();
    return std::move(result_);
  }

 private:
  void reject(std::string reason) {
    result_.verdict = Truth::no;
    result_.reasons.push_back(std::move(reason));
  }
  void reject_perhaps(std::string reason) {
    result_.verdict &= Truth::unknown;
    result_.reasons.push_back(std::move(reason));
  }

  void tags() {
    const seldon::ServerCapacity& capacity = result_.server->capacity;
    if (!capacity.capabilities) {
      if (!required_.tags.empty()) reject_perhaps("its capabilities are unknown");
      return;
    }
    for (const seldon::RequiredTag& tag : required_.tags) {
      if (capacity.capabilities->contains(tag.tag)) continue;
      const std::string lack = fmt::format("has no capability '{}'", printable(tag.tag));
      // The ServerConfig of the cluster may have more capabilities.
      if (capacity.capabilities->shipped) {
        reject_perhaps(lack + " in the ServerConfig that Seldon ships");
      } else {
        reject(lack);
      }
    }
  }

  void memory() {
    const auto& offered = result_.server->capacity.memory;
    if (!required_.memory) return;
    if (!offered) return reject_perhaps("its memory is unknown");
    if (*required_.memory <= offered->available()) return;
    reject(fmt::format("has {} of memory, the Model requires {}",
                       k8s::shown_memory_like(required_.memory_text, offered->available()),
                       printable(required_.memory_text)));
  }

  void replicas() {
    const auto& offered = result_.server->capacity.replicas;
    if (!required_.replicas || !offered || *required_.replicas <= *offered) return;
    reject(fmt::format(
        "has {}, the Model requires {}",
        count_of(static_cast<std::size_t>(std::max<std::int64_t>(*offered, 0)), "replica"),
        *required_.replicas));
  }

  const ModelRequirements& required_;
  ServerVerdict result_;
};

}  // namespace

std::size_t LoadedModel::feasible() const {
  return static_cast<std::size_t>(std::ranges::count(servers, Truth::yes, &ServerVerdict::verdict));
}

bool LoadedModel::fits_nowhere() const {
  return !servers.empty() && !may_be_shipped &&
         std::ranges::all_of(
             servers, [](const ServerVerdict& server) { return server.verdict == Truth::no; });
}

ModelLoading::ModelLoading(const Workspace& workspace) {
  for (const ClusterScope& scope : workspace.scopes()) add(scope);
}

void ModelLoading::add(const ClusterScope& scope) {
  const ModelServers& servers = servers_.emplace_back(scope);
  for (const k8s::Object* object : linted_models(scope)) {
    const ModelRequirements required(object->spec());
    const ModelServers::List seen = servers.visible_to(object->ns);
    LoadedModel model{.scope = &scope, .object = object};
    for (const ModelServer* server : seen) {
      model.servers.push_back(ServerFilter(required, *server).result());
    }
    model.may_be_shipped = !*required.pin && can_run_on_shipped(required.tags, seen);
    models_.push_back(std::move(model));
  }
}

}  // namespace cnsched::sim

#pragma once

#include <algorithm>
#include <vector>

#include "core/k8s/label.h"
#include "core/workspace/model_servers.h"
#include "rules/findings.h"

namespace cnsched::rules {

/// A Model, and the Servers that it may be loaded on by its namespace and its pin.
struct Candidates {
  Candidates(const k8s::Object& of, const ModelServers& all_servers)
      : model(of),
        all(all_servers),
        spec(of.spec()),
        tags(seldon::required_tags(spec)),
        pin(seldon::pin_of(spec)),
        seen(all_servers.visible_to(of.ns)),
        servers(seen) {
    if (pin) {
      std::erase_if(servers, [&](const ModelServer* s) { return s->name() != pin.text(); });
    }
  }

  /// Whether the files show a Server in the Model's namespace: a run without any does not hold
  /// them.
  bool has_server() const {
    return std::ranges::any_of(
        seen, [&](const ModelServer* server) { return server->object->ns.meets(model.ns); });
  }
  /// Whether the capabilities of all Servers are known.
  bool are_known() const {
    if (pin && k8s::is_placeholder(pin.text())) return false;
    return !servers.empty() && has_server() &&
           std::ranges::all_of(servers, [](const ModelServer* server) {
             return server->capacity.capabilities.has_value();
           });
  }
  /// Whether a Server that Seldon installs, and that no file has, may run the Model.
  bool include_shipped(std::span<const seldon::RequiredTag> required) const {
    return !pin && can_run_on_shipped(required, seen);
  }

  const k8s::Object& model;
  const ModelServers& all;
  const yaml::Node& spec;  ///< the Model's
  std::vector<seldon::RequiredTag> tags;
  const yaml::Node& pin;
  ModelServers::List seen;     ///< that may be in its namespace
  ModelServers::List servers;  ///< those that it may be loaded on
};

/// Calls `check` for each Model of the linted files.
template <typename Check>
void check_models(const ClusterScope& scope, Findings& findings, Check check) {
  const ModelServers servers(scope);
  for (const k8s::Object* model : linted_models(scope)) {
    findings.set_subject(model);
    check(Candidates(*model, servers), findings);
  }
}

/// The name of the Server in its manifest.
inline const yaml::Node& name_of(const ModelServer& server) {
  return (*server.object)["metadata"]["name"];
}

}  // namespace cnsched::rules

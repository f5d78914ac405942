#pragma once

#include <algorithm>
#include <vector>

#include "core/k8s/label.h"
#include "core/workloads/model_servers.h"
#include "rules/engine/report.h"

namespace cnsched::rules {

/// A Model, and the Servers of the run that its namespace, and its pin if it has one, leave it.
struct Candidates {
  Candidates(const k8s::Object& of, const ModelServers& of_run)
      : model(of),
        all(of_run),
        spec(of.spec()),
        tags(seldon::required_tags(spec)),
        pin(seldon::pin_of(spec)),
        seen(of_run.seen_from(of.ns)),
        servers(seen) {
    if (pin) {
      std::erase_if(servers, [&](const ModelServer* s) { return s->name() != pin.text(); });
    }
  }

  /// What all of them offer is known, and the Servers that Seldon brings along do not matter.
  bool are_known() const {
    if (pin && k8s::is_placeholder(pin.text())) return false;
    return !servers.empty() && std::ranges::all_of(servers, [](const ModelServer* server) {
      return server->offer.capabilities.has_value();
    });
  }
  /// Whether a Server that no manifest shows may run the Model.
  bool include_shipped(std::span<const seldon::RequiredTag> required) const {
    return !pin && can_run_on_shipped(required, seen);
  }

  const k8s::Object& model;
  const ModelServers& all;
  const yaml::Node& spec;  ///< the Model's
  std::vector<seldon::RequiredTag> tags;
  const yaml::Node& pin;
  ModelServers::List seen;     ///< from its namespace
  ModelServers::List servers;  ///< of those the ones that it may be loaded on
};

/// Looks at each Model of the run that is linted.
template <typename Check>
void check_models(const Workspace& run, Report& report, Check check) {
  const ModelServers servers(run);
  for (const k8s::Object* model : linted_models(run)) {
    report.set_subject(model);
    check(Candidates(*model, servers), report);
  }
}

/// Where a manifest names the Server.
inline const yaml::Node& name_of(const ModelServer& server) {
  return (*server.object)["metadata"]["name"];
}

}  // namespace cnsched::rules

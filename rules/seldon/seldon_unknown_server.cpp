#include <algorithm>
#include <set>
#include <vector>

#include "core/base/suggest.h"
#include "core/seldon/shipped.h"
#include "rules/rule.h"
#include "rules/seldon/candidates.h"
#include "rules/seldon/first_names.h"

namespace cnsched::rules {

static void check(const Workspace& run, Report& report);

extern constinit const Rule seldon_seldon_unknown_server = {
    .id = "seldon-unknown-server",
    .severity = Severity::error,
    .depends_on_run = true,
    .summary = "a Model pinned to a Server that does not exist",
    .why =
        "The Model stays at ScheduleFailed, 'Failed to schedule model as no matching servers are "
        "available', the same words as for an unmet requirement: spec.server ties it to the "
        "Server of exactly that name in its own namespace, and Seldon never loads it on another "
        "one, nor on one with 0 replicas. An empty name, as templates write it, is a pin as "
        "well.\n\n"
        "It is reported if the linted files and those given by --cluster hold a Server of the "
        "namespace, and as a warning if they hold that Server in another namespace only. The "
        "Servers mlserver and triton come with Seldon and are taken to exist.",
    .bad = R"(
apiVersion: mlops.seldon.io/v1alpha1
kind: Server
metadata: {name: mlserver-large}
spec:
  serverConfig: mlserver
---
apiVersion: mlops.seldon.io/v1alpha1
kind: Model
metadata: {name: iris}
spec:
  storageUri: gs://seldon-models/mlserver/iris
  requirements: [sklearn]
  server: mlserver-lage
)",
    .good = R"(
apiVersion: mlops.seldon.io/v1alpha1
kind: Server
metadata: {name: mlserver-large}
spec:
  serverConfig: mlserver
---
apiVersion: mlops.seldon.io/v1alpha1
kind: Model
metadata: {name: iris}
spec:
  storageUri: gs://seldon-models/mlserver/iris
  requirements: [sklearn]
  server: mlserver-large
)",
    .source =
        "https://github.com/SeldonIO/seldon-core/blob/v2/scheduler/pkg/scheduler/filters/"
        "sharing.go",
    .check = check,
    .fix = Safety::unsafe,
};

static bool is_off(const ModelServer* server) { return server->offer.replicas == 0; }

static void report_off(const Candidates& candidates, Report& report) {
  const ModelServer& server = *candidates.servers.front();
  auto finding =
      report.add(candidates.pin,
                 "the Model is pinned to Server '{}', which has 0 replicas: the Model stays at "
                 "ScheduleFailed",
                 server.name());
  const yaml::Node& replicas = server.object->spec()["replicas"];
  finding.note(replicas ? replicas : name_of(server), "it is switched off here")
      .help("give the Server a replica, or remove 'server' from the Model");
}

static void report_elsewhere(const Candidates& candidates, const ModelServer& server,
                             Report& report) {
  const std::string_view theirs = server.object->ns;
  auto finding =
      candidates.seen.empty()
          ? report.add(candidates.pin,
                       "Server '{}' is in namespace '{}': unless '{}' has one of that name too, "
                       "the Model stays at ScheduleFailed",
                       server.name(), theirs, candidates.model.ns)
          : report.add(candidates.pin,
                       "Server '{}' is in namespace '{}', and a Model sees only those of its own, "
                       "'{}': the Model stays at ScheduleFailed",
                       server.name(), theirs, candidates.model.ns);
  if (candidates.seen.empty()) finding.severity(Severity::warning);
  finding.note((*server.object)["metadata"]["namespace"], "the Server is here")
      .help("put both into one namespace, or pin the Model to a Server of '{}'",
            candidates.model.ns);
}

static void report_absent(const Candidates& candidates, Report& report) {
  constexpr std::size_t kMost = 100;  // no manifests for people have more
  std::set<std::string_view> names(seldon::kShippedServers.begin(), seldon::kShippedServers.end());
  for (const ModelServer* server : candidates.seen) {
    if (names.size() < kMost) names.insert(server->name());
  }
  auto finding =
      report.add(candidates.pin,
                 "the Model is pinned to Server '{}', which its namespace does not have: the Model "
                 "stays at ScheduleFailed",
                 candidates.pin.text());
  const std::vector<std::string_view> known(names.begin(), names.end());
  if (const auto like = nearest(candidates.pin.text(), known)) {
    finding.help("did you mean '{}'?", *like);
    if (surely_meant(candidates.pin.text(), known)) {
      finding.fix(Safety::unsafe, fmt::format("write '{}'", *like),
                  {yaml::to_set(candidates.pin, report.make_string(*like))});
    }
  } else {
    std::vector<std::string_view> held;
    for (const ModelServer* server : candidates.seen) held.push_back(server->name());
    held.erase(std::unique(held.begin(), held.end()), held.end());
    finding.help(
        "name an existing Server ({}), or remove 'server' and let the requirements choose; if the "
        "cluster has this one, pass it with --cluster",
        first_names(held, 3));
  }
}

static void check_model(const Candidates& candidates, Report& report) {
  if (!candidates.pin || k8s::is_placeholder(candidates.pin.text())) return;
  const std::string_view name = candidates.pin.text();
  if (name.empty()) {
    report
        .add(candidates.pin,
             "an empty name pins the Model to a Server that cannot exist: the Model stays at "
             "ScheduleFailed")
        .help("remove 'server'")
        .fix(Safety::unsafe, "remove 'server'", {yaml::to_erase(candidates.pin)});
    return;
  }
  if (!candidates.servers.empty()) {
    if (std::ranges::all_of(candidates.servers, is_off)) report_off(candidates, report);
    return;
  }
  if (std::ranges::find(seldon::kShippedServers, name) != seldon::kShippedServers.end()) return;
  if (const ModelServer* other = candidates.all.first_called(name)) {
    const bool apart = !may_share_namespace(other->object->ns, candidates.model.ns);
    if (apart) report_elsewhere(candidates, *other, report);
  } else if (!candidates.seen.empty()) {
    report_absent(candidates, report);
  }
}

static void check(const Workspace& run, Report& report) { check_models(run, report, check_model); }

}  // namespace cnsched::rules

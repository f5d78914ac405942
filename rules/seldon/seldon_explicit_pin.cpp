// A pin often selects a Server with a device, or without one. It is reported only if another Server
// is equivalent in everything that the Model requires.
#include <algorithm>

#include "rules/rule.h"
#include "rules/seldon/candidates.h"

namespace cnsched::rules {

static void check(const ClusterScope& scope, Report& report);

extern constinit const Rule seldon_seldon_explicit_pin = {
    .id = "seldon-explicit-pin",
    .severity = Severity::info,
    .summary = "a Model that is pinned to a Server although another Server is equivalent",
    .why =
        "If the pinned Server is full, restarting or scaled to 0, the Model stays at "
        "ScheduleFailed, because Seldon does not try another Server. Without spec.server Seldon "
        "loads the Model on any Server of the namespace that has the required capabilities.",
    .limits =
        "The rule reports only a Model with requirements, and only if the linted files and the "
        "--cluster files have another Server that meets them all. A pin that keeps a Model on a "
        "Server with accelerators, or away from one, is not reported. The rule reports nothing if "
        "the capabilities of the pinned Server are unknown.",
    .bad = R"(
apiVersion: mlops.seldon.io/v1alpha1
kind: Server
metadata: {name: first}
spec:
  serverConfig: mlserver
---
apiVersion: mlops.seldon.io/v1alpha1
kind: Server
metadata: {name: second}
spec:
  serverConfig: mlserver
---
apiVersion: mlops.seldon.io/v1alpha1
kind: Model
metadata: {name: iris}
spec:
  storageUri: gs://seldon-models/mlserver/iris
  requirements: [sklearn]
  server: first
)",
    .good = R"(
apiVersion: mlops.seldon.io/v1alpha1
kind: Server
metadata: {name: first}
spec:
  serverConfig: mlserver
---
apiVersion: mlops.seldon.io/v1alpha1
kind: Server
metadata: {name: second}
spec:
  serverConfig: mlserver
---
apiVersion: mlops.seldon.io/v1alpha1
kind: Model
metadata: {name: iris}
spec:
  storageUri: gs://seldon-models/mlserver/iris
  requirements: [sklearn]
)",
    .source =
        "https://github.com/SeldonIO/seldon-core/blob/v2/scheduler/pkg/scheduler/filters/"
        "sharing.go",
    .check = check,
    .not_exported = "it depends on the Servers of the namespace",
};

/// Whether the Model can run on `other` as well as on `pinned`.
static bool is_equivalent(const ModelServer& other, const ModelServer& pinned,
                          const Candidates& candidates) {
  return other.name() != pinned.name() && other.has_device == pinned.has_device &&
         other.capacity.replicas.value_or(0) > 0 && other.can_run(candidates.tags);
}

static void check_model(const Candidates& candidates, Report& report) {
  if (!candidates.pin || candidates.tags.empty() || !candidates.are_known()) return;
  const ModelServer& pinned = *candidates.servers.front();
  if (!pinned.can_run(candidates.tags)) return;
  const auto other = std::ranges::find_if(candidates.seen, [&](const ModelServer* server) {
    return is_equivalent(*server, pinned, candidates);
  });
  if (other == candidates.seen.end()) return;
  report
      .add(candidates.pin,
           "the Model is pinned to Server '{}': if that is full or down, Seldon does not try "
           "Server '{}', which also meets the requirements",
           pinned.name(), (*other)->name())
      .note(name_of(**other), "this Server is equivalent")
      .help("remove 'server', so that Seldon selects a Server by the requirements");
}

static void check(const ClusterScope& scope, Report& report) {
  check_models(scope, report, check_model);
}

}  // namespace cnsched::rules

// A pin is often there to get a device, or to keep away from one. It is worth a word only where
// another Server of the run is just as good by all that the Model says about itself.
#include <algorithm>

#include "rules/rule.h"
#include "rules/seldon/candidates.h"

namespace cnsched::rules {

static void check(const Workspace& run, Report& report);

extern constinit const Rule seldon_seldon_explicit_pin = {
    .id = "seldon-explicit-pin",
    .severity = Severity::info,
    .summary = "a Model pinned to a Server though another would do as well",
    .why =
        "When the pinned Server is full, restarting or switched off, the Model stays at "
        "ScheduleFailed: Seldon does not try another one. Without spec.server the Model takes any "
        "Server of the namespace that is capable of its requirements.\n\n"
        "It is reported only where the Model has requirements, and the linted files and those "
        "given by --cluster hold another Server that meets them all and has accelerators if and "
        "only if the pinned one has: a pin that keeps a Model on an accelerator, or away from it, "
        "is left alone.",
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
};

/// Whether the Model could run on `other` just as on `pinned`.
static bool is_as_good(const ModelServer& other, const ModelServer& pinned,
                       const Candidates& candidates) {
  return other.name() != pinned.name() && other.has_device == pinned.has_device &&
         other.offer.replicas.value_or(0) > 0 && other.can_run(candidates.tags);
}

static void check_model(const Candidates& candidates, Report& report) {
  if (!candidates.pin || candidates.tags.empty() || !candidates.are_known()) return;
  const ModelServer& pinned = *candidates.servers.front();
  if (!pinned.can_run(candidates.tags)) return;
  const auto other = std::ranges::find_if(candidates.seen, [&](const ModelServer* server) {
    return is_as_good(*server, pinned, candidates);
  });
  if (other == candidates.seen.end()) return;
  report
      .add(candidates.pin,
           "the Model is pinned to '{}': when that Server is full or down, Seldon does not try "
           "'{}', which meets its requirements too",
           pinned.name(), (*other)->name())
      .note(name_of(**other), "this Server would do as well")
      .help("remove 'server', and let the requirements choose");
}

static void check(const Workspace& run, Report& report) { check_models(run, report, check_model); }

}  // namespace cnsched::rules

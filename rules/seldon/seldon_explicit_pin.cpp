// A pin often selects a Server with a device, or without one. It is reported only if another Server
// is equivalent in everything that the Model requires.
#include <algorithm>

#include "rules/rule.h"
#include "rules/seldon/candidates.h"

namespace cnsched::rules::seldon_explicit_pin {

/// Whether the Model can run on `other` as well as on `pinned`.
static bool is_equivalent(const ModelServer& other, const ModelServer& pinned,
                          const Candidates& candidates) {
  return other.name() != pinned.name() && other.has_device == pinned.has_device &&
         other.capacity.replicas.value_or(0) > 0 && other.can_run(candidates.tags);
}

static void check_model(const Candidates& candidates, Findings& findings) {
  if (!candidates.pin || candidates.tags.empty() || !candidates.are_known()) return;
  const ModelServer& pinned = *candidates.servers.front();
  if (!pinned.can_run(candidates.tags)) return;
  const auto other = std::ranges::find_if(candidates.seen, [&](const ModelServer* server) {
    return is_equivalent(*server, pinned, candidates);
  });
  if (other == candidates.seen.end()) return;
  findings
      .add(candidates.pin,
           "the Model is pinned to Server '{}': if that is full or down, Seldon does not try "
           "Server '{}', which also meets the requirements",
           pinned.name(), (*other)->name())
      .note(name_of(**other), "this Server is equivalent")
      .help("remove 'server', so that Seldon selects a Server by the requirements");
}

static void check(const ClusterScope& scope, Findings& findings) {
  check_models(scope, findings, check_model);
}

extern constinit const Rule rule = {
    .id = "seldon-explicit-pin",
    .severity = Severity::info,
    .check = check,
};

}  // namespace cnsched::rules::seldon_explicit_pin

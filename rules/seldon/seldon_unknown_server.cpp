#include <algorithm>
#include <set>
#include <vector>

#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/seldon/shipped.h"
#include "rules/common/wording.h"
#include "rules/rule.h"
#include "rules/seldon/candidates.h"

namespace cnsched::rules::seldon_unknown_server {

static bool has_no_replicas(const ModelServer* server) { return server->capacity.replicas == 0; }

static void report_no_replicas(const Candidates& candidates, Findings& findings) {
  const ModelServer& server = *candidates.servers.front();
  auto finding =
      findings.add(candidates.pin,
                   "the Model is pinned to Server '{}', which has 0 replicas: the Model stays at "
                   "ScheduleFailed",
                   server.name());
  const yaml::Node& replicas = server.object->spec()["replicas"];
  finding.note(replicas ? replicas : name_of(server), "this Server has 0 replicas")
      .help("set 'replicas' of the Server to 1 or more, or remove 'server' from the Model");
}

static void report_elsewhere(const Candidates& candidates, const ModelServer& server,
                             Findings& findings) {
  const std::string_view ns = server.object->ns.name;
  auto finding =
      candidates.seen.empty()
          ? findings.add(
                candidates.pin,
                "Server '{}' is in namespace '{}': the Model stays at ScheduleFailed unless "
                "'{}' has a Server of that name too",
                server.name(), ns, candidates.model.ns.name)
          : findings.add(
                candidates.pin,
                "Server '{}' is in namespace '{}', but a Model is loaded only on Servers of "
                "its own namespace '{}': the Model stays at ScheduleFailed",
                server.name(), ns, candidates.model.ns.name);
  if (candidates.seen.empty()) finding.severity(Severity::warning);
  finding.note((*server.object)["metadata"]["namespace"], "the Server is here")
      .help("move both to one namespace, or pin the Model to a Server of '{}'",
            candidates.model.ns.name);
}

static void report_absent(const Candidates& candidates, Findings& findings) {
  constexpr std::size_t kMaxNames = 100;
  std::set<std::string_view> names(seldon::kShippedServers.begin(), seldon::kShippedServers.end());
  for (const ModelServer* server : candidates.seen) {
    if (names.size() < kMaxNames) names.insert(server->name());
  }
  auto finding = findings.add(candidates.pin,
                              "the Model is pinned to Server '{}', which does not exist in its "
                              "namespace: the Model stays at ScheduleFailed",
                              candidates.pin.text());
  const std::vector<std::string_view> known(names.begin(), names.end());
  if (const auto like = nearest(candidates.pin.text(), known)) {
    finding.help("did you mean '{}'?", *like);
    if (certain_correction(candidates.pin.text(), known)) {
      finding.fix(Safety::unsafe, fmt::format("write '{}'", *like),
                  {yaml::to_set(candidates.pin, findings.make_string(*like))});
    }
  } else {
    std::vector<std::string_view> servers;
    for (const ModelServer* server : candidates.seen) servers.push_back(server->name());
    servers.erase(std::unique(servers.begin(), servers.end()), servers.end());
    finding.help(
        "name an existing Server ({}), or remove 'server'; if the cluster has this one, pass it "
        "with --cluster",
        first_names(servers, 3));
  }
}

static void check_model(const Candidates& candidates, Findings& findings) {
  if (!candidates.pin || k8s::is_placeholder(candidates.pin.text())) return;
  const std::string_view name = candidates.pin.text();
  if (name.empty()) {
    findings
        .add(candidates.pin,
             "empty 'server' pins the Model to a Server that cannot exist: the Model stays at "
             "ScheduleFailed")
        .help("remove 'server'")
        .fix(Safety::unsafe, "remove 'server'", {yaml::to_erase(candidates.pin)});
    return;
  }
  if (!candidates.servers.empty()) {
    if (std::ranges::all_of(candidates.servers, has_no_replicas))
      report_no_replicas(candidates, findings);
    return;
  }
  if (is_one_of(name, seldon::kShippedServers)) return;
  if (const ModelServer* other = candidates.all.first_named(name)) {
    const bool apart = !other->object->ns.may_be(candidates.model.ns);
    if (apart) report_elsewhere(candidates, *other, findings);
  } else if (candidates.has_server()) {
    report_absent(candidates, findings);
  }
}

static void check(const ClusterScope& scope, Findings& findings) {
  check_models(scope, findings, check_model);
}

extern constinit const Rule rule = {
    .id = "seldon-unknown-server",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .fix = Safety::unsafe,
    .check = check,
};

}  // namespace cnsched::rules::seldon_unknown_server

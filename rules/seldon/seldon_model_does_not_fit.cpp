// Seldon's scheduler counts two things: the memory that Models declare, against what the agents of
// a Server say they have, and replicas, of which one Server has to have enough. Both are compared
// here with every Server that is capable of the Model; one that may fit is enough to be silent.
#include <algorithm>
#include <optional>
#include <string>

#include "core/base/text.h"
#include "core/k8s/quantity.h"
#include "core/seldon/model.h"
#include "core/yaml/scalar.h"
#include "rules/rule.h"
#include "rules/seldon/candidates.h"

namespace cnsched::rules {

static void check(const Workspace& run, Report& report);

extern constinit const Rule seldon_seldon_model_does_not_fit = {
    .id = "seldon-model-does-not-fit",
    .severity = Severity::warning,
    .depends_on_run = true,
    .summary = "a Model that needs more memory or replicas than any Server has",
    .why =
        "The Model stays at ScheduleFailed, 'Failed to schedule model as no matching server had "
        "enough suitable replicas'. A Server offers the memory that its model server requests, as "
        "MEMORY_REQUEST tells the agent, a container beside it, and the percentage of overcommit "
        "on top; a Model whose spec.memory is more than that on every Server that is capable of "
        "it fits nowhere. One that fits by the overcommit alone is sent to the Server, and fails "
        "to load ('cannot evict').\n\n"
        "A Model has at most one copy on each replica of a single Server, so more replicas than "
        "that Server has fit nowhere either, and none is loaded at all unless minReplicas allows "
        "fewer: a Server is not scaled up for a Model that it does not run yet. That is info if a "
        "Server leaves its replicas unset, as one with a HorizontalPodAutoscaler does.\n\n"
        "Memory that is not a whole number of bytes, such as 500m, is an error: the operator "
        "refuses the Model. Without spec.memory nothing is counted, and nothing reported.",
    .bad = R"(
apiVersion: mlops.seldon.io/v1alpha1
kind: Server
metadata: {name: large}
spec:
  serverConfig: mlserver
  capabilities: [llm]
  podSpec:
    containers:
    - name: mlserver
      resources:
        requests: {memory: 8Gi}
        limits: {memory: 8Gi}
---
apiVersion: mlops.seldon.io/v1alpha1
kind: Model
metadata: {name: chat}
spec:
  storageUri: gs://models.example.com/chat
  requirements: [llm]
  memory: 14Gi
)",
    .good = R"(
apiVersion: mlops.seldon.io/v1alpha1
kind: Server
metadata: {name: large}
spec:
  serverConfig: mlserver
  capabilities: [llm]
  podSpec:
    containers:
    - name: mlserver
      resources:
        requests: {memory: 16Gi}
        limits: {memory: 16Gi}
---
apiVersion: mlops.seldon.io/v1alpha1
kind: Model
metadata: {name: chat}
spec:
  storageUri: gs://models.example.com/chat
  requirements: [llm]
  memory: 14Gi
)",
    .source =
        "https://github.com/SeldonIO/seldon-core/blob/v2/scheduler/pkg/scheduler/filters/"
        "replicamemory.go",
    .check = check,
};

using seldon::shown_memory;
using seldon::shown_memory_like;
using yaml::Node;

static constexpr std::size_t kMostNoted = 5;  // of each two lines at most

/// The bytes of `memory`, if it is one that may fit somewhere; reports what can fit nowhere.
static std::optional<std::int64_t> memory_needed(const Node& memory, Report& report) {
  const auto quantity = k8s::Quantity::parse(memory.text());
  if (!memory.is_scalar() || !quantity) return std::nullopt;
  if (quantity->is_negative()) {
    report.add(memory, "no Server has '{}' of memory: the Model is never loaded", memory.text())
        .severity(Severity::error)
        .help("write a positive amount, or leave 'memory' out");
    return std::nullopt;
  }
  if (quantity->is_integer()) return quantity->value();
  report
      .add(memory,
           "'{}' is not a whole number of bytes, and Seldon's operator refuses the Model ('Can't "
           "convert model memory quantity')",
           memory.text())
      .severity(Severity::error)
      .help("write bytes, or a binary unit, such as '500Mi'");
  return std::nullopt;
}

static bool lacks_memory(const ModelServer* server, std::int64_t needed) {
  return server->offer.memory && server->offer.memory->request < needed;
}

static bool lacks_replicas(const ModelServer* server, std::int64_t needed) {
  return server->offer.replicas && *server->offer.replicas < needed;
}

static bool is_shipped(const seldon::ServerMemory& memory) { return memory.written->is_missing(); }

/// The sum that the scheduler compares with `needed`, by the lines that hold its terms.
static void note_memory(const ModelServer& server, const Node& needed, Report::Finding& finding) {
  const seldon::ServerMemory& memory = *server.offer.memory;
  const Node& config = server.object->spec()["serverConfig"];
  std::string sum = shown_memory(memory.request);
  if (is_shipped(memory)) sum += " by Seldon's Helm chart";
  if (memory.percent > 0) {
    sum += fmt::format(", {} with {}% overcommit",
                       shown_memory_like(needed.text(), memory.available()), memory.percent);
  }
  finding.note(is_shipped(memory) ? config : *memory.written, "Server '{}' has {}", server.name(),
               sum);
  if (*memory.percent_written) finding.note(*memory.percent_written, "its overcommit is set here");
}

static void note_replicas(const ModelServer& server, Report::Finding& finding) {
  const Node& replicas = server.object->spec()["replicas"];
  finding.note(replicas.is_empty() ? name_of(server) : replicas, "Server '{}' has {}",
               server.name(),
               count_of(static_cast<std::size_t>(*server.offer.replicas), "replica"));
}

static std::span<const ModelServer* const> to_note(const ModelServers::List& servers) {
  return std::span(servers).first(std::min(servers.size(), kMostNoted));
}

/// "Server 'large', which it is pinned to, offers": the best of those that may run the Model.
static std::string best_of(const Candidates& candidates, const ModelServers::List& servers,
                           std::string_view offers) {
  const std::string_view name = servers.front()->name();
  if (candidates.pin) return fmt::format("Server '{}', which it is pinned to, {}", name, offers);
  if (servers.size() == 1) {
    return fmt::format("Server '{}', the only one that is capable of it, {}", name, offers);
  }
  return fmt::format("no Server that is capable of it {} more than", offers);
}

/// Says of a finding what it rests on where no manifest shows the ServerConfig of a Server.
static std::string unless_larger(const ModelServers::List& servers) {
  const auto assumed = std::ranges::find_if(
      servers, [](const ModelServer* server) { return is_shipped(*server->offer.memory); });
  if (assumed == servers.end()) return {};
  return fmt::format(", unless the cluster's ServerConfig '{}' requests more",
                     (*assumed)->object->spec()["serverConfig"].text());
}

static std::string how_to_grow(const ModelServer& server, std::string_view needed) {
  const std::string_view container = server.offer.memory->container;
  if (container.empty()) {
    return fmt::format(
        "raise MEMORY_REQUEST of Server '{}', and the memory of its model server, to {}",
        server.name(), needed);
  }
  return fmt::format(
      "give container '{}' of Server '{}' memory of {} or more, in requests and limits", container,
      server.name(), needed);
}

static void report_memory(const Candidates& candidates, std::int64_t needed,
                          const ModelServers::List& servers, Report& report) {
  const Node& memory = candidates.spec["memory"];
  const auto offered = [](const ModelServer* server) { return server->offer.memory->available(); };
  const ModelServer* most = std::ranges::max(servers, {}, offered);
  const std::string unless = unless_larger(servers);
  auto finding =
      needed > offered(most)
          ? report.add(memory, "the Model needs {}, and {} {}{}: it stays at ScheduleFailed",
                       memory.text(), best_of(candidates, servers, "offers"),
                       shown_memory_like(memory.text(), offered(most)), unless)
          : report.add(memory,
                       "{} fits Server '{}' by its overcommit alone{}: the Model is sent there, "
                       "and fails to load ('cannot evict')",
                       memory.text(), most->name(), unless);
  for (const ModelServer* server : to_note(servers)) note_memory(*server, memory, finding);
  finding.help("{}{}", how_to_grow(*most, memory.text()),
               !unless.empty() ? ", or pass the cluster's ServerConfig with --cluster" : "");
}

/// Whoever has a HorizontalPodAutoscaler write the number of replicas leaves it out.
static bool may_be_autoscaled(const ModelServer* server) {
  const Node& spec = server->object->spec();
  return spec["replicas"].is_empty() && spec["minReplicas"].is_empty() &&
         spec["maxReplicas"].is_empty();
}

static void report_replicas(const Candidates& candidates, const seldon::ReplicasNeeded& needed,
                            const ModelServers::List& servers, Report& report) {
  const std::int64_t most = *std::ranges::max(servers, {}, [](const ModelServer* server) {
                               return *server->offer.replicas;
                             })->offer.replicas;
  const bool autoscaled = std::ranges::any_of(servers, may_be_autoscaled);
  auto finding = report.add(
      *needed.written, "the Model needs {} of one Server, and {} {}{}: it stays at ScheduleFailed",
      count_of(static_cast<std::size_t>(needed.count), "replica"),
      best_of(candidates, servers, "has"), most,
      autoscaled ? ", unless a HorizontalPodAutoscaler adds some" : "");
  if (autoscaled) finding.severity(Severity::info);
  for (const ModelServer* server : to_note(servers)) note_replicas(*server, finding);
  if (most == 0) {
    finding.help("give the Server a replica");
  } else {
    finding.help(
        "give the Server as many, or set 'minReplicas: {}' of the Model to begin with fewer", most);
  }
}

/// Some have the memory, others the replicas.
static void report_both(const Node& memory, std::int64_t needed, const ModelServers::List& servers,
                        Report& report) {
  auto finding = report.add(memory,
                            "no Server that is capable of the Model has both the memory and the "
                            "replicas for it: it stays at ScheduleFailed");
  for (const ModelServer* server : to_note(servers)) {
    lacks_memory(server, needed) ? note_memory(*server, memory, finding)
                                 : note_replicas(*server, finding);
  }
  finding.help("give one of them enough of both");
}

/// The Servers that may load the Model, if they are all known; otherwise none.
static ModelServers::List capable(const Candidates& candidates) {
  const bool settled = std::ranges::all_of(candidates.tags, [](const seldon::RequiredTag& t) {
    return seldon::can_be_offered(t.tag) && !k8s::is_placeholder(t.tag);
  });
  if (!settled || !candidates.are_known() || candidates.include_shipped(candidates.tags)) return {};
  ModelServers::List servers = candidates.servers;
  std::erase_if(servers, [&](const ModelServer* s) { return !s->can_run(candidates.tags); });
  // Pinned to a Server that is switched off: seldon-unknown-server.
  const auto is_off = [](const ModelServer* s) { return s->offer.replicas == 0; };
  if (candidates.pin && std::ranges::all_of(servers, is_off)) return {};
  return servers;
}

static void check_model(const Candidates& candidates, Report& report) {
  const Node& memory = candidates.spec["memory"];
  const std::int64_t bytes = memory_needed(memory, report).value_or(0);
  const seldon::ReplicasNeeded replicas =
      seldon::replicas_needed(candidates.spec).value_or(seldon::ReplicasNeeded{0, nullptr});
  const ModelServers::List servers = capable(candidates);
  if (servers.empty()) return;
  const auto small = [&](const ModelServer* s) { return lacks_memory(s, bytes); };
  const auto few = [&](const ModelServer* s) { return lacks_replicas(s, replicas.count); };
  const bool all_small = std::ranges::all_of(servers, small);
  const bool all_few = std::ranges::all_of(servers, few);
  if (all_small) report_memory(candidates, bytes, servers, report);
  if (all_few) report_replicas(candidates, replicas, servers, report);
  const auto unfit = [&](const ModelServer* s) { return small(s) || few(s); };
  if (!all_small && !all_few && std::ranges::all_of(servers, unfit)) {
    report_both(memory, bytes, servers, report);
  }
}

static void check(const Workspace& run, Report& report) { check_models(run, report, check_model); }

}  // namespace cnsched::rules

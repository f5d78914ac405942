// Seldon's scheduler compares two things: the memory that a Model declares with the memory that the
// agents of a Server report, and the replicas with those of one Server. The rule compares both with
// every Server that has the required capabilities, and reports nothing if one of them may fit.
#include <algorithm>
#include <optional>
#include <string>

#include "core/base/quantity.h"
#include "core/base/text.h"
#include "core/k8s/pod_resources.h"
#include "core/seldon/server_capacity.h"
#include "core/yaml/scalar.h"
#include "rules/rule.h"
#include "rules/seldon/candidates.h"

namespace cnsched::rules::seldon_model_does_not_fit {

using k8s::shown_memory;
using k8s::shown_memory_like;
using yaml::Node;

static constexpr std::size_t kMaxServers = 5;  // with notes, at most two for each

/// The bytes of `memory`, if some Server may have them; reports an amount that none can have.
static std::optional<std::int64_t> memory_needed(const Node& memory, Findings& findings) {
  const auto quantity = Quantity::parse(memory.text());
  if (!memory.is_scalar() || !quantity) return std::nullopt;
  if (quantity->is_negative()) {
    findings
        .add(memory,
             "invalid memory '{}': no Server has a negative amount, so the Model is never loaded",
             memory.text())
        .severity(Severity::error)
        .help("write a positive amount, or remove 'memory'");
    return std::nullopt;
  }
  if (quantity->is_integer()) return quantity->value();
  findings
      .add(memory,
           "invalid memory '{}': must be a whole number of bytes; Seldon's operator rejects the "
           "Model ('Can't convert model memory quantity')",
           memory.text())
      .severity(Severity::error)
      .help("write bytes, or a binary unit such as '500Mi'");
  return std::nullopt;
}

static bool lacks_memory(const ModelServer* server, std::int64_t needed) {
  return server->capacity.memory && server->capacity.memory->request < needed;
}

static bool lacks_replicas(const ModelServer* server, std::int64_t needed) {
  return server->capacity.replicas && *server->capacity.replicas < needed;
}

static bool is_shipped(const seldon::ServerMemory& memory) { return memory.written->is_missing(); }

/// Notes the sum that the scheduler compares with `needed`, at the lines of its terms.
static void note_memory(const ModelServer& server, const Node& needed, Findings::Finding& finding) {
  const seldon::ServerMemory& memory = *server.capacity.memory;
  const Node& config = server.object->spec()["serverConfig"];
  std::string sum = shown_memory(memory.request);
  if (is_shipped(memory)) sum += " from Seldon's Helm chart";
  if (memory.percent > 0) {
    sum += fmt::format(", {} with {}% overcommit",
                       shown_memory_like(needed.text(), memory.available()), memory.percent);
  }
  finding.note(is_shipped(memory) ? config : *memory.written, "Server '{}' has {}", server.name(),
               sum);
  if (*memory.percent_written) finding.note(*memory.percent_written, "the overcommit is set here");
}

static void note_replicas(const ModelServer& server, Findings::Finding& finding) {
  const Node& replicas = server.object->spec()["replicas"];
  finding.note(replicas.is_empty() ? name_of(server) : replicas, "Server '{}' has {}",
               server.name(),
               count_of(static_cast<std::size_t>(*server.capacity.replicas), "replica"));
}

static std::span<const ModelServer* const> to_note(const ModelServers::List& servers) {
  return std::span(servers).first(std::min(servers.size(), kMaxServers));
}

/// "Server 'large', which it is pinned to, has": the best of those that may run the Model.
static std::string best_of(const Candidates& candidates, const ModelServers::List& servers) {
  const std::string_view name = servers.front()->name();
  if (candidates.pin) return fmt::format("Server '{}', which it is pinned to, has", name);
  if (servers.size() == 1) {
    return fmt::format("Server '{}', the only one with the required capabilities, has", name);
  }
  return "no Server with the required capabilities has more than";
}

/// The condition of a finding that assumes a ServerConfig of Seldon's, which no file has.
static std::string unless_larger(const ModelServers::List& servers) {
  const auto assumed = std::ranges::find_if(
      servers, [](const ModelServer* server) { return is_shipped(*server->capacity.memory); });
  if (assumed == servers.end()) return {};
  return fmt::format(", unless the cluster's ServerConfig '{}' requests more",
                     (*assumed)->object->spec()["serverConfig"].text());
}

static std::string memory_help(const ModelServer& server, std::string_view needed) {
  const std::string_view container = server.capacity.memory->container;
  if (container.empty()) {
    return fmt::format(
        "raise MEMORY_REQUEST of Server '{}', and the memory of its model server, to {}",
        server.name(), needed);
  }
  return fmt::format(
      "set the memory of container '{}' of Server '{}' to {} or more, in requests and limits",
      container, server.name(), needed);
}

static void report_memory(const Candidates& candidates, std::int64_t needed,
                          const ModelServers::List& servers, Findings& findings) {
  const Node& memory = candidates.spec["memory"];
  const auto available = [](const ModelServer* server) {
    return server->capacity.memory->available();
  };
  const ModelServer* most = std::ranges::max(servers, {}, available);
  const std::string unless = unless_larger(servers);
  auto finding =
      needed > available(most)
          ? findings.add(memory, "the Model needs {}, but {} {}{}: it stays at ScheduleFailed",
                         memory.text(), best_of(candidates, servers),
                         shown_memory_like(memory.text(), available(most)), unless)
          : findings.add(memory,
                         "{} fits Server '{}' only because of its overcommit{}: the Model is sent "
                         "there and fails to load ('cannot evict')",
                         memory.text(), most->name(), unless);
  for (const ModelServer* server : to_note(servers)) note_memory(*server, memory, finding);
  finding.help("{}{}", memory_help(*most, memory.text()),
               !unless.empty() ? ", or pass the cluster's ServerConfig with --cluster" : "");
}

/// Whether a HorizontalPodAutoscaler may set the number of replicas, because the Server does not.
static bool may_be_autoscaled(const ModelServer* server) {
  const Node& spec = server->object->spec();
  return spec["replicas"].is_empty() && spec["minReplicas"].is_empty() &&
         spec["maxReplicas"].is_empty();
}

static void report_replicas(const Candidates& candidates, const seldon::ReplicasNeeded& needed,
                            const ModelServers::List& servers, Findings& findings) {
  const std::int64_t most = *std::ranges::max(servers, {}, [](const ModelServer* server) {
                               return *server->capacity.replicas;
                             })->capacity.replicas;
  const bool autoscaled = std::ranges::any_of(servers, may_be_autoscaled);
  auto finding = findings.add(
      *needed.written, "the Model needs {} of one Server, but {} {}{}: it stays at ScheduleFailed",
      count_of(static_cast<std::size_t>(needed.count), "replica"), best_of(candidates, servers),
      most, autoscaled ? ", unless a HorizontalPodAutoscaler adds some" : "");
  if (autoscaled) finding.severity(Severity::info);
  for (const ModelServer* server : to_note(servers)) note_replicas(*server, finding);
  if (most == 0) {
    finding.help("set 'replicas' of the Server to 1 or more");
  } else {
    finding.help(
        "increase 'replicas' of the Server, or set 'minReplicas: {}' in the Model to start with "
        "fewer",
        most);
  }
}

/// Reports that some Servers have the memory and others the replicas.
static void report_both(const Node& memory, std::int64_t needed, const ModelServers::List& servers,
                        Findings& findings) {
  auto finding =
      findings.add(memory,
                   "no Server with the required capabilities has both the memory and the "
                   "replicas for the Model: it stays at ScheduleFailed");
  for (const ModelServer* server : to_note(servers)) {
    lacks_memory(server, needed) ? note_memory(*server, memory, finding)
                                 : note_replicas(*server, finding);
  }
  finding.help("increase memory or replicas of one Server");
}

/// The Servers with the required capabilities, if those of all Servers are known; otherwise none.
static ModelServers::List capable(const Candidates& candidates) {
  const bool comparable = std::ranges::all_of(candidates.tags, [](const seldon::RequiredTag& t) {
    return seldon::can_be_capability(t.tag) && !k8s::is_placeholder(t.tag);
  });
  if (!comparable || !candidates.are_known() || candidates.include_shipped(candidates.tags))
    return {};
  ModelServers::List servers = candidates.servers;
  std::erase_if(servers, [&](const ModelServer* s) { return !s->can_run(candidates.tags); });
  // seldon-unknown-server reports a pin to a Server with 0 replicas.
  const auto is_off = [](const ModelServer* s) { return s->capacity.replicas == 0; };
  if (candidates.pin && std::ranges::all_of(servers, is_off)) return {};
  return servers;
}

static void check_model(const Candidates& candidates, Findings& findings) {
  const Node& memory = candidates.spec["memory"];
  const std::int64_t bytes = memory_needed(memory, findings).value_or(0);
  const seldon::ReplicasNeeded replicas =
      seldon::replicas_needed(candidates.spec).value_or(seldon::ReplicasNeeded{0, nullptr});
  const ModelServers::List servers = capable(candidates);
  if (servers.empty()) return;
  const auto small = [&](const ModelServer* s) { return lacks_memory(s, bytes); };
  const auto few = [&](const ModelServer* s) { return lacks_replicas(s, replicas.count); };
  const bool all_small = std::ranges::all_of(servers, small);
  const bool all_few = std::ranges::all_of(servers, few);
  if (all_small) report_memory(candidates, bytes, servers, findings);
  if (all_few) report_replicas(candidates, replicas, servers, findings);
  const auto unfit = [&](const ModelServer* s) { return small(s) || few(s); };
  if (!all_small && !all_few && std::ranges::all_of(servers, unfit)) {
    report_both(memory, bytes, servers, findings);
  }
}

static void check(const ClusterScope& scope, Findings& findings) {
  check_models(scope, findings, check_model);
}

extern constinit const Rule rule = {
    .id = "seldon-model-does-not-fit",
    .severity = Severity::warning,
    .depends_on_workspace = true,
    .check = check,
};

}  // namespace cnsched::rules::seldon_model_does_not_fit

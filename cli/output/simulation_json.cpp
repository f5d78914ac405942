
#include "cli/output/json.h"

#include <nlohmann/json.hpp>

#include "cli/output/pods.h"
#include "cli/output/simulation.h"

namespace cnsched::cli {

namespace {

using sim::Diagnosis;
using sim::Simulated;

/// Programs read `nodes` of clusters up to this size without --each-node: of larger ones, it would
/// be most of the document.
constexpr std::size_t kMaxNodesListed = 100;

/// What nodes with the same verdict have in common with this one.
Json verdict_json(const Diagnosis& diagnosis, std::size_t node) {
  const auto score = diagnosis.score(node);
  return {{"verdict", name_of(diagnosis.fits(node))},
          {"reasons", diagnosis.reasons(node)},
          {"allReasons", diagnosis.all_reasons(node)},
          {"score", score ? Json(*score) : Json(nullptr)}};
}

/// Adds the verdicts on the nodes: `nodeGroups`, and `nodes` with an element for each node.
void put_nodes(const Simulated& simulated, const SimulationOutcome& outcome, Json& json) {
  const sim::Cluster& cluster = *simulated.cluster;
  json["nodeGroups"] = Json::array();
  Json nodes = Json::array();
  std::vector<NodeGroup> groups;
  if (simulated.diagnosis) groups = node_groups(simulated, Reasons::scheduler, false);
  for (NodeGroup& group : groups) {
    Json of_group = verdict_json(*simulated.diagnosis, group.nodes.front());
    Json& names = of_group["nodes"] = Json::array();
    for (const std::size_t node : group.nodes) {
      const std::string_view name = cluster.node(node).name;
      if (outcome.only_node.empty() || name == outcome.only_node) names.push_back(name);
    }
    if (!names.empty()) json["nodeGroups"].push_back(std::move(of_group));
  }
  if (!outcome.each_node && cluster.size() > kMaxNodesListed) return;
  for (std::size_t i = 0; i < (simulated.diagnosis ? cluster.size() : 0); ++i) {
    const std::string_view name = cluster.node(i).name;
    if (!outcome.only_node.empty() && name != outcome.only_node) continue;
    nodes.push_back({{"name", name}});
    nodes.back().update(verdict_json(*simulated.diagnosis, i));
  }
  json["nodes"] = std::move(nodes);
}

Json flavor_json(const sim::FlavorVerdict& of) {
  Json flavors = Json::array();
  for (const k8s::Object* flavor : of.choice.flavors) flavors.push_back(flavor->name);
  Json nodes = Json::array();
  of.diagnosis.feasible().each(
      [&](std::size_t node) { nodes.push_back(of.diagnosis.cluster().node(node).name); });
  return {{"flavors", flavors},
          {"feasible", of.diagnosis.feasible().count()},
          {"event", of.diagnosis.event()},
          {"feasibleNodes", nodes}};
}

/// The LocalQueue that manages the pod, and the verdict with each choice of its flavors.
Json queue_json(const Simulated& simulated) {
  Json choices = Json::array();
  for (const sim::FlavorVerdict& of : simulated.by_flavor) choices.push_back(flavor_json(of));
  return {{"localQueue", simulated.queue.queue},
          {"neverAdmitted", simulated.queue.blocked},
          {"choices", choices}};
}

Json object_json(const k8s::Object& object, const Workspace& workspace) {
  const SourceFile& file = workspace.file_of(object.root->span);
  return {{"file", file.path()},
          {"line", file.line_of(object.root->span.begin)},
          {"object", identity_json(object)}};
}

Json fix_json(const sim::ProposedFix& fix, const Workspace& workspace) {
  Json json = {{"title", fix.title}};
  put_position(json, fix.where, workspace);
  return json;
}

/// Adds the nearest node and the edits that make the pod fit.
void put_advice(const sim::Advice& advice, const sim::Cluster& cluster, const Workspace& workspace,
                Json& json) {
  json["nearest"] = advice.nearest ? Json(cluster.node(*advice.nearest).name) : Json(nullptr);
  json["obstacles"] = Json::array();
  for (const sim::Cause& cause : advice.causes) {
    json["obstacles"].push_back(cause.text);
  }
  json["changes"] = Json::array();
  for (const sim::Suggestion& suggestion : advice.suggestions) {
    Json edits = Json::array();
    for (const sim::ProposedFix& fix : suggestion.fixes) edits.push_back(fix_json(fix, workspace));
    json["changes"].push_back({{"edits", edits},
                               {"node", cluster.node(suggestion.node).name},
                               {"feasible", suggestion.fits}});
  }
}

Json victims_json(const std::vector<sim::Victim>& victims, const sim::Cluster& cluster,
                  std::size_t node) {
  Json list = Json::array();
  for (const sim::Victim& victim : victims) {
    list.push_back({{"namespace", victim.ns},
                    {"name", victim.name},
                    {"priority", victim.priority},
                    {"violatedBudgets", victim.violated}});
  }
  return {{"node", cluster.node(node).name}, {"victims", list}};
}

Json placement_json(const sim::Placement& placement, const sim::Cluster& cluster) {
  Json nodes = Json::array();
  for (const std::size_t node : placement.nodes) nodes.push_back(cluster.node(node).name);
  Json evictions = Json::array();
  for (const sim::Eviction& eviction : placement.evictions) {
    evictions.push_back(victims_json(eviction.victims, cluster, eviction.node));
  }
  Json json = {{"wanted", placement.replicas},
               {"placed", placement.nodes.size()},
               {"nodes", nodes},
               {"event", placement.event},
               {"evictions", evictions}};
  if (placement.is_unknown()) json["isUnknown"] = true;
  for (const auto& [workload, count] : placement.evicted_for) {
    json["evictedFor"][workload] = count;
  }
  if (placement.groups > 0) {
    json["groups"] = {{"wanted", placement.groups}, {"placed", placement.placed_groups}};
  }
  return json;
}

Json pool_json(const sim::PoolOutlook& of) {
  return {{"kind", of.pool->object == nullptr ? "" : of.pool->object->kind},
          {"name", of.pool->name},
          {"verdict", name_of(of.verdict)},
          {"instanceType", of.type.empty() ? Json(nullptr) : Json(of.type)},
          {"reasons", of.reasons}};
}

/// What autoscalers do for the pod: each pool in the order in which they are tried.
Json outlook_json(const sim::Outlook& outlook) {
  Json pools = Json::array();
  for (const sim::PoolOutlook& of : outlook.pools) pools.push_back(pool_json(of));
  const sim::PoolOutlook* choice = outlook.choice();
  return {{"newNode", choice == nullptr ? Json(nullptr) : pool_json(*choice)}, {"pools", pools}};
}

/// The nodes of each cluster by type, before and after placement.
Json node_types_json(const SimulationOutcome& outcome) {
  Json clusters = Json::array();
  for (const auto& [index, counts] : outcome.placements.nodes) {
    Json types = Json::array();
    for (const sim::NodeCount& count : counts) {
      types.push_back({{"type", count.type},
                       {"before", count.before},
                       {"after", count.after},
                       {"pools", count.pools}});
    }
    const Simulated& simulated = outcome.simulation.workloads()[index];
    clusters.push_back({{"cluster", cluster_name(*simulated.workload)}, {"types", types}});
  }
  return clusters;
}

Json workload_json(const Simulated& simulated, sim::Conclusion conclusion,
                   const SimulationOutcome& outcome) {
  const Workload& workload = *simulated.workload;
  Json json = object_json(*workload.object, outcome.workspace);
  json["component"] = workload.component;
  put_scope(json, workload);
  const std::string releases = describe_releases(*workload.scope);
  if (!releases.empty()) json["releases"] = releases;
  json["replicas"] = workload.replicas ? Json(*workload.replicas) : Json(nullptr);
  json["conclusion"] = name_of(conclusion);
  if (!simulated.diagnosis) {
    json["neverCreated"] = simulated.why_no_pod();
    json["feasible"] = 0;
    json["total"] = simulated.cluster->size();
    json["event"] = "";
    put_nodes(simulated, outcome, json);
    return json;
  }
  const Diagnosis& diagnosis = *simulated.diagnosis;
  if (!simulated.queue.queue.empty()) json["queue"] = queue_json(simulated);
  if (!simulated.pod.not_created.reason.empty()) {
    json["rejected"] = simulated.pod.not_created.reason;
  }
  if (simulated.quota) {
    json["quota"] = {{"admitted", simulated.quota->admitted}, {"event", simulated.quota->rejected}};
  }
  json["feasible"] = diagnosis.feasible().count();
  json["total"] = simulated.cluster->size();
  json["event"] = simulated.event();
  if (simulated.preempts()) {
    const sim::Preemption& preemption = simulated.preemption;
    json["preemption"] = victims_json(preemption.victims, *simulated.cluster, *preemption.node);
    json["preemption"]["isSampled"] = preemption.is_sampled;
  }
  put_nodes(simulated, outcome, json);
  return json;
}

Json model_json(const sim::LoadedModel& model, const Workspace& workspace) {
  Json json = object_json(*model.object, workspace);
  json["feasible"] = model.feasible();
  json["total"] = model.servers.size();
  json["servers"] = Json::array();
  for (const sim::ServerVerdict& server : model.servers) {
    json["servers"].push_back({{"name", server.server->name()},
                               {"verdict", name_of(server.verdict)},
                               {"reasons", server.reasons}});
  }
  return json;
}

/// Writes an element of a list on its own lines.
void write_element(const Json& json, bool is_first, std::ostream& out) {
  out << (is_first ? "\n" : ",\n");
  write_json_value(json, out);
}

}  // namespace

void write_simulation_json(const SimulationOutcome& outcome, std::ostream& out) {
  out << "{\n\"schemaVersion\": 1,\n\"assumptions\": ";
  write_json_value(assumptions_of(outcome), out);
  out << ",\n\"workloads\": [";
  bool is_first = true;
  for (const std::size_t index : outcome.workloads) {
    const Simulated& simulated = outcome.simulation.workloads()[index];
    Json json = workload_json(simulated, outcome.conclusion(index), outcome);
    const auto advice = outcome.advice.find(index);
    if (advice != outcome.advice.end()) {
      put_advice(advice->second, *simulated.cluster, outcome.workspace, json);
    }
    if (!outcome.errors.empty()) json["lintErrors"] = outcome.errors[index];
    if (const sim::Outlook* outlook = outcome.outlook(index)) {
      json["autoscaler"] = outlook_json(*outlook);
    }
    const auto& placements = outcome.placements.of_workload;
    if (!placements.empty() && placements[index].cluster != nullptr) {
      json["placement"] = placement_json(placements[index], *placements[index].cluster);
    }
    write_element(json, is_first, out);
    is_first = false;
  }
  out << "\n],\n\"models\": [";
  is_first = true;
  for (const std::size_t index : outcome.shown_models) {
    write_element(model_json(outcome.models.models()[index], outcome.workspace), is_first, out);
    is_first = false;
  }
  out << (is_first ? "]" : "\n]");
  if (!outcome.placements.nodes.empty()) {
    out << ",\n\"nodeTypes\": ";
    write_json_value(node_types_json(outcome), out);
  }
  out << "\n}\n";
}

}  // namespace cnsched::cli

#include <nlohmann/json.hpp>

#include "cli/output/json.h"
#include "cli/output/simulation.h"

namespace cnsched::cli {

namespace {

using Json = nlohmann::ordered_json;
using sim::Diagnosis;
using sim::Simulated;
using sim::Verdict;

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok:
      return "ok";
    case Verdict::unknown:
      return "unknown";
    case Verdict::infeasible:
      break;
  }
  return "infeasible";
}

Json node_json(const Diagnosis& diagnosis, std::size_t node) {
  Json json = {{"name", diagnosis.cluster().node(node).name},
               {"verdict", name_of(diagnosis.verdict(node))},
               {"reasons", diagnosis.reasons(node)},
               {"allReasons", diagnosis.all_reasons(node)}};
  const auto score = diagnosis.score(node);
  json["score"] = score ? Json(*score) : Json(nullptr);
  return json;
}

Json workload_json(const Simulated& simulated, const Workspace& workspace) {
  const Workload& workload = *simulated.workload;
  const k8s::Object& object = *workload.object;
  const SourceFile& file = workspace.file_of(object.root->span);
  Json json = {{"file", file.path()},
               {"line", file.line_of(object.root->span.begin)},
               {"object",
                {{"apiVersion", object.api_version},
                 {"kind", object.kind},
                 {"namespace", object.ns},
                 {"name", object.name}}},
               {"component", workload.component}};
  json["replicas"] = workload.replicas ? Json(*workload.replicas) : Json(nullptr);
  if (!simulated.diagnosis) {
    json["neverCreated"] = simulated.never_created;
    json["feasible"] = 0;
    json["total"] = simulated.cluster->size();
    json["event"] = "";
    json["nodes"] = Json::array();
    return json;
  }
  const Diagnosis& diagnosis = *simulated.diagnosis;
  json["feasible"] = diagnosis.feasible().count();
  json["total"] = simulated.cluster->size();
  json["event"] = diagnosis.event();
  json["nodes"] = Json::array();
  for (std::size_t i = 0; i < simulated.cluster->size(); ++i) {
    json["nodes"].push_back(node_json(diagnosis, i));
  }
  return json;
}

}  // namespace

void write_simulation_json(const SimulationOutcome& outcome, std::ostream& out) {
  out << "{\n\"schemaVersion\": 1,\n\"workloads\": [";
  bool is_first = true;
  for (const Simulated& simulated : outcome.simulation.workloads()) {
    out << (is_first ? "\n" : ",\n");
    write_json_value(workload_json(simulated, outcome.workspace), out);
    is_first = false;
  }
  out << "\n]\n}\n";
}

}  // namespace cnsched::cli

#include "cli/output/diff.h"

#include <array>
#include <nlohmann/json.hpp>

#include "cli/output/json.h"
#include "cli/output/output.h"
#include "cli/output/pods.h"

namespace cnsched::cli {

namespace {

using change::FactChange;
using change::Place;
using change::PodChange;

std::string_view word_for(Place::Kind kind) {
  constexpr auto kWords = std::to_array<std::string_view>({"none", "value", "cause", "around"});
  return kWords[static_cast<std::size_t>(kind)];
}

std::string_view word_for(PodChange::Kind kind) {
  constexpr auto kWords =
      std::to_array<std::string_view>({"changed", "renamed", "added", "removed"});
  return kWords[static_cast<std::size_t>(kind)];
}

Json value_json(const std::optional<std::string>& value, const Place& place,
                const Workspace& workspace) {
  Json json = {{"value", value ? Json(*value) : Json()}, {"origin", word_for(place.kind)}};
  if (place.kind == Place::Kind::none) return json;
  if (place.rendered_from.empty()) {
    put_position(json, place.where, workspace);
  } else {
    json["file"] = place.rendered_from;
  }
  return json;
}

Json changes_json(const std::vector<FactChange>& changes, const DiffOutcome& outcome) {
  Json list = Json::array();
  for (const FactChange& change : changes) {
    list.push_back(
        {{"part", change::name_of(change.part)},
         {"name", change.name},
         {"before", value_json(change.before, change.before_at, outcome.before.workspace)},
         {"after", value_json(change.after, change.after_at, outcome.after.workspace)}});
  }
  return list;
}

Json verdict_json(const change::PodVerdict& verdict) {
  Json json = {{"verdict", change::name_of(verdict.kind)},
               {"fittingNodes", verdict.fitting},
               {"nodes", verdict.nodes},
               {"text", to_string(verdict)}};
  if (!verdict.reason.empty()) json["reason"] = verdict.reason;
  if (verdict.placed) {
    json["replicasPlaced"] = *verdict.placed;
    json["replicasNeeded"] = verdict.replicas;
  }
  return json;
}

Json devices_json(const std::vector<change::Devices>& all) {
  Json list = Json::array();
  for (const change::Devices& devices : all) {
    Json json = {{"resource", devices.resource}, {"count", devices.count}};
    json["products"] = devices.products;
    if (!devices.pool.empty()) json["pool"] = devices.pool;
    list.push_back(std::move(json));
  }
  return list;
}

/// The pod on one side; null if the side does not have it.
Json side_json(const sim::Simulated* pod, const change::PodVerdict& verdict,
               const std::vector<change::Devices>& devices, const Workspace& workspace) {
  if (pod == nullptr) return nullptr;
  const Workload& workload = *pod->workload;
  Json json = {{"object", identity_json(*workload.object)}, {"component", workload.component}};
  put_position(json, workload.object->root->span, workspace);
  put_scope(json, workload);
  json.update(verdict_json(verdict));
  json["accelerators"] = devices_json(devices);
  return json;
}

Json range_json(const change::AmountRange& range) {
  return {{"min", range.min}, {"max", range.max}};
}

Json totals_json(const change::Totals& totals, const change::Prices& prices) {
  Json json = {{"pods", range_json(totals.pods)},
               {"cpu", range_json(totals.cpu)},
               {"memory", range_json(totals.memory)},
               {"accelerators", Json::array()}};
  for (const auto& [kind, range] : totals.accelerators) {
    json["accelerators"].push_back({{"resource", kind.resource},
                                    {"product", kind.product},
                                    {"pool", kind.pool},
                                    {"min", range.min},
                                    {"max", range.max}});
  }
  if (const auto cost = cost_of(totals, prices)) {
    json["costPerHour"] = range_json(cost->per_hour);
    json["isCostComplete"] = cost->unpriced.empty();
  }
  return json;
}

Json findings_json(const std::vector<const Diagnostic*>& findings, const Workspace& workspace) {
  Json list = Json::array();
  for (const Diagnostic* finding : findings) {
    const Subject& subject = finding->subject;
    Json json = {{"rule", finding->rule},
                 {"severity", cnsched::name_of(finding->severity)},
                 {"message", finding->message}};
    put_position(json, finding->where, workspace);
    const ReportedFile shown = reported_file(workspace, *finding);
    if (!shown.has_line) json["source"] = shown.path;
    if (!subject.kind.empty()) json["object"] = identity_json(subject);
    if (!subject.component.empty()) json["component"] = subject.component;
    json["path"] = subject.pointer;
    list.push_back(std::move(json));
  }
  return list;
}

void write_list(std::string_view name, std::size_t count, std::ostream& out,
                const std::function<Json(std::size_t)>& element) {
  out << '"' << name << "\": [";
  for (std::size_t i = 0; i < count; ++i) {
    out << (i == 0 ? "\n" : ",\n");
    write_json_value(element(i), out);
  }
  out << (count == 0 ? "],\n" : "\n],\n");
}

}  // namespace

void write_diff_json(const DiffOutcome& outcome, std::ostream& out) {
  const change::Difference& difference = outcome.difference;
  out << "{\n\"schemaVersion\": 1,\n";
  write_list("pods", difference.pods.size(), out, [&](std::size_t i) -> Json {
    const PodChange& pod = difference.pods[i];
    return {{"change", word_for(pod.kind)},
            {"before", side_json(pod.before, pod.verdict_before, pod.devices_before,
                                 outcome.before.workspace)},
            {"after",
             side_json(pod.after, pod.verdict_after, pod.devices_after, outcome.after.workspace)},
            {"changes", changes_json(pod.facts, outcome)},
            {"causes", changes_json(pod.causes, outcome)},
            {"lostLastNode", pod.lost_last_node()},
            {"lostReplicas", pod.lost_replicas()}};
  });
  const Json totals = {{"before", totals_json(difference.before, outcome.prices)},
                       {"after", totals_json(difference.after, outcome.prices)}};
  out << "\"totals\": ";
  write_json_value(totals, out);
  out << ",\n\"newFindings\": ";
  write_json_value(findings_json(outcome.new_findings, outcome.after.workspace), out);
  out << ",\n\"resolvedFindings\": ";
  write_json_value(findings_json(outcome.resolved_findings, outcome.before.workspace), out);
  out << ",\n\"failures\": ";
  write_json_value(Json(outcome.failures), out);
  out << ",\n\"summary\": ";
  write_json_value(describe(difference), out);
  out << "\n}\n";
}

}  // namespace cnsched::cli

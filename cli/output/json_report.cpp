
#include "cli/output/json.h"

#include <array>
#include <nlohmann/json.hpp>

#include "cli/output/output.h"
#include "cli/output/pods.h"
#include "cli/output/unknown_facts.h"
#include "core/base/text.h"
#include "core/yaml/write.h"
#include "rules/engine/fingerprint.h"

namespace cnsched::cli {

namespace {

void put_place(Json& json, const Workspace& workspace, Span where) {
  put_position(json, where, workspace);
  const Position end = workspace.file_of(where).position(where.end);
  json["endLine"] = end.line;
  json["endColumn"] = end.column;
}

std::string_view word_for(Suppression::By by) {
  constexpr auto kWords = std::to_array<std::string_view>({"comment", "annotation", "baseline"});
  return kWords[static_cast<std::size_t>(by)];
}

std::string_view word_for(yaml::Change::Kind kind) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"erase", "set", "rename", "addEntry", "addItem", "move", "comment"});
  return kWords[static_cast<std::size_t>(kind)];
}

/// Pointers are relative to the document's root.
Json json_of(const yaml::Change& change, const yaml::Node& root) {
  Json json = {{"op", word_for(change.kind)}};
  if (change.node != nullptr) json["path"] = yaml::pointer_to(*change.node, root);
  if (change.kind == yaml::Change::Kind::move) {
    json["to"] = yaml::pointer_to(*change.value, root);
  } else if (change.value != nullptr) {
    json["value"] = cli::json_of(*change.value);
  }
  if (!change.key.empty()) json["key"] = change.key;
  return json;
}

/// Edits of sources: the line and the texts.
Json json_of_edits(const Fix& fix, const Workspace& workspace) {
  Json json = {{"title", fix.title},
               {"safe", fix.safety == Safety::safe},
               {"file", workspace.file_of(fix.edits.front().where).path()},
               {"edits", Json::array()}};
  for (const Edit& edit : fix.edits) {
    const SourceFile& file = workspace.file_of(edit.where);
    json["edits"].push_back({{"line", file.line_of(edit.where.begin)},
                             {"replaced", printable(file.text(edit.where))},
                             {"text", printable(edit.text)}});
  }
  return json;
}

Json json_of(const Fix& fix, const Workspace& workspace) {
  if (fix.document == nullptr) return json_of_edits(fix, workspace);
  const yaml::Node& root = *fix.document->root;
  const SourceFile& file = workspace.file_of(fix.document->span);
  Json json = {{"title", fix.title},
               {"safe", fix.safety == Safety::safe},
               {"file", file.path()},
               {"document", file.line_of(fix.document->span.begin)},
               {"changes", Json::array()}};
  for (const yaml::Change& change : fix.changes) json["changes"].push_back(json_of(change, root));
  return json;
}

Json json_of(const Diagnostic& finding, const std::string& fingerprint,
             const Workspace& workspace) {
  Json json;
  json["rule"] = finding.rule;
  json["severity"] = name_of(finding.severity);
  json["message"] = finding.message;
  put_place(json, workspace, finding.where);
  const Subject& subject = finding.subject;
  if (!subject.kind.empty()) json["object"] = identity_json(subject);
  if (!subject.component.empty()) json["component"] = subject.component;
  json["path"] = subject.pointer;
  json["notes"] = Json::array();
  for (const Note& note : finding.notes) {
    Json entry;
    entry["message"] = note.message;
    put_place(entry, workspace, note.where);
    json["notes"].push_back(std::move(entry));
  }
  if (!finding.clusters.empty()) json["clusters"] = finding.clusters;
  if (!finding.releases.empty()) json["releases"] = finding.releases;
  if (!finding.variants.empty()) json["variants"] = finding.variants;
  if (!finding.help.empty()) json["help"] = finding.help;
  if (!finding.snippet.empty()) json["snippet"] = finding.snippet;
  if (!finding.expired.empty()) json["suppressionExpired"] = finding.expired;
  if (!finding.rendered_from.empty()) json["source"] = finding.rendered_from;
  if (!finding.printed_at.empty())
    put_place(json["rendered"], workspace, finding.printed_at.back());
  if (finding.fix) json["fix"] = json_of(*finding.fix, workspace);
  if (finding.suppression) {
    json["suppression"] = {{"by", word_for(finding.suppression->by)},
                           {"reason", finding.suppression->reason}};
  }
  json["fingerprint"] = fingerprint;
  return json;
}

}  // namespace

void write_json(const Outcome& outcome, std::ostream& out) {
  const RunStats& stats = outcome.workspace.stats();
  const Totals totals = totals_of(outcome.findings);
  Json json;
  json["schemaVersion"] = 1;
  json["findings"] = Json::array();
  const std::vector<std::string> names = rules::fingerprints(outcome.workspace, outcome.findings);
  for (std::size_t i = 0; i < names.size(); ++i) {
    json["findings"].push_back(json_of(outcome.findings[i], names[i], outcome.workspace));
  }
  json["ledger"] = {{"files", stats.files},
                    {"documents", stats.documents},
                    {"objects", stats.objects},
                    {"outOfScope", stats.out_of_scope},
                    {"templates", stats.templates},
                    {"unreadable", stats.unreadable},
                    {"skipped", json_of(outcome.workspace.unfollowed())}};
  json["summary"] = {
      {"errors", totals.errors}, {"warnings", totals.warnings}, {"infos", totals.infos}};
  write_document(json, out);
}

}  // namespace cnsched::cli

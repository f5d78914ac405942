// SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/), as GitHub's code scanning
// requires: one run, every rule that ran, regions of one line, and both fingerprints.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "cli/build_info.h"
#include "cli/output/json.h"
#include "cli/output/line_hash.h"
#include "cli/output/output.h"
#include "cli/output/rule_page.h"
#include "cli/output/safe_text.h"
#include "cli/output/unknown_facts.h"
#include "core/base/text.h"
#include "core/source/path.h"
#include "rules/engine/fingerprint.h"
#include "rules/page.h"

namespace cnsched::cli {

namespace {

/// The maximum that GitHub shows.
constexpr std::size_t kMaxResults = 5000;
/// Each fix parses its document again; a hostile document has thousands of fixes.
constexpr std::size_t kMaxBytesForFixes = std::size_t{64} << 20;

constexpr std::string_view kRoot = "SRCROOT";

/// A message. GitHub renders "[text](target)" as a link, which a manifest could inject.
Json message(std::string_view text) {
  std::string safe;
  const bool has_link = text.find("](") != std::string_view::npos;
  for (const char c : text) {
    if (has_link && (c == '[' || c == ']' || c == '\\')) safe += '\\';
    safe += c;
  }
  return {{"text", std::move(safe)}};
}

Json notification(std::string_view level, const std::string& text) {
  return {{"level", level}, {"message", message(text)}};
}

std::string directory_uri(const std::string& directory) {
  return "file://" + uri_path(directory) + (directory.ends_with('/') ? "" : "/");
}

Json json_of(const Region& region) {
  return {{"startLine", region.line},
          {"startColumn", region.column},
          {"endLine", region.line},
          {"endColumn", region.end_column}};
}

/// The whole span, over all its lines.
Json whole_region(const SourceFile& file, Span span) {
  const Position begin = file.position(span.begin);
  const Position end = file.position(span.end);
  return {{"startLine", begin.line},
          {"startColumn", begin.column},
          {"endLine", end.line},
          {"endColumn", end.column}};
}

Json logical_location(const Subject& subject) {
  std::string full = subject.api_version;
  for (const std::string& part : {subject.kind, subject.ns, subject.name}) {
    if (!part.empty()) full += (full.empty() ? "" : "/") + part;
  }
  return {{"name", printable(subject.name.empty() ? subject.kind : subject.name)},
          {"fullyQualifiedName", printable(full)},
          {"kind", "resource"}};
}

Json json_of(const Suppression& suppression) {
  const bool external = suppression.by == Suppression::By::baseline;
  Json json{{"kind", external ? "external" : "inSource"}};
  if (!suppression.reason.empty()) json["justification"] = printable(suppression.reason);
  return json;
}

/// Unsuppressed findings of high severity have priority.
int weight_of(const Diagnostic& finding) {
  return finding.suppression ? -1 : static_cast<int>(finding.severity);
}

/// Joins adjacent edits, because consumers disagree on the order of insertions at one place.
std::vector<Edit> joined(std::vector<Edit> edits) {
  std::ranges::stable_sort(edits, {}, &Edit::where);
  std::vector<Edit> result;
  for (Edit& edit : edits) {
    if (result.empty() || result.back().where.end != edit.where.begin) {
      result.push_back(std::move(edit));
    } else {
      result.back().where.end = edit.where.end;
      result.back().text += edit.text;
    }
  }
  return result;
}

/// SARIF's level of a severity: error, warning or note.
std::string_view sarif_level(Severity severity) {
  return severity == Severity::info ? "note" : name_of(severity);
}

/// The longest description that GitHub accepts.
constexpr std::size_t kMaxDescription = 1024;

/// The first paragraph, cut at the limit.
std::string description_of(std::string_view why) {
  const std::string_view first = why.substr(0, why.find("\n\n"));
  return std::string(first.substr(0, kMaxDescription));
}

/// "InvalidToleration": SARIF requires a name that differs from the id.
std::string name_of_rule(std::string_view id) {
  std::string name;
  bool at_word = true;
  for (const char c : id) {
    if (c != '-') name += at_word && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    at_word = c == '-';
  }
  return name;
}

/// What the API server rejects is certain; advice is less precise.
std::string_view precision_of(Severity severity) {
  constexpr auto kWords = std::to_array<std::string_view>({"medium", "high", "very-high"});
  return kWords[static_cast<std::size_t>(severity)];
}

/// A rule as SARIF's `reportingDescriptor`, with the properties that GitHub shows and sorts by.
Json sarif_rule(const rules::Listed& listed) {
  const rules::Rule& rule = *listed.rule;
  Json json = {
      {"id", rule.id},
      {"name", name_of_rule(rule.id)},
      {"shortDescription", {{"text", page_of(rule).summary}}},
      {"fullDescription", {{"text", description_of(page_of(rule).why)}}},
      {"help", {{"text", rule_page(rule)}, {"markdown", markdown_rule_page(rule)}}},
      {"defaultConfiguration", {{"level", sarif_level(rule.severity)}}},
      {"properties",
       {{"tags", {"kubernetes", listed.group}},
        {"precision", precision_of(rule.severity)},
        {"problem.severity",
         rule.severity == Severity::info ? "recommendation" : name_of(rule.severity)}}},
  };
  // A policy may have none.
  if (const std::string link = help_link(rule); !link.empty()) json["helpUri"] = link;
  return json;
}

/// Builds the log of one run.
class Log {
 public:
  explicit Log(const Outcome& outcome)
      : workspace_(outcome.workspace),
        findings_(outcome.findings),
        omissions_(omissions_of(outcome)),
        rules_(outcome.rules) {
    for (std::size_t i = 0; i < rules_.size(); ++i) rule_index_[rules_[i].rule->id] = i;
    choose();
    hash_lines();
    any_suppressed_ = std::ranges::any_of(
        findings_, [](const Diagnostic& d) { return d.suppression.has_value(); });
  }

  Json json() {
    Json run;
    run["tool"]["driver"] = driver();
    run["invocations"] = Json::array();
    run["originalUriBaseIds"] = {{kRoot, {{"uri", directory_uri(root())}}}};
    run["columnKind"] = "unicodeCodePoints";
    run["newlineSequences"] = {"\r\n", "\n", "\r"};
    run["results"] = results();
    // The omissions are known only after the results.
    run["invocations"].push_back(invocation());
    return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs", Json::array({std::move(run)})}};
  }

 private:
  /// The findings that become results; if there are too many, those of highest priority.
  void choose() {
    for (std::size_t i = 0; i < findings_.size(); ++i) chosen_.push_back(i);
    if (chosen_.size() <= kMaxResults) return;
    std::ranges::stable_sort(chosen_, std::ranges::greater(),
                             [&](std::size_t i) { return weight_of(findings_[i]); });
    chosen_.resize(kMaxResults);
    std::ranges::sort(chosen_);
  }

  void hash_lines() {
    std::map<FileId, std::set<std::size_t>> lines;
    for (const std::size_t i : chosen_) {
      const Span where = findings_[i].where;
      lines[where.file].insert(workspace_.file_of(where).line_of(where.begin));
    }
    for (const auto& [file, wanted] : lines) {
      line_hashes_[file] = line_hashes(workspace_.sources[file]->bytes(), wanted);
    }
  }

  Json driver() const {
    Json driver{
        {"name", "cnsched"}, {"semanticVersion", kBuildInfo.version}, {"rules", Json::array()}};
    for (const rules::Listed& listed : rules_) driver["rules"].push_back(sarif_rule(listed));
    return driver;
  }

  /// The base of relative paths: the root of the repository of the first file that is in one.
  std::string root() {
    std::error_code error;
    for (const auto& source : workspace_.sources) {
      const std::string real = fs::weakly_canonical(source->path(), error).string();
      const std::string relative = paths_.of(source->path());
      const bool is_below = fs::exists(source->path(), error) && !relative.starts_with('/');
      if (is_below && real.ends_with("/" + relative)) {
        return real.substr(0, real.size() - relative.size());
      }
    }
    const std::string here = fs::current_path(error).string();
    const std::string repository = repository_root(here);
    return repository.empty() ? here : repository;
  }

  Json artifact(const std::string& path) {
    const std::string relative = paths_.of(path);
    if (relative.starts_with('/')) return {{"uri", "file://" + uri_path(relative)}};
    const std::string tidy = fs::path(relative).lexically_normal().string();
    return {{"uri", uri_path(tidy)}, {"uriBaseId", kRoot}};
  }

  Json physical_location(Span where) {
    const SourceFile& file = workspace_.file_of(where);
    return {{"artifactLocation", artifact(file.path())},
            {"region", json_of(region_of(file, where))}};
  }

  Json physical_location(const Diagnostic& finding) {
    const ReportedFile shown = reported_file(workspace_, finding);
    if (shown.has_line) return physical_location(finding.where);
    return {{"artifactLocation", artifact(shown.path)}};
  }

  Json results() {
    const std::vector<std::string> names = rules::fingerprints(workspace_, findings_);
    Json results = Json::array();
    for (const std::size_t i : chosen_) results.push_back(result(findings_[i], names[i]));
    return results;
  }

  Json result(const Diagnostic& finding, const std::string& fingerprint) {
    Json json{{"ruleId", finding.rule}};
    const auto index = rule_index_.find(finding.rule);
    if (index != rule_index_.end()) json["ruleIndex"] = index->second;
    json["level"] = sarif_level(finding.severity);
    json["message"] = message(message_text(finding, "\n"));
    Json location{{"physicalLocation", physical_location(finding)}};
    if (!finding.subject.kind.empty()) {
      location["logicalLocations"].push_back(logical_location(finding.subject));
    }
    json["locations"].push_back(std::move(location));
    if (!finding.notes.empty()) json["relatedLocations"] = related_locations(finding);
    const std::size_t line = workspace_.file_of(finding.where).line_of(finding.where.begin);
    json["partialFingerprints"] = {
        {"primaryLocationLineHash", line_hashes_[finding.where.file][line]},
        {"cnsched/v1", fingerprint}};
    if (finding.fix) add_fix(*finding.fix, json);
    if (!finding.clusters.empty()) json["properties"]["clusters"] = finding.clusters;
    if (!finding.releases.empty()) json["properties"]["releases"] = finding.releases;
    if (!finding.variants.empty()) json["properties"]["variants"] = finding.variants;
    if (any_suppressed_) {  // then SARIF requires it for every result
      json["suppressions"] = Json::array();
      if (finding.suppression) json["suppressions"].push_back(json_of(*finding.suppression));
    }
    return json;
  }

  Json related_locations(const Diagnostic& finding) {
    Json locations = Json::array();
    for (const Note& note : finding.notes) {
      if (workspace_.is_rendered(note.where.file)) continue;  // it is no file
      locations.push_back({{"id", locations.size() + 1},
                           {"physicalLocation", physical_location(note.where)},
                           {"message", message(printable(note.message))}});
    }
    return locations;
  }

  /// The edits of a fix, if there is room for them.
  Result<std::vector<Edit>> edits_of(const Fix& fix) {
    if (fix.document == nullptr) return fix.edits;
    const std::size_t bytes = fix.document->span.end - fix.document->span.begin;
    if (bytes > bytes_for_fixes_) {
      ++without_fix_;
      return std::vector<Edit>();
    }
    bytes_for_fixes_ -= bytes;
    const SourceFile& file = workspace_.file_of(fix.document->span);
    return yaml::edits_for(file, *fix.document, fix.changes, yaml::Comments::stay);
  }

  void add_fix(const Fix& fix, Json& result) {
    const auto edits = edits_of(fix);
    if (!edits || edits->empty()) return;
    const SourceFile& file = workspace_.file_of(edits->front().where);
    Json replacements = Json::array();
    for (const Edit& edit : joined(*edits)) {
      if (!is_utf8(edit.text)) return;  // JSON cannot represent it
      replacements.push_back({{"deletedRegion", whole_region(file, edit.where)},
                              {"insertedContent", {{"text", edit.text}}}});
    }
    const bool safe = fix.safety == Safety::safe;
    const std::string title =
        printable(fix.title) + (safe ? "" : " (unsafe: it may change the intent)");
    result["fixes"].push_back(
        {{"description", message(title)},
         {"artifactChanges", Json::array({{{"artifactLocation", artifact(file.path())},
                                           {"replacements", std::move(replacements)}}})}});
  }

  Json invocation() {
    std::error_code error;
    Json json{{"executionSuccessful", omissions_.empty()},
              {"workingDirectory", {{"uri", directory_uri(fs::current_path(error).string())}}}};
    if (Json list = notifications(); !list.empty()) {
      json["toolExecutionNotifications"] = std::move(list);
    }
    return json;
  }

  /// Notifications about everything that the results omit.
  Json notifications() {
    Json list = Json::array();
    for (const Unreadable& unread : omissions_) {
      list.push_back(notification("error", printable(place_of(unread) + ": " + unread.reason)));
      list.back()["locations"].push_back(
          {{"physicalLocation", {{"artifactLocation", artifact(unread.path)}}}});
    }
    if (const std::size_t missing = findings_.size() - chosen_.size(); missing > 0) {
      list.push_back(notification(
          "warning", fmt::format("{} of {} findings are left out: code scanning shows at most {}; "
                                 "the most severe ones are kept",
                                 missing, findings_.size(), kMaxResults)));
    }
    if (without_fix_ > 0) {
      list.push_back(notification("note", count_of(without_fix_, "finding") +
                                              " listed without a fix: computing it would "
                                              "take too long"));
    }
    for (const std::string& line : describe(workspace_.unfollowed(), "lint")) {
      list.push_back(notification("note", line));
    }
    return list;
  }

  const Workspace& workspace_;
  const std::vector<Diagnostic>& findings_;
  std::vector<Unreadable> omissions_;
  const std::vector<rules::Listed>& rules_;
  std::map<std::string_view, std::size_t> rule_index_;
  std::vector<std::size_t> chosen_;  ///< of the findings, in their order
  std::map<FileId, std::map<std::size_t, std::string>> line_hashes_;
  RepositoryPaths paths_;
  bool any_suppressed_ = false;
  std::size_t bytes_for_fixes_ = kMaxBytesForFixes;
  std::size_t without_fix_ = 0;
};

}  // namespace

namespace fs = std::filesystem;

void write_sarif(const Outcome& outcome, std::ostream& out) {
  write_document(Log(outcome).json(), out);
}

}  // namespace cnsched::cli

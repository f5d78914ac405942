#include "rules/engine/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/base/text.h"
#include "core/source/path.h"
#include "core/source/read_file.h"
#include "core/yaml/parse.h"
#include "core/yaml/shape.h"
#include "core/yaml/tree.h"
#include "core/yaml/write.h"
#include "rules/engine/fingerprint.h"
#include "rules/registry.h"

namespace cnsched::rules {

namespace {

using yaml::Node;

constexpr std::string_view kVersion = "1";

std::string qualified_name(const Subject& subject) {
  if (subject.kind.empty()) return {};
  return printable(
      fmt::format("{}/{}/{}/{}", subject.api_version, subject.kind, subject.ns, subject.name));
}

/// The name of a file in entries, printable because paths need not be UTF-8.
std::string name_of_file(RepositoryPaths& paths, const std::string& path) {
  return printable(paths.of(path));
}

/// Whether the node is a mapping with only these keys. Unlike in a configuration, it must not be
/// empty.
bool check_mapping(const Node& node, std::string_view name,
                   std::initializer_list<std::string_view> keys, yaml::StrictReader& reader) {
  if (node.is_mapping()) return reader.mapping(node, name, keys);
  reader.error(node, "{} must be a mapping", name);
  return false;
}

KnownFinding read_entry(const Node& node, yaml::StrictReader& reader) {
  if (!check_mapping(node, "an entry of 'findings'",
                     {"fingerprint", "rule", "file", "object", "message"}, reader)) {
    return {};
  }
  const auto read = [&](std::string_view key) {
    return std::string(reader.string(node.under(key), key).value_or(""));
  };
  KnownFinding entry{.fingerprint = read("fingerprint"),
                     .rule = read("rule"),
                     .file = read("file"),
                     .object = read("object"),
                     .message = read("message")};
  if (entry.fingerprint.empty()) reader.error(node, "an entry has no 'fingerprint'");
  return entry;
}

std::vector<KnownFinding> read_entries(const Node& root, yaml::StrictReader& reader,
                                       const std::vector<Error>& errors) {
  constexpr std::size_t kMaxErrors = 20;
  std::vector<KnownFinding> entries;
  if (!root.is_mapping()) {
    reader.error(root, "not a baseline: --write-baseline writes one");
    return entries;
  }
  if (!reader.mapping(root, "the baseline", {"schemaVersion", "findings"})) return entries;
  const Node& version = root["schemaVersion"];
  if (version.text() != kVersion) {
    reader.error(version ? version : root, "'schemaVersion' must be {}: write the baseline again",
                 kVersion);
    return entries;
  }
  for (const Node* item : reader.list(root["findings"], "findings")) {
    entries.push_back(read_entry(*item, reader));
    if (errors.size() >= kMaxErrors) break;
  }
  return entries;
}

void sort(std::vector<KnownFinding>& entries) {
  const auto key = [](const KnownFinding& e) {
    return std::tie(e.file, e.rule, e.object, e.message, e.fingerprint);
  };
  std::ranges::sort(entries, {}, key);
}

/// The linted files of which every document was read.
std::set<std::string> files_read(const Workspace& workspace) {
  std::set<std::string> unread;
  for (const Unreadable& each : workspace.unreadable()) unread.insert(each.path);
  for (const auto& loaded : workspace.documents()) {
    const bool is_unread =
        loaded->status == DocumentStatus::broken || loaded->status == DocumentStatus::templated;
    if (is_unread) unread.insert(workspace.file_of(loaded->document.span).path());
  }
  RepositoryPaths paths;
  std::set<std::string> names;
  for (const auto& file : workspace.sources) {
    if (!workspace.is_linted(file->id()) || unread.contains(file->path())) continue;
    names.insert(name_of_file(paths, file->path()));
  }
  return names;
}

std::string as_json(std::string_view text) {
  Arena arena;
  return yaml::to_json(yaml::string_like(arena, yaml::nowhere(), text));
}

std::set<std::string_view> fingerprints_in(const std::vector<KnownFinding>& entries) {
  std::set<std::string_view> result;
  for (const KnownFinding& entry : entries) result.insert(entry.fingerprint);
  return result;
}

}  // namespace

Baseline Baseline::of(const Workspace& workspace, const std::vector<Diagnostic>& findings) {
  Baseline baseline;
  RepositoryPaths paths;
  const std::vector<std::string> names = fingerprints(workspace, findings);
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const Diagnostic& finding = findings[i];
    if (finding.suppression && finding.suppression->by != Suppression::By::baseline) continue;
    baseline.entries_.push_back(
        {.fingerprint = names[i],
         .rule = std::string(finding.rule),
         .file = name_of_file(paths, workspace.file_of(finding.where).path()),
         .object = qualified_name(finding.subject),
         .message = finding.message});
  }
  sort(baseline.entries_);
  return baseline;
}

Result<Baseline> Baseline::read(const std::string& path) {
  Result<std::string> bytes = read_named_file(path);
  if (!bytes) return bytes.error();
  const SourceFile file(0, path, *std::move(bytes));
  const yaml::Document document = yaml::parse(file, file.whole());
  std::vector<Error> errors;
  yaml::StrictReader reader(file, errors);
  for (const yaml::Problem& problem : document.problems) {
    reader.add_error(problem.where, problem.message);
  }
  Baseline baseline;
  if (errors.empty()) baseline.entries_ = read_entries(*document.root, reader, errors);
  if (!errors.empty()) return joined(errors);
  return baseline;
}

void Baseline::hide(const Workspace& workspace, std::vector<Diagnostic>& findings) const {
  const std::set<std::string_view> known = fingerprints_in(entries_);
  const std::vector<std::string> names = fingerprints(workspace, findings);
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (findings[i].suppression || !known.contains(names[i])) continue;
    findings[i].suppression = Suppression{.by = Suppression::By::baseline};
    findings[i].fix.reset();
  }
}

Baseline Baseline::stale(const Workspace& workspace, const Selection& selection,
                         const std::vector<Diagnostic>& findings) const {
  const std::vector<std::string> names = fingerprints(workspace, findings);
  const std::set<std::string_view> found(names.begin(), names.end());
  const std::set<std::string> files = files_read(workspace);
  Baseline result;
  for (const KnownFinding& entry : entries_) {
    const bool could_run =
        selection.runs(entry.rule) || selection.rules().find(entry.rule) == nullptr;
    if (could_run && files.contains(entry.file) && !found.contains(entry.fingerprint)) {
      result.entries_.push_back(entry);
    }
  }
  return result;
}

Baseline Baseline::updated(const Baseline& stale, const Baseline& current) const {
  Baseline result = current;
  const std::set<std::string_view> removed = fingerprints_in(stale.entries_);
  const std::set<std::string_view> present = fingerprints_in(current.entries_);
  for (const KnownFinding& entry : entries_) {
    if (removed.contains(entry.fingerprint) || present.contains(entry.fingerprint)) continue;
    result.entries_.push_back(entry);
  }
  sort(result.entries_);
  return result;
}

std::string Baseline::text() const {
  std::string lines;
  for (const KnownFinding& entry : entries_) {
    lines += fmt::format(
        "{}    {{\"fingerprint\": {}, \"rule\": {}, \"file\": {}, \"object\": {}, \"message\": "
        "{}}}",
        lines.empty() ? "\n" : ",\n", as_json(entry.fingerprint), as_json(entry.rule),
        as_json(entry.file), as_json(entry.object), as_json(entry.message));
  }
  return fmt::format("{{\n  \"schemaVersion\": {},\n  \"findings\": [{}{}]\n}}\n", kVersion, lines,
                     lines.empty() ? "" : "\n  ");
}

}  // namespace cnsched::rules

// A suite for each file, a test case for each object in it, a failure for each finding that fails
// the run. There is no schema; this is the subset that GitLab, Jenkins and Buildkite share.
//
// A <file> for each file with findings, an <error> for each finding, as shellcheck writes them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>

#include "cli/output/output.h"
#include "cli/output/safe_text.h"
#include "core/base/text.h"
#include "core/source/path.h"

namespace cnsched::cli {

namespace {

struct Case {
  std::string name;
  std::string classname = "document";
  std::size_t line = 1;
  std::string_view skipped{};  ///< why the object is not checked; empty: it is
  std::string error{};         ///< what could not be read; empty: nothing
  bool broken = false;         ///< not valid YAML: findings are errors, not failures
  std::vector<const Diagnostic*> findings{};
};

struct Suite {
  std::string name;
  const SourceFile* file = nullptr;
  std::vector<Case> cases{};
};

/// Sorts objects and findings into suites and cases.
class Suites {
 public:
  explicit Suites(const Outcome& outcome) : workspace_(outcome.workspace) {
    for (const k8s::Object& object : workspace_.objects())
      objects_[object.document].push_back(&object);
    for (const auto& source : workspace_.sources) {
      if (!workspace_.is_linted(source->id())) continue;
      suite_of_[source->id()] = suites_.size();
      suites_.push_back({paths_.of(source->path()), source.get()});
    }
    for (const auto& loaded : workspace_.documents()) {
      if (loaded->linted) add_cases(*loaded);
    }
    for (Suite& suite : suites_) {
      if (suite.cases.empty()) suite.cases.push_back({.name = "no document", .skipped = "empty"});
    }
    for (const Diagnostic& finding : outcome.findings)
      case_of(finding.printed_at.empty() ? finding.where : finding.printed_at.back())
          .findings.push_back(&finding);
    for (const Unreadable& unread : omissions_of(outcome)) add_unreadable(unread);
    if (suites_.empty()) {
      suites_.push_back(
          {.name = "cnsched", .cases = {{.name = "no file", .skipped = "no manifests"}}});
    }
  }

  const std::vector<Suite>& all() const { return suites_; }

 private:
  /// The place of a case among those of its file.
  struct Begin {
    std::uint32_t offset;
    std::size_t index;
  };

  void add_cases(const LoadedDocument& loaded) {
    const yaml::Document& document = loaded.document;
    const auto objects = objects_.find(&document);
    if (objects == objects_.end()) {
      add(document.span, case_without_object(loaded));
      return;
    }
    for (const k8s::Object* object : objects->second) {
      const Subject subject{.kind = std::string(object->kind),
                            .ns = std::string(object->ns.name),
                            .name = std::string(object->name)};
      add(object->root->span,
          {.name = describe(subject),
           .classname = fmt::format("{}/{}", object->api_version, object->kind)});
    }
  }

  Case case_without_object(const LoadedDocument& loaded) {
    const Suite& suite = suites_[suite_of_.at(loaded.document.span.file)];
    Case made{.name = fmt::format("document {}", suite.cases.size() + 1)};
    switch (loaded.status) {
      case DocumentStatus::broken:
        made.broken = true;
        made.skipped = "no YAML";
        break;
      case DocumentStatus::templated:
        made.skipped = "a Helm template: lint what Helm renders";
        break;
      case DocumentStatus::checked:
      case DocumentStatus::fact:
      case DocumentStatus::out_of_scope:
        made.skipped = "out of scope";
        break;
    }
    return made;
  }

  void add(Span span, Case made) {
    const std::size_t index = suite_of_.at(span.file);
    Suite& suite = suites_[index];
    made.line = suite.file->line_of(span.begin);
    begins_[span.file].push_back({span.begin, suite.cases.size()});
    suite.cases.push_back(std::move(made));
  }

  /// The last case that begins at or before the place, or the file's first.
  Case& case_of(Span where) {
    std::vector<Case>& cases = suites_[suite_of_.at(where.file)].cases;
    const std::vector<Begin>& begins = begins_[where.file];
    const auto next = std::ranges::upper_bound(begins, where.begin, {}, &Begin::offset);
    return next == begins.begin() ? cases.front() : cases[std::prev(next)->index];
  }

  void add_unreadable(const Unreadable& unread) {
    suites_.push_back({.name = paths_.of(unread.path),
                       .cases = {{.name = "read", .classname = "file", .error = unread.reason}}});
  }

  const Workspace& workspace_;
  RepositoryPaths paths_;
  std::map<const yaml::Document*, std::vector<const k8s::Object*>> objects_;
  std::map<FileId, std::size_t> suite_of_;
  std::map<FileId, std::vector<Begin>> begins_;
  std::vector<Suite> suites_;
};

enum class Ending : std::uint8_t { passed, skipped, failed, error };

/// The number of cases by result.
struct Counts {
  std::size_t tests = 0;
  std::size_t skipped = 0;
  std::size_t failures = 0;
  std::size_t errors = 0;

  void add(Ending ending) {
    ++tests;
    skipped += ending == Ending::skipped ? 1 : 0;
    failures += ending == Ending::failed ? 1 : 0;
    errors += ending == Ending::error ? 1 : 0;
  }
};

class JunitPage {
 public:
  JunitPage(Severity fail_on, std::ostream& out) : fail_on_(fail_on), xml_(out) {}

  void write(const std::vector<Suite>& suites) {
    Counts counts;
    for (const Suite& suite : suites) {
      for (const Case& each : suite.cases) counts.add(ending_of(each));
    }
    xml_.open("testsuites", attributes("cnsched", counts));
    for (const Suite& suite : suites) write(suite);
    xml_.close();
  }

 private:
  bool fails(const Diagnostic& finding) const { return finding.severity >= fail_on_; }

  Ending ending_of(const Case& each) const {
    if (!each.error.empty()) return Ending::error;
    if (std::ranges::any_of(each.findings, [&](const auto* d) { return fails(*d); })) {
      return each.broken ? Ending::error : Ending::failed;
    }
    return each.skipped.empty() ? Ending::passed : Ending::skipped;
  }

  static XmlWriter::Attributes attributes(const std::string& name, const Counts& counts) {
    return {{"name", name},
            {"tests", std::to_string(counts.tests)},
            {"failures", std::to_string(counts.failures)},
            {"errors", std::to_string(counts.errors)},
            {"skipped", std::to_string(counts.skipped)},
            {"time", "0"}};
  }

  void write(const Suite& suite) {
    Counts counts;
    for (const Case& each : suite.cases) counts.add(ending_of(each));
    XmlWriter::Attributes about = attributes(suite.name, counts);
    about.insert(about.begin() + 1, {"file", suite.name});
    xml_.open("testsuite", about);
    for (const Case& each : suite.cases) write(each, suite);
    xml_.close();
  }

  void write(const Case& each, const Suite& suite) {
    const XmlWriter::Attributes about = {{"name", each.name},
                                         {"classname", each.classname},
                                         {"file", suite.name},
                                         {"line", std::to_string(each.line)},
                                         {"time", "0"}};
    const Ending ending = ending_of(each);
    if (ending == Ending::passed && each.findings.empty()) return xml_.empty("testcase", about);
    xml_.open("testcase", about);
    if (ending == Ending::skipped) {
      xml_.empty("skipped", {{"message", std::string(each.skipped)}});
    }
    if (!each.error.empty()) {
      xml_.text("error", {{"message", each.error}, {"type", "unreadable"}}, each.error);
    }
    write_findings(each, suite);
    xml_.close();
  }

  void write_findings(const Case& each, const Suite& suite) {
    std::string below;
    for (const Diagnostic* finding : each.findings) {
      const Region region = region_of(*suite.file, finding->where);
      const std::string text =
          fmt::format("{}:{}:{}: {}: {}", printable(suite.name), region.line, region.column,
                      name_of(finding->severity), message_text(*finding, "\n"));
      if (fails(*finding)) {
        xml_.text(each.broken ? "error" : "failure",
                  {{"message", finding->message}, {"type", std::string(finding->rule)}}, text);
      } else {
        below += fmt::format("{}{} [{}]", below.empty() ? "" : "\n", text, finding->rule);
      }
    }
    if (!below.empty()) xml_.text("system-out", {}, below);
  }

  Severity fail_on_;
  XmlWriter xml_;
};

std::string name_of_file(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().string();
}

void write_error(const Diagnostic& finding, const SourceFile& file, bool has_line, XmlWriter& xml) {
  const Region region = has_line ? region_of(file, finding.where) : Region();
  xml.empty("error", {{"line", std::to_string(region.line)},
                      {"column", std::to_string(region.column)},
                      {"severity", std::string(name_of(finding.severity))},
                      {"message", message_text(finding, "; ")},
                      {"source", fmt::format("cnsched.{}", finding.rule)}});
}

}  // namespace

void write_junit(const Outcome& outcome, std::ostream& out) {
  JunitPage(outcome.fail_on, out).write(Suites(outcome).all());
}

void write_checkstyle(const Outcome& outcome, std::ostream& out) {
  XmlWriter xml(out);
  xml.open("checkstyle", {{"version", "4.3"}});
  std::optional<std::string> current;
  for (const Diagnostic& finding : outcome.findings) {
    const SourceFile& file = outcome.workspace.file_of(finding.where);
    const ReportedFile shown = reported_file(outcome.workspace, finding);
    if (shown.path != current) {
      if (current) xml.close();
      xml.open("file", {{"name", name_of_file(shown.path)}});
      current = shown.path;
    }
    write_error(finding, file, shown.has_line, xml);
  }
  if (current) xml.close();
  for (const Unreadable& unread : omissions_of(outcome)) {
    xml.open("file", {{"name", name_of_file(unread.path)}});
    xml.empty("error", {{"line", std::to_string(std::max<std::size_t>(unread.line, 1))},
                        {"severity", "error"},
                        {"message", unread.reason},
                        {"source", "cnsched.unreadable"}});
    xml.close();
  }
  xml.close();
}

}  // namespace cnsched::cli

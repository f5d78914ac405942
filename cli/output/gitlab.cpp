#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/output/json.h"
#include "cli/output/output.h"
#include "cli/output/rule_page.h"
#include "core/source/path.h"
#include "rules/engine/fingerprint.h"
#include "rules/registry.h"

namespace cnsched::cli {

namespace fs = std::filesystem;

namespace {

/// The paths of files as GitLab expects them.
class ProjectPaths {
 public:
  explicit ProjectPaths(const std::string& project) {
    std::error_code error;
    if (!project.empty()) project_ = fs::weakly_canonical(project, error).string();
  }

  std::string of(const std::string& path) {
    std::error_code error;
    if (!project_.empty() && fs::exists(path, error)) {
      const std::string below = path_below(project_, fs::weakly_canonical(path, error).string());
      if (!below.empty()) return below;
    }
    return in_repository_.of(path);
  }

 private:
  std::string project_;
  RepositoryPaths in_repository_;
};

std::string_view severity_of(const Diagnostic& finding) {
  // Invalid YAML hides all other findings.
  if (finding.rule == "yaml-syntax") return "critical";
  switch (finding.severity) {
    case Severity::error:
      return "major";
    case Severity::warning:
      return "minor";
    case Severity::info:
      break;
  }
  return "info";
}

/// "; see https://…" if there is a site with a page of the rule.
std::string page_of(std::string_view rule) {
  if (kBuildInfo.site.empty()) return {};
  const rules::Listed* listed = rules::find_rule(rule);
  if (listed == nullptr) return {};
  return fmt::format("; see {}", help_link(*listed->rule));
}

}  // namespace

void write_gitlab(const Outcome& outcome, const std::string& project, std::ostream& out) {
  const std::vector<std::string> names = rules::fingerprints(outcome.workspace, outcome.findings);
  ProjectPaths paths(project);
  Json json = Json::array();
  for (std::size_t i = 0; i < outcome.findings.size(); ++i) {
    const Diagnostic& finding = outcome.findings[i];
    const SourceFile& file = outcome.workspace.file_of(finding.where);
    const ReportedFile shown = reported_file(outcome.workspace, finding);
    const std::size_t line = shown.has_line ? file.line_of(finding.where.begin) : 1;
    // GitLab shows the description but not the check's name.
    json.push_back(
        {{"description", fmt::format("{}: {}{}", finding.rule, message_text(finding, "; "),
                                     page_of(finding.rule))},
         {"check_name", finding.rule},
         {"fingerprint", names[i]},
         {"severity", severity_of(finding)},
         {"location", {{"path", paths.of(shown.path)}, {"lines", {{"begin", line}}}}}});
  }
  write_document(json, out);
}

}  // namespace cnsched::cli

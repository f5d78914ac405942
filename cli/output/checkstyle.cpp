// A <file> for each file with findings, an <error> for each finding, as shellcheck writes them.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "cli/output/output.h"
#include "cli/output/safe_text.h"

namespace cnsched::cli {

namespace {

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

#include <fmt/format.h>

#include "cli/output/output.h"
#include "core/base/text.h"

namespace cnsched::cli {

std::vector<Unreadable> omissions_of(const Outcome& outcome) {
  std::vector<Unreadable> all = outcome.workspace.unreadable();
  if (outcome.left_out) all.push_back(*outcome.left_out);
  return all;
}

std::string place_of(const Unreadable& unread) {
  return unread.line == 0 ? unread.path : fmt::format("{}:{}", unread.path, unread.line);
}

Totals totals_of(const std::vector<Diagnostic>& findings) {
  Totals totals;
  for (const Diagnostic& finding : findings) {
    if (finding.suppression) {
      ++totals.suppressed;
      continue;
    }
    switch (finding.severity) {
      case Severity::error:
        ++totals.errors;
        break;
      case Severity::warning:
        ++totals.warnings;
        break;
      case Severity::info:
        ++totals.infos;
        break;
    }
  }
  return totals;
}

std::string describe(const Subject& subject) {
  if (subject.kind.empty()) return {};
  std::string text = subject.kind;
  if (!subject.name.empty()) {
    text += subject.ns.empty() ? fmt::format(" {}", subject.name)
                               : fmt::format(" {}/{}", subject.ns, subject.name);
  }
  if (!subject.component.empty()) text += fmt::format(", {}", subject.component);
  return printable(text);
}

std::string describe(const Suppression& suppression) {
  const auto by = [&] {
    switch (suppression.by) {
      case Suppression::By::comment:
        return "by a comment";
      case Suppression::By::annotation:
        return "by an annotation";
      case Suppression::By::baseline:
        break;
    }
    return "by the baseline";
  }();
  return suppression.reason.empty() ? by : fmt::format("{}: {}", by, suppression.reason);
}

std::string describe(const RunStats& stats) {
  const std::string broken =
      stats.broken == 0 ? "" : fmt::format(", {} with a syntax error", stats.broken);
  return fmt::format("checked {} in {} of {} ({} out of scope, {} skipped, {} unreadable{})",
                     count_of(stats.objects, "object"), count_of(stats.documents, "document"),
                     count_of(stats.files, "file"), stats.out_of_scope,
                     count_of(stats.templates, "Helm template"), stats.unreadable, broken);
}

std::string describe(const Totals& totals) {
  std::vector<std::string> parts;
  if (totals.errors > 0) parts.push_back(count_of(totals.errors, "error"));
  if (totals.warnings > 0) parts.push_back(count_of(totals.warnings, "warning"));
  if (totals.infos > 0) parts.push_back(count_of(totals.infos, "info"));
  if (totals.suppressed == 0) return join_words(parts);
  return fmt::format("{} ({} suppressed)", parts.empty() ? "nothing" : join_words(parts),
                     totals.suppressed);
}

}  // namespace cnsched::cli

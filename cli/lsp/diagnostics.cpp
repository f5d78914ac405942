#include "cli/lsp/diagnostics.h"

#include <fmt/format.h>

#include "cli/output/help_link.h"
#include "cli/output/message_text.h"
#include "core/base/text.h"

namespace cnsched::cli::lsp {

namespace {

/// DiagnosticSeverity.
int number_of(Severity severity) {
  constexpr int kError = 1;
  constexpr int kWarning = 2;
  constexpr int kInformation = 3;
  switch (severity) {
    case Severity::error:
      return kError;
    case Severity::warning:
      return kWarning;
    case Severity::info:
      break;
  }
  return kInformation;
}

Json location_of(Span where, const Checker& checker, const ClientAbilities& client) {
  return {{"uri", uri_of_path(checker.path_of(where.file))},
          {"range", json_of(range_of(where, checker, client))}};
}

}  // namespace

Range range_of(Span where, const Checker& checker, const ClientAbilities& client) {
  const SourceFile& source = checker.opened()->workspace.file_of(where);
  const Checker::File* file = checker.find(checker.path_of(where.file));
  return range_of(source, where, client.encoding, file != nullptr && file->is_open);
}

Json json_of(const Diagnostic& finding, const Checker& checker, const ClientAbilities& client) {
  std::string message = message_text(finding, "\n");
  Json related = Json::array();
  for (const Note& note : finding.notes) {
    const std::string text = printable(note.message);
    if (client.related_information) {
      related.push_back(
          {{"location", location_of(note.where, checker, client)}, {"message", text}});
    } else {
      message += fmt::format("\nnote: {} ({})", text,
                             describe_line(note.where, checker.opened()->workspace.sources));
    }
  }
  Json json = {
      {"range", json_of(range_of(finding.where, checker, client))},
      {"severity", number_of(finding.severity)},
      {"code", std::string(finding.rule)},
      {"source", "cnsched"},
      {"message", std::move(message)},
      {"data", {{"rule", std::string(finding.rule)}, {"fixable", finding.fix.has_value()}}}};
  const rules::Listed* listed = checker.opened()->rules().find(finding.rule);
  const std::string link = listed == nullptr ? std::string() : help_link(*listed->rule);
  if (!link.empty()) json["codeDescription"] = {{"href", link}};
  if (!related.empty()) json["relatedInformation"] = std::move(related);
  return json;
}

Json diagnostics_of(const std::string& path, const Checker& checker,
                    const ClientAbilities& client) {
  Json all = Json::array();
  const Checker::File* file = checker.find(path);
  if (file == nullptr) return all;
  for (const Diagnostic* finding : file->findings) {
    if (all.size() == kMaxPerFile) break;
    all.push_back(json_of(*finding, checker, client));
  }
  return all;
}

}  // namespace cnsched::cli::lsp

#include "cli/lsp/requests.h"

#include <fmt/format.h>

#include <array>
#include <functional>

#include "cli/output/output.h"
#include "cli/output/rule_page.h"
#include "core/base/text.h"

namespace cnsched::cli::lsp {

namespace {

/// DiagnosticSeverity.
int number_of(Severity severity) {
  constexpr std::array kNumbers = {3, 2, 1};  // Information, Warning, Error
  return kNumbers[static_cast<std::size_t>(severity)];
}

class Signature {
 public:
  void add(std::size_t value) {
    constexpr std::size_t kFactor = 0x9E3779B97F4A7C15U;
    value_ = (value_ ^ value) * kFactor;
  }
  void add(std::string_view text) { add(std::hash<std::string_view>()(text)); }
  void add(Span span) {
    for (const std::uint32_t part : {span.file, span.begin, span.end}) add(std::size_t{part});
  }
  std::size_t value() const { return value_; }

 private:
  std::size_t value_ = 1;
};

}  // namespace

Json json_of(const Diagnostic& finding, const Session& session) {
  std::string message = message_text(finding, "\n");
  Json related = Json::array();
  for (const Note& note : finding.notes) {
    const std::string text = printable(note.message);
    if (session.client.related_information) {
      related.push_back({{"location", session.location_of(note.where)}, {"message", text}});
    } else {
      message += fmt::format("\nnote: {} ({})", text,
                             describe_line(note.where, session.checker.workspace().sources));
    }
  }
  Json json = {
      {"range", json_of(session.range_of(finding.where))},
      {"severity", number_of(finding.severity)},
      {"code", std::string(finding.rule)},
      {"source", "cnsched"},
      {"message", std::move(message)},
      {"data", {{"rule", std::string(finding.rule)}, {"fixable", finding.fix.has_value()}}}};
  const rules::Listed* listed = session.checker.project()->rules().find(finding.rule);
  const std::string link = listed == nullptr ? std::string() : help_link(*listed->rule);
  if (!link.empty()) json["codeDescription"] = {{"href", link}};
  if (!related.empty()) json["relatedInformation"] = std::move(related);
  return json;
}

std::size_t signature_of(const Checker::File& file) {
  Signature signature;
  for (const Diagnostic* finding : file.findings) {
    signature.add(finding->rule);
    signature.add(static_cast<std::size_t>(finding->severity));
    signature.add(finding->where);
    signature.add(message_text(*finding, "\n"));
    signature.add(finding->fix.has_value() ? 1 : 0);
    for (const Note& note : finding->notes) {
      signature.add(note.where);
      signature.add(note.message);
    }
  }
  return signature.value();
}

Json diagnostics_of(const std::string& path, const Session& session) {
  Json all = Json::array();
  const Checker::File* file = session.checker.find(path);
  if (file == nullptr) return all;
  for (const Diagnostic* finding : file->findings) {
    if (all.size() == kMaxPerFile) break;
    all.push_back(json_of(*finding, session));
  }
  return all;
}

}  // namespace cnsched::cli::lsp

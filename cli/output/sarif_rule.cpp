#include "cli/output/sarif.h"

#include <nlohmann/json.hpp>
#include <string>

#include "cli/output/json.h"
#include "cli/output/rule_page.h"
#include "rules/page.h"

namespace cnsched::cli {

namespace {

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
  switch (severity) {
    case Severity::error:
      return "very-high";
    case Severity::warning:
      return "high";
    case Severity::info:
      break;
  }
  return "medium";
}

}  // namespace

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

std::string_view sarif_level(Severity severity) {
  return severity == Severity::info ? "note" : name_of(severity);
}

}  // namespace cnsched::cli

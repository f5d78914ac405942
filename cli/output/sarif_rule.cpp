#include "cli/output/sarif_rule.h"

#include <nlohmann/json.hpp>
#include <string>

#include "cli/output/rule_page.h"

namespace cnsched::cli {

namespace {

using Json = nlohmann::ordered_json;

/// Of a rule's description, as far as GitHub takes it.
constexpr std::size_t kLongestDescription = 1024;

/// The first paragraph, as far as a description may hold it. Of our own, ASCII or nearly so.
std::string description_of(std::string_view why) {
  const std::string_view first = why.substr(0, why.find("\n\n"));
  return std::string(first.substr(0, kLongestDescription));
}

/// "InvalidToleration": SARIF wants a name that differs from the id.
std::string name_of_rule(std::string_view id) {
  std::string name;
  bool at_word = true;
  for (const char c : id) {
    if (c != '-') name += at_word && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    at_word = c == '-';
  }
  return name;
}

/// By severity, how sure a rule is: what the API server refuses can be known, advice is taste.
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
  return {
      {"id", rule.id},
      {"name", name_of_rule(rule.id)},
      {"shortDescription", {{"text", rule.summary}}},
      {"fullDescription", {{"text", description_of(rule.why)}}},
      {"help", {{"text", rule_page(rule)}, {"markdown", markdown_rule_page(rule)}}},
      {"helpUri", rule.source},
      {"defaultConfiguration", {{"level", sarif_level(rule.severity)}}},
      {"properties",
       {{"tags", {"kubernetes", listed.group}},
        {"precision", precision_of(rule.severity)},
        {"problem.severity",
         rule.severity == Severity::info ? "recommendation" : name_of(rule.severity)}}},
  };
}

std::string_view sarif_level(Severity severity) {
  return severity == Severity::info ? "note" : name_of(severity);
}

}  // namespace cnsched::cli

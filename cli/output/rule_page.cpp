#include "cli/output/rule_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <unordered_map>
#include <utility>

#include "cli/output/safe_text.h"
#include "core/base/text.h"
#include "rules/admission/admission_check.h"
#include "rules/engine/selection.h"
#include "rules/page.h"

namespace cnsched::cli {

namespace {

using Form = RuleSection::Form;

/// "Summary." and, as paragraphs of their own, the details.
std::string what_it_reports(const rules::Rule& rule) {
  const rules::Page& page = page_of(rule);
  std::string text = page.summary;
  if (text.front() >= 'a' && text.front() <= 'z') text.front() += 'A' - 'a';
  text += '.';
  if (!page.details.empty()) text += fmt::format("\n\n{}", page.details);
  return text;
}

std::string_view how_to_fix(const rules::Rule& rule) {
  if (rules::is_policy(rule)) return "Findings of policies have no automatic fix.";
  if (!rule.fix) return "No automatic fix. The finding says what to write instead.";
  if (*rule.fix == Safety::safe) {
    return "'cnsched lint --fix' applies the safe fixes of this rule. A finding without a safe fix "
           "says what to write instead.";
  }
  return "'cnsched lint --fix --unsafe-fixes' applies the fixes of this rule. Review them, because "
         "they may change what the manifest means. A finding without a fix says what to write "
         "instead.";
}

/// Whether the rule is exported, or why not; `with_cel`: the expressions for the API server, as
/// written beside the check.
RuleSection in_the_cluster(const rules::Rule& rule, bool with_cel) {
  constexpr std::string_view kHeading = "In the cluster";
  const std::string& why_not = page_of(rule).not_exported;
  if (!why_not.empty()) {
    return {kHeading, fmt::format("'cnsched export vap' does not export the rule: {}.", why_not)};
  }
  if (!with_cel) {
    return {kHeading,
            fmt::format("'cnsched export vap' exports the rule. 'cnsched explain --cel {}' "
                        "prints the expressions.",
                        rule.id)};
  }
  std::string text = "# 'cnsched export vap' exports the rule with these expressions of CEL.\n";
  const auto add = [&](std::string_view name, std::string_view expression) {
    if (expression.empty()) return;
    text += fmt::format("{}: |-\n", name);
    for (const std::string_view line : split(trim(expression), '\n')) {
      text += fmt::format("  {}\n", line);
    }
  };
  const rules::AdmissionCheck& check = *admission_of(rule);
  if (!check.without.empty()) {
    text += fmt::format("# They do not find {}.\n", check.without);
  }
  add("errors", check.errors);
  add("warnings", check.warnings);
  add("infos", check.infos);
  return {kHeading, std::string(trim(text)), Form::yaml};
}

/// The rule with that id, or null. Faster than a search of the table for each word of a text.
const rules::Rule* rule_of(std::string_view word) {
  static const auto by_id = [] {
    std::unordered_map<std::string_view, const rules::Rule*> ids;
    for (const rules::Listed& each : rules::all_rules()) ids.emplace(each.rule->id, each.rule);
    return ids;
  }();
  const auto found = by_id.find(word);
  return found == by_id.end() ? nullptr : found->second;
}

/// A piece of a text: a word that is the id of a rule, or what is between two of them.
struct Piece {
  std::string_view text;
  const rules::Rule* rule = nullptr;
};

bool is_of_word(char c) {
  return is_alphanumeric(c) || std::string_view("-_./").find(c) != std::string_view::npos;
}

/// The text in pieces. An id is a word of its own: the last part of a label's key is none.
std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  std::size_t done = 0;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    for (end = begin; end < text.size() && is_of_word(text[end]);) ++end;
    std::string_view word = text.substr(begin, end - begin);
    while (word.ends_with('.')) word.remove_suffix(1);
    const rules::Rule* rule = word.empty() ? nullptr : rule_of(word);
    if (rule == nullptr) continue;
    pieces.push_back({text.substr(done, begin - done)});
    pieces.push_back({word, rule});
    done = begin + word.size();
  }
  pieces.push_back({text.substr(done)});
  return pieces;
}

/// The ids of other rules that the texts of the rule name.
std::set<std::string_view> named_by(const rules::Rule& rule) {
  std::set<std::string_view> ids;
  const rules::Page& page = page_of(rule);
  for (const std::string* text : {&page.summary, &page.details, &page.why, &page.limits}) {
    for (const Piece& piece : pieces_of(*text)) {
      if (piece.rule != nullptr && piece.rule != &rule) ids.insert(piece.rule->id);
    }
  }
  if (!rule.follows.empty()) ids.insert(rule.follows);
  return ids;
}

/// Whether the texts of `rule` name `other`.
bool names(const rules::Rule& rule, const rules::Rule& other) {
  static const auto named = [] {
    std::unordered_map<const rules::Rule*, std::set<std::string_view>> all;
    for (const rules::Listed& each : rules::all_rules())
      all.emplace(each.rule, named_by(*each.rule));
    return all;
  }();
  return named.at(&rule).contains(other.id);
}

/// The other rules of the group, the nearest in rules.def first.
std::vector<const rules::Rule*> neighbours(const rules::Listed& listed) {
  std::vector<const rules::Listed*> others;
  for (const rules::Listed& each : rules::all_rules()) {
    if (each.group == listed.group && each.rule != listed.rule) others.push_back(&each);
  }
  std::ranges::stable_sort(others, {}, [&](const auto* each) { return std::abs(each - &listed); });
  std::vector<const rules::Rule*> result;
  for (const rules::Listed* each : others) result.push_back(each->rule);
  return result;
}

/// Paragraphs in Markdown, with the ids of rules as code.
std::string markdown_prose(std::string_view text) {
  std::string result;
  for (const Piece& piece : pieces_of(text)) {
    result += piece.rule != nullptr ? fmt::format("`{}`", piece.text) : markdown_text(piece.text);
  }
  return result;
}

std::string markdown_of(const RuleSection& section) {
  switch (section.form) {
    case Form::yaml:
      return fmt::format("```yaml\n{}\n```", section.text);
    case Form::output:
      return fmt::format("```text\n{}\n```", trim(section.text));
    case Form::link:
      return fmt::format("<{}>", section.text);
    case Form::prose:
    case Form::rules:
      break;
  }
  return markdown_prose(section.text);
}

/// The sections, each with its name between `before` and `after`.
std::string markdown_sections(const std::vector<RuleSection>& sections, std::string_view before,
                              std::string_view after) {
  std::string text;
  for (const RuleSection& section : sections) {
    text += fmt::format("{}{}{}{}\n\n{}\n", text.empty() ? "" : "\n", before, section.heading,
                        after, markdown_of(section));
  }
  return text;
}

}  // namespace

std::string_view fix_of(const rules::Rule& rule) {
  if (!rule.fix) return {};
  return *rule.fix == Safety::safe ? "safe" : "unsafe";
}

std::string described_fix(const rules::Rule& rule) {
  return rule.fix ? fmt::format(", {} fix", fix_of(rule)) : std::string();
}

std::string_view described_export(const rules::Rule& rule) {
  return page_of(rule).not_exported.empty() ? ", exported" : "";
}

std::vector<RuleSection> rule_sections(const rules::Rule& rule, std::optional<std::string> reported,
                                       bool with_cel) {
  const rules::Page& page = page_of(rule);
  std::vector<RuleSection> sections = {
      {"What it reports", what_it_reports(rule)},
      {"Why it matters", page.why},
      {"Limits", page.limits},
      {"Wrong", std::string(trim(page.bad)), Form::yaml},
      {"Right", std::string(trim(page.good)), Form::yaml},
  };
  const bool is_whole_page = reported.has_value();
  if (is_whole_page) {
    sections.push_back({"How it is reported", *std::move(reported), Form::output});
  }
  sections.push_back({"Fix", std::string(how_to_fix(rule))});
  if (is_whole_page && !rules::is_policy(rule)) {
    sections.push_back(in_the_cluster(rule, with_cel));
  }
  if (const auto related = related_rules(rule); !related.empty()) {
    sections.push_back({"Related rules", fmt::format("{}", fmt::join(related, ", ")), Form::rules});
  }
  sections.push_back({"Source", page.source, Form::link});
  // A policy need not have every section.
  std::erase_if(sections, [](const RuleSection& section) { return section.text.empty(); });
  return sections;
}

std::vector<std::string_view> related_rules(const rules::Rule& rule) {
  constexpr std::size_t kWithNeighbours = 3;
  std::vector<std::string_view> ids;
  if (rules::is_policy(rule)) return ids;
  const auto add_if = [&](auto is_related) {
    for (const rules::Listed& each : rules::all_rules()) {
      const bool is_new = each.rule != &rule && !is_one_of(each.rule->id, ids);
      if (is_new && is_related(*each.rule)) ids.push_back(each.rule->id);
    }
  };
  add_if([&](const rules::Rule& other) { return names(rule, other); });
  add_if([&](const rules::Rule& other) { return names(other, rule); });
  for (const rules::Rule* other : neighbours(*rules::find_rule(rule.id))) {
    if (ids.size() >= kWithNeighbours) break;
    if (!is_one_of(other->id, ids)) ids.push_back(other->id);
  }
  return ids;
}

std::string rule_page(const rules::Rule& rule) {
  std::string page;
  for (const RuleSection& section : rule_sections(rule)) {
    page += fmt::format("{}{}:\n{}\n", page.empty() ? "" : "\n", section.heading, section.text);
  }
  return page;
}

std::string markdown_rule_page(const rules::Rule& rule) {
  return markdown_sections(rule_sections(rule), "**", "**");
}

std::string markdown_rule_document(const rules::Listed& listed, std::string reported,
                                   bool with_cel) {
  const rules::Rule& rule = *listed.rule;
  return fmt::format(
      "# {}\n\nSeverity {}, group {}{}.\n\n{}", rule.id, name_of(rule.severity), listed.group,
      described_fix(rule),
      markdown_sections(rule_sections(rule, std::move(reported), with_cel), "## ", ""));
}

std::string help_link(const rules::Rule& rule, std::string_view site) {
  const bool has_page = !site.empty() && !rules::is_policy(rule);
  return !has_page ? page_of(rule).source : fmt::format("{}/rules/{}/", site, rule.id);
}

}  // namespace cnsched::cli

#include "cli/commands/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/output/json.h"
#include "cli/output/output.h"
#include "cli/output/rule_page.h"
#include "cli/output/style.h"
#include "core/base/suggest.h"
#include "core/base/text.h"
#include "rules/engine/example.h"
#include "rules/engine/selection.h"
#include "rules/registry.h"

namespace cnsched::cli {

namespace {

void write_table(const Style& style, std::size_t width, std::ostream& out) {
  constexpr std::size_t kIndent = 6;
  std::string_view group;
  for (const rules::Listed& listed : rules::all_rules()) {
    const rules::Rule& rule = *listed.rule;
    if (listed.group != group) {
      out << (group.empty() ? "" : "\n") << style(Paint::strong, listed.group) << '\n';
      group = listed.group;
    }
    out << fmt::format("  {}  {}{}\n", rule.id,
                       style(paint_of(rule.severity), name_of(rule.severity)), described_fix(rule));
    for (const std::string& line : wrap(rule.summary, width - kIndent)) {
      out << fmt::format("{:{}}{}\n", "", kIndent, line);
    }
  }
}

/// The table as documents hold it. Summaries have neither bars nor line ends.
void write_markdown(std::ostream& out) {
  out << "| group | rule | severity | fix | finds |\n|---|---|---|---|---|\n";
  std::string_view group;
  for (const rules::Listed& listed : rules::all_rules()) {
    const rules::Rule& rule = *listed.rule;
    out << fmt::format("| {} | `{}` | {} | {} | {} |\n", listed.group == group ? "" : listed.group,
                       rule.id, name_of(rule.severity), fix_of(rule), rule.summary);
    group = listed.group;
  }
}

void write_rules_json(std::ostream& out) {
  nlohmann::ordered_json json;
  json["schemaVersion"] = 1;
  json["rules"] = nlohmann::ordered_json::array();
  for (const rules::Listed& listed : rules::all_rules()) {
    const rules::Rule& rule = *listed.rule;
    json["rules"].push_back({{"id", rule.id},
                             {"group", listed.group},
                             {"severity", name_of(rule.severity)},
                             {"fix", fix_of(rule)},
                             {"summary", rule.summary},
                             {"why", rule.why},
                             {"bad", rule.bad},
                             {"good", rule.good},
                             {"source", rule.source}});
  }
  write_document(json, out);
}

bool colored(const TalkOptions& options, const Console& console) {
  return decide_color(color_choice(options), console.out_is_terminal, environment_variable);
}

/// Paragraphs stand apart in the text as they do on the page: by an empty line.
void write_text(std::string_view text, std::size_t width, std::ostream& out) {
  for (;;) {
    const std::size_t end = text.find("\n\n");
    for (const std::string& line : wrap(text.substr(0, end), width)) out << line << '\n';
    if (end == std::string_view::npos) return;
    out << '\n';
    text.remove_prefix(end + 2);
  }
}

void write_indented(std::string_view text, std::ostream& out) {
  for (const std::string_view line : split(trim(text), '\n')) {
    out << (line.empty() ? "" : "    ") << line << '\n';
  }
}

std::string why_no_page(const std::string& name) {
  const std::vector<std::string_view> of_group = rules::ids_named(name);
  if (!of_group.empty()) {
    return fmt::format("'{}' names a group: ask for one of its rules, such as '{}'", name,
                       of_group.front());
  }
  std::vector<std::string_view> ids;
  for (const rules::Listed& each : rules::all_rules()) ids.push_back(each.rule->id);
  return fmt::format("no rule is called '{}'{} ('cnsched rules' lists them)", printable(name),
                     did_you_mean(name, ids));
}

}  // namespace

void declare_rules(CLI::App& command, RulesOptions& options) {
  one_of(command.add_option("--format", options.format,
                            "table, markdown, json or names (default: table)"),
         {"table", "markdown", "json", "names"})
      ->type_name("NAME");
  declare_talk(command, options.talk);
}

Exit list_rules(const RulesOptions& options, Console& console) {
  if (options.format == "json") {
    write_rules_json(console.out);
  } else if (options.format == "markdown") {
    write_markdown(console.out);
  } else if (options.format == "names") {
    for (const rules::Listed& each : rules::all_rules()) console.out << each.rule->id << '\n';
  } else {
    write_table(Style(colored(options.talk, console)), console.width, console.out);
  }
  return Exit::clean;
}

void declare_explain(CLI::App& command, ExplainOptions& options) {
  command
      .add_option("RULE", options.rule,
                  "the rule's id, as findings show it in brackets and 'cnsched rules' lists it")
      ->type_name(" ")
      ->required();
  declare_talk(command, options.talk);
}

Exit explain(const ExplainOptions& options, Console& console) {
  const rules::Listed* listed = rules::find_rule(options.rule);
  if (listed == nullptr) {
    say_error(console, why_no_page(options.rule));
    return Exit::usage;
  }
  const rules::Rule& rule = *listed->rule;
  const bool in_color = colored(options.talk, console);
  const Style style(in_color);
  std::ostream& out = console.out;
  out << style(Paint::strong, rule.id)
      << fmt::format(" ({}, group {}{})\n", name_of(rule.severity), listed->group,
                     described_fix(rule));
  write_text(rule.summary, console.width, out);
  out << '\n';
  write_text(rule.why, console.width, out);
  out << '\n' << style(Paint::error, "Wrong") << '\n';
  write_indented(rule.bad, out);
  out << '\n' << style(Paint::help, "Right") << '\n';
  write_indented(rule.good, out);
  out << '\n' << style(Paint::note, "How it is reported") << '\n';
  Workspace workspace;
  const auto findings = rules::lint_example(rule, rule.bad, workspace);
  write_pretty({workspace, findings}, console.width, in_color, out);
  out << style(Paint::strong, "Source: ") << rule.source << '\n';
  return Exit::clean;
}

}  // namespace cnsched::cli

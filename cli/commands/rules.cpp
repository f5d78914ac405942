#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/commands/commands.h"
#include "cli/commands/project.h"
#include "cli/output/json.h"
#include "cli/output/output.h"
#include "cli/output/rule_page.h"
#include "cli/output/style.h"
#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/k8s/scope.h"
#include "rules/engine/example.h"
#include "rules/engine/selection.h"
#include "rules/page.h"
#include "rules/registry.h"

namespace cnsched::cli {

namespace {

enum class RulesFormat : std::uint8_t { table, markdown, json, names };
enum class PageFormat : std::uint8_t { text, markdown };

struct RulesOptions {
  MessageOptions messages;
  FactOptions facts;
  RulesFormat format = RulesFormat::table;
  bool kinds = false;
};

struct ExplainOptions {
  MessageOptions messages;
  FactOptions facts;
  PageFormat format = PageFormat::text;
  bool cel = false;  ///< also the expressions for the API server
  std::string rule;
};

/// The columns of output in a document.
constexpr std::size_t kDocumentWidth = 80;

using AllRules = std::span<const rules::Listed>;

void write_table(AllRules all, const Style& style, std::size_t width, std::ostream& out) {
  constexpr std::size_t kIndent = 6;
  std::string_view group;
  for (const rules::Listed& listed : all) {
    const rules::Rule& rule = *listed.rule;
    if (listed.group != group) {
      out << (group.empty() ? "" : "\n") << style(Paint::strong, listed.group) << '\n';
      group = listed.group;
    }
    out << fmt::format("  {}  {}{}{}\n", rule.id,
                       style(paint_of(rule.severity), name_of(rule.severity)), described_fix(rule),
                       described_export(rule));
    for (const std::string& line : wrap(page_of(rule).summary, width - kIndent)) {
      out << fmt::format("{:{}}{}\n", "", kIndent, line);
    }
  }
}

/// The table for README. Summaries contain neither '|' nor line ends.
void write_markdown(AllRules all, std::ostream& out) {
  out << "| group | rule | severity | fix | finds |\n|---|---|---|---|---|\n";
  std::string_view group;
  for (const rules::Listed& listed : all) {
    const rules::Rule& rule = *listed.rule;
    out << fmt::format("| {} | `{}` | {} | {} | {} |\n", listed.group == group ? "" : listed.group,
                       rule.id, name_of(rule.severity), fix_of(rule), page_of(rule).summary);
    group = listed.group;
  }
}

void write_kinds(const Style& style, std::size_t width, std::ostream& out) {
  for (const k8s::GroupInScope& each : k8s::groups_in_scope()) {
    out << style(Paint::strong, each.group.empty() ? "v1 (core)" : each.group) << '\n';
    for (const std::string& line : wrap(each.kinds, width - 2)) out << "  " << line << '\n';
  }
}

void write_rules_json(AllRules all, std::ostream& out) {
  Json json;
  json["schemaVersion"] = 1;
  json["rules"] = Json::array();
  for (const rules::Listed& listed : all) {
    const rules::Rule& rule = *listed.rule;
    const rules::Page& page = page_of(rule);
    json["rules"].push_back({{"id", rule.id},
                             {"group", listed.group},
                             {"severity", name_of(rule.severity)},
                             {"fix", fix_of(rule)},
                             {"exported", page.not_exported.empty()},
                             {"whyNotExported", page.not_exported},
                             {"summary", page.summary},
                             {"details", page.details},
                             {"why", page.why},
                             {"limits", page.limits},
                             {"bad", page.bad},
                             {"good", page.good},
                             {"source", page.source}});
  }
  write_document(json, out);
}

bool colored(const MessageOptions& options, const Console& console) {
  return decide_color(options.color, console.out_is_terminal);
}

/// Wraps each paragraph. An empty line separates paragraphs.
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

void write_section(const RuleSection& section, std::size_t width, std::ostream& out) {
  switch (section.form) {
    case RuleSection::Form::prose:
    case RuleSection::Form::rules:
    case RuleSection::Form::link:
      return write_text(section.text, width, out);
    case RuleSection::Form::yaml:
      return write_indented(section.text, out);
    case RuleSection::Form::output:
      out << trim(section.text) << '\n';
  }
}

/// The findings in the wrong example.
std::vector<Diagnostic> findings_in_example(const rules::Rule& rule, Workspace& workspace) {
  const rules::Policy* policy = rules::policy_of(rule);
  if (policy == nullptr) return rules::lint_example(rule, page_of(rule).bad, workspace);
  if (policy->bad.empty()) return {};
  return rules::lint_policy_example(*policy, policy->bad.front(), workspace);
}

/// The output of 'cnsched lint' for the wrong example.
std::string reported(const rules::Rule& rule, std::size_t width, bool in_color) {
  Workspace workspace;
  const auto findings = findings_in_example(rule, workspace);
  std::ostringstream text;
  write_pretty({workspace, findings}, width, in_color, text);
  return text.str();
}

void write_rule(const rules::Listed& listed, bool with_cel, std::size_t width, bool in_color,
                std::ostream& out) {
  const rules::Rule& rule = *listed.rule;
  const Style style(in_color);
  out << style(Paint::strong, rule.id)
      << fmt::format(" ({}, group {}{})\n", name_of(rule.severity), listed.group,
                     described_fix(rule));
  for (const RuleSection& section :
       rule_sections(rule, reported(rule, width, in_color), with_cel)) {
    out << '\n' << style(Paint::strong, section.heading) << '\n';
    write_section(section, width, out);
  }
  if (!kBuildInfo.site.empty() && !rules::is_policy(rule)) {
    out << '\n' << style(Paint::strong, "Page") << '\n' << help_link(rule) << '\n';
  }
}

std::string why_no_page(const rules::RuleSet& all, const std::string& name) {
  const std::vector<std::string_view> of_group = all.ids_named(name);
  if (!of_group.empty()) {
    return fmt::format("'{}' is a group: name one of its rules, such as '{}'", name,
                       of_group.front());
  }
  std::vector<std::string_view> ids;
  for (const rules::Listed& each : all.all()) ids.push_back(each.rule->id);
  return fmt::format("unknown rule '{}'{} ('cnsched rules' lists the rules)", printable(name),
                     did_you_mean(name, ids));
}

/// Prints the rules in the chosen format, or the kinds in scope.
Exit list_rules(const RulesOptions& options, Console& console) {
  const Style style(colored(options.messages, console));
  if (options.kinds) {
    write_kinds(style, console.width, console.out);
    return Exit::clean;
  }
  LoadedProject project;
  // The policies of the working directory.
  if (const auto failed = open_configs(options.facts, {"./."}, project, console)) return *failed;
  const AllRules all = project.rules().all();
  switch (options.format) {
    case RulesFormat::json:
      write_rules_json(all, console.out);
      break;
    case RulesFormat::markdown:
      write_markdown(all, console.out);
      break;
    case RulesFormat::names:
      for (const rules::Listed& each : all) console.out << each.rule->id << '\n';
      break;
    case RulesFormat::table:
      write_table(all, style, console.width, console.out);
  }
  return Exit::clean;
}

/// Prints the page of one rule.
Exit explain(const ExplainOptions& options, Console& console) {
  LoadedProject project;
  const rules::Listed* listed = rules::find_rule(options.rule);
  if (listed == nullptr) {
    if (const auto failed = open_configs(options.facts, {"./."}, project, console)) return *failed;
    listed = project.rules().find(options.rule);
  }
  if (listed == nullptr) return fail(console, why_no_page(project.rules(), options.rule));
  if (options.format == PageFormat::markdown) {
    // The width of the terminal does not change a document.
    console.out << markdown_rule_document(*listed, reported(*listed->rule, kDocumentWidth, false),
                                          options.cel);
  } else {
    write_rule(*listed, options.cel, console.width, colored(options.messages, console),
               console.out);
  }
  return Exit::clean;
}

}  // namespace

void declare_rules(Command& command) {
  auto& options = command.runs(list_rules);
  ArgumentGroup group = command.group(kOptions);
  group.one_of("--format", "NAME", options.format,
               {{"table", RulesFormat::table},
                {"markdown", RulesFormat::markdown},
                {"json", RulesFormat::json},
                {"names", RulesFormat::names}});
  group
      .flag("--kinds", options.kinds,
            "list the kinds that the rules check or take facts from, by group of the API, instead")
      .excludes = "--format";
  declare_config_choice(command, options.facts);
  declare_messages(command, options.messages);
}

void declare_explain(Command& command) {
  auto& options = command.runs(explain);
  command
      .positional("RULE", options.rule,
                  "id of the rule, as shown in brackets in findings and listed by 'cnsched rules'")
      .required = true;
  ArgumentGroup group = command.group(kOptions);
  group.one_of("--format", "NAME", options.format,
               {{"text", PageFormat::text}, {"markdown", PageFormat::markdown}});
  group.flag("--cel", options.cel, "also print the expressions of CEL that 'export vap' writes");
  declare_config_choice(command, options.facts);
  declare_messages(command, options.messages);
}

}  // namespace cnsched::cli

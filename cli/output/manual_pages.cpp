#include "cli/output/manual_pages.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/output/roff.h"
#include "cli/output/rule_page.h"
#include "core/base/text.h"
#include "core/yaml/shape.h"
#include "rules/engine/config.h"
#include "rules/engine/config_shape.h"
#include "rules/registry.h"

namespace cnsched::cli {

namespace {

constexpr std::string_view kConfigDescription =
    "For each file that it lints, cnsched reads the nearest `.cnsched.yaml` above it, up to the "
    "root of the repository, or the file that `--config` names instead. It is merged only with the "
    "configurations that it `extends`. A key that does not exist is an error.\n\n"
    "`cnsched config` prints the configuration in force and the origin of each value. `cnsched "
    "config --init` writes a file to start from. `cnsched config --schema` prints a JSON Schema "
    "for editors.";

/// "cnsched-generate-pin".
std::string page_name(const Command& command) {
  std::string name = command.name.empty() ? "cnsched" : "cnsched-" + command.name;
  std::ranges::replace(name, ' ', '-');
  return name;
}

/// "cnsched-lint(1)", as pages refer to each other.
std::string reference_to(std::string_view name, int section) {
  return bold(name) + fmt::format("({})", section);
}

/// "cnsched generate pin FILE [OPTIONS]", with literal words in bold.
std::string usage_of(const Command& command) {
  const bool needs_command = command.name.empty();
  return bold(needs_command ? "cnsched" : "cnsched " + command.name) +
         (needs_command ? italic(" COMMAND") : "") + italic(command.usage());
}

void write_argument(const Argument& argument, ManualPage& page) {
  std::string tag;
  for (const std::string& name : argument.names) tag += (tag.empty() ? "" : ", ") + bold(name);
  if (!argument.value.empty()) tag += (tag.empty() ? "" : " ") + italic(argument.value);
  page.item(tag, argument.text);
}

/// The flags by group, in the order of declaration.
void write_flags(const Command& command, ManualPage& page) {
  page.heading("OPTIONS");
  for (const Argument& argument : command.positionals) write_argument(argument, page);
  std::string_view group = "Options";
  for (const Argument& flag : command.flags) {
    if (flag.group != group) page.subheading(flag.group);
    group = flag.group;
    write_argument(flag, page);
  }
}

void write_commands(const Command& command, ManualPage& page) {
  if (command.commands.empty()) return;
  page.heading("COMMANDS");
  for (const Command& sub : command.commands) {
    page.item(reference_to(page_name(sub), 1), sub.manual->summary);
  }
}

void write_exits(const Manual& manual, ManualPage& page) {
  page.heading("EXIT STATUS");
  for (const ExitMeaning& meaning : manual.exits) {
    page.item(bold(std::to_string(static_cast<int>(meaning.exit))), meaning.when);
  }
}

void write_external_inputs(std::string_view title, std::span<const ExternalInput> all,
                           ManualPage& page) {
  page.heading(title);
  for (const ExternalInput& each : all) page.item(bold(each.name), each.what);
}

void write_examples(const Manual& manual, ManualPage& page) {
  if (manual.examples.empty()) return;
  page.heading("EXAMPLES");
  for (const Example& example : manual.examples) {
    page.item(bold(example.command), example.what);
  }
}

/// References to the other pages.
void write_see_also(const Command& command, const Command& program, ManualPage& page) {
  page.heading("SEE ALSO");
  std::string others;
  for (const Command* other : flat(program)) {
    if (other->name != command.name) others += reference_to(page_name(*other), 1) + ", ";
  }
  page.line(others + reference_to("cnsched.yaml", 5) + ", " + reference_to("cnsched-rules", 7));
}

/// The type of a value in words; empty for a record with keys.
std::string kind_of(const yaml::Shape& shape) {
  using Type = yaml::Shape::Type;
  switch (shape.type) {
    case Type::text:
      return shape.words.empty() ? "text" : "word";
    case Type::boolean:
      return "true or false";
    case Type::integer:
      return "number";
    case Type::amount:
      return "text or number";
    case Type::record:
    case Type::map:
      return "mapping";
    case Type::list:
      return fmt::format("list of {}s", kind_of(shape.parts.front()));
    case Type::either:
      break;
  }
  return fmt::format("{} or {}", kind_of(shape.parts[0]), kind_of(shape.parts[1]));
}

/// The example, with its key.
std::string example_of(const yaml::Field& field) {
  std::string text = std::string(field.name) + ":";
  for (const std::string_view line : split(field.example, '\n')) {
    if (line.data() != field.example.data()) text += "\n ";
    text += (line.empty() ? "" : " ") + std::string(line);
  }
  return text;
}

/// Writes the keys of the records that a value is or contains.
void write_keys_in(const yaml::Shape& shape, ManualPage& page);

void write_keys(const yaml::Shape& record, ManualPage& page) {
  for (const yaml::Field& field : record.fields) {
    page.item(bold(field.name) + plain(": ") + italic(kind_of(field.shape)), field.doc);
    page.begin_indent();
    if (!field.example.empty()) page.lines(example_of(field));
    write_keys_in(field.shape, page);
    page.end_indent();
  }
}

void write_keys_in(const yaml::Shape& shape, ManualPage& page) {
  if (shape.type == yaml::Shape::Type::record) return write_keys(shape, page);
  for (const yaml::Shape& part : shape.parts) write_keys_in(part, page);
}

void write_rule(const rules::Rule& rule, ManualPage& page) {
  page.subheading(fmt::format("{} ({}{})", rule.id, name_of(rule.severity), described_fix(rule)));
  for (const RuleSection& section : rule_sections(rule)) {
    page.paragraphs(fmt::format("{}:", section.heading));
    const bool is_verbatim =
        section.form == RuleSection::Form::yaml || section.form == RuleSection::Form::output;
    if (is_verbatim) {
      page.lines(section.text);
    } else {
      page.paragraphs(section.text);
    }
  }
}

}  // namespace

PageFile command_page(const Command& command, const Command& program) {
  const Manual& manual = *command.manual;
  const std::string name = page_name(command);
  ManualPage page(name, 1, manual.summary);
  page.heading("SYNOPSIS");
  page.line(usage_of(command));
  page.heading("DESCRIPTION");
  page.paragraphs(manual.description);
  write_commands(command, page);
  write_flags(command, page);
  for (const Section& section : manual.sections) {
    page.heading(section.title);
    page.paragraphs(section.text);
  }
  write_exits(manual, page);
  if (command.name.empty()) {
    write_external_inputs("ENVIRONMENT", environment_variables(), page);
    write_external_inputs("FILES", files_of_use(), page);
  }
  write_examples(manual, page);
  write_see_also(command, program, page);
  return {name + ".1", page.text()};
}

PageFile config_page() {
  ManualPage page("cnsched.yaml", 5, "configuration of cnsched");
  page.heading("SYNOPSIS");
  page.line(bold(rules::kConfigName));
  page.heading("DESCRIPTION");
  page.paragraphs(kConfigDescription);
  page.heading("KEYS");
  write_keys(rules::config_shape(), page);
  page.heading("SEE ALSO");
  page.line(reference_to("cnsched-config", 1) + ", " + reference_to("cnsched-lint", 1) + ", " +
            reference_to("cnsched-rules", 7));
  return {"cnsched.yaml.5", page.text()};
}

PageFile rules_page() {
  ManualPage page("cnsched-rules", 7, "the rules of cnsched");
  page.heading("DESCRIPTION");
  page.paragraphs(
      "The rules of `cnsched lint`, by group. The parentheses after a rule's id give the severity "
      "of most of its findings and the safest fix that a finding can have. The severities are "
      "error (the cluster rejects the pod, drops a field, or can never place the pod), warning "
      "(the pod runs, but not as intended, or the finding depends on an unknown fact about the "
      "cluster) and info (advice on cost or clarity). `--fix` applies safe fixes, and "
      "`--unsafe-fixes` also applies the others. `cnsched explain` also shows how a rule reports "
      "the wrong example.");
  std::string_view group;
  for (const rules::Listed& listed : rules::all_rules()) {
    if (listed.group != group) page.heading(listed.group);
    group = listed.group;
    write_rule(*listed.rule, page);
  }
  page.heading("SEE ALSO");
  page.line(reference_to("cnsched-explain", 1) + ", " + reference_to("cnsched-lint", 1) + ", " +
            reference_to("cnsched.yaml", 5));
  return {"cnsched-rules.7", page.text()};
}

}  // namespace cnsched::cli

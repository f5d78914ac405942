#include "cli/reference.h"

#include <algorithm>

#include "cli/help.h"
#include "cli/output/formats.h"
#include "cli/program.h"
#include "core/base/text.h"

namespace cnsched::cli {

namespace {

/// What a value is by what help calls it.
struct Word {
  std::string_view value;
  Takes takes;
};

constexpr Word kWords[] = {
    {"FILE", Takes::file},
    {"PATH", Takes::file},
    {"DIR", Takes::directory},
    {"RULE", Takes::rule},
    {"RULES", Takes::rules},
    {"RULE=LEVEL", Takes::level},
    {"FORMAT=FILE", Takes::report},
    {"TEMPLATE", Takes::template_name},
    {"NAME=VALUE", Takes::parameter},
};

/// CLI11 shows what a check allows behind the value's name: "WHEN:{auto,always,never}".
std::vector<std::string> choices_in(std::string_view type) {
  const std::size_t open = type.find(":{");
  const std::size_t close = type.find('}');
  if (open == std::string_view::npos || close == std::string_view::npos) return {};
  std::vector<std::string> choices;
  for (const std::string_view word : split(type.substr(open + 2, close - open - 2), ',')) {
    choices.emplace_back(word);
  }
  return choices;
}

Takes taken_by(const Argument& argument) {
  if (!argument.choices.empty()) return Takes::choice;
  const auto word = std::ranges::find(kWords, argument.value, &Word::value);
  return word == std::end(kWords) ? Takes::text : word->takes;
}

Argument argument_of(const CLI::Option& option) {
  Argument argument{.text = option.get_description(),
                    .group = option.get_group(),
                    .required = option.get_required(),
                    .repeatable = option.get_expected_max() > 1};
  const bool has_value = option.get_expected_max() > 0;
  for (const std::string& name : option.get_snames()) argument.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) argument.names.push_back("--" + name);
  const std::string type = option.get_type_name();
  argument.choices = choices_in(type);
  if (argument.names.empty()) {
    argument.value = option.get_name(true);
  } else if (has_value) {
    argument.value = type.substr(0, type.find(':'));
  }
  if (has_value) argument.takes = taken_by(argument);
  return argument;
}

Command command_of(const CLI::App& app) {
  Command command{.name = name_in_manual(app), .arguments = arguments_of(app)};
  command.manual = &manual_of(command.name);
  for (const CLI::Option* option : app.get_options()) {
    (option->get_positional() ? command.positionals : command.flags)
        .push_back(argument_of(*option));
  }
  for (const CLI::App* sub : subcommands_of(app)) {
    command.commands.push_back(command_of(*sub));
  }
  return command;
}

void add_flat(const Command& command, std::vector<const Command*>& all) {
  all.push_back(&command);
  for (const Command& each : command.commands) add_flat(each, all);
}

}  // namespace

Command reference() { return command_of(Program().app()); }

std::vector<const Command*> flat(const Command& command) {
  std::vector<const Command*> all;
  add_flat(command, all);
  return all;
}

std::string_view last_word(std::string_view name) { return name.substr(name.rfind(' ') + 1); }

}  // namespace cnsched::cli

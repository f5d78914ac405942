#include "cli/command.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/quantity.h"
#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/source/read_file.h"

namespace cnsched::cli {

namespace {

struct ValueName {
  std::string_view value;
  Takes takes;
};

constexpr ValueName kValueNames[] = {
    {"FILE", Takes::file},
    {"PATH", Takes::file},
    {"DIR", Takes::directory},
    {"RULE", Takes::rule},
    {"RULES", Takes::rules},
    {"RULE=LEVEL", Takes::level},
    {"FORMAT=FILE", Takes::report},
    {"TEMPLATE", Takes::template_name},
    {"NAME=VALUE", Takes::parameter},
    {"WORKLOAD", Takes::workload},
    {"NODE", Takes::node},
    {"COMPONENT", Takes::component},
    {"CONTAINER", Takes::container},
};

Takes takes_of(std::string_view value) {
  const auto known = std::ranges::find(kValueNames, value, &ValueName::value);
  return known == std::end(kValueNames) ? Takes::text : known->takes;
}

std::function<std::string(const std::string&)> assign_to(std::string& target) {
  return [&target](const std::string& word) {
    target = word;
    return std::string();
  };
}

std::function<std::string(const std::string&)> append_to(std::vector<std::string>& target) {
  return [&target](const std::string& word) {
    target.push_back(word);
    return std::string();
  };
}

void add_flat(const Command& command, std::vector<const Command*>& all) {
  all.push_back(&command);
  for (const Command& each : command.commands) add_flat(each, all);
}

}  // namespace

ArgumentGroup Command::group(std::string_view heading) { return {*this, heading}; }

Argument& Command::positional(std::string_view value, std::string_view text) {
  return positionals.emplace_back(
      Argument{.value = std::string(value), .text = std::string(text), .takes = takes_of(value)});
}

Argument& Command::positional(std::string_view value, std::string& target, std::string_view text) {
  Argument& argument = positional(value, text);
  argument.store = assign_to(target);
  return argument;
}

Argument& Command::positional(std::string_view value, std::vector<std::string>& target,
                              std::string_view text) {
  Argument& argument = positional(value, text);
  argument.store = append_to(target);
  argument.repeatable = true;
  return argument;
}

const Argument* Command::find_flag(std::string_view flag) const {
  const auto found = std::ranges::find_if(flags, [&](const Argument& argument) {
    return std::ranges::find(argument.names, flag) != argument.names.end();
  });
  return found == flags.end() ? nullptr : &*found;
}

std::string Command::full_name() const { return name.empty() ? "cnsched" : "cnsched " + name; }

std::string Command::usage() const {
  std::string required;
  std::string optional;
  for (const Argument& argument : positionals) {
    const std::string more = argument.repeatable ? "..." : "";
    (argument.required ? required : optional) +=
        argument.required ? " " + argument.value + more : " [" + argument.value + "]" + more;
  }
  return required + " [OPTIONS]" + optional;
}

Argument& ArgumentGroup::add(std::string_view names, std::string_view value, std::string_view text,
                             std::function<std::string(const std::string&)> store) {
  Argument argument{.value = std::string(value),
                    .text = std::string(text),
                    .group = std::string(heading_),
                    .takes = value.empty() ? Takes::nothing : takes_of(value),
                    .store = std::move(store)};
  for (const std::string_view name : split(names, ',')) argument.names.emplace_back(name);
  return command_.flags.emplace_back(std::move(argument));
}

Argument& ArgumentGroup::flag(std::string_view names, bool& target, std::string_view text) {
  Argument& argument = add(names, "", text, {});
  argument.enabled = &target;
  return argument;
}

Argument& ArgumentGroup::option(std::string_view names, std::string_view value, std::string& target,
                                std::string_view text) {
  return add(names, value, text, assign_to(target));
}

Argument& ArgumentGroup::list(std::string_view names, std::string_view value,
                              std::function<std::string(const std::string&)> store,
                              std::string_view text) {
  Argument& argument = add(names, value, text, std::move(store));
  argument.repeatable = true;
  return argument;
}

Argument& ArgumentGroup::list(std::string_view names, std::string_view value,
                              std::vector<std::string>& target, std::string_view text) {
  return list(names, value, append_to(target), text);
}

std::string ArgumentGroup::text_with(const std::vector<std::string>& words,
                                     std::string_view by_default, std::string_view text) {
  return fmt::format(fmt::runtime(text), join_words(words, "or"), by_default);
}

Argument& ArgumentGroup::number(std::string_view names, std::string_view value, std::size_t& target,
                                std::size_t least, std::size_t most, std::string_view text) {
  return add(names, value, text, [&target, least, most](const std::string& word) -> std::string {
    const auto number = whole_number(word);
    if (!number || *number < least || *number > most) {
      return fmt::format("'{}' is not a whole number from {} to {}", printable(word), least, most);
    }
    target = *number;
    return {};
  });
}

Argument& ArgumentGroup::size(std::string_view names, std::string_view value, std::size_t& target,
                              std::size_t most, std::string_view text) {
  return add(names, value, text, [&target, most](const std::string& word) -> std::string {
    const auto size = Quantity::parse(word);
    if (!size) return printable(size.error().message);
    const std::int64_t bytes = size->value();
    if (!size->is_integer() || bytes < 1 || static_cast<std::size_t>(bytes) > most) {
      return fmt::format("'{}' is not a size from 1 byte to {}", printable(word),
                         text_of_size(most));
    }
    target = static_cast<std::size_t>(bytes);
    return {};
  });
}

void restrict_to(Argument& argument, std::vector<std::string> words,
                 std::function<void(std::size_t)> choose) {
  argument.takes = Takes::choice;
  argument.choices = words;
  argument.store = [choose = std::move(choose), words = std::move(words)](const std::string& word) {
    const auto chosen = std::ranges::find(words, word);
    if (chosen == words.end()) {
      return fmt::format("invalid value '{}'{} ({})", printable(word),
                         did_you_mean(word, {words.begin(), words.end()}), join_words(words, "or"));
    }
    choose(static_cast<std::size_t>(chosen - words.begin()));
    return std::string();
  };
}

std::vector<const Command*> flat(const Command& command) {
  std::vector<const Command*> all;
  add_flat(command, all);
  return all;
}

std::string_view last_word(std::string_view name) { return name.substr(name.rfind(' ') + 1); }

}  // namespace cnsched::cli

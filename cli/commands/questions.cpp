#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/commands/templates.h"
#include "cli/output/template_pages.h"
#include "core/accelerators/platform.h"
#include "core/base/text.h"

namespace cnsched::cli {

namespace {

using templates::Parameter;

/// The default value as `--set` takes it, as far as the earlier answers decide it; empty: none.
std::string default_of(const Parameter& parameter, const templates::Settings& settings) {
  const auto known = settings.values().find(parameter.name);
  return known == settings.values().end() ? std::string() : templates::text_of(*known->second);
}

/// The valid answers, if they are few enough to list; of accelerators, those of the platform.
std::vector<std::string> choices_for(const Parameter& parameter,
                                     const templates::Settings& settings) {
  std::vector<std::string> values = values_of(parameter);
  if (parameter.type != templates::Type::accelerator) return values;
  const auto named = settings.values().find("platform");
  const auto platform = named == settings.values().end()
                            ? std::nullopt
                            : accelerators::platform_named(named->second->text());
  std::erase_if(values, [&](const std::string& name) {
    const accelerators::Product* product = accelerators::product_named(name);
    return !is_plain_name(name) ||
           (platform && product != nullptr && reason_unavailable(*platform, *product));
  });
  return values;
}

void print_indented(std::string_view text, Console& console) {
  for (const std::string& line : wrap(text, console.width - 2)) console.err << "  " << line << '\n';
}

/// "gke, eks, aks", in lines; a long list is cut.
void print_choices(std::vector<std::string> values, std::size_t most, Console& console) {
  if (values.empty()) return;
  const std::size_t left_out = values.size() > most ? values.size() - most : 0;
  values.resize(values.size() - left_out);
  std::string text = fmt::format("{}", fmt::join(values, ", "));
  if (left_out > 0) text += fmt::format(", and {} more ('?' lists all)", left_out);
  print_indented(text, console);
}

/// One question: a parameter that is not set.
struct Question {
  const Parameter& parameter;
  std::vector<std::string> choices;
  std::string by_default;  ///< what an empty answer means; empty: nothing
};

/// The answer to '?'.
void explain(const Question& question, Console& console) {
  const Parameter& parameter = question.parameter;
  print_indented(fmt::format("{}; '--set {}=VALUE' takes {}", printable(parameter.description),
                             parameter.name, requirement_of(parameter)),
                 console);
  print_choices(question.choices, SIZE_MAX, console);
  if (!parameter.example.empty()) {
    print_indented("for example: " + printable(parameter.example), console);
  }
}

/// What the question is about.
void introduce(const Question& question, Console& console) {
  constexpr std::size_t kShown = 12;
  const Parameter& parameter = question.parameter;
  const std::string text = fmt::format("{}: {}", parameter.name, printable(parameter.description));
  for (const std::string& line : wrap(text, console.width)) console.err << line << '\n';
  print_choices(question.choices, kShown, console);
}

/// The prompt, with the meaning of an empty answer.
std::string prompt_for(const Question& question) {
  const std::string& name = question.parameter.name;
  if (!question.by_default.empty()) {
    return fmt::format("{} [{}]: ", name, printable(question.by_default));
  }
  return fmt::format("{} {}: ", name, question.parameter.required ? "(required)" : "[none]");
}

/// The answer to one question; nothing at the end of the input.
std::optional<std::string> answer_to(const Question& question, Console& console) {
  const Parameter& parameter = question.parameter;
  Arena arena;
  introduce(question, console);
  for (;;) {
    console.err << prompt_for(question) << std::flush;
    std::string answer;
    if (!std::getline(*console.in, answer)) return std::nullopt;
    answer = trim(answer);
    if (answer == "?") {
      explain(question, console);
      continue;
    }
    if (answer.empty() && (!parameter.required || !question.by_default.empty())) return answer;
    const auto value = value_of(parameter, answer, arena);
    if (value) return answer;
    print_indented(fmt::format("'{}' {}", parameter.name, value.error().message), console);
  }
}

}  // namespace

bool ask_for_values(const templates::Template& model, templates::UserValues& values,
                    Console& console) {
  console.err << "an empty answer takes the value in brackets; '?' explains the question\n";
  for (const Parameter& parameter : model.parameters()) {
    // Defaults depend on earlier answers.
    const templates::Settings settings(model, values);
    const bool is_set = std::ranges::any_of(settings.user_settings(), [&](const auto& setting) {
      return setting.name == parameter.name;
    });
    if (is_set) continue;
    const auto answer = answer_to(
        {parameter, choices_for(parameter, settings), default_of(parameter, settings)}, console);
    if (!answer) return false;
    if (!answer->empty()) values.sets.push_back(parameter.name + "=" + *answer);
  }
  return true;
}

}  // namespace cnsched::cli

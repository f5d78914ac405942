#include "cli/commands/questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/base/text.h"

namespace cnsched::cli {

namespace {

using templates::Parameter;

/// The prompt, with the meaning of an empty answer.
std::string question_for(const Parameter& parameter) {
  std::string hint;
  if (parameter.default_value->is_missing() == false) {
    hint = fmt::format(" [{}]", templates::text_of(*parameter.default_value));
  } else if (!parameter.required) {
    hint = " [none]";
  }
  return fmt::format("{}: {}{}: ", parameter.name, parameter.description, hint);
}

/// The answer to one question; nothing at the end of the input.
std::optional<std::string> answer_for(const Parameter& parameter, Console& console) {
  Arena arena;
  for (;;) {
    console.err << question_for(parameter) << std::flush;
    std::string answer;
    if (!std::getline(*console.in, answer)) return std::nullopt;
    answer = trim(answer);
    if (answer.empty() && !parameter.required) return answer;
    const auto value = value_of(parameter, answer, arena);
    if (value) return answer;
    console.err << fmt::format("  '{}' {}\n", parameter.name, value.error().message);
  }
}

}  // namespace

bool ask_for_values(const templates::Template& model, templates::UserValues& values,
                    Console& console) {
  const templates::Settings settings(model, values);
  for (const Parameter& parameter : model.parameters()) {
    const bool is_set = std::ranges::any_of(settings.user_settings(), [&](const auto& setting) {
      return setting.name == parameter.name;
    });
    if (is_set) continue;
    const auto answer = answer_for(parameter, console);
    if (!answer) return false;
    if (!answer->empty()) values.sets.push_back(parameter.name + "=" + *answer);
  }
  return true;
}

}  // namespace cnsched::cli

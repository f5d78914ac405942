#include "templates/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/yaml/parse.h"
#include "core/yaml/scalar.h"
#include "core/yaml/split.h"
#include "core/yaml/tree.h"

namespace cnsched::templates {

using yaml::Node;

Settings::Settings(const Form& form, const UserValues& input) : form_(form) {
  read_sets(input.sets);
  read_file(input);
  for (const Parameter& parameter : form_.parameters) take(parameter);
  take_count();
  for (const Parameter& parameter : form_.parameters) take_default(parameter);
  if (problems_.empty()) add_facts();
  // Defaults that depend on facts of the catalogue.
  for (const Parameter& parameter : form_.parameters) take_default(parameter);
  for (const Parameter& parameter : form_.parameters) check_dependencies(parameter);
}

/// Other defaults depend on it.
void Settings::take_count() {
  constexpr std::string_view kCount = "gpus";
  if (form_.find(kCount) == nullptr || is_set(kCount)) return;
  const std::int64_t count = usual_count(values_);
  if (count != 1) {
    values_[std::string(kCount)] = &integer_like(arena_, yaml::nowhere(), count);
  }
}

void Settings::add_facts() {
  auto complete = with_facts(values_, arena_);
  if (complete) {
    values_ = *std::move(complete);
  } else {
    problems_.push_back(complete.error().message);
  }
}

const Parameter* Settings::known(std::string_view name, const std::string& place) {
  const Parameter* parameter = form_.find(name);
  if (parameter != nullptr) return parameter;
  std::vector<std::string_view> names;
  for (const Parameter& each : form_.parameters) names.push_back(each.name);
  problems_.push_back(fmt::format("{}'{}' has no parameter '{}'{}", place, form_.name,
                                  printable(name), did_you_mean(name, names)));
  return nullptr;
}

void Settings::read_sets(const std::vector<std::string>& sets) {
  for (const std::string& set : sets) {
    const std::size_t equals = set.find('=');
    const std::string name(trim(std::string_view(set).substr(0, equals)));
    if (known(name, "") == nullptr) continue;
    if (equals == std::string::npos) {
      problems_.push_back(
          fmt::format("'--set {}' has no value: write '--set {}=VALUE'", name, name));
      invalid_.insert(name);
      continue;
    }
    const auto [place, is_new] = set_.emplace(name, set.substr(equals + 1));
    if (!is_new && place->second != set.substr(equals + 1)) {
      problems_.push_back(fmt::format("'{}' is set twice, to different values", name));
    }
  }
}

void Settings::read_file(const UserValues& input) {
  if (input.values_name.empty()) return;
  file_ = std::make_unique<SourceFile>(0, input.values_name, input.values);
  const auto place = [&](Span span) {
    const Position at = file_->position(span.begin);
    return fmt::format("{}:{}:{}: ", printable(input.values_name), at.line, at.column);
  };
  const std::vector<Span> spans = yaml::split(*file_);
  if (spans.size() > 1) problems_.push_back(place(spans[1]) + "values are one document");
  if (spans.empty()) return;
  documents_.push_back(yaml::parse(*file_, spans.front()));
  const yaml::Document& document = documents_.front();
  for (const yaml::Problem& problem : document.problems) {
    problems_.push_back(place(problem.where) + printable(problem.message));
  }
  const Node& root = *document.root;
  if (root && !root.is_null() && !root.is_mapping()) {
    problems_.push_back(place(root.span) + "values must be a mapping of parameters to values");
  }
  for (const yaml::Entry& entry : root.entries()) {
    if (entry.overridden) {
      problems_.push_back(
          fmt::format("{}'{}' is set twice", place(entry.key->span), printable(entry.key->text())));
    } else if (known(entry.key->text(), place(entry.key->span)) != nullptr &&
               !entry.value->is_null()) {
      in_file_.emplace(entry.key->text(), entry.value);
    }
  }
}

/// Checks the requirements that depend on another parameter.
void Settings::check_dependencies(const Parameter& parameter) {
  const auto applies = [&](const std::optional<ForValues>& by) {
    return by && is_one_of(value_of(values_, by->parameter).text(), by->values);
  };
  const bool has_none = !is_set(parameter.name) && !values_.contains(parameter.name);
  if (has_none && applies(parameter.required_for)) {
    problems_.push_back(fmt::format("'{}' is required for {}: {}", parameter.name,
                                    value_of(values_, parameter.required_for->parameter).text(),
                                    parameter.description));
    corrected_settings_.push_back({parameter.name, parameter.example});
  } else if (invalid_.contains(parameter.name) && applies(parameter.required_for)) {
    corrected_settings_.push_back({parameter.name, parameter.example});
  }
  if (parameter.only_for && is_set(parameter.name) && !applies(parameter.only_for)) {
    problems_.push_back(fmt::format("'{}' is only for {} {}", parameter.name,
                                    parameter.only_for->parameter,
                                    join_words(parameter.only_for->values, "or")));
  }
  check_order(parameter);
  const std::string_view resource = value_of(values_, "accelerator.resource").text();
  if (!parameter.resources.empty() && !resource.empty() &&
      !is_one_of(resource, parameter.resources)) {
    problems_.push_back(fmt::format("'{}' cannot have resource '{}': '{}' supports {}",
                                    parameter.name, resource, form_.name,
                                    join_words(parameter.resources, "or")));
  }
}

void Settings::check_order(const Parameter& parameter) {
  const auto value = values_.find(parameter.name);
  const auto least = values_.find(parameter.not_below);
  if (value == values_.end() || least == values_.end()) return;
  if (yaml::integer_of(*value->second) >= yaml::integer_of(*least->second)) return;
  problems_.push_back(fmt::format("'{}' is {}, below '{}', which is {}", parameter.name,
                                  value->second->text(), parameter.not_below,
                                  least->second->text()));
}

bool Settings::is_set(std::string_view name) const {
  return set_.contains(name) || in_file_.contains(name);
}

/// The user's value of the parameter; `--set` takes precedence over the file.
void Settings::take(const Parameter& parameter) {
  const auto set = set_.find(parameter.name);
  const auto in_file = in_file_.find(parameter.name);
  if (is_set(parameter.name)) {
    const auto value = set != set_.end() ? value_of(parameter, set->second, arena_)
                                         : value_of(parameter, *in_file->second, arena_);
    const bool is_empty_required = value && (*value)->is_empty() && parameter.required;
    if (value && !is_empty_required) {
      user_settings_.push_back({parameter.name, text_of(**value)});
      corrected_settings_.push_back(user_settings_.back());
      if (!(*value)->is_empty()) values_[parameter.name] = *value;
      return;
    }
    problems_.push_back(
        fmt::format("'{}' {}", parameter.name,
                    value ? "is required and must not be empty" : value.error().message));
    invalid_.insert(parameter.name);
  } else if (parameter.required && !invalid_.contains(parameter.name)) {
    problems_.push_back(fmt::format("'{}' is required: {}", parameter.name, parameter.description));
  }
  if (parameter.required) corrected_settings_.push_back({parameter.name, parameter.example});
}

void Settings::take_default(const Parameter& parameter) {
  if (values_.contains(parameter.name) || is_set(parameter.name)) return;
  const Node* value = parameter.default_value;
  if (parameter.default_for) {
    const std::string_view other = value_of(values_, parameter.default_for->parameter).text();
    for (const auto& [text, node] : parameter.default_for->values) {
      if (other == text) value = node;
    }
  }
  if (value->is_missing()) return;
  // Checked when the template was read.
  if (const auto read = value_of(parameter, *value, arena_)) values_[parameter.name] = *read;
}

namespace {

bool is_safe(char c) {
  return is_alphanumeric(c) || std::string_view("-_./:=,@+%").find(c) != std::string_view::npos;
}

/// `$'…'`, as bash, zsh and ksh read it.
std::string escaped_word(std::string_view text) {
  std::string word = "$'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') word += '\\';
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= ' ' && byte < 0x7F && c != '#') {
      word += c;
    } else {
      word += fmt::format("\\x{:02x}", byte);
    }
  }
  return word + "'";
}

}  // namespace

std::string shell_word(std::string_view text) {
  if (!text.empty() && std::ranges::all_of(text, is_safe)) return std::string(text);
  // Only ASCII: some readers of YAML end a comment at U+2028.
  const bool is_printable_ascii =
      std::ranges::all_of(text, [](char c) { return c >= ' ' && c < '\x7f'; });
  if (!is_printable_ascii || contains_ci_command(text)) return escaped_word(text);
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

std::string with_settings(std::string command, const std::vector<Setting>& settings) {
  for (const Setting& setting : settings) {
    command += " --set " + shell_word(setting.name + "=" + setting.text);
  }
  return command;
}

std::string command_for(const Template& model, const std::vector<Setting>& settings,
                        const std::vector<std::string>& template_dirs) {
  std::string command = "cnsched generate " + shell_word(model.name());
  for (const std::string& directory : template_dirs) {
    command += " --template-dir " + shell_word(directory);
  }
  return with_settings(std::move(command), settings);
}

std::string example_command(const Template& model) {
  std::vector<Setting> settings;
  for (const Parameter& parameter : model.parameters()) {
    if (parameter.required) settings.push_back({parameter.name, parameter.example});
  }
  return command_for(model, settings);
}

}  // namespace cnsched::templates

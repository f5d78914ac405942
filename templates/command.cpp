#include "templates/command.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace cnsched::templates {

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

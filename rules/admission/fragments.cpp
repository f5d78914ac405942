#include "rules/admission/fragments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/text.h"
#include "rules/admission/catalogue_variables.h"
#include "rules/admission/fragment_table.h"

namespace cnsched::rules {

namespace {

const Fragment* find_fragment(std::string_view name) {
  const auto found = std::ranges::find(fragments(), name, &Fragment::name);
  return found == fragments().end() ? nullptr : &*found;
}

bool is_of_name(char c) { return is_alphanumeric(c) || c == '_'; }

/// The end of the string literal that begins at `begin`.
std::size_t end_of_literal(std::string_view text, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < text.size() && text[end] != text[begin]) end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

/// The arguments of a call whose '(' is at `open`, and where the call ends.
struct CallArguments {
  std::vector<std::string_view> values;
  std::size_t end = 0;
};

CallArguments arguments_at(std::string_view text, std::size_t open) {
  CallArguments found;
  std::size_t begin = open + 1;
  int depth = 0;
  std::size_t at = begin;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '\'' || c == '"') {
      at = end_of_literal(text, at);
      continue;
    }
    if (depth == 0 && (c == ',' || c == ')')) {
      found.values.push_back(trim(text.substr(begin, at - begin)));
      begin = at + 1;
      if (c == ')') break;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    ++at;
  }
  found.end = std::min(at + 1, text.size());
  return found;
}

std::string with_arguments(std::string_view text, const std::vector<std::string>& arguments) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_argument =
        text[at] == '$' && at + 1 < text.size() && text[at + 1] > '0' && text[at + 1] <= '9';
    if (!is_argument) {
      result += text[at];
      continue;
    }
    result += arguments.at(static_cast<std::size_t>(text[++at] - '1'));
  }
  return result;
}

/// The expression with empty string literals: what a literal says is no use of a name.
std::string without_literals(std::string_view text) {
  std::string code;
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == '\'' || text[at] == '"') {
      at = end_of_literal(text, at);
      code += "''";
    } else {
      code += text[at++];
    }
  }
  return code;
}

/// Whether the expression has the word followed by no letter of a longer one.
bool mentions(std::string_view expression, std::string_view word) {
  for (std::size_t at = expression.find(word); at != std::string_view::npos;
       at = expression.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if (end == expression.size() || !is_of_name(expression[end])) return true;
  }
  return false;
}

}  // namespace

std::string cel_string(std::string_view text) {
  std::string literal = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal + "'";
}

std::string expand_fragments(std::string_view text) {
  std::string result;
  std::size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '\'' || c == '"') {
      const std::size_t end = end_of_literal(text, at);
      result += text.substr(at, end - at);
      at = end;
      continue;
    }
    if (!is_of_name(c)) {
      result += c;
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && is_of_name(text[at])) ++at;
    const std::string_view name = text.substr(begin, at - begin);
    const bool is_member = begin > 0 && text[begin - 1] == '.';
    const bool is_call = at < text.size() && text[at] == '(';
    const Fragment* fragment = is_call && !is_member ? find_fragment(name) : nullptr;
    if (fragment == nullptr) {
      result += name;
      continue;
    }
    const CallArguments call = arguments_at(text, at);
    std::vector<std::string> arguments;
    for (const std::string_view argument : call.values) {
      arguments.push_back(expand_fragments(argument));
    }
    result += expand_fragments(with_arguments(fragment->text, arguments));
    at = call.end;
  }
  return result;
}

std::vector<CelVariable> variables_used_in(const std::vector<std::string>& expressions) {
  std::vector<std::string> code;
  for (const std::string& text : expressions) code.push_back(without_literals(text));
  std::vector<CelVariable> used;
  for (const CelVariable& variable : catalogue_variables()) {
    const std::string name = "variables." + variable.name;
    if (std::ranges::any_of(code, [&](const auto& text) { return mentions(text, name); })) {
      used.push_back(variable);
    }
  }
  return used;
}

std::string pod_fields_used_in(std::string_view expression) {
  const std::string code = without_literals(expression);
  std::vector<std::string> entries;
  for (const Fragment& field : pod_fields()) {
    if (!mentions(code, fmt::format("pod.{}", field.name))) continue;
    entries.push_back(fmt::format("'{}': dyn({})", field.name, expand_fragments(field.text)));
  }
  return fmt::format("{{{}}}", fmt::join(entries, ",\n  "));
}

std::string plugin_fact_name(accelerators::Vendor vendor) {
  std::string name = fmt::format("devicePlugin.{}", accelerators::name_of(vendor));
  std::ranges::replace(name, ' ', '-');
  return name;
}

bool reads_parameters(std::string_view expression) {
  return without_literals(expression).find("params.") != std::string::npos;
}

}  // namespace cnsched::rules

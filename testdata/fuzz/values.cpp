// Fuzzes the small syntaxes of manifests, options and ignore files. A value that is parsed, printed
// and parsed again is the same; a quoted text parses to itself; an escaped pattern matches its own
// text. Checks of two texts use the input before and after its first line end.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/output/safe_text.h"
#include "core/accelerators/card.h"
#include "core/accelerators/catalogue.h"
#include "core/base/diff.h"
#include "core/base/pattern.h"
#include "core/base/quantity.h"
#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/base/version.h"
#include "core/k8s/label.h"
#include "core/k8s/object.h"
#include "core/k8s/selector.h"
#include "core/kserve/go_template.h"
#include "core/source/ignore_patterns.h"
#include "core/workspace/pod_metadata.h"
#include "core/yaml/scalar.h"
#include "core/yaml/template_text.h"
#include "core/yaml/write.h"
#include "rules/engine/ignore.h"
#include "templates/parameter.h"
#include "templates/settings.h"
#include "templates/template.h"
#include "testdata/fuzz/fuzz.h"

namespace cnsched::fuzz {

namespace {

void check_quantity(const std::string& text, const std::string& other) {
  const auto quantity = Quantity::parse(text);
  if (!quantity) return require(!quantity.error().message.empty(), "an error has no message");
  const auto canonical = Quantity::parse(quantity->canonical());
  require(canonical && *canonical == *quantity,
          fmt::format("{} is another amount than {}", quantity->canonical(), printable(text)));
  require(canonical->canonical() == quantity->canonical(), "a canonical form is not canonical");
  require(quantity->is_zero() == (quantity->value() == 0), "a nonzero amount has the value zero");
  require(quantity->is_negative() == (quantity->value() < 0), "rounding changes the sign");
  const Quantity rounded = quantity->rounded_to_milli();
  require(quantity->is_negative() ? rounded <= *quantity : rounded >= *quantity,
          "rounded towards zero");
  const auto second = Quantity::parse(other);
  if (!second) return;
  Quantity sum = *quantity;
  sum += *second;
  Quantity reversed = *second;
  reversed += *quantity;
  require(sum == reversed, "a sum depends on the order");
  require(second->is_negative() ? sum <= *quantity : sum >= *quantity,
          "a sum is smaller or larger than expected");
}

void check_names(const std::string& text) {
  const auto is_label_character = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  if (!k8s::label_value_problem(text)) {
    require(text.size() <= 63 && std::ranges::all_of(text, is_label_character),
            "an invalid label value is accepted");
    require(!k8s::label_key_problem("example.com/" + text) || text.empty(),
            "a label value is not accepted as the name of a key");
  }
  if (!k8s::label_key_problem(text)) {
    const std::size_t slash = text.find('/');
    const std::string name = slash == std::string::npos ? text : text.substr(slash + 1);
    require(!name.empty() && !k8s::label_value_problem(name),
            "an invalid name of a label key is accepted");
    require(slash == std::string::npos || k8s::is_object_name(text.substr(0, slash)),
            "the prefix of a label key is not a DNS name");
  }
  if (k8s::is_object_name(text))
    require(dns_subdomain(text) == text, "dns_subdomain changes a valid name");
  k8s::is_placeholder(text);
}

void check_selector(const std::string& text, const std::string& value) {
  const Documents documents(text);
  for (const yaml::Document& document : documents.all) {
    if (values_in(*document.root, 1000) == 1000) continue;
    for (const k8s::Requirement& each : k8s::label_selector_in(*document.root)) {
      const k8s::ValueMatcher matcher(each);
      for (const auto& label : {std::optional<std::string_view>(value), {}}) {
        require(matcher(label) == each.matches_value(label), "the two matchers differ");
        require(label || !each.requires_label() || !each.matches_value(label),
                "a required label may be missing");
      }
    }
  }
}

void check_version(const std::string& text) {
  const auto version = Version::parse(text);
  if (!version) return;
  const auto again = Version::parse(to_string(*version));
  require(again && again->major == version->major && again->minor == version->minor,
          "a printed version is parsed as another one");
}

void check_integer(const std::string& text) {
  const auto number = k8s::parse_int64(text);
  if (!number) return;
  char* end = nullptr;
  require(std::strtoll(text.c_str(), &end, 10) == *number && *end == '\0',
          "an integer is parsed as another one");
}

std::string escaped_for_glob(const std::string& text) {
  std::string pattern;
  for (const char c : text) {
    if (std::string_view("*?[]\\").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

void check_globs(const std::string& pattern, const std::string& path) {
  require(Glob(escaped_for_glob(path)).matches(path), "a path does not match itself");
  require(Glob("**").matches(path), "a path does not match '**'");
  if (pattern.find_first_of("*?[\\") == std::string::npos) {
    require(Glob(pattern).matches(path) == (pattern == path),
            "a plain pattern matches another path");
  } else if (Glob(pattern).matches(path) && !pattern.starts_with('/')) {
    require(Glob("**/" + pattern).matches("some/" + path),
            "a pattern with '**/' does not match in a directory");
  }
  IgnorePatterns patterns;
  patterns.add(pattern);
  patterns.ignores(path);
  const IgnorePatterns lines = IgnorePatterns::from_lines(pattern + "\n!" + path + "\n" + path);
  lines.verdict(path, true);
  lines.verdict(path, false);
}

/// The string under key `a` of a YAML document.
std::string read_yaml(const std::string& text) {
  const Documents documents(text);
  require(documents.all.size() == 1 && documents.all.front().problems.empty(),
          fmt::format("a quoted text is not YAML: {}", printable(text)));
  const yaml::Node& value = (*documents.all.front().root)["a"];
  const yaml::Node& node = value.is_sequence() ? value.at(0) : value;
  require(node.is_string(), fmt::format("a quoted text is not a string: {}", printable(text)));
  return std::string(node.text());
}

/// The text with invalid UTF-8 replaced by U+FFFD.
std::string valid(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    result += length == 0 ? "\xEF\xBF\xBD" : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

void check_quotes(const std::string& text) {
  const std::string expected = valid(text);
  require(read_yaml("a: " + yaml::quoted_for_yaml(text) + "\n") == expected,
          "a quoted YAML text is parsed as another one");
  require(read_yaml("a: " + yaml::in_single_quotes(text) + "  # b\n") == expected,
          "a text in single quotes is parsed as another one");
  for (const bool always : {false, true}) {
    require(read_yaml("a: [" + yaml::quoted_for_flow(text, always) + ", b]\n") == expected,
            "a text in a flow list is parsed as another one");
  }
  const std::string json = yaml::quoted_for_json(text);
  require_json(json, "a JSON string");
  require(nlohmann::json::parse(json).get<std::string>() == expected,
          "a JSON text is parsed as another one");
  if (yaml::fits_block_scalar(text)) {
    require(read_yaml("a: " + yaml::block_scalar_header(text) + "\n" +
                      yaml::block_scalar_lines(text, 2)) == text,
            "a block scalar is parsed as another text");
  }
}

void check_plain(const std::string& text) {
  const auto type = yaml::resolve_plain(text);
  yaml::boolean_of(text);
  if (!type) return;
  yaml::Node node;
  node.kind = yaml::Node::Kind::scalar;
  node.type = *type;
  node.set_text(text);
  yaml::integer_of(node);
  const auto literal = yaml::json_literal(node);
  if (literal) require_json(*literal, "a literal");
}

void check_output(const std::string& text) {
  const std::string shown = printable(text);
  require_harmless(shown, "a printable text");
  require(shown.find('\n') == std::string::npos, "a printable text has several lines");
  require(printable(shown) == shown, "a printable text is not printable");
  require_harmless(cli::xml_escaped(text), "a text in XML");
  require(cli::xml_escaped(text).find_first_of("<>\"") == std::string::npos, "XML contains markup");
  require_harmless(cli::uri_path(text), "a path in a URI");
  cli::markdown_text(shown);
  require_harmless(templates::shell_word(text), "a word of a shell");
  std::string words;
  for (const std::string& line : wrap(shown, 20)) words += (words.empty() ? "" : " ") + line;
  require(words == shown || shown.starts_with(' '), "wrapping changes a text");
  display_width(text);
  require(code_points(text) <= text.size(), "a text has more characters than bytes");
  require(is_utf8(text) == (valid(text) == text), "the two checks of UTF-8 differ");
}

void check_pair(const std::string& a, const std::string& b) {
  require(edit_distance(a, b) == edit_distance(b, a), "a distance depends on the direction");
  require(edit_distance(a, b) <= std::max(a.size(), b.size()), "a distance is too large");
  require(edit_distance(a, a) == 0, "the distance of a text to itself is not 0");
  const std::string diff = unified_diff(a, b, "a", "b");
  require(diff.empty() == (a == b), "a difference is not shown");
}

void check_templates(const std::string& text) {
  yaml::has_template_actions(text);
  const auto pieces = templates::pieces_of(text);
  if (pieces) {
    std::string joined;
    bool replaces = false;
    for (const templates::Piece& piece : *pieces) {
      replaces = replaces || piece.is_parameter;
      joined += piece.text;
    }
    require(replaces || text.find("${{") != std::string::npos || joined == text,
            "a text without placeholders changes");
  }
  static const Documents kService(
      "apiVersion: serving.kserve.io/v1alpha1\nkind: LLMInferenceService\n"
      "metadata: {name: llama, namespace: team, labels: {a: b}}\nspec: {model: {uri: x}}\n");
  static const auto kObjects = k8s::objects_in(kService.all.front());
  const auto filled = kserve::fill_template(text, {.service = kObjects.front()});
  require(filled || text.find("{{") != std::string::npos, "a text without expressions is rejected");
  require(text.find("{{") != std::string::npos || *filled == text,
          "a text without expressions changes");
}

/// The printed value of a parameter is accepted by `--set` and is the same value. The suggestions
/// for platforms and accelerators are left to template.cpp, because they take most of the time.
void check_parameters(const std::string& text) {
  using templates::Type;
  for (const Type type : {Type::string, Type::dns_label, Type::label_key, Type::label_value,
                          Type::taint_key, Type::quantity, Type::integer, Type::boolean, Type::uri,
                          Type::list, Type::map, Type::platform, Type::accelerator}) {
    templates::Parameter parameter;
    parameter.name = "p";
    parameter.type = type;
    Arena arena;
    const auto value = templates::value_of(parameter, text, arena);
    if (!value) continue;
    if (values_in(**value, 1000) == 1000) continue;
    const std::string written = templates::text_of(**value);
    const auto again = templates::value_of(parameter, written, arena);
    require(again && templates::text_of(**again) == written,
            fmt::format("a printed {} is rejected or parsed as another one: {}", name_of(type),
                        printable(written)));
  }
}

void check_ignores(const std::string& text) {
  const SourceFile file(0, "in.yaml", "# " + text.substr(0, text.find_first_of("\r\n")));
  const auto ignore = rules::read_ignore(file, file.whole());
  if (!ignore) return;
  for (const rules::IgnoredName& name : ignore->names) {
    require(file.text(name.where) == name.text, "the place of a name is wrong");
  }
  if (ignore->until) {
    require(rules::day_named(rules::name_of(*ignore->until)) == ignore->until,
            "a printed day is parsed as another one");
  }
}

void check_catalogue(const std::string& text) {
  accelerators::mig_profile_problem(text);
  const std::string_view profile = accelerators::mig_profile_in(text);
  require(profile.empty() || text.find(profile) != std::string::npos,
          "a profile is not in the text");
  accelerators::cards_with_mig_profile(profile);
}

}  // namespace

}  // namespace cnsched::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cnsched::fuzz;
  const std::string all = text_of(data, size);
  const std::size_t cut = std::min(all.find('\n'), all.size());
  const std::string first = all.substr(0, cut);
  const std::string second = cut < all.size() ? all.substr(cut + 1) : "";
  check_quantity(first, second);
  check_names(first);
  check_selector(second, first);
  check_version(first);
  check_integer(first);
  check_globs(first, second);
  check_quotes(all);
  check_plain(first);
  check_output(all);
  check_pair(first, second);
  check_templates(all);
  check_parameters(all);
  check_ignores(first);
  check_catalogue(first);
  return 0;
}

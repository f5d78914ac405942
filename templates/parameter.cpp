#include "templates/parameter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/accelerators/card.h"
#include "core/accelerators/platform.h"
#include "core/base/pattern.h"
#include "core/base/quantity.h"
#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/k8s/object.h"
#include "core/yaml/parse.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"
#include "core/yaml/write.h"

namespace cnsched::templates {

namespace {

using yaml::Node;

struct TypeName {
  std::string_view name;
  Type type;
  std::string_view requirement;
};

constexpr auto kTypes = std::to_array<TypeName>({
    {"string", Type::string, "a string"},
    {"dns-label", Type::dns_label, "a DNS label: a-z, 0-9 and '-', at most 63"},
    {"label-key", Type::label_key, "a label key"},
    {"label-value", Type::label_value, "a label value"},
    {"taint-key", Type::taint_key, "a taint key"},
    {"quantity", Type::quantity, "a quantity such as 500m or 16Gi"},
    {"integer", Type::integer, "an integer"},
    {"boolean", Type::boolean, "true or false"},
    {"enum", Type::enumeration, "one of its values"},
    {"uri", Type::uri, "a URI such as gs://bucket/path"},
    {"list", Type::list, "a list: a,b or YAML in brackets"},
    {"map", Type::map, "a map: key=value,key=value or YAML in braces"},
    {"platform", Type::platform, "a platform"},
    {"accelerator", Type::accelerator, "an accelerator that the platform has"},
});

const TypeName& row_of(Type type) { return *std::ranges::find(kTypes, type, &TypeName::type); }

template <typename T>
std::vector<std::string_view> views_of(const T& strings) {
  return {strings.begin(), strings.end()};
}

std::string listed(const std::vector<std::string_view>& words) {
  return join_words({words.begin(), words.end()}, "or");
}

/// A scheme, "://" and text without blanks.
bool is_uri(std::string_view text) {
  const std::size_t colon = text.find("://");
  if (colon == 0 || colon == std::string_view::npos || colon + 3 == text.size()) return false;
  const auto in_scheme = [](char c) {
    return is_alphanumeric(c) || std::string_view("+-.").find(c) != std::string_view::npos;
  };
  const auto is_printable = [](char c) {
    return static_cast<unsigned char>(c) > ' ' && c != '\x7f';
  };
  return std::ranges::all_of(text.substr(0, colon), in_scheme) &&
         std::ranges::all_of(text, is_printable);
}

bool is_dns_label(std::string_view text) {
  constexpr std::size_t kMaxLength = 63;
  return text.size() <= kMaxLength && k8s::is_dns_part(text);
}

/// A text for an error; long ones are truncated.
std::string shown(std::string_view text) {
  constexpr std::size_t kMaxLength = 60;
  return printable(shortened(text, kMaxLength));
}

std::string unlike(const Parameter& parameter, std::string_view text, std::string_view more = "") {
  return fmt::format("must be {}, not '{}'{}", requirement_of(parameter), shown(text), more);
}

std::optional<std::string> pattern_problem(const Parameter& parameter, std::string_view text) {
  constexpr std::size_t kMaxLength = 1024;
  if (parameter.pattern.empty()) return std::nullopt;
  const auto pattern = Pattern::compile(parameter.pattern);
  const bool fits = pattern && text.size() <= kMaxLength && pattern->matches_whole(text) &&
                    text.find('\0') == std::string_view::npos;
  return fits ? std::nullopt : std::optional(unlike(parameter, text));
}

std::optional<std::string> integer_problem(const Parameter& parameter, std::string_view text) {
  const auto value = whole_number<std::int64_t>(text);
  const bool in_range = value && *value >= parameter.minimum.value_or(*value) &&
                        *value <= parameter.maximum.value_or(*value);
  return in_range ? std::nullopt : std::optional(unlike(parameter, text));
}

std::optional<std::string> quantity_problem(std::string_view text) {
  const auto quantity = Quantity::parse(text);
  if (!quantity) return "is invalid: " + quantity.error().message;
  if (quantity->is_negative()) return fmt::format("must be zero or more, not '{}'", shown(text));
  return std::nullopt;
}

std::optional<std::string> one_of_problem(const Parameter& parameter, std::string_view text,
                                          const std::vector<std::string_view>& values) {
  if (is_one_of(text, values)) return std::nullopt;
  return unlike(parameter, text, did_you_mean(text, values));
}

/// "AMD and NVIDIA".
std::string vendor_names(const Parameter& parameter) {
  std::vector<std::string> names;
  for (const auto vendor : parameter.vendors) names.emplace_back(name_of(vendor));
  return join_words(names);
}

bool takes(const Parameter& parameter, const accelerators::Product& product) {
  return parameter.vendors.empty() || is_one_of(product.vendor, parameter.vendors);
}

/// The error for a MIG profile without its card; nothing if the text is not a profile.
std::optional<std::string> slice_problem(const Parameter& parameter, std::string_view text) {
  constexpr std::size_t kMaxNames = 8;
  const std::size_t dash = text.rfind("mig-");
  const std::string_view profile = accelerators::mig_profile_in(
      dash == std::string_view::npos ? text : text.substr(dash + std::string_view("mig-").size()));
  if (profile.empty() || !accelerators::is_mig_profile(profile)) return std::nullopt;
  std::vector<std::string> names;
  for (std::string& name : values_of(parameter)) {
    const bool has_it = name.ends_with(fmt::format("-mig-{}", profile));
    if (has_it && names.size() < kMaxNames) names.push_back(std::move(name));
  }
  return fmt::format("names a slice without its card, '{}': it may be {}", shown(text),
                     join_words(names, "or"));
}

/// The error for a slice that its card does not support; nothing if the text names no slice.
std::optional<std::string> profile_problem(const Parameter& parameter, std::string_view text) {
  const std::size_t dash = lower(text).find("-mig-");
  if (dash == std::string::npos) return std::nullopt;
  const accelerators::Product* card = accelerators::product_named(text.substr(0, dash));
  if (card == nullptr) return std::nullopt;
  const std::string prefix = card->name + "-mig-";
  std::vector<std::string> slices;
  for (std::string& name : values_of(parameter)) {
    if (name.starts_with(prefix)) slices.push_back(std::move(name));
  }
  if (slices.empty()) {
    return fmt::format("cannot be '{}': '{}' has no slices", shown(text), card->name);
  }
  return fmt::format("cannot be '{}'; slices of that card are {}", shown(text), join_words(slices));
}

std::optional<std::string> accelerator_problem(const Parameter& parameter, std::string_view text) {
  const accelerators::Product* product = accelerators::product_named(text);
  if (product == nullptr) {
    if (auto problem = profile_problem(parameter, text)) return problem;
    if (auto slice = slice_problem(parameter, text)) return slice;
    return fmt::format("is not an accelerator of the catalogue: '{}'{}", shown(text),
                       did_you_mean(text, views_of(values_of(parameter))));
  }
  if (takes(parameter, *product)) return std::nullopt;
  return fmt::format("cannot be '{}': this template supports {}", shown(text),
                     vendor_names(parameter));
}

/// Why the text is not a valid part of a label.
std::optional<std::string> label_problem(std::string_view text,
                                         const std::optional<std::string>& problem) {
  if (!problem) return std::nullopt;
  return fmt::format("cannot be '{}': it {}", shown(text), *problem);
}

std::optional<std::string> scalar_problem(const Parameter& parameter, std::string_view text) {
  if (!is_utf8(text)) return "must be valid UTF-8";
  switch (parameter.type) {
    case Type::dns_label:
      return is_dns_label(text) ? std::nullopt : std::optional(unlike(parameter, text));
    case Type::label_key:
    case Type::taint_key:
      return label_problem(text, k8s::label_key_problem(text));
    case Type::label_value:
      return label_problem(text, k8s::label_value_problem(text));
    case Type::quantity:
      return quantity_problem(text);
    case Type::integer:
      return integer_problem(parameter, text);
    case Type::boolean:
      return one_of_problem(parameter, text, {"true", "false"});
    case Type::enumeration:
      return one_of_problem(parameter, text, views_of(parameter.values));
    case Type::uri:
      return is_uri(text) ? std::nullopt : std::optional(unlike(parameter, text));
    case Type::platform:
      return one_of_problem(parameter, text, views_of(values_of(parameter)));
    case Type::accelerator:
      return accelerator_problem(parameter, text);
    case Type::string:
    case Type::list:
    case Type::map:
      break;
  }
  return std::nullopt;
}

const Node* scalar_of(Type type, std::string_view text, Arena& arena) {
  if (type == Type::integer)
    return &integer_like(arena, yaml::nowhere(), *whole_number<std::int64_t>(text));
  if (type == Type::boolean) return &boolean_like(arena, yaml::nowhere(), text == "true");
  return &string_like(arena, yaml::nowhere(), text);
}

/// Copies a value of a YAML file, up to a limit for values that aliases make large or deep.
class Copier {
 public:
  explicit Copier(Arena& arena) : arena_(arena) {}

  const Node* copy(const Node& node, int depth = 0) {
    constexpr int kMaxDepth = 50;
    constexpr int kMaxNodes = 10'000;
    if (depth > kMaxDepth || ++count_ > kMaxNodes) too_large_ = true;
    if (too_large_) return &yaml::missing_node();
    if (node.is_mapping()) return copy_mapping(node, depth);
    if (node.is_sequence()) {
      std::vector<const Node*> items;
      for (const Node* item : node.items()) items.push_back(copy(*item, depth + 1));
      return &sequence_like(arena_, yaml::nowhere(), items);
    }
    Node leaf = node;
    leaf.set_text(arena_.copy(node.text()));
    leaf.span = {};
    leaf.made = true;
    leaf.set_root();
    return arena_.make<Node>(leaf);
  }

  bool is_too_large() const { return too_large_; }

 private:
  const Node* copy_mapping(const Node& node, int depth) {
    std::vector<yaml::Entry> entries;
    for (const yaml::Entry& entry : entries_of(node)) {
      const Node& value = *copy(*entry.value, depth + 1);
      entries.push_back(entry_of(arena_, yaml::key_text(*entry.key), value));
    }
    return &mapping_like(arena_, yaml::nowhere(), entries);
  }

  Arena& arena_;
  int count_ = 0;
  bool too_large_ = false;
};

Result<const Node*> copied(const Node& given, Arena& arena) {
  Copier copier(arena);
  const Node* copy = copier.copy(given);
  if (copier.is_too_large()) return Error{"is too large or nested too deeply"};
  return copy;
}

/// `a,b`.
const Node* items_in(std::string_view text, Arena& arena) {
  std::vector<const Node*> items;
  if (!text.empty()) {
    for (const std::string_view item : split(text, ',')) {
      items.push_back(&string_like(arena, yaml::nowhere(), trim(item)));
    }
  }
  return &sequence_like(arena, yaml::nowhere(), items);
}

/// `k=v,k=v`.
Result<const Node*> pairs_in(std::string_view text, Arena& arena) {
  const Node* map = &mapping_like(arena, yaml::nowhere(), {});
  if (text.empty()) return map;
  for (const std::string_view pair : split(text, ',')) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) {
      return Error{fmt::format("must be key=value,key=value: '{}' has no '='", shown(pair))};
    }
    const std::string_view key = trim(pair.substr(0, equals));
    if (map->under(key)) return Error{fmt::format("has '{}' twice", shown(key))};
    map = &with(arena, *map, arena.copy(key),
                string_like(arena, yaml::nowhere(), trim(pair.substr(equals + 1))));
  }
  return map;
}

Result<const Node*> collection_in(const Parameter& parameter, std::string_view text, Arena& arena) {
  text = trim(text);
  if (!is_utf8(text)) return Error{"must be valid UTF-8"};
  const bool is_list = parameter.type == Type::list;
  if (!text.starts_with(is_list ? '[' : '{')) {
    if (is_list) return items_in(text, arena);
    return pairs_in(text, arena);
  }
  const yaml::Embedded document(text);
  if (document.root().is_missing()) return Error{unlike(parameter, text)};
  return value_of(parameter, document.root(), arena);
}

/// Whether the short form is exact: only strings, without separators in them.
bool is_short(const Node& node, std::string_view separators) {
  return node.is_string() && !node.text().empty() && trim(node.text()) == node.text() &&
         node.text().find_first_of(separators) == std::string_view::npos &&
         node.text().front() != '[' && node.text().front() != '{';
}

DefaultFor read_default_for(const Node& node, yaml::StrictReader& reader) {
  DefaultFor result;
  if (!node.is_mapping() || node.entries().size() != 1 ||
      !node.entries().front().value->is_mapping()) {
    reader.error(node, "'defaultFor' must be a mapping of one parameter to its values");
    return result;
  }
  const yaml::Entry& entry = node.entries().front();
  result.parameter = entry.key->text();
  for (const yaml::Entry& row : entry.value->entries()) {
    result.values.emplace_back(row.key->text(), row.value);
  }
  return result;
}

ForValues read_for_values(const Node& node, std::string_view name, yaml::StrictReader& reader) {
  ForValues result;
  if (!node.is_mapping() || node.entries().size() != 1 ||
      !node.entries().front().value->is_sequence()) {
    reader.error(node, "'{}' must be a mapping of one parameter to a list of its values", name);
    return result;
  }
  const yaml::Entry& entry = node.entries().front();
  result.parameter = entry.key->text();
  for (const Node* item : entry.value->items()) result.values.emplace_back(item->text());
  return result;
}

/// Reads a list of strings into `strings`.
void read_strings(const Node& node, std::string_view name, std::vector<std::string>& strings,
                  yaml::StrictReader& reader) {
  if (!node) return;
  strings.clear();
  for (const Node* item : reader.list(node, name)) {
    if (!item->is_scalar()) reader.error(*item, "'{}' must be a list of strings", name);
    strings.emplace_back(item->text());
  }
}

void read_vendors(const Node& node, Parameter& parameter, yaml::StrictReader& reader) {
  if (!node) return;
  using accelerators::Vendor;
  parameter.vendors.clear();
  for (const Node* item : reader.list(node, "vendors")) {
    bool known = false;
    for (const Vendor vendor : {Vendor::nvidia, Vendor::amd, Vendor::intel, Vendor::habana,
                                Vendor::aws, Vendor::google}) {
      if (!equals_ignoring_case(item->text(), name_of(vendor))) continue;
      parameter.vendors.push_back(vendor);
      known = true;
    }
    if (!known) reader.error(*item, "'{}' is not a known vendor of accelerators", item->text());
  }
}

std::optional<std::int64_t> read_bound(const Node& node, std::string_view name,
                                       yaml::StrictReader& reader) {
  if (!node) return std::nullopt;
  const auto value = yaml::integer_of(node);
  if (!value) reader.error(node, "'{}' must be an integer", name);
  return value;
}

void read_type(const Node& node, Parameter& parameter, yaml::StrictReader& reader) {
  const auto name = reader.string(node, "type");
  if (!name) return;
  const auto type = type_named(*name);
  if (type) {
    parameter.type = *type;
    return;
  }
  std::vector<std::string_view> names;
  for (const TypeName& row : kTypes) names.push_back(row.name);
  const std::string like = did_you_mean(*name, names);
  reader.error(node, "unknown type '{}'{}", *name,
               like.empty() ? "; types are " + listed(names) : like);
}

void read_pattern(const Node& node, Parameter& parameter, yaml::StrictReader& reader) {
  const auto pattern = reader.string(node, "pattern");
  if (!pattern) return;
  parameter.pattern = *pattern;
  const auto compiled = Pattern::compile(*pattern);
  if (compiled) return;
  reader.error(node, "invalid regular expression: {}", compiled.error().message);
  parameter.pattern.clear();
}

void read_required(const Node& node, Parameter& parameter, yaml::StrictReader& reader) {
  if (!node) return;
  const auto required = yaml::boolean_of(node.text());
  if (!required) reader.error(node, "'required' must be true or false");
  parameter.required = required.value_or(false);
}

}  // namespace

std::string_view name_of(Type type) { return row_of(type).name; }

std::optional<Type> type_named(std::string_view name) {
  const auto* row = std::ranges::find(kTypes, name, &TypeName::name);
  return row == kTypes.end() ? std::nullopt : std::optional(row->type);
}

Parameter read_parameter(const Node& node, Parameter base, yaml::StrictReader& reader) {
  Parameter parameter = std::move(base);
  parameter.where = node.span;
  reader.mapping(node, "parameters[]",
                 {"use", "name", "type", "description", "required", "requiredFor", "onlyFor",
                  "default", "defaultFor", "values", "vendors", "resources", "pattern", "minimum",
                  "maximum", "notBelow", "example"});
  if (const auto name = reader.string(node["name"], "name")) parameter.name = *name;
  if (const auto text = reader.string(node["description"], "description")) {
    parameter.description = *text;
  }
  read_type(node["type"], parameter, reader);
  read_required(node["required"], parameter, reader);
  read_strings(node["values"], "values", parameter.values, reader);
  read_strings(node["resources"], "resources", parameter.resources, reader);
  read_vendors(node["vendors"], parameter, reader);
  read_pattern(node["pattern"], parameter, reader);
  if (node["requiredFor"]) {
    parameter.required_for = read_for_values(node["requiredFor"], "requiredFor", reader);
  }
  if (node["onlyFor"]) parameter.only_for = read_for_values(node["onlyFor"], "onlyFor", reader);
  if (const auto other = reader.string(node["notBelow"], "notBelow")) parameter.not_below = *other;
  if (node["minimum"]) parameter.minimum = read_bound(node["minimum"], "minimum", reader);
  if (node["maximum"]) parameter.maximum = read_bound(node["maximum"], "maximum", reader);
  if (node["default"]) parameter.default_value = &node["default"];
  // A default makes a required common parameter optional.
  if (node["use"] && node["default"] && !node["required"]) parameter.required = false;
  if (node["defaultFor"]) parameter.default_for = read_default_for(node["defaultFor"], reader);
  if (node["example"]) parameter.example = text_of(node["example"]);
  return parameter;
}

std::vector<std::string> values_of(const Parameter& parameter) {
  std::vector<std::string> values = parameter.values;
  if (parameter.type == Type::platform) {
    for (const auto platform : accelerators::platforms()) values.emplace_back(name_of(platform));
  }
  if (parameter.type == Type::accelerator) {
    for (const accelerators::Product& product : accelerators::products()) {
      if (takes(parameter, product)) values.push_back(product.name);
    }
  }
  return values;
}

std::string requirement_of(const Parameter& parameter) {
  if (parameter.type == Type::enumeration || parameter.type == Type::platform) {
    return join_words(values_of(parameter), "or");
  }
  if (!parameter.vendors.empty()) return "an accelerator of " + vendor_names(parameter);
  std::string text(row_of(parameter.type).requirement);
  if (!parameter.pattern.empty()) return fmt::format("{} that matches {}", text, parameter.pattern);
  if (parameter.minimum && parameter.maximum) {
    return fmt::format("{} from {} to {}", text, *parameter.minimum, *parameter.maximum);
  }
  if (parameter.minimum) return fmt::format("{} of {} or more", text, *parameter.minimum);
  if (parameter.maximum) return fmt::format("{} of {} or less", text, *parameter.maximum);
  return text;
}

Result<const Node*> value_of(const Parameter& parameter, std::string_view text, Arena& arena) {
  if (parameter.type == Type::list || parameter.type == Type::map) {
    return collection_in(parameter, text, arena);
  }
  if (auto problem = scalar_problem(parameter, text)) return Error{*std::move(problem)};
  if (auto problem = pattern_problem(parameter, text)) return Error{*std::move(problem)};
  return scalar_of(parameter.type, text, arena);
}

Result<const Node*> value_of(const Parameter& parameter, const Node& given, Arena& arena) {
  const bool fits = parameter.type == Type::list  ? given.is_sequence()
                    : parameter.type == Type::map ? given.is_mapping()
                                                  : given.is_scalar();
  if (!fits) {
    return Error{fmt::format("must be {}, not {}", requirement_of(parameter), describe(given))};
  }
  if (!given.is_scalar()) return copied(given, arena);
  return value_of(parameter, given.text(), arena);
}

std::string text_of(const Node& value) {
  if (!value.is_sequence() && !value.is_mapping()) return std::string(value.text());
  std::string text;
  const auto add = [&](const std::string& item) { text += (text.empty() ? "" : ",") + item; };
  if (value.is_sequence()) {
    const bool brief =
        std::ranges::all_of(value.items(), [](const Node* item) { return is_short(*item, ","); });
    if (!brief) return yaml::to_flow(value, true);
    for (const Node* item : value.items()) add(std::string(item->text()));
    return text;
  }
  const bool brief = std::ranges::all_of(value.entries(), [](const yaml::Entry& entry) {
    return is_short(*entry.value, ",") && is_short(*entry.key, ",=");
  });
  if (!brief) return yaml::to_flow(value, true);
  for (const yaml::Entry& entry : value.entries()) {
    add(fmt::format("{}={}", entry.key->text(), entry.value->text()));
  }
  return text;
}

}  // namespace cnsched::templates

#include "rules/admission/admission_policy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <span>

#include "core/accelerators/catalogue.h"
#include "core/accelerators/node_trait.h"
#include "core/accelerators/resource_name.h"
#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/kserve/fields.h"
#include "core/kserve/knative_features.h"
#include "core/seldon/shipped.h"
#include "rules/admission/admission_check.h"

namespace cnsched::embedded {
std::span<const EmbeddedFile> cel_functions();
std::span<const EmbeddedFile> cel_pod_fields();
}  // namespace cnsched::embedded

namespace cnsched::rules {

namespace {

/// The text of a function that expressions of rules call, with `$1` as its first argument.
const std::string_view* find_function(std::string_view name) {
  static const auto all = [] {
    std::map<std::string_view, std::string_view> functions;
    for (const auto& [each, text] : cel_sections(embedded::cel_functions().front())) {
      functions.emplace(each, text);
    }
    return functions;
  }();
  const auto found = all.find(name);
  return found == all.end() ? nullptr : &found->second;
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

std::string cel_list(const std::vector<std::string>& items) {
  return fmt::format("[{}]", fmt::join(items, ", "));
}

/// `entries` have the form "'key': value".
std::string cel_map(const std::vector<std::string>& entries) {
  return fmt::format("{{{}}}", fmt::join(entries, ", "));
}

/// The names in rows of the catalogue that are whole names, or that are prefixes.
template <typename Row>
std::string names_in(std::span<const Row> rows, std::string_view Row::*name, bool prefixes) {
  std::vector<std::string_view> names;
  for (const Row& row : rows) {
    if (row.is_prefix == prefixes) names.push_back(row.*name);
  }
  return cel_strings(names);
}

using accelerators::NodeLabel;
using accelerators::Resource;

/// The whole keys as "{'nvidia.com': ['gpu.count', …], …}".
std::string labels_by_domain(std::span<const NodeLabel> labels) {
  std::map<std::string_view, std::vector<std::string_view>> names;
  for (const NodeLabel& label : labels) {
    if (label.is_prefix) continue;
    const std::size_t slash = label.key.find('/');
    names[label.key.substr(0, slash)].push_back(label.key.substr(slash + 1));
  }
  std::vector<std::string> items;
  for (const auto& [domain, own] : names) {
    items.push_back(fmt::format("{}: {}", cel_string(domain), cel_strings(own)));
  }
  return cel_map(items);
}

/// "[['amd.com/gpu', 'AMD'], …]", for each row of the catalogue; only if `all` those of NVIDIA.
/// Longer names first, so that the first row that a name begins with is the right one. A row is
/// left out if the one that follows for its names has the same vendor.
template <typename Row>
std::string vendors_by(std::span<const Row> rows, std::string_view Row::*name, bool all = false) {
  std::vector<Row> sorted(rows.begin(), rows.end());
  std::erase_if(sorted,
                [&](const Row& row) { return !all && row.vendor == accelerators::Vendor::nvidia; });
  std::ranges::stable_sort(sorted, std::ranges::greater(),
                           [&](const Row& row) { return (row.*name).size(); });
  const auto is_implied = [&](const Row& row) {
    const auto shorter = std::ranges::find_if(sorted, [&](const Row& other) {
      return (other.*name).size() < (row.*name).size() && (row.*name).starts_with(other.*name);
    });
    return shorter != sorted.end() && shorter->vendor == row.vendor;
  };
  std::vector<std::string> items;
  for (const Row& row : sorted) {
    if (is_implied(row)) continue;
    items.push_back(fmt::format("[{}, {}]", cel_string(row.*name),
                                cel_string(accelerators::name_of(row.vendor))));
  }
  return cel_list(items);
}

std::string device_plugins() {
  std::vector<std::string> items;
  for (const accelerators::DevicePlugin& plugin : accelerators::plugins()) {
    items.push_back(fmt::format("{}: {{'fact': {}, 'name': {}, 'resource': {}, 'taint': {}}}",
                                cel_string(accelerators::name_of(plugin.vendor)),
                                cel_string(plugin_fact_name(plugin.vendor)),
                                cel_string(plugin.name), cel_string(plugin.resource),
                                cel_string(plugin.tolerated_taint)));
  }
  return cel_map(items);
}

/// Labels that all nodes, or all nodes with accelerators, have. rules/kserve/worker_unpinned.cpp.
std::string implied_labels() {
  std::vector<std::string_view> keys = {"kubernetes.io/os", "beta.kubernetes.io/os"};
  for (const NodeLabel& label : accelerators::labels()) {
    if (label.meaning == accelerators::LabelMeaning::present) keys.push_back(label.key);
  }
  return cel_strings(keys);
}

/// "{'triton': ['triton', …], …}"
std::string shipped_capabilities() {
  std::vector<std::string> items;
  for (const std::string_view server : seldon::kShippedServers) {
    items.push_back(fmt::format("{}: {}", cel_string(server),
                                cel_strings(seldon::shipped_capabilities(server))));
  }
  return cel_map(items);
}

/// The flags that gate fields of pods, or volumes, with their properties as words.
std::string gated_by(bool volumes) {
  std::vector<std::string> items;
  for (const kserve::KnativeFlag& flag : kserve::knative_flags()) {
    const bool is_pointer = flag.gate == kserve::Gate::pointer;
    const bool is_volume = flag.gate == kserve::Gate::volume;
    if (volumes ? !is_volume : !is_pointer && flag.gate != kserve::Gate::pod_field) continue;
    items.push_back(fmt::format("[{}, {}, '{}{}{}{}']", cel_string(flag.field),
                                cel_string(flag.key), is_pointer ? "pointer " : "",
                                flag.allowed_suffices ? "" : "strict ",
                                flag.open_data_hub ? "odh " : "",
                                flag.by_default == kserve::FlagState::enabled ? "on" : ""));
  }
  return cel_list(items);
}

/// The length of names whose misspellings are found.
constexpr int kMaxPosition = 32;

std::string text_labels() {
  std::vector<std::string> items;
  for (const accelerators::LabelExample& row : accelerators::labels_without_numbers()) {
    items.push_back(fmt::format("{}: {}", cel_string(row.label), cel_string(row.value)));
  }
  return cel_map(items);
}

std::string misnamed_resources() {
  std::vector<std::string> items;
  for (const accelerators::MisnamedResource& row : accelerators::misnamed_resources()) {
    items.push_back(fmt::format("{}: {}", cel_string(row.name), cel_string(row.instead)));
  }
  return cel_map(items);
}

std::string clouds() {
  std::vector<std::string> items;
  for (const accelerators::Cloud& cloud : accelerators::clouds()) {
    items.push_back(fmt::format("[{}, {}]", cel_string(cloud.prefix), cel_string(cloud.name)));
  }
  return cel_list(items);
}

/// The deprecated labels as {key: [current, owner, whether new nodes have both]}; only with
/// `renamed`, as {key: current}, those that mean the same as the current one.
std::string deprecated_labels(bool renamed) {
  using Owner = k8s::DeprecatedNodeLabel::Owner;
  std::vector<std::string> items;
  for (const k8s::DeprecatedNodeLabel& label : k8s::deprecated_node_labels()) {
    const std::string key = cel_string(label.key);
    const std::string current = cel_string(label.current);
    if (!renamed) {
      items.push_back(fmt::format("{}: [{}, '{}', '{}']", key, current,
                                  label.owner == Owner::aks ? "aks" : "",
                                  label.beside_current ? "both" : ""));
    } else if (k8s::current_node_label(label.key) != label.key) {
      items.push_back(fmt::format("{}: {}", key, current));
    }
  }
  return cel_map(items);
}

std::vector<CelVariable> make_variables() {
  const auto resources = accelerators::resources();
  const auto labels = accelerators::labels();
  std::vector<std::string_view> blocks(kserve::framework_keys().begin(),
                                       kserve::framework_keys().end());
  blocks.emplace_back("art");  // of an explainer
  return {
      {"isServing",
       "request.kind.group.endsWith('.kserve.io') || "
       "request.kind.group.endsWith('.seldon.io')"},
      {"serverBlocks", cel_strings(blocks)},
      {"acceleratorResources", names_in(resources, &Resource::name, false)},
      {"acceleratorResourcePrefixes", names_in(resources, &Resource::name, true)},
      {"acceleratorLabels", labels_by_domain(labels)},
      {"acceleratorLabelPrefixes", names_in(labels, &NodeLabel::key, true)},
      {"labelVendors", vendors_by(labels, &NodeLabel::key)},
      {"resourceVendors", vendors_by(resources, &Resource::name)},
      {"valueVendors",
       vendors_by(accelerators::vendors_in_label_values(), &accelerators::VendorPrefix::prefix)},
      {"machineVendors",
       vendors_by(accelerators::machine_vendors(), &accelerators::VendorPrefix::prefix, true)},
      {"devicePlugins", device_plugins()},
      {"gatedFields", gated_by(false)},
      {"gatedVolumes", gated_by(true)},
      {"textLabels", text_labels()},
      {"advertisedResources", cel_strings(accelerators::advertised_names())},
      {"misnamedResources", misnamed_resources()},
      {"clouds", clouds()},
      {"deprecatedLabels", deprecated_labels(false)},
      {"renamedLabels", deprecated_labels(true)},
      {"positions", fmt::format("[{}]", fmt::join(std::views::iota(0, kMaxPosition), ", "))},
      {"impliedLabels", implied_labels()},
      {"shippedCapabilities", shipped_capabilities()},
      {"modes",
       "{'Serverless': 'knative', 'Knative': 'knative', 'RawDeployment': 'standard', "
       "'Standard': 'standard', 'ModelMesh': 'modelmesh'}"},
  };
}

const std::vector<CelVariable>& catalogue_variables() {
  static const std::vector<CelVariable> kVariables = make_variables();
  return kVariables;
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
    const std::string_view* function = is_call && !is_member ? find_function(name) : nullptr;
    if (function == nullptr) {
      result += name;
      continue;
    }
    const CallArguments call = arguments_at(text, at);
    std::vector<std::string> arguments;
    for (const std::string_view argument : call.values) {
      arguments.push_back(expand_fragments(argument));
    }
    result += expand_fragments(with_arguments(*function, arguments));
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
  for (const CelSection& field : cel_sections(embedded::cel_pod_fields().front())) {
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

#include "rules/admission/fragments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/accelerators/catalogue.h"
#include "core/base/ascii.h"
#include "core/base/text.h"
#include "core/kserve/fields.h"

namespace cnsched::rules {

namespace {

/// A function: `$1` in the text is its first argument.
struct Fragment {
  std::string_view name;
  std::string_view text;
};

constexpr auto kFragments = std::to_array<Fragment>({
    // Values of optional fields. A null is a missing field.
    {"list", "optional.ofNonZeroValue($1.orValue(null)).orValue([])"},
    {"map_of", "optional.ofNonZeroValue($1.orValue(null)).orValue({})"},
    {"text", "string(optional.ofNonZeroValue($1.orValue(null)).orValue(''))"},
    {"is_set", "optional.ofNonZeroValue($1.orValue(null)).hasValue()"},

    // Text. core/k8s/label.h.
    {"is_placeholder", R"($1.matches('^[$]|[$][{(]|[{][{]|[.]{3}|(?s:[{].*[}]|<.*>)'))"},
    {"name_problem",
     R"([$1.find('[^-A-Za-z0-9_.]')].map(c,
  $1.size() > 63 ? 'has ' + string($1.size()) + ' characters, and 63 are the limit' :
  c == ' ' ? 'contains a space' :
  c != '' && !c.matches('^[[:ascii:]]') ? 'contains a non-ASCII character' :
  c != '' ? "contains '" + c + "'" :
  $1.matches('^[-_.]') ? "begins with '" + $1.substring(0, 1) + "', not with a letter or digit" :
  $1.matches('[-_.]$') ? "ends with '" + $1.substring($1.size() - 1) + "', not with a letter or digit" :
  '')[0])"},
    {"label_value_problem", "($1 == '' ? '' : name_problem($1))"},
    {"label_key_problem",
     R"([$1.split('/')].map(parts,
  $1 == '' ? 'is empty' :
  parts.size() == 1 ? name_problem($1) :
  parts.size() > 2 ? "contains more than one '/'" :
  parts[0] == '' ? "begins with '/'" :
  parts[0].size() > 253 ? 'has a prefix of more than 253 characters' :
  parts[0].split('.').exists(s, s == '') ? "has an empty part in its prefix '" + parts[0] + "'" :
  parts[0].split('.').exists(s, !s.matches('^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$')) ?
    "has a prefix '" + parts[0] + "' that is not a lowercase RFC 1123 subdomain" :
  parts[1] == '' ? "has no name after the '/'" :
  name_problem(parts[1]))[0])"},

    // Resources.
    {"is_accelerator",
     "($1 in variables.acceleratorResources || "
     "variables.acceleratorResourcePrefixes.exists(s, $1.startsWith(s)))"},
    {"is_extended_resource",
     "($1.contains('/') && !$1.contains('kubernetes.io/') && !$1.startsWith('requests.') && "
     "label_key_problem($1) == '')"},
    {"is_positive", "(!isQuantity(string($1)) || quantity(string($1)).sign() != 0)"},
    // Whether a container requests or limits a resource `$2` for which `$3` holds.
    {"any_request",
     "$1.exists(c, [map_of(c.?resources.?limits), map_of(c.?resources.?requests)]"
     ".exists(m, m.exists($2, $3 && is_positive(m[$2]))))"},

    // Labels of nodes.
    {"is_accelerator_label",
     "($1 in variables.acceleratorLabels || "
     "variables.acceleratorLabelPrefixes.exists(s, $1.startsWith(s)))"},

    // Pods. core/workloads/workload.h.
    {"is_pinned",
     "($1.nodeSelector.size() > 0 || $1.required.size() > 0 || text($1.spec.?nodeName) != '')"},
    {"takes_placement_advice",
     "(variables.isServing || "
     "any_request($1.allContainers, n, is_accelerator(n)) || "
     "$1.nodeSelector.exists(k, is_accelerator_label(k)) || "
     "$1.required.exists(t, list(t.?matchExpressions).exists(r, "
     "is_accelerator_label(text(r.?key)))) || "
     "$1.tolerations.exists(t, is_accelerator(t.key)))"},
    // A fact about the cluster; empty if it is not known.
    {"fact", "params.?data[?$1].orValue('')"},
    // The deployment mode, as far as the object states it. core/kserve/deployment_mode.h.
    {"stated_mode",
     R"([[text($1.?status.?deploymentMode), text($1.metadata.?annotations[?'serving.kserve.io/deploymentMode'])].filter(m, m in variables.modes)].map(said,
  said.size() > 0 ? variables.modes[said[0]] :
  is_placeholder(text($1.metadata.?annotations[?'serving.kserve.io/deploymentMode'])) ? 'unclear' :
  '')[0])"},

    // Parts of objects that describe pods: what kinds.cpp says of each kind.
    {"part",
     "{'component': dyn($1), 'spec': dyn($2), 'labels': dyn(map_of($3)), 'complete': dyn($4), "
     "'fragment': dyn($5)}"},
});

const Fragment* find_fragment(std::string_view name) {
  const auto* found = std::ranges::find(kFragments, name, &Fragment::name);
  return found == kFragments.end() ? nullptr : found;
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
    const bool is_argument = text[at] == '$' && at + 1 < text.size() && text[at + 1] > '0' &&
                             text[at + 1] <= '9';
    if (!is_argument) {
      result += text[at];
      continue;
    }
    result += arguments.at(static_cast<std::size_t>(text[++at] - '1'));
  }
  return result;
}

std::string cel_list(const std::vector<std::string>& items) {
  return fmt::format("[{}]", fmt::join(items, ", "));
}

std::string cel_strings(std::span<const std::string_view> texts) {
  std::vector<std::string> items;
  for (const std::string_view text : texts) items.push_back(cel_string(text));
  return cel_list(items);
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

std::vector<CelVariable> make_variables() {
  const auto resources = accelerators::resources();
  const auto labels = accelerators::labels();
  std::vector<std::string_view> blocks(kserve::framework_keys().begin(),
                                       kserve::framework_keys().end());
  blocks.emplace_back("art");  // of an explainer
  return {
      {"isServing", "request.kind.group.endsWith('.kserve.io') || "
                    "request.kind.group.endsWith('.seldon.io')"},
      {"serverBlocks", cel_strings(blocks)},
      {"acceleratorResources", names_in(resources, &Resource::name, false)},
      {"acceleratorResourcePrefixes", names_in(resources, &Resource::name, true)},
      {"acceleratorLabels", names_in(labels, &NodeLabel::key, false)},
      {"acceleratorLabelPrefixes", names_in(labels, &NodeLabel::key, true)},
      {"modes", "{'Serverless': 'knative', 'Knative': 'knative', 'RawDeployment': 'standard', "
                "'Standard': 'standard', 'ModelMesh': 'modelmesh'}"},
  };
}

const std::vector<CelVariable>& all_variables() {
  static const std::vector<CelVariable> kVariables = make_variables();
  return kVariables;
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

/// The fields of `pod`, made from a part `p` of the object.
constexpr auto kPodFields = std::to_array<Fragment>({
    {"component", "p.component"},
    {"spec", "p.spec"},
    {"labels", "p.labels"},
    {"complete", "p.complete"},
    {"fragment", "p.fragment"},
    {"containers",
     "variables.serverBlocks.filter(k, k in p.spec && p.spec[k] != null).map(k, p.spec[k]) + "
     "list(p.spec.?containers)"},
    {"allContainers",
     "list(p.spec.?initContainers) + "
     "variables.serverBlocks.filter(k, k in p.spec && p.spec[k] != null).map(k, p.spec[k]) + "
     "list(p.spec.?containers)"},
    {"nodeSelector", "map_of(p.spec.?nodeSelector)"},
    {"required",
     "list(p.spec.?affinity.?nodeAffinity.?requiredDuringSchedulingIgnoredDuringExecution"
     ".?nodeSelectorTerms)"},
    {"preferred",
     "list(p.spec.?affinity.?nodeAffinity.?preferredDuringSchedulingIgnoredDuringExecution)"
     ".map(t, t.?preference.orValue({}))"},
    {"tolerations",
     "list(p.spec.?tolerations).map(t, {'key': text(t.?key), "
     "'operator': is_set(t.?operator) ? text(t.?operator) : 'Equal', 'value': text(t.?value), "
     "'effect': text(t.?effect), "
     "'seconds': t.?tolerationSeconds.orValue(null) == null ? '' : 'set'})"},
});

}  // namespace

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
  std::vector<CelVariable> used;
  for (const CelVariable& variable : all_variables()) {
    const std::string name = "variables." + variable.name;
    if (std::ranges::any_of(expressions, [&](const auto& text) { return mentions(text, name); })) {
      used.push_back(variable);
    }
  }
  return used;
}

std::string pod_fields_used_in(std::string_view expression) {
  std::vector<std::string> entries;
  for (const Fragment& field : kPodFields) {
    if (!mentions(expression, fmt::format("pod.{}", field.name))) continue;
    entries.push_back(fmt::format("'{}': dyn({})", field.name, expand_fragments(field.text)));
  }
  return fmt::format("{{{}}}", fmt::join(entries, ",\n  "));
}

std::string cel_string(std::string_view text) {
  std::string literal = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal + "'";
}

}  // namespace cnsched::rules

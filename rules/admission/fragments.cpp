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
#include "core/kserve/knative_flags.h"

namespace cnsched::rules {

namespace {

/// A function: `$1` in the text is its first argument.
struct Fragment {
  std::string_view name;
  std::string_view text;
};

constexpr auto kFragments = std::to_array<Fragment>({
    // Values of optional fields. The API server removes nulls, but not where a
    // CustomResourceDefinition has no schema: for lists and maps a null is a missing field.
    {"list", "optional.ofNonZeroValue($1.orValue([])).orValue([])"},
    {"map_of", "optional.ofNonZeroValue($1.orValue({})).orValue({})"},
    {"text", "string($1.orValue(''))"},
    // The same for a value that may be null or of another type.
    {"any_text", "string(dyn(optional.ofNonZeroValue($1.orValue('')).orValue('')))"},
    {"is_set", "optional.ofNonZeroValue($1.orValue('')).hasValue()"},

    // Values of any type, for policies: what is at a key, the items or entries, and a scalar as the
    // API server reads it.
    {"child", "(type($1) == map && $2 in $1 && $1[$2] != null ? [dyn($1[$2])] : [])"},
    {"child_at", "(type($1) == list && $1.size() > $2 && $1[$2] != null ? [dyn($1[$2])] : [])"},
    {"children",
     "(type($1) == map ? $1.map(k, $1[k] != null, dyn($1[k])) : type($1) == list ? "
     "$1.filter(i, i != null) : [])"},
    {"items_of", "(type($1) == map || type($1) == list ? children($1) : [$1])"},
    {"scalar_text",
     "(type($1) == bool ? ($1 == true ? 'true' : 'false') : "
     "type($1) == map || type($1) == list ? '' : string($1))"},
    {"amount", "quantity(string($1)).asApproximateFloat()"},
    // Amounts that a container requests, and those of its accelerators.
    {"limit_of", "map_of($1.?resources.?limits)[?$2]"},
    {"request_of", "map_of($1.?resources.?requests)[?$2].or(limit_of($1, $2))"},
    {"has_amount", "($1.hasValue() && isQuantity(string(dyn($1.orValue('')))))"},
    {"is_sidecar", "(text($1.?restartPolicy) == 'Always')"},
    {"devices_of",
     "[[map_of($1.?resources.?limits), map_of($1.?resources.?requests)]].map(p, "
     "p[0].map(n, is_accelerator(n) && isQuantity(string(p[0][n])), amount(p[0][n])) + "
     "p[1].map(n, is_accelerator(n) && isQuantity(string(p[1][n])) && !(n in p[0]), "
     "amount(p[1][n])))[0]"},

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
    {"is_label_key",
     "$1.matches('^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?([.][a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*/)?"
     "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$')"},
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

    // The messages about a list of values, and about a map of labels, as one text.
    {"label_value_problems",
     R"($1.filter(v, type(v) == string && v != '' && !is_placeholder(v)).map(v, [string(v), name_problem(v)]).filter(p, p[1] != '')
  .map(p, "invalid label value '" + p[0] + "': it " + p[1] + $2).join('\n'))"},
    {"labels_problems",
     R"(($1.map(k, dyn(k)).filter(k, !is_placeholder(k)).map(k, [string(k), label_key_problem(k)]).filter(p, p[1] != '')
  .map(p, "invalid label key '" + p[0] + "': it " + p[1]).join('\n') + '\n' +
  label_value_problems($1.map(k, $1[k]), '')))"},

    // Resources.
    {"is_accelerator",
     "($1 in variables.acceleratorResources || "
     "variables.acceleratorResourcePrefixes.exists(s, $1.startsWith(s)))"},
    {"is_extended_resource",
     "($1.contains('/') && !$1.contains('kubernetes.io/') && !$1.startsWith('requests.') && "
     "is_label_key($1))"},
    {"is_positive", "(!isQuantity(string($1)) || sign(quantity(string($1))) != 0)"},
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
    // Facts about the cluster, from the ConfigMap that vap.cpp writes; empty if not known.
    {"fact", "params.?data[?$1].orValue('')"},
    {"shows_deployment",
     "(fact('kserve.defaultDeploymentMode') != '' || "
     "params.?data.orValue({}).exists(k, k.startsWith('knative.')))"},

    // KServe. core/kserve/deployment_mode.h; empty: the default, which is not known.
    {"annotation", "text($1.?metadata.?annotations[?$2])"},
    // KServe before 0.16 reads neither the status nor the new names.
    {"is_old_kserve", "fact('kserve.release').matches('^0[.]([0-9]|1[0-5])[.]')"},
    {"deployment_mode",
     R"([annotation($1, 'serving.kserve.io/deploymentMode')].map(annotated,
  [is_old_kserve() ? '' : text($1.?status.?deploymentMode), annotated]
    .filter(m, m in variables.modes && !(is_old_kserve() && m in ['Knative', 'Standard'])).map(m, variables.modes[m]) +
  [is_placeholder(annotated) ? 'unclear' :
   fact('kserve.defaultDeploymentMode') in variables.modes ? variables.modes[fact('kserve.defaultDeploymentMode')] :
   annotated == '' && ['predictor', 'transformer', 'explainer'].exists(c, is_set($1.spec[?c].?deploymentStrategy)) ? 'unclear' :
   ''])[0][0])"},
    {"is_stopped", "(annotation($1, 'serving.kserve.io/stop').lowerAscii() == 'true')"},
    {"is_of_open_data_hub",
     "('opendatahub.io/dashboard' in map_of($1.metadata.?labels) || "
     "'serving.knative.openshift.io/enablePassthrough' in map_of($1.metadata.?annotations))"},
    // Flags of Knative: `$1` is an item of pod.gated.
    {"flag", "fact('knative.' + $1.flag)"},
    {"is_off",
     "(flag($1) != '' && flag($1) != 'enabled' && "
     "(flag($1) != 'allowed' || $1.properties.contains('strict')))"},
    {"is_unknown",
     "(flag($1) == '' && !$1.properties.contains('on') && "
     "!($1.properties.contains('odh') && is_of_open_data_hub(pod.object)))"},
    {"off_word", "(flag($1) == 'allowed' ? \"'allowed' and must be 'enabled'\" : 'off')"},
    // Whether another scheduler, or an object that is not known, may place the pod.
    {"is_placed_by_others",
     "(!(text($1.spec.?schedulerName) in ['', 'default-scheduler']) || "
     "is_set($1.spec.?runtimeClassName) || "
     "annotation($1.object, 'opendatahub.io/hardware-profile-name') != '' || "
     "'kueue.x-k8s.io/queue-name' in map_of($1.object.metadata.?labels) || "
     "'kueue.x-k8s.io/queue-name' in $1.labels || "
     "annotation($1.object, 'serving.kserve.io/exp-dra-device-class') != '')"},
    // Whether a request gets no device, because of its name or because it is of the pod.
    {"is_standard_resource",
     "($1 in ['cpu', 'memory', 'ephemeral-storage'] || $1.startsWith('hugepages-'))"},
    {"requests_unobtainable",
     "(any_request([$1.spec], n, !is_standard_resource(n)) || "
     "any_request($1.allContainers, n, !is_standard_resource(n) && !is_extended_resource(n)))"},

    // Affinity.
    {"is_empty_term",
     "(list($1.?matchExpressions).size() == 0 && list($1.?matchFields).size() == 0 && "
     "$1.all(k, k in ['matchExpressions', 'matchFields']))"},

    // Taints. core/k8s/managed_taint.cpp.
    {"is_general_taint",
     "$1.matches('^(node[.]kubernetes[.]io/|node[.]cloudprovider[.]kubernetes[.]io/|"
     "node-role[.]kubernetes[.]io/|karpenter[.]sh/|cloud[.]google[.]com/gke-(spot|preemptible))|"
     "/agent-not-ready$|"
     "^(CriticalAddonsOnly|kubernetes[.]io/arch|kubernetes[.]azure[.]com/scalesetpriority)$')"},
    {"is_managed_taint",
     "($1.startsWith('node-role.kubernetes.io/') ? "
     "$1 in ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'] : "
     "$1.matches('kubernetes[.]io/|^karpenter[.]sh/|/agent-not-ready$|^(karpenter[.])?kaito[.]sh/|"
     "^(ToBeDeletedBy|DeletionCandidateOf)ClusterAutoscaler$|^CriticalAddonsOnly$'))"},
    {"taint_text",
     "(text($1.?key) + (text($1.?value) == '' ? '' : '=') + text($1.?value) + ':' + "
     "text($1.?effect))"},
    // Whether a toleration `$2`, 'key|operator|value|effect', tolerates the taint.
    {"is_tolerated_by",
     "[$2.split('|')].exists(p, p.size() == 4 && (p[3] == '' || p[3] == text($1.?effect)) && "
     "(p[0] == '' || p[0] == text($1.?key)) && "
     "(p[1] == 'Exists' || (p[1] == 'Equal' && p[2] == text($1.?value))))"},

    // Nodes. core/workloads/node_pools.cpp.
    {"advertises_accelerators",
     "[map_of($1.?status.?allocatable)].exists(m, m.exists(n, is_accelerator(n) && "
     "isQuantity(string(m[n])) && sign(quantity(string(m[n]))) != 0))"},
    {"is_bottlerocket", "text($1.?status.?nodeInfo.?osImage).contains('Bottlerocket')"},
    {"is_managed_by_gke",
     "[map_of($1.metadata.?labels)].exists(m, "
     "m.exists(k, k.startsWith('cloud.google.com/gke-')) && "
     "!m.exists(k, k.startsWith('nvidia.com/')))"},
    // The vendors that labels and taints of a node show, the first one first.
    {"accelerator_vendors",
     R"(['node.kubernetes.io/instance-type', 'beta.kubernetes.io/instance-type'].filter(k,
    variables.machineVendors.exists(r, text($1.metadata.?labels[?k]).startsWith(r[0])))
  .map(k, variables.machineVendors.filter(r, text($1.metadata.?labels[?k]).startsWith(r[0]))[0][1]) +
[map_of($1.metadata.?labels)].map(m, m.filter(k, is_accelerator_label(k) && !(m[k] in ['false', '0', 'none']))
  .map(k, (variables.valueVendors.filter(r, string(m[k]).startsWith(r[0])) +
    variables.labelVendors.filter(r, k.startsWith(r[0])) + [['', 'NVIDIA']])[0][1]))[0] +
list($1.spec.?taints).map(t, text(t.?key)).filter(k, is_accelerator(k))
  .map(k, (variables.resourceVendors.filter(r, k.startsWith(r[0])) + [['', 'NVIDIA']])[0][1]))"},

    // The device plugin of the first vendor, a list of at most one.
    {"plugins_of",
     "[accelerator_vendors($1)].map(v, v.size() == 0 || !(v[0] in variables.devicePlugins) ? [] : "
     "[variables.devicePlugins[v[0]]])[0]"},
    {"plugin_fact", "fact($1.fact)"},
    {"repelling_taints",
     "list($1.spec.?taints).filter(t, text(t.?effect) in ['NoSchedule', 'NoExecute'] && "
     "!is_managed_taint(text(t.?key)))"},
    {"is_set_by_aks", "text($1.?key).startsWith('kubernetes.azure.com/')"},

    // Amounts: `$1` is optional.
    {"is_fraction",
     "($1.hasValue() && isQuantity(string(dyn($1.orValue('')))) && "
     "[quantity(string(dyn($1.orValue('')))).asApproximateFloat()].exists(f, double(int(f)) != "
     "f))"},
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

/// "[['amd.com/gpu', 'AMD'], …]", for each row of the catalogue; only if `all` those of NVIDIA.
/// Longer names first, so that the first row that a name begins with is the right one.
template <typename Row>
std::string vendors_by(std::span<const Row> rows, std::string_view Row::*name, bool all = false) {
  std::vector<Row> sorted(rows.begin(), rows.end());
  std::erase_if(sorted,
                [&](const Row& row) { return !all && row.vendor == accelerators::Vendor::nvidia; });
  std::ranges::stable_sort(sorted, std::ranges::greater(),
                           [&](const Row& row) { return (row.*name).size(); });
  std::vector<std::string> items;
  for (const Row& row : sorted) {
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
  return fmt::format("{{{}}}", fmt::join(items, ", "));
}

/// The flags that gate fields of pods, or volumes, with their properties as words.
std::string gated_by(bool volumes) {
  std::vector<std::string> items;
  for (const kserve::KnativeFlag& flag : kserve::knative_flags()) {
    const bool is_pointer = flag.gate == kserve::Gate::pointer;
    const bool is_volume = flag.gate == kserve::Gate::volume;
    if (volumes ? !is_volume : !is_pointer && flag.gate != kserve::Gate::pod_field) continue;
    items.push_back(
        fmt::format("{{'field': {}, 'flag': {}, 'properties': '{}{}{}{}'}}", cel_string(flag.field),
                    cel_string(flag.key), is_pointer ? "pointer " : "",
                    flag.allowed_suffices ? "" : "strict ", flag.open_data_hub ? "odh " : "",
                    flag.by_default == kserve::FlagState::enabled ? "on" : ""));
  }
  return cel_list(items);
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
      {"acceleratorLabels", names_in(labels, &NodeLabel::key, false)},
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
      {"modes",
       "{'Serverless': 'knative', 'Knative': 'knative', 'RawDeployment': 'standard', "
       "'Standard': 'standard', 'ModelMesh': 'modelmesh'}"},
  };
}

const std::vector<CelVariable>& all_variables() {
  static const std::vector<CelVariable> kVariables = make_variables();
  return kVariables;
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

/// The fields of `pod`, made from the pod spec `m[name]` of the object `o`.
constexpr auto kPodFields = std::to_array<Fragment>({
    {"object", "o"},
    {"name", "name"},
    {"spec", "m[name]"},
    {"labels",
     "request.kind.group == 'serving.kserve.io' ? "
     "map_of(m[name].?labels) : map_of(o.spec.?template.?metadata.?labels)"},
    // Whether nothing that the object names is merged into it, such as a runtime.
    {"complete",
     "request.kind.kind == 'InferenceService' ? "
     "!(name in ['predictor', 'worker']) || text(o.spec.predictor.?model.?runtime) == '' : "
     "request.kind.kind == 'LLMInferenceService' ? list(o.spec.?baseRefs).size() == 0 : "
     "request.kind.kind != 'Server' || text(o.spec.?serverConfig) in ['', 'mlserver', 'triton']"},
    // Whether it is merged into pods of other objects.
    {"fragment",
     "request.kind.kind in ['ServingRuntime', 'ClusterServingRuntime', 'ServerConfig']"},
    {"containers",
     "variables.serverBlocks.filter(k, k in m[name]).map(k, m[name][k]) + "
     "list(m[name].?containers)"},
    {"allContainers",
     "list(m[name].?initContainers) + "
     "variables.serverBlocks.filter(k, k in m[name]).map(k, m[name][k]) + "
     "list(m[name].?containers)"},
    {"nodeSelector", "map_of(m[name].?nodeSelector)"},
    {"required",
     "list(m[name].?affinity.?nodeAffinity.?requiredDuringSchedulingIgnoredDuringExecution"
     ".?nodeSelectorTerms)"},
    {"preferred",
     "list(m[name].?affinity.?nodeAffinity.?preferredDuringSchedulingIgnoredDuringExecution)"
     ".map(t, map_of(t.?preference))"},
    // The fields that Knative rejects unless a flag is set. core/kserve/knative_features.cpp.
    {"gated",
     R"(variables.gatedFields.filter(g, g.properties.contains('pointer') ? m[name][?g.field].hasValue() : is_set(m[name][?g.field]))
    .map(g, {'field': "'" + g.field + "'", 'flag': g.flag, 'properties': g.properties}) +
  variables.gatedVolumes.filter(g, list(m[name].?volumes).exists(v, v[?g.field].hasValue()))
    .map(g, {'field': "'volumes[]." + g.field + "'", 'flag': g.flag, 'properties': g.properties}) +
  (list(m[name].?volumes).exists(v, has(v.persistentVolumeClaim) && v.persistentVolumeClaim.?readOnly.orValue(false) != true) ?
    [{'field': "'volumes[].persistentVolumeClaim' without readOnly", 'flag': 'kubernetes.podspec-persistent-volume-write', 'properties': 'strict odh'}] : []) +
  (list(m[name].?storageUris).exists(u, !text(u.?uri).startsWith('pvc://')) ?
    [{'field': "the init container that 'storageUris' requires", 'flag': 'kubernetes.podspec-init-containers', 'properties': 'strict'}] : []) +
  ['fieldRef', 'resourceFieldRef'].filter(f, (list(m[name].?initContainers) + variables.serverBlocks.filter(k, k in m[name]).map(k, m[name][k]) + list(m[name].?containers)).exists(c, list(c.?env).exists(e, is_set(e.?valueFrom[?f]))))
    .map(f, {'field': "'env[].valueFrom." + f + "'", 'flag': 'kubernetes.podspec-fieldref', 'properties': ''}) +
  ((list(m[name].?initContainers) + variables.serverBlocks.filter(k, k in m[name]).map(k, m[name][k]) + list(m[name].?containers)).exists(c, list(c.?volumeMounts).exists(v, is_set(v.?mountPropagation))) ?
    [{'field': "'volumeMounts[].mountPropagation'", 'flag': 'kubernetes.podspec-volumes-mount-propagation', 'properties': 'strict'}] : []) +
  ((list(m[name].?initContainers) + variables.serverBlocks.filter(k, k in m[name]).map(k, m[name][k]) + list(m[name].?containers)).exists(c, is_set(c.?securityContext.?capabilities.?add)) ?
    [{'field': "'securityContext.capabilities.add'", 'flag': 'kubernetes.containerspec-addcapabilities', 'properties': 'strict'}] : []))"},
    {"tolerations",
     "list(m[name].?tolerations).map(t, {'key': any_text(t.?key), "
     "'operator': is_set(t.?operator) ? any_text(t.?operator) : 'Equal', "
     "'value': any_text(t.?value), 'effect': any_text(t.?effect), "
     "'seconds': t.?tolerationSeconds.hasValue() && t.tolerationSeconds != null ? 'set' : ''})"},
    // For policies. Whether another object may add fields, such as a runtime or a preset.
    {"open",
     "request.kind.kind in ['LLMInferenceService', 'Server'] || "
     "annotation(o, 'opendatahub.io/hardware-profile-name') != '' || "
     "request.kind.kind == 'InferenceService' && "
     "(name == 'worker' || variables.serverBlocks.exists(k, k in m[name]))"},
    // Whether the controller adds containers, volumes and labels.
    {"merged",
     "(variables.isServing || request.kind.group == 'serving.knative.dev') && "
     "!(request.kind.kind in ['ServingRuntime', 'ClusterServingRuntime', 'ServerConfig'])"},
    {"metadata",
     "variables.isServing ? m[name] : request.kind.kind == 'Pod' ? o.metadata : "
     "request.kind.kind == 'CronJob' ? map_of(o.spec.jobTemplate.spec.template.?metadata) : "
     "request.kind.kind == 'LeaderWorkerSet' ? "
     "map_of(o.spec.leaderWorkerTemplate[?name + 'Template'].?metadata) : "
     "map_of(o.spec.?template.?metadata)"},
    // The minimal number of pods, in a list; empty if it is not known.
    {"replicas",
     "request.kind.kind == 'Pod' ? [1] : "
     "request.kind.kind in ['Deployment', 'StatefulSet', 'ReplicaSet'] ? "
     "[int(o.spec.?replicas.orValue(1))] : "
     "request.kind.kind != 'InferenceService' || name == 'worker' || "
     "annotation(o, 'serving.kserve.io/autoscalerClass') != '' || "
     "text(m[name].?annotations[?'serving.kserve.io/autoscalerClass']) != '' ? [] : "
     "int(m[name].?minReplicas.orValue(1)) > 0 ? [int(m[name].?minReplicas.orValue(1))] : "
     "deployment_mode(o) == 'standard' ? [1] : deployment_mode(o) == 'knative' ? [0] : []"},
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
  std::vector<std::string> code;
  for (const std::string& text : expressions) code.push_back(without_literals(text));
  std::vector<CelVariable> used;
  for (const CelVariable& variable : all_variables()) {
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
  for (const Fragment& field : kPodFields) {
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

std::string cel_string(std::string_view text) {
  constexpr unsigned kFirstPrintable = 0x20;
  constexpr unsigned kDelete = 0x7f;
  std::string literal = "'";
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text.front());
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      literal += "\\uFFFD";
    } else if (byte < kFirstPrintable || byte == kDelete) {
      literal += fmt::format("\\u{:04x}", byte);
    } else {
      if (byte == '\'' || byte == '\\') literal += '\\';
      literal += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return literal + "'";
}

}  // namespace cnsched::rules

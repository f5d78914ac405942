#include <algorithm>
#include <array>

#include <limits>
#include <optional>

#include "core/k8s/label.h"
#include "core/k8s/object_name.h"
#include "core/k8s/quantity.h"
#include "core/k8s/selector.h"
#include "core/k8s/string_fields.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"
#include "core/yaml/walk.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const k8s::Object& object, Report& report);

extern constinit const Rule yaml_wrong_type = {
    .id = "wrong-type",
    .severity = Severity::error,
    .summary = "a value whose YAML type the field does not take",
    .why =
        "The API server refuses the object. Unquoted, YAML reads true, yes and on as "
        "booleans, 8 and 010 as integers and 1.10 as the number 1.1, but labels, selectors, "
        "taints, tolerations and environment variables take strings. A selector key without a "
        "value is worse: a custom resource silently loses it, and the pod may run anywhere.\n\n"
        "Counts such as replicas take numbers, which quotes turn into strings; a node "
        "selector is a mapping, tolerations are a list. Quantities in KServe's and Seldon's "
        "resources may be integers or strings, but not fractions. maxSurge and maxUnavailable "
        "are integers, or percentages with a '%'. Those two are a warning in KServe's "
        "objects, which are accepted, while the Deployment made of them is not.",
    .bad = R"(
nodeSelector:
  nvidia.com/gpu.present: true
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .good = R"(
nodeSelector:
  nvidia.com/gpu.present: "true"
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .source = "https://github.com/kubernetes-sigs/yaml",
    .check = check,
    .fix = Safety::safe,
};

using yaml::Node;
using Kind = yaml::Node::Kind;
using Where = k8s::StringField::Where;

static constexpr std::string_view kRefused = "the API server refuses the object";

static std::string_view holders_of(Where where) {
  switch (where) {
    case Where::node_selector:
      return "node selectors hold";
    case Where::label:
      return "labels are";
    case Where::annotation:
      return "annotations are";
    case Where::requirement:
    case Where::preference:
      return "match expressions list";
    case Where::toleration:
      return "the values of tolerations are";
    case Where::taint:
      return "the values of taints are";
    case Where::environment:
      break;
  }
  return "environment variables are";
}

/// The name in `{name}`: a placeholder, which YAML reads as a mapping; else empty.
static std::string_view name_in_braces(const Node& value) {
  if (value.entries.size() != 1 || !value.entries.front().value->is_null()) return {};
  const Node& key = *value.entries.front().key;
  return key.is_scalar() ? key.text : std::string_view();
}

/// What a string has to be besides: quotes alone do not make a label of -1.
using Takes = bool (*)(std::string_view text);

static bool takes_any(std::string_view /*text*/) { return true; }
static bool takes_none(std::string_view /*text*/) { return false; }
static bool takes_label(std::string_view text) { return !k8s::label_value_problem(text); }
static bool takes_namespace(std::string_view text) { return k8s::is_dns_part(text); }
/// Names of services begin with a letter.
static bool takes_name(std::string_view text) {
  return k8s::is_object_name(text) && text.front() >= 'a';
}

static Takes takes_of(Where where) {
  return where == Where::annotation || where == Where::environment ? takes_any : takes_label;
}

/// As it is written: 1.10 is meant to be "1.10".
static void quote(const Node& value, Takes takes, Report& report, Report::Finding& finding) {
  const std::string advice = fmt::format("quote it: \"{}\"", value.text);
  finding.help("{}", advice);
  if (!takes(value.text)) return;
  finding.fix(Safety::safe, advice, {yaml::to_set(value, report.make_string(value.text))});
}

static void want_string(const Node& value, std::string_view holders, Takes takes, Report& report) {
  if (value.is_missing() || value.is_string() || value.is_null()) return;
  if (!value.is_scalar()) {
    auto finding =
        report.add(value, "{} strings, and this is {}: {}", holders, describe(value), kRefused);
    if (const std::string_view name = name_in_braces(value); !name.empty()) {
      finding.help("fill in '{{{}}}', or quote it if something else does that later", name);
    } else {
      finding.help("write one string here");
    }
    return;
  }
  auto finding = report.add(value, "{} is {} here, but {} strings: {}", value.text, describe(value),
                            holders, kRefused);
  quote(value, takes, report, finding);
}

static void check_string(const k8s::StringField& field, Report& report) {
  const Node& value = *field.value;
  if (value.is_null()) {
    // Elsewhere null means the empty string, or nothing at all.
    if (field.where != Where::node_selector) return;
    report
        .add_at_key(value,
                    "'{}' has no value: a custom resource silently drops it, a pod asks for the "
                    "empty value",
                    value.key->text)
        .help("write the label's value after the ':', or \"\" if it is empty");
    return;
  }
  want_string(value, holders_of(field.where), takes_of(field.where), report);
}

/// A key such as `on` is read as a boolean too, and then written out as "true".
static void check_key(const k8s::StringField& field, Report& report) {
  if (field.where != Where::node_selector && field.where != Where::label) return;
  const Node& key = *field.value->key;
  if (!key.is_scalar() || key.type != yaml::ScalarType::boolean) return;
  const std::string advice = fmt::format("quote it: \"{}\"", key.text);
  report
      .add_at_key(*field.value, "the unquoted key '{}' is read as a boolean and becomes '{}'",
                  key.text, yaml::boolean_of(key.text) == true ? "true" : "false")
      .help("{}", advice)
      .fix(Safety::safe, advice, {yaml::to_rename(*field.value, key.text)});
}

/// Model formats and runtimes have versions such as "1.10", which is no number.
static bool is_version(const Node& value) {
  const std::string_view name = value.key->text;
  if (name == "runtimeVersion") return true;
  if (name != "version" || value.parent == nullptr) return false;
  const Node* list = value.parent->parent;
  const Node* key = value.parent->key != nullptr ? value.parent->key : list ? list->key : nullptr;
  return key && (key->text == "modelFormat" || key->text == "supportedModelFormats");
}

namespace {

/// A field that takes a whole number.
struct Count {
  std::string_view name;
  std::int64_t least = 0;  ///< that the API server takes
  std::int64_t most = std::numeric_limits<std::int32_t>::max();
};

}  // namespace

constexpr auto kCounts = std::to_array<Count>({
    {"tolerationSeconds", std::numeric_limits<std::int64_t>::min(),
     std::numeric_limits<std::int64_t>::max()},
    {"weight", 0, 100},
    {"replicas"},
    {"minReplicas"},
    {"maxReplicas"},
    {"maxSkew", 1},
});

static const Count* find_count(std::string_view name) {
  const auto* count = std::ranges::find(kCounts, name, &Count::name);
  return count == kCounts.end() ? nullptr : count;
}

/// The number that a string spells as everybody reads it, if it does: not "010", which is 8.
static std::optional<std::int64_t> plain_number(std::string_view text) {
  const auto number = k8s::parse_int64(text);
  return number && fmt::to_string(*number) == text ? number : std::nullopt;
}

static const Node& make_integer(std::int64_t value, Report& report) {
  return yaml::integer_like(report.values(), yaml::nowhere(), value);
}

/// How many pods a rollout may add or miss: an integer, or a string with a percentage.
static bool is_rollout_share(const Node& value) {
  if (value.key->text != "maxSurge" && value.key->text != "maxUnavailable") return false;
  const Node* strategy = value.parent == nullptr ? nullptr : value.parent->key;
  return strategy && (strategy->text == "rollingUpdate" || strategy->text == "rolloutStrategy");
}

/// KServe's objects are accepted, and what is made of them is not.
static std::string_view refused_with_share(const k8s::Object& object) {
  if (object.group() != "serving.kserve.io") return kRefused;
  return object.kind.starts_with("LLM") ? "the API server refuses what KServe creates of it"
                                        : "the API server refuses the Deployment";
}

/// Not a percentage without its sign; nor the second 0, for one of the two has to allow a change.
static bool is_surely_pods(std::int64_t number, const Node& value) {
  constexpr std::int64_t kMostPods = 9;
  const std::string_view other = value.key->text == "maxSurge" ? "maxUnavailable" : "maxSurge";
  const bool stuck = number == 0 && (*value.parent)[other].scalar() == "0";
  return number >= 0 && number <= kMostPods && !stuck;
}

static void check_rollout_share(const Node& value, const k8s::Object& object, Report& report) {
  // Other kinds have strings there: NVIDIA's ClusterPolicy.
  const std::string_view group = object.group();
  if (group != "serving.kserve.io" && group != "apps" && group != "extensions") return;
  if (!value.is_string() || yaml::resolve_plain(value.text) != yaml::ScalarType::integer) return;
  auto finding =
      report.add(value, "'{}' takes a number or a percentage, and quotes make {} neither: {}",
                 value.key->text, value.text, refused_with_share(object));
  finding.severity(group == "serving.kserve.io" ? Severity::warning : Severity::error)
      .help("write {} without quotes, or a percentage such as \"25%\"", value.text);
  const auto pods = plain_number(value.text);
  if (!pods || !is_surely_pods(*pods, value)) return;
  finding.fix(Safety::safe, fmt::format("write {} without quotes", value.text),
              {yaml::to_set(value, make_integer(*pods, report))});
}

/// Under these, a field's name is the user's and says nothing about its type.
static bool in_map_of_strings(const Node& value) {
  constexpr auto kMaps = std::to_array<std::string_view>(
      {"annotations", "labels", "matchLabels", "nodeSelector", "data", "config", "parameters"});
  for (const Node* at = value.parent; at != nullptr; at = at->parent) {
    if (at->key && std::ranges::find(kMaps, at->key->text) != kMaps.end()) return true;
  }
  return false;
}

static void check_count(const Count& count, const Node& value, Report& report) {
  if (!value.is_scalar() || k8s::is_placeholder(value.text)) return;
  if (value.type == yaml::ScalarType::integer || value.type == yaml::ScalarType::floating) return;
  if (yaml::resolve_plain(value.text) != yaml::ScalarType::integer) {
    // '{replicas}' is no plain word: something fills it in later.
    if (k8s::label_value_problem(value.text)) return;
    report.add(value, "'{}' takes a whole number, and '{}' is not one: {}", count.name, value.text,
               kRefused);
    return;
  }
  const std::string advice = fmt::format("write {} without quotes", value.text);
  auto finding = report.add(value, "'{}' takes a number, and quotes make it a string: {}",
                            count.name, kRefused);
  finding.help("{}", advice);
  const auto number = plain_number(value.text);
  if (!number || *number < count.least || *number > count.most) return;
  finding.fix(Safety::safe, advice, {yaml::to_set(value, make_integer(*number, report))});
}

namespace {

/// A placement field and what it has to be; `parent` tells fields of one name apart.
struct Shape {
  std::string_view name;
  Kind kind;
  std::string_view parent = {};
};

}  // namespace

constexpr auto kShapes = std::to_array<Shape>({
    {"nodeSelector", Kind::mapping},
    {"affinity", Kind::mapping},
    {"nodeAffinity", Kind::mapping},
    {"podAffinity", Kind::mapping},
    {"podAntiAffinity", Kind::mapping},
    {"matchLabels", Kind::mapping},
    {"requiredDuringSchedulingIgnoredDuringExecution", Kind::mapping, "nodeAffinity"},
    {"requiredDuringSchedulingIgnoredDuringExecution", Kind::sequence, "podAffinity"},
    {"requiredDuringSchedulingIgnoredDuringExecution", Kind::sequence, "podAntiAffinity"},
    {"preferredDuringSchedulingIgnoredDuringExecution", Kind::sequence},
    {"nodeSelectorTerms", Kind::sequence},
    {"matchExpressions", Kind::sequence},
    {"matchFields", Kind::sequence},
    {"tolerations", Kind::sequence},
    {"topologySpreadConstraints", Kind::sequence},
});

static void check_shape(const Node& value, Report& report) {
  if (value.is_null() || k8s::is_placeholder(value.scalar())) return;
  const std::string_view name = value.key->text;
  const Node* parent_key = value.parent == nullptr ? nullptr : value.parent->key;
  for (const Shape& shape : kShapes) {
    const bool here = shape.parent.empty() || (parent_key && parent_key->text == shape.parent);
    if (shape.name != name || !here || shape.kind == value.kind) continue;
    const bool list = shape.kind == Kind::sequence;
    report
        .add_at_key(value, "'{}' takes {}, and this is {}: {}", name, list ? "a list" : "a mapping",
                    describe(value), kRefused)
        .help("{}", list ? "begin each entry with '- '" : "write 'key: value' lines, without '-'");
  }
}

/// Unless it is no item as it stands: "a, b" is meant to be two.
static void put_in_list(const Node& value, Report& report, Report::Finding& finding) {
  if (!takes_label(value.text)) {
    finding.help("put it in brackets, or begin each entry with '- '");
    return;
  }
  const std::string advice = fmt::format("write a list: [\"{}\"]", value.text);
  finding.help("{}", advice);
  const Node& list =
      yaml::sequence_like(report.values(), yaml::nowhere(), {&report.make_string(value.text)});
  finding.fix(Safety::safe, advice, {yaml::to_set(value, list)});
}

/// `values: a100`, where a list is wanted.
static void check_requirements(const Node& list, Report& report) {
  for (const Node* requirement : list.items) {
    const Node& values = (*requirement)["values"];
    if (!values || values.is_null() || values.is_sequence()) continue;
    if (k8s::is_placeholder(values.scalar())) continue;
    auto finding =
        report.add(values, "'values' takes a list, and this is {}: {}", describe(values), kRefused);
    if (!values.is_scalar()) continue;
    const std::string_view op = (*requirement)["operator"].scalar();
    if (op == "Exists" || op == "DoesNotExist") {
      finding.help("remove it: operator {} takes no values", op);
    } else {
      put_in_list(values, report, finding);
    }
  }
}

/// `cpu: 0.5`: a JSON number that is no integer, which the CRDs' int-or-string does not admit. 1.0
/// reaches the server as 1.
static void check_amounts(const Node& resources, std::string_view kind, Report& report) {
  for (const std::string_view list : {"requests", "limits"}) {
    for (const yaml::Entry& entry : resources[list].entries) {
      const Node& amount = *entry.value;
      if (!amount.is_scalar() || amount.type != yaml::ScalarType::floating) continue;
      const auto quantity = k8s::Quantity::parse(amount.text);
      if (quantity && quantity->is_integer()) continue;
      auto finding = report.add(
          amount,
          "'{}: {}' is a fraction without quotes, which the API server refuses in {} objects",
          entry.key->text, amount.text, kind);
      // 1.5 bytes are not what was meant, nor is half a device to be had.
      const bool has_fractions = entry.key->text == "cpu" && quantity && !quantity->is_negative();
      quote(amount, has_fractions ? takes_any : takes_none, report, finding);
    }
  }
}

/// What Seldon's CRDs take beside the pod: lists of strings, a name, a count.
static void check_seldon_fields(const k8s::Object& object, Report& report) {
  if (object.group() != "mlops.seldon.io") return;
  if (object.kind != "Model" && object.kind != "Server") return;
  for (const std::string_view name : {"requirements", "capabilities", "extraCapabilities"}) {
    const Node& list = object.spec()[name];
    if (!list || list.is_null() || k8s::is_placeholder(list.scalar())) continue;
    if (!list.is_sequence()) {
      auto finding =
          report.add(list, "'{}' takes a list, and this is {}: {}", name, describe(list), kRefused);
      finding.help("put it in brackets, or begin each entry with '- '");
      if (list.is_scalar()) put_in_list(list, report, finding);
    }
    for (const Node* item : list.items)
      want_string(*item, "requirements and capabilities are", takes_any, report);
  }
  want_string(object.spec()["server"], "names are", takes_name, report);
  want_string(object.spec()["serverConfig"], "names are", takes_name, report);
  const Node& replicas = object.spec()["replicas"];
  if (replicas.is_mapping() || replicas.is_sequence()) {
    report.add(replicas, "'replicas' takes a whole number, and this is {}: {}", describe(replicas),
               kRefused);
  }
}

/// Only where the kind has resources: what stands below unknown fields is dropped, not refused.
static void check_all_amounts(const k8s::Object& object, Report& report) {
  if (object.group() != "serving.kserve.io" && object.group() != "mlops.seldon.io") return;
  for (const Workload* workload : report.run().workloads_of(object)) {
    for (const k8s::Container& container : workload->pod.all_containers()) {
      check_amounts((*container.node)["resources"], object.kind, report);
    }
    check_amounts(workload->pod["resources"], object.kind, report);
  }
}

static void check(const k8s::Object& object, Report& report) {
  for (const k8s::StringField& field : k8s::string_fields(*object.root)) {
    check_string(field, report);
    check_key(field, report);
  }
  check_all_amounts(object, report);
  check_seldon_fields(object, report);
  const Node& metadata = (*object.root)["metadata"];
  want_string(metadata["name"], "names are", takes_name, report);
  want_string(metadata["namespace"], "names are", takes_namespace, report);
  yaml::walk(*object.root, [&](const Node& node) {
    if (k8s::is_free_form(node)) return false;
    if (node.key == nullptr || in_map_of_strings(node)) return true;
    const std::string_view name = node.key->text;
    check_shape(node, report);
    if (is_version(node)) want_string(node, "versions are", takes_any, report);
    if (const Count* count = find_count(name)) check_count(*count, node, report);
    if (is_rollout_share(node)) check_rollout_share(node, object, report);
    if (name == "matchExpressions" || name == "matchFields") check_requirements(node, report);
    if (name == "args" || name == "command") {
      for (const Node* item : node.items)
        want_string(*item, "commands and arguments are", takes_any, report);
    }
    return true;
  });
}

}  // namespace cnsched::rules

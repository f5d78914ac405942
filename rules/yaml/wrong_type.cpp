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

static void check(const k8s::Object& object, Deviations deviations, Report& report);

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

using k8s::schema::Deviation;
using k8s::schema::Form;
using yaml::Node;

static constexpr std::string_view kRefused = "the API server refuses the object";

namespace {

/// What a string has to be besides: quotes alone do not make a label of -1.
using Takes = bool (*)(std::string_view text);

bool takes_any(std::string_view /*text*/) { return true; }
bool takes_label(std::string_view text) { return !k8s::label_value_problem(text); }
bool takes_namespace(std::string_view text) { return k8s::is_dns_part(text); }
/// Names of services begin with a letter.
bool takes_name(std::string_view text) { return k8s::is_object_name(text) && text.front() >= 'a'; }

/// What the strings of a field are called, and what they have to be.
struct Strings {
  std::string_view holder;  ///< the type that has the field; empty: any
  std::string_view field;
  std::string_view words;
  Takes takes;
};

constexpr auto kStrings = std::to_array<Strings>({
    {"", "nodeSelector", "node selectors hold", takes_label},
    {"", "labels", "labels are", takes_label},
    {"", "matchLabels", "labels are", takes_label},
    {"", "annotations", "annotations are", takes_any},
    {"", "values", "match expressions list", takes_label},
    {"Toleration", "value", "the values of tolerations are", takes_label},
    {"Taint", "value", "the values of taints are", takes_label},
    {"EnvVar", "value", "environment variables are", takes_any},
    {"", "args", "commands and arguments are", takes_any},
    {"", "command", "commands and arguments are", takes_any},
    {"", "version", "versions are", takes_any},
    {"", "runtimeVersion", "versions are", takes_any},
    {"", "requirements", "requirements and capabilities are", takes_any},
    {"", "capabilities", "requirements and capabilities are", takes_any},
    {"", "extraCapabilities", "requirements and capabilities are", takes_any},
    {"", "server", "names are", takes_name},
    {"", "serverConfig", "names are", takes_name},
    {"ObjectMeta", "name", "names are", takes_name},
    {"ObjectMeta", "namespace", "names are", takes_namespace},
});

const Strings* find_strings(const Deviation& deviation) {
  const std::string_view holder = deviation.holder == nullptr ? "" : deviation.holder->name;
  const auto* found = std::ranges::find_if(kStrings, [&](const Strings& row) {
    return row.field == deviation.field->name && (row.holder.empty() || row.holder == holder);
  });
  return found == kStrings.end() ? nullptr : found;
}

}  // namespace

/// The name in `{name}`: a placeholder, which YAML reads as a mapping; else empty.
static std::string_view name_in_braces(const Node& value) {
  if (value.entries().size() != 1 || !value.entries().front().value->is_null()) return {};
  return value.entries().front().key->text();
}

/// As it is written: 1.10 is meant to be "1.10".
static void quote(const Node& value, bool is_safe, Report& report, Report::Finding& finding) {
  const std::string advice = fmt::format("quote it: \"{}\"", value.text());
  finding.help("{}", advice);
  if (!is_safe) return;
  finding.fix(Safety::safe, advice, {yaml::to_set(value, report.make_string(value.text()))});
}

/// What the value is called: a map's by its own key.
static std::string_view name_of(const Deviation& deviation) {
  const bool in_map = deviation.field->type->form == Form::map && deviation.node->key() != nullptr;
  return in_map ? deviation.node->key()->text() : deviation.field->name;
}

static void want_string(const Deviation& deviation, Report& report) {
  const Node& value = *deviation.node;
  const Strings* strings = find_strings(deviation);
  const std::string words = strings != nullptr ? std::string(strings->words)
                                               : fmt::format("'{}' takes", name_of(deviation));
  if (!value.is_scalar()) {
    auto finding =
        report.add(value, "{} strings, and this is {}: {}", words, describe(value), kRefused);
    if (const std::string_view name = name_in_braces(value); !name.empty()) {
      finding.help("fill in '{{{}}}', or quote it if something else does that later", name);
    } else {
      finding.help("write one string here");
    }
    return;
  }
  auto finding = report.add(value, "{} is {} here, but {} strings: {}", value.text(),
                            describe(value), words, kRefused);
  quote(value, (strings == nullptr ? takes_any : strings->takes)(value.text()), report, finding);
}

/// The number that a string spells as everybody reads it, if it does: not "010", which is 8.
static std::optional<std::int64_t> plain_number(std::string_view text) {
  const auto number = k8s::parse_int64(text);
  return number && fmt::to_string(*number) == text ? number : std::nullopt;
}

static const Node& make_integer(std::int64_t value, Report& report) {
  return yaml::integer_like(report.values(), yaml::nowhere(), value);
}

static void want_integer(const Deviation& deviation, Report& report) {
  const Node& value = *deviation.node;
  const std::string_view name = deviation.field->name;
  const bool is_quoted =
      value.is_string() && yaml::resolve_plain(value.text()) == yaml::ScalarType::integer;
  if (!is_quoted) {
    const std::string what = value.is_scalar() ? fmt::format("'{}' is not one", value.text())
                                               : fmt::format("this is {}", describe(value));
    report.add(value, "'{}' takes a whole number, and {}: {}", name, what, kRefused);
    return;
  }
  const std::string advice = fmt::format("write {} without quotes", value.text());
  auto finding =
      report.add(value, "'{}' takes a number, and quotes make it a string: {}", name, kRefused);
  finding.help("{}", advice);
  const auto number = plain_number(value.text());
  const bool fits =
      number && deviation.type->width.contains(*number) && deviation.field->range.contains(*number);
  // Seconds alone may be negative.
  if (!fits || (*number < 0 && name != "tolerationSeconds")) return;
  finding.fix(Safety::safe, advice, {yaml::to_set(value, make_integer(*number, report))});
}

static void want_boolean(const Deviation& deviation, Report& report) {
  const Node& value = *deviation.node;
  auto finding = report.add(value, "'{}' takes true or false, and this is {}: {}",
                            deviation.field->name, describe(value), kRefused);
  const auto meant = value.is_string() ? yaml::boolean_of(value.text()) : std::nullopt;
  if (!meant) return;
  const std::string advice = fmt::format("write {} without quotes", *meant);
  finding.help("{}", advice)
      .fix(Safety::safe, advice,
           {yaml::to_set(value, yaml::boolean_like(report.values(), yaml::nowhere(), *meant))});
}

/// `cpu: 0.5`: a JSON number that is no integer, which the CRDs' int-or-string does not admit. 1.0
/// reaches the server as 1.
static void want_quantity(const Deviation& deviation, const k8s::Object& object, Report& report) {
  const Node& value = *deviation.node;
  if (!value.is_scalar() || value.type != yaml::ScalarType::floating) {
    report.add(value, "'{}' takes a quantity, and this is {}: {}", deviation.field->name,
               describe(value), kRefused);
    return;
  }
  const std::string_view name =
      value.key() != nullptr ? value.key()->text() : deviation.field->name;
  auto finding = report.add(
      value, "'{}: {}' is a fraction without quotes, which the API server refuses in {} objects",
      name, value.text(), object.kind);
  // 1.5 bytes are not what was meant, nor is half a device to be had.
  const auto quantity = k8s::Quantity::parse(value.text());
  quote(value, name == "cpu" && quantity && !quantity->is_negative(), report, finding);
}

/// Unless it is no item as it stands: "a, b" is meant to be two.
static void put_in_list(const Node& value, Report& report, Report::Finding& finding) {
  if (!takes_label(value.text())) {
    finding.help("put it in brackets, or begin each entry with '- '");
    return;
  }
  const std::string advice = fmt::format("write a list: [\"{}\"]", value.text());
  finding.help("{}", advice);
  const Node& list =
      yaml::sequence_like(report.values(), yaml::nowhere(), {&report.make_string(value.text())});
  finding.fix(Safety::safe, advice, {yaml::to_set(value, list)});
}

static void want_list(const Deviation& deviation, Report& report) {
  const Node& value = *deviation.node;
  const bool is_one = value.is_scalar() && deviation.type->element->form == Form::string;
  const std::string message = fmt::format("'{}' takes a list, and this is {}: {}",
                                          deviation.field->name, describe(value), kRefused);
  auto finding =
      is_one ? report.add(value, "{}", message) : report.add_at_key(value, "{}", message);
  const std::string_view op = value.parent() == nullptr ? "" : (*value.parent())["operator"].text();
  if (deviation.field->name == "values" && (op == "Exists" || op == "DoesNotExist")) {
    finding.help("remove it: operator {} takes no values", op);
  } else if (is_one) {
    put_in_list(value, report, finding);
  } else {
    finding.help("begin each entry with '- '");
  }
}

static void want_mapping(const Deviation& deviation, Report& report) {
  const Node& value = *deviation.node;
  const bool is_item = value.key() == nullptr;
  const std::string what = is_item ? fmt::format("'{}' takes mappings", deviation.field->name)
                                   : fmt::format("'{}' takes a mapping", value.key()->text());
  auto finding =
      report.add_at_key(value, "{}, and this is {}: {}", what, describe(value), kRefused);
  if (is_item) {
    finding.help("write 'key: value' lines behind the '-'");
  } else {
    finding.help("write 'key: value' lines, without '-'");
  }
}

static void check_type(const Deviation& deviation, const k8s::Object& object, Report& report) {
  switch (deviation.type->form) {
    case Form::integer:
      return want_integer(deviation, report);
    case Form::boolean:
      return want_boolean(deviation, report);
    case Form::quantity:
      return want_quantity(deviation, object, report);
    case Form::int_or_string:
      report.add(*deviation.node, "'{}' takes a number or a string, and this is {}: {}",
                 deviation.field->name, describe(*deviation.node), kRefused);
      return;
    case Form::list:
      return want_list(deviation, report);
    case Form::map:
    case Form::object:
      return want_mapping(deviation, report);
    default:
      return want_string(deviation, report);
  }
}

/// Null where a label is selected by; elsewhere it means the empty string, or nothing at all.
static void check_empty(const k8s::StringField& field, Report& report) {
  const Node& value = *field.value;
  if (!value.is_null() || field.where != k8s::StringField::Where::node_selector) return;
  report
      .add_at_key(value,
                  "'{}' has no value: a custom resource silently drops it, a pod asks for the "
                  "empty value",
                  value.key()->text())
      .help("write the label's value after the ':', or \"\" if it is empty");
}

/// A key such as `on` is read as a boolean too, and then written out as "true".
static void check_key(const k8s::StringField& field, Report& report) {
  if (field.where != k8s::StringField::Where::node_selector &&
      field.where != k8s::StringField::Where::label)
    return;
  const Node& key = *field.value->key();
  if (!key.is_scalar() || key.type != yaml::ScalarType::boolean) return;
  const std::string advice = fmt::format("quote it: \"{}\"", key.text());
  report
      .add_at_key(*field.value, "the unquoted key '{}' is read as a boolean and becomes '{}'",
                  key.text(), yaml::boolean_of(key.text()) == true ? "true" : "false")
      .help("{}", advice)
      .fix(Safety::safe, advice, {yaml::to_rename(*field.value, key.text())});
}

/// How many pods a rollout may add or miss: an integer, or a string with a percentage.
static bool is_rollout_share(const Node& value) {
  if (value.key()->text() != "maxSurge" && value.key()->text() != "maxUnavailable") return false;
  const Node* strategy = value.parent() == nullptr ? nullptr : value.parent()->key();
  return strategy && (strategy->text() == "rollingUpdate" || strategy->text() == "rolloutStrategy");
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
  const std::string_view other = value.key()->text() == "maxSurge" ? "maxUnavailable" : "maxSurge";
  const bool stuck = number == 0 && (*value.parent())[other].text() == "0";
  return number >= 0 && number <= kMostPods && !stuck;
}

static void check_rollout_share(const Node& value, const k8s::Object& object, Report& report) {
  // Other kinds have strings there: NVIDIA's ClusterPolicy.
  const std::string_view group = object.group();
  if (group != "serving.kserve.io" && group != "apps" && group != "extensions") return;
  if (!value.is_string() || yaml::resolve_plain(value.text()) != yaml::ScalarType::integer) return;
  auto finding =
      report.add(value, "'{}' takes a number or a percentage, and quotes make {} neither: {}",
                 value.key()->text(), value.text(), refused_with_share(object));
  finding.severity(group == "serving.kserve.io" ? Severity::warning : Severity::error)
      .help("write {} without quotes, or a percentage such as \"25%\"", value.text());
  const auto pods = plain_number(value.text());
  if (!pods || !is_surely_pods(*pods, value)) return;
  finding.fix(Safety::safe, fmt::format("write {} without quotes", value.text()),
              {yaml::to_set(value, make_integer(*pods, report))});
}

namespace {

/// What the API drops with fields that it does not have.
class Dropped {
 public:
  explicit Dropped(Deviations deviations) {
    for (const Deviation& deviation : deviations) {
      if (deviation.kind == Deviation::Kind::unknown_field) lost_.push_back(deviation.node->span);
    }
    std::ranges::sort(lost_);
  }

  bool holds(const Node& node) const {
    // None lies within another.
    const auto behind = std::ranges::upper_bound(lost_, node.span.begin, {}, &Span::begin);
    return behind != lost_.begin() && node.span.end <= std::prev(behind)->end;
  }

 private:
  std::vector<Span> lost_;
};

}  // namespace

/// Flags at the wrong level of a KnativeServing: knative-feature-key says where they belong.
static bool is_stray_flag(const Deviation& deviation, const k8s::Object& object) {
  constexpr std::string_view kFlag = "podspec-";
  if (object.kind != "KnativeServing") return false;
  const auto is_flag = [&](const Node* key) {
    return key != nullptr && key->text().find(kFlag) != std::string_view::npos;
  };
  return (deviation.type->form == Form::map && is_flag(deviation.node->key())) ||
         std::ranges::any_of(deviation.node->entries(), is_flag, &yaml::Entry::key);
}

static void check(const k8s::Object& object, Deviations deviations, Report& report) {
  for (const Deviation& deviation : deviations) {
    if (deviation.kind != Deviation::Kind::wrong_type) continue;
    if (!is_stray_flag(deviation, object)) check_type(deviation, object, report);
  }
  const Dropped dropped(deviations);
  for (const k8s::StringField& field : k8s::string_fields(*object.root)) {
    if (dropped.holds(*field.value)) continue;
    check_empty(field, report);
    check_key(field, report);
  }
  yaml::walk(*object.root, [&](const Node& node) {
    if (k8s::is_free_form(node)) return false;
    if (node.key() == nullptr) return true;
    if (is_rollout_share(node) && !dropped.holds(node)) {
      check_rollout_share(node, object, report);
    }
    return true;
  });
}

}  // namespace cnsched::rules

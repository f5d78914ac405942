#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "core/base/quantity.h"
#include "core/k8s/label.h"
#include "core/k8s/object.h"
#include "core/k8s/selector.h"
#include "core/k8s/string_fields.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"
#include "rules/rule.h"
#include "rules/yaml/shape_rules.h"

namespace cnsched::rules::wrong_type {

using k8s::schema::Deviation;
using k8s::schema::Form;
using yaml::Node;

static constexpr std::string_view kRejected = "the API server rejects the object";

namespace {

/// Whether the field takes the text once it is quoted: "-1" is a string but not a label value.
using Takes = bool (*)(std::string_view text);

bool takes_any(std::string_view /*text*/) { return true; }
bool takes_label(std::string_view text) { return !k8s::label_value_problem(text); }
bool takes_namespace(std::string_view text) { return k8s::is_dns_part(text); }
/// Names of Services begin with a letter.
bool takes_name(std::string_view text) { return k8s::is_object_name(text) && text.front() >= 'a'; }

/// How messages describe the strings of a field, and which strings it takes.
struct Strings {
  std::string_view holder;  ///< the type that has the field; empty: any
  std::string_view field;
  std::string_view words;
  Takes takes;
};

constexpr auto kStrings = std::to_array<Strings>({
    {"", "nodeSelector", "the values of node selectors are", takes_label},
    {"", "labels", "labels are", takes_label},
    {"", "matchLabels", "labels are", takes_label},
    {"", "annotations", "annotations are", takes_any},
    {"", "values", "the values of match expressions are", takes_label},
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

/// The name in `{name}`, a placeholder that YAML reads as a mapping; empty for other values.
static std::string_view name_in_braces(const Node& value) {
  if (value.entries().size() != 1 || !value.entries().front().value->is_null()) return {};
  return value.entries().front().key->text();
}

/// Advises to quote the value as written: 1.10 becomes "1.10".
static void advise_quotes(const Node& value, bool is_safe, Findings& findings,
                          Findings::Finding& finding) {
  const std::string advice = fmt::format("quote it: \"{}\"", value.text());
  finding.help("{}", advice);
  if (!is_safe) return;
  finding.fix(Safety::safe, advice, {yaml::to_set(value, findings.make_string(value.text()))});
}

/// The name of the value in messages: an entry of a map has its own key.
static std::string_view name_of(const Deviation& deviation) {
  const bool in_map = deviation.field->type->form == Form::map && deviation.node->key() != nullptr;
  return in_map ? deviation.node->key()->text() : deviation.field->name;
}

static void expect_string(const Deviation& deviation, Findings& findings) {
  const Node& value = *deviation.node;
  const Strings* strings = find_strings(deviation);
  const std::string words = strings != nullptr ? std::string(strings->words)
                                               : fmt::format("'{}' takes", name_of(deviation));
  if (!value.is_scalar()) {
    auto finding = findings.add(value, "{} strings, but this value is {}: {}", words,
                                describe(value), kRejected);
    if (const std::string_view name = name_in_braces(value); !name.empty()) {
      finding.help("substitute '{{{}}}', or quote it if a tool substitutes it later", name);
    } else {
      finding.help("write one string");
    }
    return;
  }
  auto finding = findings.add(value, "{} is {}, but {} strings: {}", value.text(), describe(value),
                              words, kRejected);
  advise_quotes(value, (strings == nullptr ? takes_any : strings->takes)(value.text()), findings,
                finding);
}

/// The number in a string, unless YAML reads it differently: 010 is 8.
static std::optional<std::int64_t> plain_number(std::string_view text) {
  const auto number = k8s::parse_int64(text);
  return number && fmt::to_string(*number) == text ? number : std::nullopt;
}

static const Node& make_integer(std::int64_t value, Findings& findings) {
  return yaml::integer_like(findings.values(), yaml::nowhere(), value);
}

static void expect_integer(const Deviation& deviation, Findings& findings) {
  const Node& value = *deviation.node;
  const std::string_view name = deviation.field->name;
  const bool is_quoted =
      value.is_string() && yaml::resolve_plain(value.text()) == yaml::ScalarType::integer;
  if (!is_quoted) {
    const std::string what = value.is_scalar() ? fmt::format("'{}' is not", value.text())
                                               : fmt::format("this value is {}", describe(value));
    findings.add(value, "'{}' must be an integer, but {}: {}", name, what, kRejected);
    return;
  }
  const std::string advice = fmt::format("write {} without quotes", value.text());
  auto finding = findings.add(value, "'{}' must be an integer, but quotes make it a string: {}",
                              name, kRejected);
  finding.help("{}", advice);
  const auto number = plain_number(value.text());
  const bool fits =
      number && deviation.type->width.contains(*number) && deviation.field->range.contains(*number);
  // Only tolerationSeconds may be negative.
  if (!fits || (*number < 0 && name != "tolerationSeconds")) return;
  finding.fix(Safety::safe, advice, {yaml::to_set(value, make_integer(*number, findings))});
}

static void expect_boolean(const Deviation& deviation, Findings& findings) {
  const Node& value = *deviation.node;
  auto finding = findings.add(value, "'{}' must be true or false, but this value is {}: {}",
                              deviation.field->name, describe(value), kRejected);
  const auto intended = value.is_string() ? yaml::boolean_of(value.text()) : std::nullopt;
  if (!intended) return;
  const std::string advice = fmt::format("write {} without quotes", *intended);
  finding.help("{}", advice)
      .fix(
          Safety::safe, advice,
          {yaml::to_set(value, yaml::boolean_like(findings.values(), yaml::nowhere(), *intended))});
}

/// `cpu: 0.5` is a JSON number but not an integer, which the CRDs' int-or-string rejects. 1.0
/// reaches the server as 1.
static void expect_quantity(const Deviation& deviation, const k8s::Object& object,
                            Findings& findings) {
  const Node& value = *deviation.node;
  if (!value.is_scalar() || value.type != yaml::ScalarType::floating) {
    findings.add(value, "'{}' must be a quantity, but this value is {}: {}", deviation.field->name,
                 describe(value), kRejected);
    return;
  }
  const auto rejection = rejection_of(deviation, object, findings);
  if (!rejection) return;
  const std::string_view name =
      value.key() != nullptr ? value.key()->text() : deviation.field->name;
  auto finding = findings.add(value, "'{}: {}' is a fraction without quotes: {}", name,
                              value.text(), rejection->text);
  finding.severity(rejection->severity);
  // Only cpu: a fraction of a byte or of a device needs another value, not quotes.
  const auto quantity = Quantity::parse(value.text());
  advise_quotes(value, name == "cpu" && quantity && !quantity->is_negative(), findings, finding);
}

/// Offers the value as the only item, unless it looks like several: "a, b".
static void put_in_list(const Node& value, Findings& findings, Findings::Finding& finding) {
  if (!takes_label(value.text())) {
    finding.help("write it in brackets, or begin each item with '- '");
    return;
  }
  const std::string advice = fmt::format("write a list: [\"{}\"]", value.text());
  finding.help("{}", advice);
  const Node& list = yaml::sequence_like(findings.values(), yaml::nowhere(),
                                         {&findings.make_string(value.text())});
  finding.fix(Safety::safe, advice, {yaml::to_set(value, list)});
}

static void expect_list(const Deviation& deviation, Findings& findings) {
  const Node& value = *deviation.node;
  const bool is_one = value.is_scalar() && deviation.type->element->form == Form::string;
  const std::string message = fmt::format("'{}' must be a list, but this value is {}: {}",
                                          deviation.field->name, describe(value), kRejected);
  auto finding =
      is_one ? findings.add(value, "{}", message) : findings.add_at_key(value, "{}", message);
  const std::string_view op = value.parent() == nullptr ? "" : (*value.parent())["operator"].text();
  if (deviation.field->name == "values" && (op == "Exists" || op == "DoesNotExist")) {
    finding.help("remove 'values': operator {} takes none", op);
  } else if (is_one) {
    put_in_list(value, findings, finding);
  } else {
    finding.help("begin each item with '- '");
  }
}

static void expect_mapping(const Deviation& deviation, Findings& findings) {
  const Node& value = *deviation.node;
  const bool is_item = value.key() == nullptr;
  const std::string what =
      is_item ? fmt::format("the items of '{}' must be mappings", deviation.field->name)
              : fmt::format("'{}' must be a mapping", value.key()->text());
  auto finding =
      findings.add_at_key(value, "{}, but this value is {}: {}", what, describe(value), kRejected);
  if (is_item) {
    finding.help("write 'key: value' lines after the '-'");
  } else {
    finding.help("write 'key: value' lines, without '-'");
  }
}

static void check_type(const Deviation& deviation, const k8s::Object& object, Findings& findings) {
  switch (deviation.type->form) {
    case Form::integer:
      return expect_integer(deviation, findings);
    case Form::boolean:
      return expect_boolean(deviation, findings);
    case Form::quantity:
      return expect_quantity(deviation, object, findings);
    case Form::int_or_string:
      findings.add(*deviation.node, "'{}' must be an integer or a string, but this value is {}: {}",
                   deviation.field->name, describe(*deviation.node), kRejected);
      return;
    case Form::number:
      findings.add(*deviation.node, "'{}' must be a number, but this value is {}: {}",
                   deviation.field->name, describe(*deviation.node), kRejected);
      return;
    case Form::list:
      return expect_list(deviation, findings);
    case Form::map:
    case Form::object:
      return expect_mapping(deviation, findings);
    default:
      return expect_string(deviation, findings);
  }
}

/// Only in a selector: elsewhere null means the empty string, or nothing.
static void check_empty(const k8s::StringField& field, Findings& findings) {
  const Node& value = *field.value;
  if (!value.is_null() || field.where != k8s::StringField::Where::node_selector) return;
  findings
      .add_at_key(value,
                  "'{}' has no value: a custom resource silently drops the entry, and a pod "
                  "selects the empty value",
                  value.key()->text())
      .help("write the label's value after the ':', or \"\" for the empty value");
}

/// YAML also reads a key such as `on` as a boolean, which becomes "true".
static void check_key(const k8s::StringField& field, Findings& findings) {
  if (field.where != k8s::StringField::Where::node_selector &&
      field.where != k8s::StringField::Where::label)
    return;
  const Node& key = *field.value->key();
  if (!key.is_scalar() || key.type != yaml::ScalarType::boolean) return;
  const std::string advice = fmt::format("quote it: \"{}\"", key.text());
  findings
      .add_at_key(*field.value, "YAML reads the unquoted key '{}' as a boolean: it becomes '{}'",
                  key.text(), yaml::boolean_of(key.text()) == true ? "true" : "false")
      .help("{}", advice)
      .fix(Safety::safe, advice, {yaml::to_rename(*field.value, key.text())});
}

/// Whether the value is maxSurge or maxUnavailable of a rollout: an integer or a percentage.
static bool is_rollout_share(const Node& value) {
  if (value.key()->text() != "maxSurge" && value.key()->text() != "maxUnavailable") return false;
  const Node* strategy = value.parent() == nullptr ? nullptr : value.parent()->key();
  return strategy && (strategy->text() == "rollingUpdate" || strategy->text() == "rolloutStrategy");
}

/// The API server accepts KServe's objects and rejects what KServe creates from them.
static std::string_view rejection_of_share(const k8s::Object& object) {
  if (object.group() != "serving.kserve.io") return kRejected;
  return object.kind.starts_with("LLM")
             ? "the API server rejects what KServe creates from it"
             : "the API server rejects the Deployment that KServe creates";
}

/// Not a percentage without its sign, and not a second 0: one of the two must permit a change.
static bool is_number_of_pods(std::int64_t number, const Node& value) {
  constexpr std::int64_t kMaxPods = 9;
  const std::string_view other = value.key()->text() == "maxSurge" ? "maxUnavailable" : "maxSurge";
  const bool stuck = number == 0 && (*value.parent()).under(other).text() == "0";
  return number >= 0 && number <= kMaxPods && !stuck;
}

static void check_rollout_share(const Node& value, const k8s::Object& object, Findings& findings) {
  // Other kinds have strings there: NVIDIA's ClusterPolicy.
  const std::string_view group = object.group();
  if (group != "serving.kserve.io" && group != "apps" && group != "extensions") return;
  if (!value.is_string() || yaml::resolve_plain(value.text()) != yaml::ScalarType::integer) return;
  auto finding = findings.add(
      value, "'{}' must be an integer or a percentage, but quotes make {} a string without '%': {}",
      value.key()->text(), value.text(), rejection_of_share(object));
  finding.severity(group == "serving.kserve.io" ? Severity::warning : Severity::error)
      .help("write {} without quotes, or a percentage such as \"25%\"", value.text());
  const auto pods = plain_number(value.text());
  if (!pods || !is_number_of_pods(*pods, value)) return;
  finding.fix(Safety::safe, fmt::format("write {} without quotes", value.text()),
              {yaml::to_set(value, make_integer(*pods, findings))});
}

namespace {

/// The values that the API server drops together with unknown fields.
class Dropped {
 public:
  explicit Dropped(Deviations deviations) {
    for (const Deviation& deviation : deviations) {
      if (deviation.kind == Deviation::Kind::unknown_field) lost_.push_back(deviation.node->span);
    }
    std::ranges::sort(lost_);
  }

  bool holds(const Node& node) const {
    // They do not overlap.
    const auto after = std::ranges::upper_bound(lost_, node.span.begin, {}, &Span::begin);
    return after != lost_.begin() && node.span.end <= std::prev(after)->end;
  }

 private:
  std::vector<Span> lost_;
};

}  // namespace

/// Flags at the wrong level of a KnativeServing are reported by knative-feature-key.
static bool is_misplaced_flag(const Deviation& deviation, const k8s::Object& object) {
  constexpr std::string_view kFlag = "podspec-";
  if (object.kind != "KnativeServing") return false;
  const auto is_flag = [&](const Node* key) {
    return key != nullptr && key->text().find(kFlag) != std::string_view::npos;
  };
  return (deviation.type->form == Form::map && is_flag(deviation.node->key())) ||
         std::ranges::any_of(deviation.node->entries(), is_flag, &yaml::Entry::key);
}

static void check(const k8s::Object& object, Deviations deviations, Findings& findings) {
  for (const Deviation& deviation : deviations) {
    if (deviation.kind != Deviation::Kind::wrong_type) continue;
    if (!is_misplaced_flag(deviation, object)) check_type(deviation, object, findings);
  }
  const Dropped dropped(deviations);
  for (const k8s::StringField& field : k8s::string_fields(*object.root)) {
    if (dropped.holds(*field.value)) continue;
    check_empty(field, findings);
    check_key(field, findings);
  }
  yaml::walk(*object.root, [&](const Node& node) {
    if (k8s::is_free_form(node)) return false;
    if (node.key() == nullptr) return true;
    if (is_rollout_share(node) && !dropped.holds(node)) {
      check_rollout_share(node, object, findings);
    }
    return true;
  });
}

extern constinit const Rule rule = {
    .id = "wrong-type",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .decided_by_subject = true,
    .fix = Safety::safe,
    .check = check,
};

}  // namespace cnsched::rules::wrong_type

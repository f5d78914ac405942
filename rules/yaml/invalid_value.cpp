#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/base/quantity.h"
#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/k8s/object.h"
#include "core/k8s/schema/open_api.h"
#include "core/k8s/schema/schema.h"
#include "core/k8s/scope.h"
#include "core/k8s/workloads.h"
#include "core/source/path.h"
#include "core/yaml/scalar.h"
#include "rules/common/wording.h"
#include "rules/rule.h"

namespace cnsched::rules::invalid_value {

namespace {

using k8s::schema::Bounds;
using k8s::schema::Deviation;
using Kind = Deviation::Kind;
using yaml::Node;

constexpr std::string_view kRejected = "the API server rejects the object";

/// "at least 1", "at most 253", "1 to 65535".
std::string words_of(const Bounds& range) {
  const Bounds any;
  if (range.most == any.most) return fmt::format("at least {}", range.least);
  if (range.least == any.least) return fmt::format("at most {}", range.most);
  return fmt::format("{} to {}", range.least, range.most);
}

/// Quantities that invalid-quantity reports.
bool is_pod_quantity(const Deviation& deviation) {
  const std::string_view holder = deviation.holder->name;
  return holder == "ResourceRequirements" || holder == "EmptyDirVolumeSource" ||
         deviation.field->name == "overhead";
}

/// The API server accepts the object and rejects only its pods: a warning.
void set_severity(const Deviation& deviation, Findings::Finding& finding) {
  if (deviation.rejected_in_pod) finding.severity(Severity::warning);
}

std::string_view rejection(const Deviation& deviation) {
  return deviation.rejected_in_pod ? "the API server rejects the pods created from it" : kRejected;
}

void check_choice(const Deviation& deviation, Findings& findings) {
  const Node& value = *deviation.node;
  // An empty text is a missing one there, and none that one would write.
  std::vector<std::string_view> allowed = deviation.field->allowed;
  std::erase(allowed, std::string_view());
  constexpr std::size_t kMostShown = 24;
  std::vector<std::string> shown(
      allowed.begin(),
      allowed.begin() + static_cast<std::ptrdiff_t>(std::min(allowed.size(), kMostShown)));
  if (allowed.size() > kMostShown) {
    shown.push_back(fmt::format("one of {} others", allowed.size() - kMostShown));
  }
  const std::string words = join_words(shown, "or");
  auto finding = findings.add(value, "'{}' does not permit '{}': {}", deviation.field->name,
                              value.text(), rejection(deviation));
  set_severity(deviation, finding);
  const auto near = value.is_string() ? nearest(value.text(), allowed) : std::nullopt;
  if (near) {
    finding.help("did you mean '{}'? The permitted values are {}", *near, words);
  } else {
    finding.help("write {}", words);
  }
}

void check_range(const Deviation& deviation, Findings& findings) {
  const Node& value = *deviation.node;
  const Bounds& stated = deviation.field->range;
  const Bounds& width = deviation.type->width;
  // For a number beyond the integer type, the message states the bounds of the type.
  const auto number = yaml::integer_of(value);
  const bool fits = number && width.contains(*number);
  const Bounds both = {std::max(stated.least, width.least), std::min(stated.most, width.most)};
  auto finding =
      findings.add(value, "'{}' must be an integer of {}, but is {}: {}", deviation.field->name,
                   words_of(fits ? stated : both), value.text(), rejection(deviation));
  set_severity(deviation, finding);
}

void check_length(const Deviation& deviation, Findings& findings) {
  findings.add(*deviation.node, "'{}' must have {} characters, but has {}: {}",
               deviation.field->name, words_of(deviation.field->length),
               code_points(deviation.node->text()), kRejected);
}

void check_count(const k8s::Object& object, const Deviation& deviation, Findings& findings) {
  const bool has_few =
      static_cast<std::int64_t>(deviation.node->items().size()) < deviation.field->items.least;
  if (has_few && findings.workspace().may_get_field(object, deviation.field->name)) return;
  const Bounds& items = deviation.field->items;
  const bool is_one = items.least == 1 && items.most == Bounds().most;
  findings.add_at_key(*deviation.node, "'{}' must have {} {}, but has {}: {}",
                      deviation.field->name, words_of(items), is_one ? "item" : "items",
                      deviation.node->items().size(), kRejected);
}

void check_format(const Deviation& deviation, Findings& findings) {
  const auto* format = k8s::schema::find_format(deviation.field->format);
  findings
      .add(*deviation.node, "invalid value '{}' of '{}': {}", deviation.node->text(),
           deviation.field->name, kRejected)
      .help("write {}", format->words);
}

void check_quantity(const Deviation& deviation, Findings& findings) {
  const auto quantity = Quantity::parse(deviation.node->text());
  if (quantity || is_pod_quantity(deviation)) return;
  findings.add(*deviation.node, "the API server rejects this amount of '{}': {}",
               deviation.field->name, quantity.error().message);
}

void check_pattern(const Deviation& deviation, Findings& findings) {
  auto finding = findings.add(*deviation.node, "invalid value '{}' of '{}': {}",
                              deviation.node->text(), deviation.field->name, kRejected);
  const auto* format = k8s::schema::find_format(deviation.field->format);
  if (format != nullptr) {
    finding.help("write {}", format->words);
  } else {
    finding.help("write a text that matches '{}'", deviation.field->checks->pattern_text);
  }
}

/// "above 0", "at least 0.5 and at most 1".
std::string words_of(const k8s::schema::Checks& checks) {
  std::vector<std::string> words;
  if (checks.minimum) {
    words.push_back(
        fmt::format("{} {}", checks.above_minimum ? "above" : "at least", *checks.minimum));
  }
  if (checks.maximum) {
    words.push_back(
        fmt::format("{} {}", checks.below_maximum ? "below" : "at most", *checks.maximum));
  }
  if (checks.multiple_of) words.push_back(fmt::format("a multiple of {}", *checks.multiple_of));
  return join_words(words);
}

void check_number(const Deviation& deviation, Findings& findings) {
  findings.add(*deviation.node, "'{}' must be {}, but is {}: {}", deviation.field->name,
               words_of(*deviation.field->checks), deviation.node->text(), kRejected);
}

void check_entries(const Deviation& deviation, Findings& findings) {
  findings.add_at_key(*deviation.node, "'{}' must have {} entries, but has {}: {}",
                      deviation.field->name, words_of(deviation.field->checks->entries),
                      deviation.node->entries().size(), kRejected);
}

void check_combination(const Deviation& deviation, Findings& findings) {
  findings
      .add_at_key(
          *deviation.node, "{} does not fit its schema ('allOf', 'anyOf', 'oneOf' or 'not'): {}",
          deviation.field->name.empty() ? "the object" : fmt::format("'{}'", deviation.field->name),
          kRejected)
      .help("the CustomResourceDefinition states what fits");
}

void check_violation(const Deviation& deviation, Findings& findings) {
  findings.add_at_key(*deviation.node, "{}: {}", deviation.message, kRejected);
}

void check_one(const k8s::Object& object, const Deviation& deviation, Findings& findings) {
  switch (deviation.kind) {
    case Kind::not_allowed:
      return check_choice(deviation, findings);
    case Kind::out_of_range:
      return check_range(deviation, findings);
    case Kind::bad_length:
      return check_length(deviation, findings);
    case Kind::bad_count:
      return check_count(object, deviation, findings);
    case Kind::bad_format:
      return check_format(deviation, findings);
    case Kind::invalid_quantity:
      return check_quantity(deviation, findings);
    case Kind::no_match:
      return check_pattern(deviation, findings);
    case Kind::bad_number:
      return check_number(deviation, findings);
    case Kind::bad_entries:
      return check_entries(deviation, findings);
    case Kind::not_combined:
      return check_combination(deviation, findings);
    case Kind::rule_violated:
      return check_violation(deviation, findings);
    default:
      return;
  }
}

/// OpenShift substitutes the parameters of a Template.
bool is_in_template(const k8s::Object& object) {
  return object.root != object.document->root &&
         (*object.document->root)["kind"].text() == "Template";
}

/// Whether the path says that a tool fills the file in: "gradio.tftpl.yaml", "job-template.yaml",
/// "templates/job.yaml".
bool is_template_path(std::string_view path) {
  const std::vector<std::string_view> names = split(path, '/');
  return k8s::is_template_name(names.back()) || std::ranges::any_of(names, [](const auto& name) {
           return name == "template" || name == "templates";
         });
}

bool is_placeholder(const Node& node) {
  return node.is_string() && k8s::is_placeholder(node.text());
}

/// Whether a ConfigMap permits the key [P54].
/// Source: k8s.io/apimachinery pkg/util/validation, IsConfigMapKey.
bool is_config_map_key(std::string_view key) {
  constexpr std::size_t kLongest = 253;
  return !key.empty() && key.size() <= kLongest && key != "." && !key.starts_with("..") &&
         std::ranges::all_of(
             key, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

/// The values under invalid keys of a ConfigMap.
std::vector<const Node*> values_of_invalid_keys(const k8s::Object& object) {
  std::vector<const Node*> values;
  if (!object.is("", "ConfigMap")) return values;
  for (const std::string_view map : {"data", "binaryData"}) {
    for (const yaml::Entry& entry : object.root->under(map).entries()) {
      if (entry.key->is_scalar() && !is_config_map_key(entry.key->text())) {
        values.push_back(entry.value);
      }
    }
  }
  return values;
}

/// Whether the text has placeholders besides the variables of kustomize, which are written
/// "$(name)" [P64].
bool is_left_open(const k8s::Object& object, std::string_view text, const Workspace& workspace) {
  std::string rest;
  while (true) {
    const std::size_t begin = text.find("$(");
    const std::size_t end = text.find(')', begin);
    if (end == std::string_view::npos) return k8s::is_placeholder(rest.append(text));
    const std::string_view name = text.substr(begin + 2, end - begin - 2);
    const bool is_var = workspace.is_kustomize_var(object, name);
    rest += text.substr(0, is_var ? begin : end + 1);
    text.remove_prefix(end + 1);
  }
}

/// The first placeholder, or null.
const Node* first_placeholder(const k8s::Object& object, Deviations deviations,
                              const Workspace& workspace) {
  std::vector<const Node*> all;
  if (is_placeholder(object["apiVersion"])) all.push_back(&object["apiVersion"]);
  // Not the namespace: deployment tools replace it.
  if (const Node& name = object["metadata"]["name"]; is_placeholder(name)) all.push_back(&name);
  for (const Node* value : values_of_invalid_keys(object)) {
    if (k8s::is_placeholder(value->key()->text())) all.push_back(value->key());
  }
  for (const Deviation& deviation : deviations) {
    if (deviation.kind != Kind::placeholder) continue;
    const Node& value = *deviation.node;
    // A key that is a placeholder has neither.
    const std::string_view field = value.key() != nullptr       ? value.key()->text()
                                   : deviation.field != nullptr ? deviation.field->name
                                                                : value.text();
    if (!workspace.may_get_field(object, field)) all.push_back(&value);
  }
  std::erase_if(all,
                [&](const Node* node) { return !is_left_open(object, node->text(), workspace); });
  const auto first = std::ranges::min_element(all, {}, [](const Node* node) { return node->span; });
  return first == all.end() ? nullptr : *first;
}

void check_placeholders(const k8s::Object& object, Deviations deviations, Findings& findings) {
  const SourceFile& file = findings.workspace().file_of(object.root->span);
  if (is_in_template(object) || is_template_path(file.path())) return;
  const Node* first = first_placeholder(object, deviations, findings.workspace());
  if (first == nullptr) return;
  findings
      .add(*first, "placeholder '{}' is not substituted: the API server rejects the object",
           first->text())
      .help("substitute it first, and pipe the result to 'cnsched lint -'");
}

/// The API server accepts these names, and Seldon Core 2 does not [S67].
void check_seldon_name(const k8s::Object& object, const Node& name, Findings& findings) {
  const bool has_dot = name.text().find('.') != std::string_view::npos;
  const bool begins_with_digit = name.text().front() >= '0' && name.text().front() <= '9';
  if (object.is("mlops.seldon.io", "Server") && (has_dot || begins_with_digit)) {
    findings
        .add(name,
             "invalid name '{}' of a Server: the API server rejects the Service '{}-0' that "
             "Seldon's operator creates",
             name.text(), name.text())
        .help("write lower-case letters, digits and '-', with a letter first");
  } else if (object.is("mlops.seldon.io", "Model") && has_dot) {
    findings
        .add(name, "invalid name '{}' of a Model: Seldon's scheduler rejects a '.'", name.text())
        .help("write lower-case letters, digits and '-'");
  }
}

void check_name(const k8s::Object& object, Findings& findings) {
  // kustomize replaces the name in a patch by that of its target.
  if (findings.scope().is_patch(object)) return;
  const Node& name = object["metadata"]["name"];
  if (!name.is_string() || name.text().empty() || is_placeholder(name)) return;
  if (!k8s::is_object_name(name.text())) {
    const std::string& path = findings.workspace().file_of(name.span).path();
    const bool is_in_capitals =
        name.text().find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos;
    if (is_in_capitals && k8s::is_template_name(file_name_of(path))) return;
    findings.add(name, "invalid name '{}': {}", name.text(), kRejected)
        .help(
            "a name consists of at most 253 lower-case letters, digits, '-' and '.', and begins "
            "and ends with a letter or digit");
    return;
  }
  check_seldon_name(object, name, findings);
}

void check_config_map(const k8s::Object& object, Findings& findings) {
  for (const Node* value : values_of_invalid_keys(object)) {
    if (k8s::is_placeholder(value->key()->text())) continue;
    findings.add_at_key(*value, "invalid ConfigMap key '{}': {}", value->key()->text(), kRejected)
        .help("a key consists of at most 253 letters, digits, '-', '_' and '.'");
  }
}

/// The selector of a Deployment and of the other kinds of apps must match their pod template [P58].
/// Source: k8s.io/kubernetes pkg/apis/apps/validation, ValidateDeploymentSpec.
void check_selector(const k8s::Object& object, Findings& findings) {
  if (object.group() != "apps" || findings.scope().is_patch(object)) return;
  // kustomize adds labels to both [P63].
  const bool is_labelled_later = findings.scope().workspace().gets_selectors(object);
  const Node& selector = object.spec()["selector"]["matchLabels"];
  const Node& labels = object.spec()["template"]["metadata"]["labels"];
  for (const k8s::Label& label : k8s::labels_in(selector)) {
    const Node& made = labels.under(label.key);
    if (!made && is_labelled_later) continue;
    if (!made.is_null() && made.text() == label.value) continue;
    if (k8s::is_placeholder(label.value) || k8s::is_placeholder(made.text())) continue;
    if (findings.workspace().may_get_field(object, {"labels", "matchLabels"})) return;
    auto finding = findings.add(
        *label.node,
        "'selector' does not match the labels of 'template': label '{}: {}' is missing there: {}",
        label.key, label.value, kRejected);
    if (made) finding.note(made, "the pods have this value");
    finding.help("set the same labels in 'matchLabels' and in the pod template");
  }
}

/// Every mount needs a volume of that name. A StatefulSet creates volumes from its claim templates
/// [P58]. Source: k8s.io/kubernetes pkg/apis/core/validation, ValidateVolumeMounts.
void check_mounts(const k8s::Object& object, Findings& findings) {
  if (!k8s::schema::is_native(object) || findings.scope().is_patch(object)) return;
  for (const k8s::PodTemplate& pod : k8s::pod_templates(object)) {
    std::unordered_set<std::string_view> volumes;
    for (const Node* volume : pod.own["volumes"].items()) {
      volumes.insert((*volume)["name"].text());
    }
    for (const Node* claim : object.spec()["volumeClaimTemplates"].items()) {
      volumes.insert((*claim)["metadata"]["name"].text());
    }
    for (const k8s::Container& container : pod.own.all_containers()) {
      for (const Node* mount : (*container.node)["volumeMounts"].items()) {
        const Node& name = (*mount)["name"];
        if (!name.is_string() || name.text().empty() || volumes.contains(name.text())) continue;
        if (findings.workspace().may_get_field(object, "volumes")) continue;
        findings
            .add(name, "the mount names volume '{}', which the pod does not have: {}", name.text(),
                 object.kind == "StatefulSet" ? kStatefulSetRejected : kRejected)
            .help("write the name of a volume of the pod, or add the volume");
      }
    }
  }
}

}  // namespace

static void check(const k8s::Object& object, Deviations deviations, Findings& findings) {
  const bool is_known = findings.facts().schemas.type_of(object) != nullptr;
  if (is_known || k8s::is_placeholder(object.api_version)) {
    check_placeholders(object, deviations, findings);
  }
  if (!is_known) return;
  check_name(object, findings);
  check_config_map(object, findings);
  check_selector(object, findings);
  check_mounts(object, findings);
  for (const Deviation& deviation : deviations) check_one(object, deviation, findings);
}

extern constinit const Rule rule = {
    .id = "invalid-value",
    .severity = Severity::error,
    .decided_by_subject = true,
    .check = check,
};

}  // namespace cnsched::rules::invalid_value

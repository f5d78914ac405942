#include <algorithm>
#include <string>
#include <unordered_set>

#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/k8s/object_name.h"
#include "core/k8s/quantity.h"
#include "core/k8s/schema/formats.h"
#include "core/k8s/schema/schema.h"
#include "core/k8s/workloads.h"
#include "core/yaml/scalar.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const k8s::Object& object, Deviations deviations, Report& report);

extern constinit const Rule yaml_invalid_value = {
    .id = "invalid-value",
    .severity = Severity::error,
    .summary = "a value outside of what the field takes",
    .why =
        "The API server refuses the object: the value is none of those that the field takes, too "
        "small, too large or too long, or not of its syntax. Names of objects are at most 253 "
        "lower case letters, digits, '-' and '.', keys of a ConfigMap letters, digits, '-', '_' "
        "and '.'. A Deployment selects the pods that it makes, and a mount names a volume.\n\n"
        "A placeholder such as ${NAME} is no value either, where a name, a number or a quantity "
        "is wanted: of each object the first one is reported, for it can only be applied, and "
        "checked, once it is filled in. Parameters of an OpenShift Template are left alone.\n\n"
        "What Kubernetes wants of a pod is a warning in KServe's and Seldon's objects: they are "
        "accepted, and the pods that are made of them are not.",
    .bad = R"(
scaleMetric: qps
model:
  modelFormat: {name: onnx}
)",
    .good = R"(
scaleMetric: rps
model:
  modelFormat: {name: onnx}
)",
    .source =
        "https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/"
        "custom-resource-definitions/#validation",
    .check = check,
};

namespace {

using k8s::schema::Deviation;
using k8s::schema::Range;
using Kind = Deviation::Kind;
using yaml::Node;

constexpr std::string_view kRefused = "the API server refuses the object";

/// "at least 1", "at most 253", "from 1 to 65535".
std::string words_of(const Range& range) {
  const Range any;
  if (range.most == any.most) return fmt::format("at least {}", range.least);
  if (range.least == any.least) return fmt::format("at most {}", range.most);
  return fmt::format("from {} to {}", range.least, range.most);
}

/// Of quantities in pods invalid-quantity tells.
bool is_of_pods(const Deviation& deviation) {
  const std::string_view holder = deviation.holder->name;
  return holder == "ResourceRequirements" || holder == "EmptyDirVolumeSource" ||
         deviation.field->name == "overhead";
}

/// What is refused only once there is a pod is accepted for now.
void weigh(const Deviation& deviation, Report::Finding& finding) {
  if (deviation.in_the_pod) finding.severity(Severity::warning);
}

std::string_view refused(const Deviation& deviation) {
  return deviation.in_the_pod ? "the API server refuses the pods that are made of it" : kRefused;
}

void check_choice(const Deviation& deviation, Report& report) {
  const Node& value = *deviation.node;
  const auto& allowed = deviation.field->allowed;
  const std::string words = join_words({allowed.begin(), allowed.end()}, "or");
  auto finding = report.add(value, "'{}' takes no '{}': {}", deviation.field->name, value.text(),
                            refused(deviation));
  weigh(deviation, finding);
  const auto near = value.is_string() ? nearest(value.text(), allowed) : std::nullopt;
  if (near) {
    finding.help("did you mean '{}'? It takes {}", *near, words);
  } else {
    finding.help("write {}", words);
  }
}

void check_range(const Deviation& deviation, Report& report) {
  const Node& value = *deviation.node;
  const Range& stated = deviation.field->range;
  const Range& width = deviation.type->width;
  // Who is told "at least 0" of a number that does not fit is none the wiser.
  const auto number = yaml::integer_of(value);
  const bool fits = number && width.contains(*number);
  const Range both = {std::max(stated.least, width.least), std::min(stated.most, width.most)};
  auto finding =
      report.add(value, "'{}' takes whole numbers {}, and {} is none: {}", deviation.field->name,
                 words_of(fits ? stated : both), value.text(), refused(deviation));
  weigh(deviation, finding);
}

void check_length(const Deviation& deviation, Report& report) {
  report.add(*deviation.node, "'{}' takes {} characters, and these are {}: {}",
             deviation.field->name, words_of(deviation.field->length),
             code_points(deviation.node->text()), kRefused);
}

void check_count(const Deviation& deviation, Report& report) {
  const Range& items = deviation.field->items;
  const bool is_one = items.least == 1 && items.most == Range().most;
  report.add_at_key(*deviation.node, "'{}' takes {} {}, and has {}: {}", deviation.field->name,
                    words_of(items), is_one ? "item" : "items", deviation.node->items().size(),
                    kRefused);
}

void check_format(const Deviation& deviation, Report& report) {
  const auto* format = k8s::schema::find_format(deviation.field->format);
  report
      .add(*deviation.node, "'{}' is not what '{}' takes: {}", deviation.node->text(),
           deviation.field->name, kRefused)
      .help("write {}", format->words);
}

void check_quantity(const Deviation& deviation, Report& report) {
  const auto quantity = k8s::Quantity::parse(deviation.node->text());
  if (quantity || is_of_pods(deviation)) return;
  report.add(*deviation.node, "the API server refuses this amount of '{}': {}",
             deviation.field->name, quantity.error().message);
}

void check_one(const Deviation& deviation, Report& report) {
  switch (deviation.kind) {
    case Kind::not_allowed:
      return check_choice(deviation, report);
    case Kind::out_of_range:
      return check_range(deviation, report);
    case Kind::bad_length:
      return check_length(deviation, report);
    case Kind::bad_count:
      return check_count(deviation, report);
    case Kind::bad_format:
      return check_format(deviation, report);
    case Kind::no_quantity:
      return check_quantity(deviation, report);
    default:
      return;
  }
}

/// OpenShift fills in the parameters of a Template.
bool is_in_template(const k8s::Object& object) {
  return object.root != object.document->root &&
         (*object.document->root)["kind"].text() == "Template";
}

bool is_placeholder(const Node& node) {
  return node.is_string() && k8s::is_placeholder(node.text());
}

/// A key that a ConfigMap can have.
/// Source: k8s.io/apimachinery pkg/util/validation, IsConfigMapKey.
bool is_config_map_key(std::string_view key) {
  constexpr std::size_t kLongest = 253;
  return !key.empty() && key.size() <= kLongest && key != "." && !key.starts_with("..") &&
         std::ranges::all_of(key, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_' || c == '.';
         });
}

/// What a ConfigMap holds, by its bad keys.
std::vector<const Node*> bad_keys(const k8s::Object& object) {
  std::vector<const Node*> values;
  if (!object.is("", "ConfigMap")) return values;
  for (const std::string_view map : {"data", "binaryData"}) {
    for (const yaml::Entry& entry : object[map].entries()) {
      if (entry.key->is_scalar() && !is_config_map_key(entry.key->text())) {
        values.push_back(entry.value);
      }
    }
  }
  return values;
}

/// The first value that is still to be filled in, or null.
const Node* first_placeholder(const k8s::Object& object, Deviations deviations) {
  std::vector<const Node*> all;
  if (is_placeholder(object["apiVersion"])) all.push_back(&object["apiVersion"]);
  // Not the namespace: deployment tools set it, whatever stands there.
  if (const Node& name = object["metadata"]["name"]; is_placeholder(name)) all.push_back(&name);
  for (const Node* value : bad_keys(object)) {
    if (k8s::is_placeholder(value->key()->text())) all.push_back(value->key());
  }
  for (const Deviation& deviation : deviations) {
    if (deviation.kind == Kind::placeholder) all.push_back(deviation.node);
  }
  const auto first = std::ranges::min_element(all, {}, [](const Node* node) { return node->span; });
  return first == all.end() ? nullptr : *first;
}

void check_placeholders(const k8s::Object& object, Deviations deviations, Report& report) {
  if (is_in_template(object)) return;
  const Node* first = first_placeholder(object, deviations);
  if (first == nullptr) return;
  report
      .add(*first, "'{}' is still to be filled in: as it stands, the API server refuses the object",
           first->text())
      .help("lint what comes out: fill it in, and pipe it to 'cnsched lint -'");
}

void check_name(const k8s::Object& object, Report& report) {
  const Node& name = object["metadata"]["name"];
  if (name.is_string() && !name.text().empty() && !is_placeholder(name) &&
      !k8s::is_object_name(name.text())) {
    report.add(name, "'{}' is no name of an object: {}", name.text(), kRefused)
        .help(
            "write at most 253 lower case letters, digits, '-' and '.', with a letter or digit "
            "at both ends");
  }
}

void check_config_map(const k8s::Object& object, Report& report) {
  for (const Node* value : bad_keys(object)) {
    if (k8s::is_placeholder(value->key()->text())) continue;
    report.add_at_key(*value, "'{}' is no key of a ConfigMap: {}", value->key()->text(), kRefused)
        .help("write at most 253 letters, digits, '-', '_' and '.'");
  }
}

/// A Deployment and its like have to select the pods that they make.
/// Source: k8s.io/kubernetes pkg/apis/apps/validation, ValidateDeploymentSpec.
void check_selector(const k8s::Object& object, Report& report) {
  if (object.group() != "apps" || report.run().is_patch(object)) return;
  const Node& selector = object.spec()["selector"]["matchLabels"];
  const Node& labels = object.spec()["template"]["metadata"]["labels"];
  for (const k8s::Label& label : k8s::labels_in(selector)) {
    const Node& made = labels[label.key];
    if (!made.is_null() && made.text() == label.value) continue;
    if (k8s::is_placeholder(label.value) || k8s::is_placeholder(made.text())) continue;
    auto finding = report.add(*label.node,
                              "the pods of 'template' do not have the label '{}: {}' "
                              "that is selected: {}",
                              label.key, label.value, kRefused);
    if (made) finding.note(made, "they have this one");
    finding.help("give the pods the labels that the selector wants");
  }
}

/// Every mount needs a volume of its name. A StatefulSet makes volumes of its claim templates.
/// Source: k8s.io/kubernetes pkg/apis/core/validation, ValidateVolumeMounts.
void check_mounts(const k8s::Object& object, Report& report) {
  if (!k8s::schema::is_native(object) || report.run().is_patch(object)) return;
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
        report.add(name, "there is no volume '{}' to mount: {}", name.text(), kRefused)
            .help("write the name of one of the pod's volumes, or add it to them");
      }
    }
  }
}

}  // namespace

static void check(const k8s::Object& object, Deviations deviations, Report& report) {
  const bool is_known = k8s::schema::type_of(object) != nullptr;
  if (is_known || k8s::is_placeholder(object.api_version)) {
    check_placeholders(object, deviations, report);
  }
  if (!is_known) return;
  check_name(object, report);
  check_config_map(object, report);
  check_selector(object, report);
  check_mounts(object, report);
  for (const Deviation& deviation : deviations) check_one(deviation, report);
}

}  // namespace cnsched::rules

#include "core/k8s/label.h"
#include "core/k8s/quantity.h"
#include "core/k8s/string_fields.h"
#include "core/yaml/scalar.h"
#include "core/yaml/walk.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const k8s::Object& object, Report& report);

extern constinit const Rule yaml_wrong_type = {
    .id = "wrong-type",
    .severity = Severity::error,
    .summary = "a value whose YAML type is not what the field takes",
    .why = "Unquoted, YAML reads true, yes and on as booleans, 8 and 010 as integers and 1.10 as the "
           "number 1.1. Labels, selectors, taints, tolerations and environment variables take "
           "strings, so the API server refuses the object. A selector key without a value is worse: "
           "a custom resource loses it in silence, and the pod may run anywhere. Quantities in "
           "KServe's and Seldon's resources may be integers or strings, but not fractions.",
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
};

using yaml::Node;
using Where = k8s::StringField::Where;

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
      return "match expressions compare with";
    case Where::toleration:
      return "a toleration's value is compared with";
    case Where::taint:
      return "a taint's value is one of the";
    case Where::environment:
      break;
  }
  return "environment variables are";
}

static void check_string(const k8s::StringField& field, Report& report) {
  const Node& value = *field.value;
  if (value.is_string()) return;
  if (value.is_null()) {
    // Elsewhere null means the empty string, or nothing at all.
    if (field.where != Where::node_selector) return;
    report
        .add_at_key(value,
                    "'{}' has no value: a custom resource drops it in silence, a pod asks for the "
                    "empty value", value.key->text)
        .help("write the label's value behind it, or \"\" if it is empty");
    return;
  }
  if (!value.is_scalar()) {
    report.add(value, "{} strings, and this is {}", holders_of(field.where), describe(value));
    return;
  }
  report
      .add(value, "{} is {} here, but {} strings: the API server refuses the object", value.text,
           describe(value), holders_of(field.where))
      .help("quote it: \"{}\"", value.text);
}

/// A key such as `on` is read as a boolean too, and then written out as "true".
static void check_key(const k8s::StringField& field, Report& report) {
  if (field.where != Where::node_selector && field.where != Where::label) return;
  const Node& key = *field.value->key;
  if (!key.is_scalar() || key.type != yaml::ScalarType::boolean) return;
  report
      .add_at_key(*field.value, "the key {} is read as a boolean and becomes '{}'", key.text,
                  yaml::boolean_of(key.text) == true ? "true" : "false")
      .help("quote it: \"{}\"", key.text);
}

static void check_number(const Node& value, Report& report) {
  if (!value.quoted || k8s::is_placeholder(value.text)) return;
  report.add(value, "'{}' takes a number, and quotes make it a string", value.key->text)
      .help("write {} without quotes", value.text);
}

/// `cpu: 0.5`: a JSON number that is no integer, which the CRDs' int-or-string does not admit.
static void check_amounts(const Node& resources, Report& report) {
  for (const std::string_view list : {"requests", "limits"}) {
    for (const yaml::Entry& entry : resources[list].entries) {
      const Node& amount = *entry.value;
      if (!amount.is_scalar() || amount.type != yaml::ScalarType::floating) continue;
      report
          .add(amount, "{} is a fraction without quotes, which the API server refuses in this kind",
               amount.text)
          .help("quote it: \"{}\"", amount.text);
    }
  }
}

static void check(const k8s::Object& object, Report& report) {
  for (const k8s::StringField& field : k8s::string_fields(*object.root)) {
    check_string(field, report);
    check_key(field, report);
  }
  const bool crd = object.group() == "serving.kserve.io" || object.group() == "mlops.seldon.io";
  yaml::walk(*object.root, [&](const Node& node) {
    if (node.key == nullptr) return;
    const std::string_view name = node.key->text;
    if (name == "tolerationSeconds") check_number(node, report);
    if (name == "weight" && (*node.parent)["preference"]) check_number(node, report);
    if (name == "resources" && crd) check_amounts(node, report);
  });
}

}  // namespace cnsched::rules

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "core/base/text.h"
#include "core/k8s/schema/destination.h"
#include "core/k8s/schema/schema.h"
#include "core/seldon/pods.h"
#include "core/seldon/predictor.h"
#include "rules/common/wording.h"
#include "rules/rule.h"
#include "rules/yaml/shape_rules.h"

namespace cnsched::rules::missing_field {

namespace {

using k8s::schema::Deviation;
using k8s::schema::Form;
using yaml::Node;

/// Whether only an object that exists can get what is written [P66]: a new one of its kind needs a
/// selector, and each pod an image.
bool is_for_existing(const k8s::Object& object) {
  if (object.group() != "apps" || object.spec().entries().empty() || object.spec()["selector"]) {
    return false;
  }
  const std::string_view options = object.annotations()["argocd.argoproj.io/sync-options"].text();
  return options.find("ServerSideApply=true") != std::string_view::npos ||
         std::ranges::none_of(object.spec()["template"]["spec"]["containers"].items(),
                              [](const Node* container) { return bool((*container)["image"]); });
}

std::string path_of(const Node& mapping, std::string_view field, const k8s::Object& object) {
  const std::string path = k8s::schema::path_to(mapping, object);
  return fmt::format("{}{}{}", path, path.empty() ? "" : ".", field);
}

/// The paths of fields that are written under a misspelled name or at another place: other rules
/// report that mistake.
std::set<std::string> written_elsewhere(const k8s::Object& object,
                                        const k8s::schema::Schemas& schemas,
                                        Deviations deviations) {
  std::set<std::string> paths;
  for (const Deviation& deviation : deviations) {
    if (deviation.kind != Deviation::Kind::unknown_field) continue;
    if (const auto name = unknown_field::misspelt_field(deviation);
        name && deviation.node->parent() != nullptr) {
      paths.insert(path_of(*deviation.node->parent(), *name, object));
    } else if (const auto place = k8s::schema::destination_of(object, schemas, deviation)) {
      paths.insert(place->path);
    }
  }
  for (const misplaced_field::Misplaced& misplaced :
       misplaced_field::misplaced_fields(object, schemas, deviations)) {
    const auto& [mapping, pointer] = misplaced.destination;
    if (mapping == nullptr) continue;
    if (!pointer.empty()) paths.insert(path_of(*mapping, misplaced.value->key()->text(), object));
    for (const yaml::Entry& entry : misplaced.value->entries()) {
      if (pointer.empty()) paths.insert(path_of(*mapping, entry.key->text(), object));
    }
  }
  return paths;
}

/// Whether one of the paths is the field or is below it.
bool is_among(const std::set<std::string>& paths, const std::string& path) {
  if (paths.contains(path)) return true;
  const auto within = paths.lower_bound(path + ".");
  return within != paths.end() && within->starts_with(path + ".");
}

std::string words_of(const k8s::schema::Field& field) {
  if (!field.allowed.empty()) {
    return join_words({field.allowed.begin(), field.allowed.end()}, "or");
  }
  switch (field.type->form) {
    case Form::list:
      return "a list";
    case Form::map:
    case Form::object:
      return "a mapping";
    case Form::integer:
    case Form::number:
      return "a number";
    case Form::quantity:
      return "a quantity";
    default:
      return "a string";
  }
}

/// The place of the caret: the mapping that lacks the field.
const Node& place_in(const Node& mapping) {
  if (mapping.key() != nullptr) return *mapping.key();
  return mapping.entries().empty() ? mapping : *mapping.entries().front().key;
}

/// Fields that Spark sets in the pods that it makes from a template [P62].
constexpr auto kSetBySpark = std::to_array<std::string_view>(
    {"metadata.name", "spec.containers", "spec.containers[].name", "spec.containers[].image"});

/// Whether the field is missing only until Spark or kustomize [P63] has made the object.
bool is_added_later(const k8s::Object& object, std::string_view path, const Findings& findings) {
  const Workspace& workspace = findings.scope().workspace();
  if (workspace.is_spark_template(object)) {
    return std::ranges::find(kSetBySpark, path) != kSetBySpark.end();
  }
  return object.group() == "apps" && path == "spec.selector" && workspace.gets_selectors(object);
}

/// Whether the chart leaves the value to those who install it: it is empty, or it is an image, with
/// the chart's own values.
bool is_left_to_values(const Node& mapping, std::string_view field, const Findings& findings) {
  const Node& written = mapping.under(field);
  return may_be_left_to_values(mapping, findings) &&
         (written.is_null() || (!written && field == "image"));
}

bool has_name(const k8s::Object& object) {
  const Node& metadata = object["metadata"];
  const auto has = [&](std::string_view key) {
    const Node& value = metadata.under(key);
    return value && !value.is_null() && !(value.is_scalar() && value.text().empty());
  };
  return has("name") || has("generateName");
}

void check_name(const k8s::Object& object, const std::set<std::string>& elsewhere,
                Findings& findings) {
  constexpr std::string_view kPath = "metadata.name";
  if (has_name(object) || elsewhere.contains(std::string(kPath))) return;
  if (is_added_later(object, kPath, findings)) return;
  const Node& metadata = object["metadata"];
  const bool is_empty = metadata["name"].is_scalar();
  const Node& place = is_empty ? metadata["name"] : metadata ? *metadata.key() : object["kind"];
  findings
      .add(place,
           "missing required field 'metadata.name' of this {}: the API server rejects the object",
           object.kind)
      .help("{}",
            is_empty ? "write the object's name after 'name:'" : "add 'name:' under 'metadata'");
}

/// The only container that the operator adds for a unit of the graph, after those of the manifest;
/// a missing node if there are none or several.
const Node& added_server(const Workload& workload) {
  const Node* added = &yaml::missing_node();
  const std::size_t written = workload.own["containers"].items().size();
  for (const Node* container : workload.pod["containers"].items().subspan(written)) {
    const std::string_view name = (*container)["name"].text();
    if (name == seldon::kOrchestrator || name == seldon::kTensorflowServing) continue;
    if (*added) return yaml::missing_node();
    added = container;
  }
  return *added;
}

void report_without_image(const Node& container, const Node& server, const k8s::Object& object,
                          Findings& findings) {
  const bool is_left = is_left_to_values(container, "image", findings);
  auto finding = findings.add(place_in(container),
                              "missing required field '{}': {}the operator does not set it for "
                              "this container, and the API server rejects the Deployment",
                              path_of(container, "image", object), is_left ? kWithoutValues : "");
  if (is_left) {
    leave_to_values(finding);
    return;
  }
  if (!server) {
    finding.help("add 'image:' with a string");
    return;
  }
  finding.note(server["name"], "the unit for which the operator adds a container")
      .help("name the container '{}' to configure that unit's, or add 'image:' with a string",
            server["name"].text());
}

/// Containers of a SeldonDeployment without an image. The CRD accepts them: the operator sets the
/// images of units with a prepackaged server [S62].
void check_images(const k8s::Object& object, Findings& findings) {
  if (!object.is("machinelearning.seldon.io", "SeldonDeployment")) return;
  for (const Workload* workload : findings.scope().workloads_of(object)) {
    if (&workload->own.node() != workload->written) continue;  // the manifest has no such pod
    std::set<std::string_view> unknown;
    for (const k8s::Unknown& each : workload->unknown) unknown.insert(each.what);
    const Node& server = added_server(*workload);
    for (const std::string_view list : {"initContainers", "containers"}) {
      const auto written = workload->own.node().under(list).items();
      for (std::size_t i = 0; i < written.size(); ++i) {
        const std::string_view name = (*written[i])["name"].text();
        // The pod has the manifest's containers first.
        if (name.empty() || !workload->pod.node().under(list).at(i)["image"].text().empty())
          continue;
        if (unknown.contains(seldon::unknown_image(name).what)) continue;
        if (findings.workspace().may_get_field(object, "image")) continue;
        report_without_image(*written[i], server, object, findings);
      }
    }
  }
}

}  // namespace

static void check(const k8s::Object& object, Deviations deviations, Findings& findings) {
  const Workspace& workspace = findings.workspace();
  if (findings.facts().schemas.type_of(object) == nullptr) return;
  if (workspace.is_generator_input(object) || is_for_existing(object)) return;
  check_images(object, findings);
  const auto is_missing = [](const Deviation& deviation) {
    return deviation.kind == Deviation::Kind::missing_field;
  };
  if (has_name(object) && std::ranges::none_of(deviations, is_missing)) return;
  const std::set<std::string> elsewhere =
      written_elsewhere(object, findings.facts().schemas, deviations);
  check_name(object, elsewhere, findings);
  for (const Deviation& deviation : deviations) {
    if (!is_missing(deviation)) continue;
    const Node& mapping = *deviation.node;
    const std::string_view name = deviation.field->name;
    const std::string path = path_of(mapping, name, object);
    if (is_among(elsewhere, path) || is_added_later(object, path, findings)) continue;
    if (workspace.may_get_field(object, name)) continue;
    const auto rejection = rejection_of(deviation, object, findings);
    if (!rejection) continue;
    const Node& written = mapping.under(name);
    const bool is_left = is_left_to_values(mapping, name, findings);
    auto finding =
        findings.add(written.is_null() ? *written.key() : place_in(mapping),
                     "{}required field '{}': {}{}", written.is_null() ? "no value in " : "missing ",
                     path, is_left ? kWithoutValues : "", rejection->text);
    finding.severity(rejection->severity);
    if (is_left) {
      leave_to_values(finding);
    } else if (rejection->severity == Severity::info) {
      finding.help("state 'cluster: {{kserveWebhooks: true}}' in .cnsched.yaml if they run");
    } else {
      finding.help("add '{}:' with {}", name, words_of(*deviation.field));
    }
  }
}

extern constinit const Rule rule = {
    .id = "missing-field",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .of = Domain::no_patches,
    .check = check,
};

}  // namespace cnsched::rules::missing_field

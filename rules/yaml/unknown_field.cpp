#include "rules/yaml/shape_rules.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/k8s/schema/destination.h"
#include "core/k8s/schema/schema.h"

namespace cnsched::rules::unknown_field {

namespace {

using k8s::schema::Deviation;
using yaml::Node;

/// A field of old releases, or a common mistake, and what to write instead.
struct Known {
  std::string_view holder;
  std::string_view field;
  std::string_view instead;
};

/// A field that people know by the name that another type gives it.
struct OtherName {
  std::string_view holder;
  std::string_view field;
  std::string_view name;  ///< of the field in that type
};

constexpr auto kOtherNames = std::to_array<OtherName>({
    {"SecretVolumeSource", "name", "secretName"},
    {"ConfigMapVolumeSource", "configMapName", "name"},
    {"PersistentVolumeClaimVolumeSource", "name", "claimName"},
});

constexpr std::string_view kExplainer = "replace it with 'containers' that run the explainer";

constexpr auto kKnown = std::to_array<Known>({
    {"ExplainerSpec", "alibi", kExplainer},
    {"ExplainerSpec", "aix", kExplainer},
    {"PredictorExtensionSpec", "modelClassName",
     "remove it: TorchServe reads the class from the model archive"},
    {"ServingRuntimeSpec", "supportedModelTypes", "rename it to 'supportedModelFormats'"},
    {"NodeSelectorTerm", "matchLabels",
     "write each label as an item of matchExpressions: {key: KEY, operator: In, values: [VALUE]}"},
    {"NodeSelectorTerm", "nodeSelectorTerms", "write matchExpressions directly under 'preference'"},
    {"NodeSelector", "matchExpressions", "move it to an item of nodeSelectorTerms"},
    {"NodeSelectorTerm", "weight",
     "remove it: a required term has none; or make the term the 'preference' of an item of "
     "preferredDuringSchedulingIgnoredDuringExecution"},
    {"PodAffinityTerm", "weight",
     "remove it: a required term has none; or make the term the 'podAffinityTerm' of an item of "
     "preferredDuringSchedulingIgnoredDuringExecution"},
    {"SeldonPersistentVolumeClaim", "metadata", "write the name beside 'spec'"},
});

const Known* find_known(const Deviation& unknown) {
  const auto* known = std::ranges::find_if(kKnown, [&](const Known& row) {
    return row.holder == unknown.type->name && row.field == unknown.node->key()->text();
  });
  return known == kKnown.end() ? nullptr : known;
}

/// The fields of the type that the mapping does not set; none if the mapping is too large to
/// compare.
std::vector<std::string_view> free_fields(const Deviation& unknown) {
  std::vector<std::string_view> names;
  const Node* mapping = unknown.node->parent();
  if (mapping != nullptr && k8s::schema::has_too_many_entries(*mapping)) return names;
  if (k8s::schema::has_too_many_fields(*unknown.type)) return names;
  for (const k8s::schema::Field& field : unknown.type->fields()) {
    if (mapping == nullptr || !mapping->under(field.name)) names.push_back(field.name);
  }
  return names;
}

/// The path of the field: "spec.predictor.model.storagUri".
std::string path_of(const Node& value, const k8s::Object& object) {
  const std::string path =
      value.parent() == nullptr ? "" : k8s::schema::path_to(*value.parent(), object);
  return fmt::format("{}{}{}", path, path.empty() ? "" : ".", value.key()->text());
}

/// The path of the mapping for kubectl explain: "inferenceservice.spec.explainer".
std::string explained_path(const Node& value, const k8s::Object& object) {
  std::string path = lower(object.kind);
  if (value.parent() == nullptr) return path;
  const std::string mapping_path = k8s::schema::path_to(*value.parent(), object);
  for (const std::string_view step : split(mapping_path, '.')) {
    if (!step.empty()) path += fmt::format(".{}", step.substr(0, step.find('[')));
  }
  return path;
}

void suggest_rename(const Node& value, std::string_view name, Findings::Finding& finding) {
  finding.help("did you mean '{}'?", name)
      .fix(Safety::unsafe, fmt::format("rename it to '{}'", name), {yaml::to_rename(value, name)});
}

void suggest_move(const Node& value, const k8s::schema::Destination& place,
                  Findings::Finding& finding) {
  finding.help("move it to {}", place.path);
  if (!place.is_in_own_part) return;
  if (!yaml::has_room_for(value, *place.mapping, place.pointer)) return;
  finding.fix(Safety::unsafe, fmt::format("move it to {}", place.path),
              {yaml::to_move(value, *place.mapping, place.pointer)});
}

/// Whether pods or containers have the field. An empty value has no effect there; in other fields
/// it may enable something.
bool is_pod_field(std::string_view name) {
  return k8s::schema::type_named("PodSpec")->find(name) != nullptr ||
         k8s::schema::type_named("Container")->find(name) != nullptr;
}

/// A name that is spelled similarly, or that the word begins with: http for httpRoute.
std::optional<std::string_view> similar_name(std::string_view word,
                                             const std::vector<std::string_view>& names) {
  constexpr std::size_t kMinLength = 4;
  if (const auto near = nearest(word, names)) return near;
  const auto begins = [&](std::string_view name) {
    return name.size() >= kMinLength && word.starts_with(name);
  };
  const auto found = std::ranges::find_if(names, begins);
  return found == names.end() ? std::nullopt : std::optional(*found);
}

/// The field of names that is certainly meant, though it is spelled otherwise.
std::optional<std::string_view> misspelt_name(std::string_view word,
                                              const std::vector<std::string_view>& names) {
  for (const std::string_view name : names) {
    if (equals_ignoring_case(name, word)) return name;
    // nodeGroup, container
    const auto [shorter, longer] =
        std::minmax(name, word, [](auto a, auto b) { return a.size() < b.size(); });
    if (longer.size() == shorter.size() + 1 && longer.ends_with('s') &&
        longer.starts_with(shorter)) {
      return name;
    }
  }
  return certain_correction(word, names);
}

/// The field of the pod spec around it that an unknown one misspells: "spec.tolerations".
std::optional<std::string> misspelt_pod_field(const k8s::Object& object, const Deviation& unknown,
                                              const k8s::schema::Schemas& schemas) {
  const k8s::schema::Type* type = schemas.type_of(object);
  const Node* mapping = unknown.node->parent();
  if (type == nullptr || mapping == nullptr) return std::nullopt;
  const auto path = k8s::schema::typed_path(*mapping, object, *type);
  const auto pod = std::ranges::find_if(path.rbegin(), path.rend(), [](const auto& step) {
    return k8s::schema::is_pod_spec(*step.type);
  });
  if (pod == path.rend()) return std::nullopt;
  std::vector<std::string_view> names;
  for (const k8s::schema::Field& field : pod->type->fields()) {
    if (k8s::schema::has_kind_of(*unknown.node, field.type->form)) names.push_back(field.name);
  }
  const auto name = misspelt_name(unknown.node->key()->text(), names);
  if (!name) return std::nullopt;
  return fmt::format("{}.{}", k8s::schema::path_to(*pod->node, object), *name);
}

void advise(const k8s::Object& object, const Deviation& unknown,
            const k8s::schema::Schemas& schemas, Findings::Finding& finding) {
  const Node& value = *unknown.node;
  if (const auto name = misspelt_field(unknown)) {
    suggest_rename(value, *name, finding);
  } else if (const Known* known = find_known(unknown)) {
    finding.help("{}", known->instead);
  } else if (value.is_empty() && is_pod_field(value.key()->text())) {
    finding.help("remove it: the empty value has no effect")
        .fix(Safety::unsafe, "remove it", {yaml::to_erase(value)});
  } else if (const auto place = destination_of(object, schemas, unknown)) {
    suggest_move(value, *place, finding);
  } else if (const auto path = misspelt_pod_field(object, unknown, schemas)) {
    finding.help("move it to {}", *path);
  } else if (const auto near = similar_name(value.key()->text(), free_fields(unknown))) {
    finding.help("did you mean '{}'?", *near);
  } else {
    finding.help("'kubectl explain {}' lists the fields", explained_path(value, object));
  }
}

/// "exists from KServe 0.14 on; the cluster has 0.13 (.cnsched.yaml:3)".
std::string where_it_exists(const k8s::Object& object, const Deviation& unknown,
                            const k8s::schema::AbsentField& absent, const Findings& findings) {
  const k8s::schema::Schemas& schemas = findings.facts().schemas;
  if (schemas.defined_types(object.api_version, object.kind) != nullptr) {
    return fmt::format(
        "is not in the API of the cluster ({})",
        describe_line(schemas.definition_of(object)->place->span, findings.workspace().sources));
  }
  return absent.releases.words(unknown.type->project) +
         cluster_release(unknown.type->project, findings);
}

/// What to do about a field of other releases.
void advise_upgrade(const Deviation& unknown, const k8s::schema::AbsentField& absent,
                    const Findings& findings, Findings::Finding& finding) {
  const Project project = unknown.type->project;
  const auto& release = findings.facts().releases().of(project);
  if (const Known* known = find_known(unknown)) {
    finding.help("{}", known->instead);
  } else if (const auto next = absent.releases.next(release)) {
    finding.help("remove it, or upgrade to {}", k8s::schema::describe(project, *next));
  } else {
    finding.help("remove it");
  }
}

}  // namespace

std::optional<std::string_view> misspelt_field(const Deviation& unknown) {
  if (unknown.kind != Deviation::Kind::unknown_field) return std::nullopt;
  const std::vector<std::string_view> names = free_fields(unknown);
  const std::string_view word = unknown.node->key()->text();
  for (const OtherName& other : kOtherNames) {
    const bool is_it = other.holder == unknown.type->name && other.field == word;
    if (is_it && std::ranges::find(names, other.name) != names.end()) return other.name;
  }
  return misspelt_name(word, names);
}

static void check(const k8s::Object& object, Deviations deviations, Findings& findings) {
  const auto is_unknown = [](const Deviation& deviation) {
    return deviation.kind == Deviation::Kind::unknown_field;
  };
  if (std::ranges::none_of(deviations, is_unknown)) return;
  std::unordered_set<const Node*> misplaced;
  const k8s::schema::Schemas& schemas = findings.facts().schemas;
  for (const misplaced_field::Misplaced& field :
       misplaced_field::misplaced_fields(object, schemas, deviations)) {
    misplaced.insert(field.value);
  }
  for (const Deviation& unknown : deviations) {
    const Node& value = *unknown.node;
    if (!is_unknown(unknown) || misplaced.contains(&value)) continue;
    // A patch with null removes the field.
    if (value.is_null() && findings.scope().is_patch(object)) continue;
    const std::string_view name = value.key()->text();
    if (const auto* absent = unknown.type->find_absent(name)) {
      auto finding = findings.add_at_key(value, "'{}' {}: the API server drops it", name,
                                         where_it_exists(object, unknown, *absent, findings));
      advise_upgrade(unknown, *absent, findings, finding);
      misplaced_field::note_losses(value, finding);
      continue;
    }
    auto finding = findings.add_at_key(value,
                                       "unknown field '{}': kubectl rejects the object; other "
                                       "clients silently drop the field",
                                       path_of(value, object));
    advise(object, unknown, schemas, finding);
    misplaced_field::note_losses(value, finding);
  }
}

extern constinit const Rule rule = {
    .id = "unknown-field",
    .severity = Severity::error,
    .decided_by_subject = true,
    .fix = Safety::unsafe,
    .check = check,
};

}  // namespace cnsched::rules::unknown_field

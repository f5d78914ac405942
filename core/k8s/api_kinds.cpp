#include "core/k8s/api_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/suggest.h"
#include "core/k8s/label.h"
#include "core/k8s/schema/open_api.h"
#include "core/k8s/scope.h"

namespace cnsched::k8s {

namespace {

constexpr std::string_view kKServe = "serving.kserve.io";
constexpr std::string_view kKFServing = "serving.kubeflow.org";

/// Sources: the CRDs of the releases that `newest_release` names, and of ModelMesh (Predictor).
constexpr auto kApiKinds = std::to_array<ApiKind>({
    {"serving.kserve.io/v1beta1", "InferenceService"},
    {"serving.kserve.io/v1alpha1", "ServingRuntime"},
    {"serving.kserve.io/v1alpha1", "ClusterServingRuntime"},
    {"serving.kserve.io/v1alpha1", "InferenceGraph"},
    {"serving.kserve.io/v1alpha1", "TrainedModel"},
    {"serving.kserve.io/v1alpha1", "ClusterStorageContainer"},
    {"serving.kserve.io/v1alpha2", "LLMInferenceService"},
    {"serving.kserve.io/v1alpha1", "LLMInferenceService"},
    {"serving.kserve.io/v1alpha2", "LLMInferenceServiceConfig"},
    {"serving.kserve.io/v1alpha1", "LLMInferenceServiceConfig"},
    {"serving.kserve.io/v1alpha1", "LocalModelCache"},
    {"serving.kserve.io/v1alpha1", "LocalModelNamespaceCache"},
    {"serving.kserve.io/v1alpha1", "LocalModelNode"},
    {"serving.kserve.io/v1alpha1", "LocalModelNodeGroup"},
    {"serving.kserve.io/v1alpha1", "Predictor"},
    {"mlops.seldon.io/v1alpha1", "Model"},
    {"mlops.seldon.io/v1alpha1", "Server"},
    {"mlops.seldon.io/v1alpha1", "ServerConfig"},
    {"mlops.seldon.io/v1alpha1", "Pipeline"},
    {"mlops.seldon.io/v1alpha1", "Experiment"},
    {"mlops.seldon.io/v1alpha1", "SeldonConfig"},
    {"mlops.seldon.io/v1alpha1", "SeldonRuntime"},
    {"machinelearning.seldon.io/v1", "SeldonDeployment"},
    {"machinelearning.seldon.io/v1alpha3", "SeldonDeployment"},
    {"machinelearning.seldon.io/v1alpha2", "SeldonDeployment"},
    {"operator.knative.dev/v1beta1", "KnativeServing"},
    {"operator.knative.dev/v1alpha1", "KnativeServing"},
    {"operator.knative.dev/v1beta1", "KnativeEventing"},
    {"operator.knative.dev/v1alpha1", "KnativeEventing"},
    {"serving.kubeflow.org/v1beta1", "InferenceService"},
    {"serving.kubeflow.org/v1alpha2", "InferenceService"},
    {"serving.kubeflow.org/v1alpha2", "KFService"},
    {"serving.kubeflow.org/v1alpha1", "KFService"},
    {"serving.kubeflow.org/v1alpha1", "TrainedModel"},
});

struct Release {
  std::string_view group;
  std::string_view name;
};
constexpr auto kReleases = std::to_array<Release>({
    {kKServe, "KServe 0.20"},
    {kKFServing, "KFServing 0.6"},
    {"mlops.seldon.io", "Seldon Core 2.10"},
    {"machinelearning.seldon.io", "Seldon Core 1.19"},
    {"operator.knative.dev", "Knative's operator 1.23"},
});

/// The kind of the items of a list.
std::string_view without_list(std::string_view kind) {
  if (kind.ends_with("List")) kind.remove_suffix(std::string_view("List").size());
  return kind;
}

/// "kserve.io" of "serving.kserve.io".
std::string_view domain_of(std::string_view group) {
  const std::size_t dot = group.find('.');
  return dot == std::string_view::npos ? std::string_view() : group.substr(dot + 1);
}

/// Whether `group` is no group of its own, but a misspelling of `known`: one or two edits, another
/// top-level domain, a missing first label, or another name in a domain that is the project's.
bool misspells_group(std::string_view group, std::string_view known) {
  constexpr Nearness kNearness{.max_edits = 2, .same_digits = true};
  const std::string_view domain = domain_of(known);
  const std::string_view stem = known.substr(0, known.rfind('.'));
  const bool is_of_project = (domain == "kserve.io" && group.ends_with(".kserve.io")) ||
                             (domain == "seldon.io" && group.ends_with(".seldon.io"));
  return group == domain || group.substr(0, group.rfind('.')) == stem || group == stem ||
         edits_if_near(group, known, kNearness).has_value() || is_of_project;
}

/// The most edits that a misspelling of a kind has: short names are near each other.
std::size_t max_edits(std::string_view kind) {
  constexpr std::size_t kShort = 8;
  constexpr std::size_t kLong = 16;
  return kind.size() < kShort ? 1 : kind.size() < kLong ? 2 : 3;
}

/// KServe's kind for one of KFServing, where there is one.
const ApiKind& current(const ApiKind& row) {
  if (row.group() != kKFServing) return row;
  return *std::ranges::find(kApiKinds, row.kind, &ApiKind::kind);
}

using enum SchedulingKind;

constexpr std::array<SchedulingKindRow, kSchedulingKinds> kRows{{
    {namespace_, "", "Namespace", "namespaces"},
    {priority_class, "scheduling.k8s.io", "PriorityClass", "priorityclasses"},
    {limit_range, "", "LimitRange", "limitranges"},
    {resource_quota, "", "ResourceQuota", "resourcequotas"},
    {disruption_budget, "policy", "PodDisruptionBudget", "poddisruptionbudgets"},
    {volume, "", "PersistentVolume", "persistentvolumes"},
    {volume_claim, "", "PersistentVolumeClaim", "persistentvolumeclaims"},
    {storage_class, "storage.k8s.io", "StorageClass", "storageclasses"},
    {storage_capacity, "storage.k8s.io", "CSIStorageCapacity", "csistoragecapacities"},
    {volume_attachment, "storage.k8s.io", "VolumeAttachment", "volumeattachments"},
    {csi_driver, "storage.k8s.io", "CSIDriver", "csidrivers"},
    {csi_node, "storage.k8s.io", "CSINode", "csinodes"},
    {device_class, "resource.k8s.io", "DeviceClass", "deviceclasses"},
    {device_claim, "resource.k8s.io", "ResourceClaim", "resourceclaims"},
    {device_claim_template, "resource.k8s.io", "ResourceClaimTemplate", "resourceclaimtemplates"},
    {resource_slice, "resource.k8s.io", "ResourceSlice", "resourceslices"},
    {pod_group, "scheduling.k8s.io", "PodGroup", "podgroups"},
}};

constexpr bool are_in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows[i].kind) != i) return false;
  }
  return true;
}
static_assert(are_in_order());

const SchedulingKindRow* find_row(std::string_view group, std::string_view kind) {
  const auto* row = std::ranges::find_if(kRows, [&](const SchedulingKindRow& each) {
    return each.name == kind && each.group == group;
  });
  return row == kRows.end() ? nullptr : row;
}

}  // namespace

std::span<const ApiKind> api_kinds() { return kApiKinds; }

bool is_api_group(std::string_view group) {
  return std::ranges::find(kReleases, group, &Release::group) != kReleases.end();
}

std::string_view newest_release(std::string_view group) {
  const auto* release = std::ranges::find(kReleases, group, &Release::group);
  return release == kReleases.end() ? std::string_view() : release->name;
}

const ApiKind* find_api_kind(std::string_view api_version, std::string_view kind) {
  const auto* row = std::ranges::find_if(kApiKinds, [&](const ApiKind& known) {
    return known.api_version == api_version &&
           (known.kind == kind || known.kind == without_list(kind));
  });
  return row == kApiKinds.end() ? nullptr : row;
}

const ApiKind* near_api_kind(std::string_view group, std::string_view kind) {
  const ApiKind* best = nullptr;
  std::pair<bool, std::size_t> least;  // whether it is of another group, edits
  for (const ApiKind& row : kApiKinds) {
    const bool is_elsewhere = row.group() != group;
    if (is_elsewhere && row.group() == kKFServing) continue;
    const auto edits = edits_if_near(
        kind, row.kind, {.max_edits = max_edits(row.kind), .min_length = 4, .same_digits = true});
    const std::pair rank(is_elsewhere, edits.value_or(SIZE_MAX));
    if (!edits || (best != nullptr && rank >= least)) continue;
    best = &row;
    least = rank;
  }
  return best;
}

const ApiKind* kind_in_misspelt_group(std::string_view api_version, std::string_view kind) {
  if (api_version.empty() || is_placeholder(api_version)) return nullptr;
  const std::string_view group = api_version.substr(0, api_version.find('/'));
  if (is_api_group(group) && group != api_version) return nullptr;
  const bool names_no_domain = group.find('.') == std::string_view::npos;
  const ApiKind* found = nullptr;
  for (const ApiKind& row : kApiKinds) {
    if (row.kind != kind) continue;
    // Kubernetes owns the groups without a domain, and has none of these kinds.
    const bool is_meant = names_no_domain
                              ? is_serving_kind(kind)
                              : group == row.group() || misspells_group(group, row.group());
    if (!is_meant) continue;
    const bool has_version =
        api_version.substr(group.size()) == row.api_version.substr(row.group().size());
    if (found == nullptr || has_version) found = &current(row);
    if (has_version) break;
  }
  return found;
}

std::vector<schema::Definition> definitions_in(const Object& object) {
  if (!object.is("apiextensions.k8s.io", "CustomResourceDefinition")) return {};
  const yaml::Node& spec = object.spec();
  const std::string_view group = spec["group"].text();
  const std::string_view kind = spec["names"]["kind"].text();
  const bool is_known = std::ranges::find(kApiKinds, kind, &ApiKind::kind) != kApiKinds.end();
  if (!is_known && !is_api_group(group)) return {};
  std::vector<schema::Definition> definitions;
  const bool keeps_unknown = spec["preserveUnknownFields"].text() == "true";
  const auto add = [&](const yaml::Node& name, bool served, const yaml::Node& schema,
                       bool has_status) {
    if (name.text().empty()) return;
    schema::Definition definition{.api_version = fmt::format("{}/{}", group, name.text()),
                                  .kind = std::string(kind),
                                  .served = served,
                                  .place = &name};
    if (!keeps_unknown && schema::states_fields(schema)) {
      definition.types = std::make_shared<schema::DefinedTypes>(
          schema, schema::Schemas().type_of(definition.api_version, definition.kind), has_status);
    }
    definitions.push_back(std::move(definition));
  };
  // In v1beta1, what applies to all versions may be outside of them.
  const yaml::Node& common = spec["validation"]["openAPIV3Schema"];
  const bool has_common_status = static_cast<bool>(spec["subresources"]["status"]);
  if (spec["versions"].items().empty()) add(spec["version"], true, common, has_common_status);
  for (const yaml::Node* version : spec["versions"].items()) {
    const yaml::Node& own = (*version)["schema"]["openAPIV3Schema"];
    add((*version)["name"], (*version)["served"].text() != "false", own ? own : common,
        has_common_status || (*version)["subresources"]["status"]);
  }
  return definitions;
}

std::vector<schema::Definition> definitions_in_open_api(const yaml::Node& root) {
  std::vector<schema::Definition> definitions;
  if (!root["swagger"]) return definitions;
  const yaml::Node& all = root["definitions"];
  for (const yaml::Entry& entry : all.entries()) {
    for (const yaml::Node* item : (*entry.value)["x-kubernetes-group-version-kind"].items()) {
      const std::string_view group = (*item)["group"].text();
      const std::string_view kind = (*item)["kind"].text();
      std::string api_version(group);
      if (!group.empty()) api_version += "/";
      api_version += (*item)["version"].text();
      const bool is_native = schema::project_of(group) == schema::Project::kubernetes;
      const schema::Type* like = is_native ? schema::Schemas().type_of(api_version, kind) : nullptr;
      if (like == nullptr) continue;
      definitions.push_back(
          {.api_version = std::move(api_version),
           .kind = std::string(kind),
           .place = entry.key,
           .types = std::make_shared<schema::DefinedTypes>(*entry.value, all, *like)});
    }
  }
  return definitions;
}

std::string SchedulingKindRow::full_name() const {
  return group.empty() ? std::string(plural) : fmt::format("{}.{}", plural, group);
}

const SchedulingKindRow& row_of(SchedulingKind kind) {
  return kRows[static_cast<std::size_t>(kind)];
}

std::optional<SchedulingKind> scheduling_kind_of(const Object& object) {
  const SchedulingKindRow* row = find_row(object.group(), object.kind);
  return row == nullptr ? std::nullopt : std::optional(row->kind);
}

}  // namespace cnsched::k8s

// Checks that every field name that the code looks up by a literal, node["..."], exists: a misspelt
// one would compile, and be a missing node for ever.
#include "core/base/text.h"
#include "testdata/support.h"

namespace cnsched::field_names_test {

using Names = std::set<std::string, std::less<>>;

/// Names that no schema has.
constexpr std::string_view kOthers =
    // OpenAPI documents and CustomResourceDefinitions
    "openAPIV3Schema "
    "$ref additionalProperties allOf anyOf definitions enum exclusiveMaximum exclusiveMinimum "
    "format maxItems maxLength maxProperties maximum messageExpression minItems minLength "
    "minProperties minimum multipleOf not nullable oneOf optionalOldSelf pattern "
    "preserveUnknownFields properties rule schema served subresources swagger uniqueItems "
    "validation versions x-kubernetes-embedded-resource x-kubernetes-group-version-kind "
    "x-kubernetes-int-or-string x-kubernetes-list-map-keys x-kubernetes-list-type "
    "x-kubernetes-preserve-unknown-fields x-kubernetes-validations "
    // Open Data Hub, KServe and Knative
    "deploy deploymentMode localQueueName multinode/executor-backend podFixed "
    "_example component config-features enable-scale-to-zero gitVersion identifier "
    "identifiers kueue maxCount node plugins priorityClass scheduling serverVersion "
    // templates
    "accelerator defaultFor description example notBelow onlyFor platform requiredFor use "
    "vendors "
    // .cnsched.yaml and policies
    "templateDirs "
    "accelerators apiVersions bad charts cluster clusters defaultDeploymentMode devicePlugin "
    "engines exclude extendedResourceToleration extends forbid generate good helm help id "
    "kinds knative knativeFeatures kserveWebhooks kubernetes kustomize match maxNodes "
    "nodePools objects onUnknown openDataHub policyFiles prices releaseName render require "
    "mayFail runtimesComplete severity summary valuesFiles variants when why "
    // objects of Kubernetes, Kueue, Karpenter and others that are only facts
    "allocation expression gang nodeRegistration persistentVolumeName reservedFor results used "
    "adminAccess allNodes allocationMode allowMultipleAllocations allowedTopologies attacher "
    "attributes basic bindingConditions bindingFailureConditions bindsToNode bool cel "
    "clusterQueue cohort cohortName componentSpec constraints consumedCapacity "
    "consumesCounters counterSet counters coveredResources custom daemonsets defaultRequest "
    "device deviceClassName devices disruptedPods disruptionsAllowed distinctAttribute "
    "drivers exactly extendedResourceName firstAvailable flavors globalDefault hard "
    "desiredCapacity instanceType instanceTypes int joinConfiguration kubeletExtraArgs levels "
    "machineType "
    "matchAttribute matchLabelExpressions max maxLimitRequestRatio maximumVolumeSize min "
    "minCount minSize minValues nodeClassRef nodeLabel nodeLabels nodeTaints nodeTopology "
    "nominalQuota perDeviceNodeSelection propagateASGTags providerSpec provisioner requestPolicy "
    "resourceGroups resourceSliceCount schedulingPolicy scopeName scopeSelector scopes "
    "selectors shareID sharedCounters step stopPolicy storageCapacity string tags topologyKeys "
    "topologyName validRange validValues vmSize volumeBindingMode "
    // kustomization.yaml, Chart.yaml, Argo CD and Flux
    "chart chartHome chartName chartRepoUrl chartVersion commonLabels count "
    "argocd.argoproj.io/sync-options manifests namePrefix nameSuffix patch vars "
    "dependencies files helmChartInflationGenerator helmCharts helmGlobals "
    "includeSelectors openapi repo repoURL "
    // annotations, labels and resources
    "seldon.io/engine-separate-pod seldon.io/no-engine seldon.io/no-storage-initializer "
    "seldon.io/svc-name "
    "app.kubernetes.io/name app.kubernetes.io/version "
    "capacity.cluster-autoscaler.kubernetes.io/labels "
    "capacity.cluster-autoscaler.kubernetes.io/taints knative.dev/example-checksum "
    "kubernetes.io/config.mirror kubernetes.io/config.source kueue.x-k8s.io/queue-name "
    "leaderworkerset.sigs.k8s.io/exclusive-topology machine.openshift.io/GPU "
    "machine.openshift.io/memoryMb machine.openshift.io/vCPU nvidia.com/gpu "
    "opendatahub.io/dashboard opendatahub.io/hardware-profile-namespace "
    "serving.knative.openshift.io/enablePassthrough serving.kserve.io/exp-dra-container-name "
    "serving.kserve.io/exp-dra-device-class serving.kserve.io/gke-accelerator "
    "serving.kserve.io/server-type serving.kserve.io/stop "
    "storage.alpha.kubernetes.io/migrated-plugins storage.kserve.io/readonly "
    // JSON that cnsched writes
    "evictedFor preemption rendered tool "
    // baselines
    "findings schemaVersion ";

/// The texts of all files below the folders, with one of the endings.
std::vector<std::string> texts_in(const std::vector<std::string_view>& folders,
                                  const std::vector<std::string_view>& endings) {
  std::vector<std::string> texts;
  for (const std::string_view folder : folders) {
    for (const std::string& path : files_below(project_file(folder), endings)) {
      if (!path.ends_with("_test.cpp")) texts.push_back(read_all(path));
    }
  }
  return texts;
}

bool is_of_name(char c) { return is_alphanumeric(c) || std::string_view("_-.$").find(c) < 4; }

/// The name before the end of the text, without the '*' of a required field.
std::string_view name_before_end(std::string_view text) {
  if (text.ends_with('*')) text.remove_suffix(1);
  std::size_t begin = text.size();
  while (begin > 0 && is_of_name(text[begin - 1])) --begin;
  return text.substr(begin);
}

/// The fields in the tables: the first word of each row, and the names in '{name: T}'.
Names fields_of_schemas() {
  Names names;
  for (const std::string& table : texts_in({"core/k8s/schema"}, {".table"})) {
    for (const std::string_view line : split(table, '\n')) {
      if (!line.starts_with("  ")) continue;
      names.emplace(name_before_end(line.substr(0, line.find(' ', 2))));
      for (std::size_t at = line.find(':'); at < line.size(); at = line.find(':', at + 1)) {
        names.emplace(name_before_end(line.substr(0, at)));
      }
    }
  }
  return names;
}

/// The names in `value["name"]`, unless the expression only writes an entry of JSON.
Names looked_up() {
  constexpr std::string_view kBegin = "[\"";
  constexpr std::string_view kEnd = "\"]";
  Names names;
  for (const std::string& file : texts_in({"core", "rules", "templates", "cli"}, {".cpp", ".h"})) {
    const std::string_view text = file;
    for (std::size_t at = text.find(kBegin, 1); at < text.size(); at = text.find(kBegin, at + 1)) {
      const char before = text[at - 1];
      if (!is_alphanumeric(before) && before != '_' && before != ')' && before != ']') continue;
      const std::string_view rest = text.substr(at + kBegin.size());
      const std::string_view name = rest.substr(0, rest.find('"'));
      const std::string_view after = trim(rest.substr(name.size()));
      const std::string_view use = trim(after.substr(std::min(kEnd.size(), after.size())));
      const bool writes =
          (use.starts_with("=") && !use.starts_with("==")) || use.starts_with(".push_back");
      if (!after.starts_with(kEnd) || writes || name.empty()) continue;
      // A text is a key of a map of C++.
      if (!has(name, ' ')) names.emplace(name);
    }
  }
  return names;
}

std::string without(const Names& names, const Names& others) {
  std::string rest;
  for (const std::string& name : names) {
    if (!others.contains(name)) rest += (rest.empty() ? "" : ", ") + name;
  }
  return rest;
}

TEST_CASE("every field name that the code looks up is in a schema or in a short list") {
  const Names looked = looked_up();
  const Names fields = fields_of_schemas();
  CHECK(looked.size() > 400);
  CHECK(fields.contains("tolerations"));
  Names others;
  for (const std::string_view name : split(kOthers, ' ')) {
    if (name.empty()) continue;
    CHECK_MESSAGE(others.emplace(name).second, name);
    CHECK_MESSAGE(!fields.contains(name), fmt::format("'{}' is in a schema", name));
  }
  Names known = fields;
  known.insert(others.begin(), others.end());
  CHECK(without(looked, known) == "");
  // What nothing looks up any more.
  CHECK(without(others, looked) == "");
}

}  // namespace cnsched::field_names_test

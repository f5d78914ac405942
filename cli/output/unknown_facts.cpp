#include "cli/output/unknown_facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace cnsched::cli {

namespace {

using Fact = k8s::Unknown::Fact;

/// What pods depend on, as far as it is the same for many of them.
std::string unknown_name(const k8s::Unknown& unknown) {
  switch (unknown.fact) {
    case Fact::deployment_mode:
      return "the deployment mode";
    case Fact::knative_features:
      return "Knative's feature flags";
    case Fact::runtimes:
      return "the runtime that KServe chooses";
    case Fact::llm_configs:
      return "LLMInferenceServiceConfigs";
    case Fact::seldon_config:
      return "images of Seldon Core 1";
    case Fact::admission_plugin:
      return "the admission plugin ExtendedResourceToleration";
    case Fact::object:
    case Fact::patched_object:
    case Fact::runtime_class:
    case Fact::hardware_profile:
      break;
  }
  return printable(unknown.what);
}

std::string_view advice_on(Fact fact) {
  switch (fact) {
    case Fact::deployment_mode:
      return "set cluster.defaultDeploymentMode in .cnsched.yaml, or pass ConfigMap "
             "'inferenceservice-config' with --cluster";
    case Fact::knative_features:
      return "set cluster.knativeFeatures in .cnsched.yaml, or pass ConfigMap 'config-features' "
             "with --cluster";
    case Fact::runtimes:
      return "pass the cluster's ServingRuntimes and ClusterServingRuntimes with --cluster";
    case Fact::llm_configs:
      return "pass the cluster's LLMInferenceServiceConfigs with --cluster";
    case Fact::seldon_config:
      return "pass ConfigMap 'seldon-config' with --cluster";
    case Fact::admission_plugin:
      return "set cluster.extendedResourceToleration in .cnsched.yaml";
    case Fact::runtime_class:
      return "pass the RuntimeClass with --cluster";
    case Fact::patched_object:
      return "check what kustomize builds, with 'kustomize build DIR | cnsched …'";
    case Fact::object:
    case Fact::hardware_profile:
      break;
  }
  return "pass it with --cluster";
}

}  // namespace

void UnknownFacts::count(std::vector<std::size_t>& counted, std::string fact, std::string advice) {
  auto found = std::ranges::find(counts_, fact, &Count::fact);
  if (found == counts_.end()) {
    counts_.push_back({std::move(fact), std::move(advice)});
    found = std::prev(counts_.end());
  }
  const auto index = static_cast<std::size_t>(found - counts_.begin());
  if (std::ranges::find(counted, index) != counted.end()) return;
  counted.push_back(index);
  ++found->pods;
}

void UnknownFacts::add(const Workload& workload) {
  std::vector<std::size_t> counted;
  for (const k8s::Unknown& unknown : workload.unknown) {
    count(counted, unknown_name(unknown), std::string(advice_on(unknown.fact)));
  }
}

void UnknownFacts::add_unevaluated(const std::vector<std::string>& requirements) {
  std::vector<std::size_t> counted;
  for (const std::string& requirement : requirements) {
    const bool is_class = requirement.starts_with("RuntimeClass");
    const bool is_volume = requirement.find("volume") != std::string::npos;
    count(
        counted,
        is_class    ? requirement.substr(0, requirement.find(" is "))
        : is_volume ? "volumes"
                    : requirement,
        is_class ? std::string(advice_on(Fact::runtime_class)) : "simulate does not evaluate this");
  }
}

std::vector<std::string> UnknownFacts::lines() const {
  constexpr std::size_t kMaxLines = 20;
  std::vector<Count> sorted = counts_;
  std::ranges::stable_sort(sorted, [](const Count& a, const Count& b) {
    return a.pods != b.pods ? a.pods > b.pods : a.fact < b.fact;
  });
  std::vector<std::string> lines;
  for (const Count& count : sorted) {
    if (lines.size() == kMaxLines) {
      lines.push_back(fmt::format("and {} more facts", sorted.size() - kMaxLines));
      break;
    }
    lines.push_back(fmt::format("{} {} on {}: {}", count_of(count.pods, "pod"),
                                count.pods == 1 ? "depends" : "depend", count.fact, count.advice));
  }
  return lines;
}

}  // namespace cnsched::cli

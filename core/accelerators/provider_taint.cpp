#include "core/accelerators/provider_taint.h"

#include <algorithm>

#include "core/accelerators/node_trait.h"
#include "core/k8s/exclusion.h"

namespace cnsched::accelerators {

namespace {

bool is_of_gke(const k8s::Requirement& r) {
  const auto clouds = told_by(r, Trait::cloud);
  return clouds.size() == 1 && clouds.front() == "GKE";
}

bool runs_on_gke_only(const k8s::PodSpec& pod) {
  const auto selector = pod.node_selector();
  if (std::ranges::any_of(selector, is_of_gke, k8s::requirement_of)) return true;
  const auto terms = pod.required_terms();
  return !terms.empty() && std::ranges::all_of(terms, [](const k8s::NodeSelectorTerm& term) {
    return std::ranges::any_of(term.expressions, is_of_gke);
  });
}

}  // namespace

bool is_set_by_provider(std::string_view key, std::string_view value, const k8s::PodSpec& pod) {
  return (key == "nvidia.com/gpu" || key == "google.com/tpu") && value == "present" &&
         runs_on_gke_only(pod);
}

}  // namespace cnsched::accelerators

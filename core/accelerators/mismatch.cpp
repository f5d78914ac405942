#include "core/accelerators/mismatch.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/k8s/exclusion.h"

namespace cnsched::accelerators {

namespace {

using k8s::Requirement;

/// Longer selectors are nobody's, and each label is held against each.
constexpr std::size_t kMostLabels = 64;

class Search {
 public:
  Search(const k8s::PodSpec& pod, const Evidence& evidence)
      : devices_(devices_asked_by(pod)), evidence_(evidence) {}

  /// What is wrong with the labels from `first_new` on, beside those in front.
  std::vector<Mismatch> among(std::span<const Requirement> all, std::size_t first_new) const {
    std::vector<Mismatch> found;
    if (auto mismatch = of_labels(all, first_new)) found.push_back(*std::move(mismatch));
    if (auto mismatch = with_devices(all, first_new)) found.push_back(*std::move(mismatch));
    return found;
  }

 private:
  std::optional<Mismatch> of_labels(std::span<const Requirement> all, std::size_t first_new) const {
    for (std::size_t i = first_new; i < all.size(); ++i) {
      if (auto misfit = misfit_of(all[i]); misfit && !evidence_.of(all[i], all[i])) {
        return Mismatch{*std::move(misfit), all[i]};
      }
      for (std::size_t j = 0; j < i; ++j) {
        if (auto misfit = misfit_between(all[i], all[j]); misfit && !evidence_.of(all[i], all[j])) {
          return Mismatch{*std::move(misfit), all[i], all[j]};
        }
      }
    }
    return std::nullopt;
  }

  std::optional<Mismatch> with_devices(std::span<const Requirement> all,
                                       std::size_t first_new) const {
    const bool own_stack = std::ranges::any_of(all, tells_own_stack_on_gke);
    const bool whole_cards = std::ranges::any_of(all, excludes_sharing);
    for (const AskedDevice& device : devices_) {
      for (const Requirement& label : all.subspan(first_new)) {
        auto misfit = misfit_with(label, device.name, device.amount);
        if (!misfit && !own_stack) misfit = misfit_on_gke(label, device.name);
        if (!misfit || evidence_.of(label, device)) continue;
        if (whole_cards) misfit->unless_shared = false;
        return Mismatch{*std::move(misfit), label, std::nullopt, device};
      }
    }
    return std::nullopt;
  }

  std::vector<AskedDevice> devices_;
  const Evidence& evidence_;
};

void add(const Requirement& label, std::vector<Requirement>& all) {
  if (all.size() < kMostLabels && tells_devices(label.key)) all.push_back(label);
}

}  // namespace

std::vector<Mismatch> mismatches_of(const k8s::PodSpec& pod, const Evidence& evidence) {
  const Search search(pod, evidence);
  std::vector<Requirement> selector;
  for (const k8s::Label& label : pod.node_selector()) add(k8s::requirement_of(label), selector);
  std::vector<Mismatch> found = search.among(selector, 0);
  if (!found.empty()) return found;
  for (const k8s::NodeSelectorTerm& term : pod.required_terms()) {
    if (term.is_empty()) continue;
    std::vector<Requirement> all = selector;
    for (const Requirement& expression : term.expressions) add(expression, all);
    std::vector<Mismatch> in_term = search.among(all, selector.size());
    if (in_term.empty()) return {};
    if (found.empty()) found = std::move(in_term);
  }
  return found;
}

}  // namespace cnsched::accelerators

#include "core/change/fact_changes.h"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>

#include "core/change/totals.h"

namespace cnsched::change {

namespace {

auto name_key(const Fact& fact) { return std::tie(fact.part, fact.name); }

/// The facts from `first` on that have its name.
std::vector<const Fact*> same_named(const std::vector<Fact>& facts, std::size_t& first) {
  std::vector<const Fact*> named;
  const std::size_t begin = first;
  for (; first < facts.size() && name_key(facts[first]) == name_key(facts[begin]); ++first) {
    named.push_back(&facts[first]);
  }
  return named;
}

/// Removes the facts that both lists have, which are sorted by value.
void drop_common(std::vector<const Fact*>& a, std::vector<const Fact*>& b) {
  std::vector<const Fact*> only_a;
  std::vector<const Fact*> only_b;
  const auto is_less = [](const Fact* x, const Fact* y) { return x->value < y->value; };
  std::ranges::set_difference(a, b, std::back_inserter(only_a), is_less);
  std::ranges::set_difference(b, a, std::back_inserter(only_b), is_less);
  a = std::move(only_a);
  b = std::move(only_b);
}

/// Compares trees up to a number of values: aliases may repeat them without end.
class Alike {
 public:
  bool operator()(const yaml::Node& a, const yaml::Node& b) {
    if (&a == &b) return true;
    if (a.kind != b.kind || a.type != b.type || left_ == 0) return false;
    --left_;
    if (a.is_scalar()) return a.text() == b.text();
    return std::ranges::equal(a.items(), b.items(),
                              [this](const auto* x, const auto* y) { return (*this)(*x, *y); }) &&
           std::ranges::equal(
               a.entries(), b.entries(), [this](const yaml::Entry& x, const yaml::Entry& y) {
                 return x.overridden == y.overridden && x.key->text() == y.key->text() &&
                        (*this)(*x.value, *y.value);
               });
  }

  bool fields(const yaml::Node& a, const yaml::Node& b, std::span<const std::string_view> names) {
    return std::ranges::all_of(names,
                               [&](std::string_view name) { return (*this)(a[name], b[name]); });
  }

 private:
  static constexpr std::size_t kMaxValues = 20'000;
  std::size_t left_ = kMaxValues;
};

constexpr auto kSpecFields = std::to_array<std::string_view>(
    {"nodeName", "nodeSelector", "affinity", "tolerations", "topologySpreadConstraints",
     "runtimeClassName", "priorityClassName", "priority", "preemptionPolicy", "schedulerName",
     "schedulingGates", "resourceClaims", "resources", "hostNetwork", "volumes"});
constexpr auto kContainerFields =
    std::to_array<std::string_view>({"name", "resources", "restartPolicy", "ports"});

bool are_specs_alike(const yaml::Node& a, const yaml::Node& b) {
  Alike alike;
  const auto is_same_container = [&](const yaml::Node* x, const yaml::Node* y) {
    return alike.fields(*x, *y, kContainerFields);
  };
  return alike.fields(a, b, kSpecFields) &&
         std::ranges::equal(a["containers"].items(), b["containers"].items(), is_same_container) &&
         std::ranges::equal(a["initContainers"].items(), b["initContainers"].items(),
                            is_same_container);
}

bool are_labels_alike(const std::vector<k8s::Label>& a, const std::vector<k8s::Label>& b) {
  return std::ranges::equal(a, b, [](const k8s::Label& x, const k8s::Label& y) {
    return x.key == y.key && x.value == y.value;
  });
}

bool are_tolerations_alike(const std::vector<k8s::Toleration>& a,
                           const std::vector<k8s::Toleration>& b) {
  return std::ranges::equal(a, b, [](const k8s::Toleration& x, const k8s::Toleration& y) {
    return std::tie(x.key, x.op, x.value, x.effect, x.seconds) ==
           std::tie(y.key, y.op, y.value, y.effect, y.seconds);
  });
}

bool are_requests_alike(const std::vector<k8s::Request>& a, const std::vector<k8s::Request>& b) {
  return std::ranges::equal(a, b, [](const k8s::Request& x, const k8s::Request& y) {
    return std::tie(x.name, x.amount, x.is_known) == std::tie(y.name, y.amount, y.is_known);
  });
}

}  // namespace

bool is_written_alike(const sim::Simulated& a, const sim::Simulated& b) {
  // With flavors of Kueue, more than the manifest decides.
  if (!a.queue.queue.empty() || !b.queue.queue.empty()) return false;
  const Workload& x = *a.workload;
  const Workload& y = *b.workload;
  const Replicas of_a = replicas_of(a);
  const Replicas of_b = replicas_of(b);
  const bool is_alike = x.mode.mode == y.mode.mode && x.is_serving() == y.is_serving() &&
                        of_a.is_known == of_b.is_known &&
                        (!of_a.is_known || (of_a.min == of_b.min && of_a.max == of_b.max)) &&
                        a.pod.ns == b.pod.ns && x.name == y.name && x.unknown == y.unknown;
  if (!is_alike) return false;
  const sim::Pod& p = a.pod;
  const sim::Pod& q = b.pod;
  Alike alike;
  return p.has_resource_tolerations == q.has_resource_tolerations &&
         p.priority.value == q.priority.value &&
         p.priority.never_preempts == q.priority.never_preempts &&
         are_labels_alike(p.class_selector, q.class_selector) &&
         are_labels_alike(p.labels, q.labels) &&
         are_tolerations_alike(p.tolerations, q.tolerations) &&
         are_tolerations_alike(p.resource_tolerations, q.resource_tolerations) &&
         are_requests_alike(p.requests, q.requests) && alike(*p.overhead, *q.overhead) &&
         alike(*x.claim_templates, *y.claim_templates) &&
         are_specs_alike(p.spec.node(), q.spec.node());
}

std::vector<FactPair> differing_facts(const std::vector<Fact>& before,
                                      const std::vector<Fact>& after) {
  std::vector<FactPair> pairs;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < before.size() || j < after.size()) {
    const bool has_before =
        i < before.size() && (j == after.size() || name_key(before[i]) <= name_key(after[j]));
    const bool has_after =
        j < after.size() && (i == before.size() || name_key(after[j]) <= name_key(before[i]));
    std::vector<const Fact*> a = has_before ? same_named(before, i) : std::vector<const Fact*>();
    std::vector<const Fact*> b = has_after ? same_named(after, j) : std::vector<const Fact*>();
    drop_common(a, b);
    for (std::size_t k = 0; k < std::max(a.size(), b.size()); ++k) {
      pairs.emplace_back(k < a.size() ? a[k] : nullptr, k < b.size() ? b[k] : nullptr);
    }
  }
  return pairs;
}

}  // namespace cnsched::change

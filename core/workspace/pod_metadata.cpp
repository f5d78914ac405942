#include "core/workspace/pod_metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>

#include "core/base/text.h"
#include "core/k8s/label.h"

namespace cnsched {

namespace {

using k8s::Requirement;

bool is_known(const Requirement& r) {
  if (k8s::is_placeholder(r.key) || r.op.empty() || k8s::is_placeholder(r.op)) return false;
  return std::ranges::all_of(r.values, [](const yaml::Node* value) {
    return value->is_scalar() && !k8s::is_placeholder(value->text());
  });
}

/// While the mode is unknown the label `app` is either KServe's ("isvc.llama-predictor") or
/// Knative's, which names a revision ("llama-predictor-00001").
bool may_be_app_label(const Requirement& r, const Workload& workload) {
  if (r.key != "app" || workload.mode.mode != kserve::DeploymentMode::unknown) return false;
  return r.op != "In" || std::ranges::any_of(r.values, [](const yaml::Node* value) {
           return value->text().starts_with("isvc.") ||
                  value->text().find("-0") != std::string::npos;
         });
}

/// "llama-predictor-00007" for the pods of "llama-predictor".
bool is_revision_of(std::string_view value, std::string_view name) {
  if (!value.starts_with(name) || value.size() < name.size() + 2) return false;
  value.remove_prefix(name.size());
  return value.front() == '-' && std::ranges::all_of(value.substr(1), is_digit);
}

/// Whether the label may get the value after all: in another release of KServe, whose predictors
/// were called so; in another revision; after kustomize has put a prefix before the names.
bool may_become(std::string_view value, const k8s::Label& own, const Workload& workload) {
  if (own.key == "app") {
    return value == std::string(own.value) + "-default" || is_revision_of(value, workload.name);
  }
  return own.value == workload.object->name && value.size() > own.value.size() &&
         value.ends_with(own.value);
}

bool is_operator(std::string_view op) {
  return op == "In" || op == "NotIn" || op == "Exists" || op == "DoesNotExist";
}

constexpr std::size_t kLongestName = 253;
constexpr std::size_t kRoomForNumber = 8;

std::string wanted_name(const Workload& pod) {
  if (pod.object->is("", "Pod") && !pod.object->name.empty()) return std::string(pod.object->name);
  if (!pod.name.empty()) return dns_subdomain(pod.name);
  const std::string_view prefix = (*pod.object)["metadata"]["generateName"].text();
  const std::string_view name = pod.object->name.empty() ? prefix : pod.object->name;
  const std::string_view dash = pod.component.empty() ? "" : "-";
  return dns_subdomain(fmt::format("{}{}{}", name, dash, pod.component));
}

/// Names of one namespace.
class Taken {
 public:
  std::string next_to(const std::string& name) {
    std::string free = name;
    for (std::size_t& n = last_[name]; !taken_.insert(free).second;) {
      n = n == 0 ? 2 : n + 1;
      free = fmt::format("{}-{}", dns_subdomain(name.substr(0, kLongestName - kRoomForNumber)), n);
    }
    return free;
  }

 private:
  std::set<std::string> taken_;
  std::map<std::string, std::size_t> last_;  ///< the number given last, by name
};

}  // namespace

bool is_added_to_pods(std::string_view key) {
  constexpr auto kKeys = std::to_array<std::string_view>(
      {"pod-template-hash", "controller-revision-hash", "controller-uid", "job-name",
       "statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index",
       "app.kubernetes.io/instance"});  // Argo CD stamps it, and KServe passes it on
  constexpr auto kPrefixes = std::to_array<std::string_view>(
      {"batch.kubernetes.io/", "topology.kubernetes.io/", "leaderworkerset.sigs.k8s.io/",
       "serving.knative.dev/", "kueue.x-k8s.io/", "service.istio.io/", "security.istio.io/",
       "istio.io/", "sidecar.istio.io/", "linkerd.io/"});
  return std::ranges::find(kKeys, key) != kKeys.end() ||
         std::ranges::any_of(kPrefixes, [&](auto prefix) { return key.starts_with(prefix); });
}

bool certainly_lacks(const Requirement& requirement, const Workload& workload) {
  if (!is_known(requirement) || !is_operator(requirement.op)) return false;
  if (is_added_to_pods(requirement.key) || may_be_app_label(requirement, workload)) return false;
  const auto labels = k8s::labels_in(*workload.labels);
  const auto own = std::ranges::find(labels, requirement.key, &k8s::Label::key);
  if (own != labels.end() && k8s::is_placeholder(own->value)) return false;
  if (own != labels.end() && requirement.op == "In" &&
      std::ranges::any_of(requirement.values, [&](const yaml::Node* value) {
        return may_become(value->text(), *own, workload);
      })) {
    return false;
  }
  return !requirement.matches(labels);
}

std::optional<k8s::Label> identifying_label(const Workload& workload) {
  // The labels that KServe, Knative and Seldon set [K72, K73, K75, N13, S33, S59].
  constexpr auto kKeys = std::to_array<std::string_view>(
      {"serving.kserve.io/inferenceservice", "serving.kserve.io/inferencegraph",
       "seldon-server-name", "seldon-deployment-id", "app.kubernetes.io/name"});
  const auto labels = k8s::labels_in(*workload.labels);
  if (!workload.is_serving()) {
    return labels.empty() ? std::nullopt : std::optional(labels.front());
  }
  for (const std::string_view key : kKeys) {
    const auto found = std::ranges::find(labels, key, &k8s::Label::key);
    if (found != labels.end()) return *found;
  }
  return std::nullopt;
}

void PodsByLabel::add(const Workload& workload) {
  for (const k8s::Label& label : k8s::labels_in(*workload.labels)) {
    by_label_[label.key][label.value].push_back(&workload);
  }
}

const PodsByLabel::Workloads& PodsByLabel::with(std::string_view key,
                                                std::string_view value) const {
  static const Workloads kNone;
  const auto of_key = by_label_.find(key);
  if (of_key == by_label_.end()) return kNone;
  const auto of_value = of_key->second.find(value);
  return of_value == of_key->second.end() ? kNone : of_value->second;
}

std::optional<PodsByLabel::Workloads> PodsByLabel::few_with(const Requirement& r) const {
  constexpr std::size_t kMaxValues = 100;
  if (r.op != "In" || r.values.size() > kMaxValues) return std::nullopt;
  Workloads few;
  for (const yaml::Node* value : r.values) {
    const Workloads& more = with(r.key, value->text());
    if (few.size() + more.size() > kMaxValues) return std::nullopt;
    few.insert(few.end(), more.begin(), more.end());
  }
  return few;
}

bool PodsByLabel::may_hold(const std::vector<Requirement>& requirements) const {
  std::optional<Workloads> candidates;
  for (const Requirement& r : requirements) {
    if ((candidates = few_with(r))) break;
  }
  if (!candidates) return true;
  return std::ranges::any_of(*candidates, [&](const Workload* workload) {
    return std::ranges::none_of(
        requirements, [&](const Requirement& r) { return certainly_lacks(r, *workload); });
  });
}

std::vector<std::string> pod_names(const std::vector<const Workload*>& pods,
                                   const Workspace& workspace) {
  std::vector<std::size_t> order(pods.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    const Span span = pods[i]->object->root->span;
    return std::tuple(std::string_view(workspace.file_of(span).path()), span.begin);
  });
  std::vector<std::string> names(pods.size());
  std::map<std::string_view, Taken> taken;
  for (const std::size_t i : order) {
    names[i] = taken[pods[i]->object->ns.name].next_to(wanted_name(*pods[i]));
  }
  return names;
}

std::string dns_subdomain(std::string_view text) {
  std::string name;
  char before = '\0';
  for (const char c : lower(text)) {
    if (name.size() == kLongestName) break;
    const bool again = c == '-' && before == '-' && name.ends_with('-');
    before = c;
    const bool after_letter = !name.empty() && is_lower_alphanumeric(name.back());
    if (is_lower_alphanumeric(c)) {
      name += c;
    } else if (c == '.' && after_letter) {
      name += c;
    } else if (after_letter || again) {
      name += '-';
    }
  }
  while (!name.empty() && !is_lower_alphanumeric(name.back())) name.pop_back();
  return name.empty() ? "unnamed" : name;
}

}  // namespace cnsched

#include <algorithm>
#include <span>
#include <string>

#include "core/base/quantity.h"
#include "core/k8s/label.h"
#include "core/k8s/pod_resources.h"
#include "core/kserve/fields.h"
#include "rules/rule.h"

namespace cnsched::rules::pod_level_accelerator {

using k8s::ResourceAmount;
using kserve::DeploymentMode;
using yaml::Node;

/// Seldon's Server, SeldonRuntime and SeldonDeployment do not have the field.
static bool has_pod_resources(const k8s::Object& object) {
  if (object.group() == "machinelearning.seldon.io") return false;
  return object.group() != "mlops.seldon.io" || object.kind.ends_with("Config");
}

static std::string_view consequence(DeploymentMode mode) {
  switch (mode) {
    case DeploymentMode::knative:
      return "Knative silently drops it, and the pod gets no device";
    case DeploymentMode::unknown:
      return "the API server rejects the pod, or Knative mode silently drops the field";
    case DeploymentMode::standard:
    case DeploymentMode::model_mesh:
      return "the API server rejects the pod";
  }
  return {};
}

using Amounts = std::vector<ResourceAmount>;

constexpr std::size_t kMaxAmounts = 10;  ///< that a finding notes or fixes

namespace {

/// The block or container that runs the model server.
struct ModelServer {
  std::string name;
  const Node* node = nullptr;  ///< null if there are several
};

}  // namespace

static ModelServer model_server_of(const Workload& workload) {
  for (const std::string_view key : kserve::framework_keys()) {
    const Node& block = workload.written->under(key);
    if (kserve::is_kserve_group(workload.object->group()) && block.is_mapping()) {
      return {fmt::format("'{}'", key), &block};
    }
  }
  const auto containers = workload.own.containers();
  if (containers.size() == 1 && !containers.front().name().empty()) {
    return {fmt::format("container '{}'", containers.front().name()), containers.front().node};
  }
  return {"the container that uses the accelerator"};
}

static bool is_among(const Node& node, const Amounts& amounts) {
  return std::ranges::find(amounts, &node, &ResourceAmount::node) != amounts.end();
}

/// Whether the mapping, with nested mappings, holds only these amounts.
static bool holds_only(const Node& mapping, const Amounts& amounts) {
  return std::ranges::all_of(mapping.entries(), [&](const yaml::Entry& entry) {
    const Node& value = *entry.value;
    return value.is_mapping() ? holds_only(value, amounts) : is_among(value, amounts);
  });
}

/// Removes the amounts, and the mappings that would be empty then.
static void remove(const Node& resources, const Amounts& rejected, const std::string& title,
                   Findings::Finding& finding) {
  std::vector<yaml::Change> changes;
  if (holds_only(resources, rejected)) {
    changes.push_back(yaml::to_erase(resources));
  } else {
    for (const yaml::Entry& list : resources.entries()) {
      if (holds_only(*list.value, rejected)) changes.push_back(yaml::to_erase(*list.value));
    }
    for (const ResourceAmount& amount : rejected) {
      if (!holds_only(*amount.node->parent(), rejected))
        changes.push_back(yaml::to_erase(*amount.node));
    }
  }
  finding.fix(Safety::unsafe, title, std::move(changes));
}

/// Moves all of the resources to the container, or only the rejected amounts if the container has
/// resources. Never replaces what the container has.
static void move(const Node& resources, const Amounts& rejected, const Node& container,
                 const std::string& title, Findings::Finding& finding) {
  if (yaml::has_room_for(resources, container, "/resources")) {
    finding.fix(Safety::unsafe, title, {yaml::to_move(resources, container, "/resources")});
    return;
  }
  std::vector<yaml::Change> changes;
  for (const ResourceAmount& amount : rejected) {
    const std::string pointer = fmt::format(
        "/resources/{}/{}", amount.node->parent()->key()->text(), yaml::pointer_step(amount.name));
    if (!yaml::has_room_for(*amount.node, container, pointer)) return;
    changes.push_back(yaml::to_move(*amount.node, container, pointer));
  }
  finding.fix(Safety::unsafe, title, std::move(changes));
}

static std::string title_of_move(const ModelServer& server) {
  return fmt::format("move it to the 'resources' of {}", server.name);
}

/// Whether a container requests the resource.
static bool is_requested(const ResourceAmount& amount, const Workload& workload) {
  return workload.own.requests_resource([&](std::string_view name) { return name == amount.name; });
}

/// Whether a container requests the same amount. If the amounts differ, the intended one is
/// unknown.
static bool is_repeated(const ResourceAmount& amount, const Workload& workload) {
  const auto wanted = Quantity::parse(amount.node->text());
  const auto is_same = [&](const ResourceAmount& other) {
    const auto asked = Quantity::parse(other.node->text());
    return other.name == amount.name && wanted && asked && *wanted == *asked;
  };
  return std::ranges::any_of(workload.own.all_containers(), [&](const k8s::Container& container) {
    return std::ranges::any_of(container.amounts(), is_same);
  });
}

static std::string advice_for(const Workload& workload, const ResourceAmount& amount, bool wanted) {
  if (!wanted) return "remove it: a pod without a request gets no device";
  if (is_requested(amount, workload)) return "remove it: a container already requests it";
  return title_of_move(model_server_of(workload));
}

static void advise(const Workload& workload, const Amounts& rejected, bool wanted,
                   Findings::Finding& finding) {
  const std::string advice = advice_for(workload, rejected.front(), wanted);
  finding.help("{}", advice);
  const Node& resources = workload.own["resources"];
  const bool in_place = std::ranges::all_of(rejected, [&](const ResourceAmount& amount) {
    const Node* list = amount.node->parent();
    return amount.node->key() != nullptr && list != nullptr && list->key() != nullptr &&
           list->parent() != nullptr && list->parent()->span == resources.span;
  });
  if (!in_place || rejected.size() > kMaxAmounts) return;
  const bool is_needless = std::ranges::all_of(rejected, [&](const ResourceAmount& amount) {
    return !amount.is_requested() || is_repeated(amount, workload);
  });
  if (is_needless) return remove(resources, rejected, advice, finding);
  const ModelServer server = model_server_of(workload);
  if (server.node != nullptr)
    move(resources, rejected, *server.node, title_of_move(server), finding);
}

static void check(const Workload& workload, Findings& findings) {
  if (!has_pod_resources(*workload.object)) return;
  auto rejected = k8s::rejected_at_pod_level(workload.own);
  std::erase_if(rejected,
                [](const ResourceAmount& amount) { return k8s::is_placeholder(amount.name); });
  const bool wanted = std::ranges::any_of(rejected, &ResourceAmount::is_requested);
  const DeploymentMode mode = workload.mode.mode;
  if (rejected.empty() || (!wanted && mode == DeploymentMode::knative)) return;

  const ResourceAmount& first = rejected.front();
  auto finding =
      findings.add_at_key(*first.node, "'{}' must be requested by a container, not by the pod: {}",
                          first.name, consequence(mode));
  if (!wanted && mode == DeploymentMode::unknown) finding.severity(Severity::warning);
  for (const ResourceAmount& other :
       std::span(rejected).subspan(1, std::min(rejected.size() - 1, kMaxAmounts))) {
    const yaml::Node& place = other.node->key() != nullptr ? *other.node->key() : *other.node;
    finding.note(place, "{}",
                 other.name == first.name ? "also set here"
                                          : "this resource must be requested by a container too");
  }
  advise(workload, rejected, wanted, finding);
}

extern constinit const Rule rule = {
    .id = "pod-level-accelerator",
    .severity = Severity::error,
    .decided_by_subject = true,
    .of = Domain::built,
    .fix = Safety::unsafe,
    .check = check,
};

}  // namespace cnsched::rules::pod_level_accelerator

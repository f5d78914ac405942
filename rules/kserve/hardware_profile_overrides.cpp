#include <algorithm>
#include <optional>

#include "core/accelerators/catalogue.h"
#include "core/base/quantity.h"
#include "core/kserve/containers.h"
#include "core/kserve/hardware_profile.h"
#include "rules/rule.h"

namespace cnsched::rules::hardware_profile_overrides {

using yaml::Node;

static void check_selector(const Workload& workload, const k8s::Object& profile,
                           Findings& findings) {
  const std::vector<k8s::Label> merged = workload.created.node_selector();
  if (merged.empty()) return;  // Knative mode may drop the field
  for (const k8s::Label& own : workload.own.node_selector()) {
    const auto label = std::ranges::find(merged, own.key, &k8s::Label::key);
    if (label != merged.end() && label->value == own.value) continue;
    if (label == merged.end()) {
      findings
          .add_at_key(*own.node,
                      "the label '{}' is lost: HardwareProfile '{}' replaces the whole "
                      "nodeSelector",
                      own.key, profile.name)
          .note(merged.front().node->key() ? *merged.front().node->key() : *merged.front().node,
                "this nodeSelector replaces it")
          .help("add the label to the HardwareProfile");
      continue;
    }
    findings
        .add(*own.node,
             "HardwareProfile '{}' replaces '{}' by '{}': the pods run on the nodes of "
             "the profile",
             profile.name, own.value, label->value)
        .note(*label->node, "this label wins")
        .help("remove the label here, or name another HardwareProfile");
  }
}

/// The request for the resource in the container of that name, of the last base that has one.
static const Node& request_in_bases(const Workload& workload, std::string_view container,
                                    std::string_view resource) {
  const Node* found = &yaml::missing_node();
  for (const k8s::Base& base : workload.bases) {
    const Node& resources = k8s::item_named(base.pod["containers"], container)["resources"];
    const Node& request = resources["requests"].under(resource);
    const Node& amount = request ? request : resources["limits"].under(resource);
    if (amount) found = &amount;
  }
  return *found;
}

static void check_amounts(const Workload& workload, const k8s::Object& profile,
                          Findings& findings) {
  const bool is_llm = workload.object->kind == "LLMInferenceService";
  const std::string_view name = is_llm ? "main" : kserve::kServingContainer;
  const Node& requests = k8s::item_named(workload.pod["containers"], name)["resources"]["requests"];
  for (const k8s::ResourceAmount& amount : k8s::amounts_in(requests)) {
    if (amount.name != "memory" && !accelerators::is_accelerator(amount.name)) continue;
    if (findings.scope().object_around(amount.node->span) != &profile) continue;
    const Node& base = request_in_bases(workload, name, amount.name);
    const auto before = Quantity::parse(base.text());
    const auto after = Quantity::parse(amount.node->text());
    if (!before || !after || *after >= *before) continue;
    findings
        .add(*kserve::profile_reference(*workload.object).name,
             "HardwareProfile '{}' lowers '{}' from {} to {}", profile.name, amount.name,
             base.text(), amount.node->text())
        .note(*amount.node, "the profile sets this")
        .note(base, "the amount without the profile")
        .help("write the amount in 'resources' of the service: the profile keeps it");
  }
}

static void check(const Workload& workload, Findings& findings) {
  const k8s::Object* profile = kserve::profile_of(workload);
  // A canary repeats what the stable predictor has.
  if (profile == nullptr || workload.component.starts_with("canary")) return;
  check_selector(workload, *profile, findings);
  check_amounts(workload, *profile, findings);
}

extern constinit const Rule rule = {
    .id = "hardware-profile-overrides",
    .severity = Severity::warning,
    .depends_on_workspace = true,
    .of = Domain::built,
    .check = check,
};

}  // namespace cnsched::rules::hardware_profile_overrides

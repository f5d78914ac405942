#include <algorithm>

#include "core/accelerators/catalogue.h"
#include "core/base/text.h"
#include "core/kserve/fields.h"
#include "core/kserve/hardware_profile.h"
#include "core/kserve/runtime.h"
#include "rules/rule.h"

namespace cnsched::rules::hardware_profile_ignored {

using yaml::Node;

static void report_misplaced(const Node& value, std::string_view where, Severity severity,
                             Findings& findings) {
  if (value.text().empty()) return;
  findings
      .add_at_key(value,
                  "'{}' has no effect {}: Open Data Hub reads it in 'metadata.annotations' "
                  "of an InferenceService or LLMInferenceService",
                  kserve::kProfileAnnotation, where)
      .severity(severity)
      .help("write the annotation in 'metadata.annotations' of the service");
}

static void check_keys(const k8s::Object& object, Findings& findings) {
  if (object.kind == "LLMInferenceServiceConfig" || kserve::is_runtime(object)) {
    const bool is_runtime = kserve::is_runtime(object);
    report_misplaced(object.annotations().under(kserve::kProfileAnnotation), "on this kind",
                     is_runtime ? Severity::info : Severity::warning, findings);
    return;
  }
  // The label beside the annotation is harmless.
  if (object.annotations().under(kserve::kProfileAnnotation)) return;
  report_misplaced(object.labels().under(kserve::kProfileAnnotation), "as a label",
                   Severity::warning, findings);
  for (const std::string_view component : {"predictor", "transformer", "explainer"}) {
    report_misplaced(
        object.spec().under(component)["annotations"].under(kserve::kProfileAnnotation),
        "on a component", Severity::warning, findings);
  }
}

static void check_priority(const k8s::Object& profile, Findings& findings) {
  const Node& priority = profile.spec()["scheduling"]["kueue"]["priorityClass"];
  if (priority.text().empty()) return;
  findings
      .add(priority,
           "'priorityClass' has no effect: Open Data Hub sets only the queue '{}' on "
           "services",
           kserve::read_profile(profile).queue->text())
      .severity(Severity::info)
      .help("set the label 'kueue.x-k8s.io/priority-class' on the service");
}

static void check_main_container(const k8s::Object& service, Findings& findings) {
  constexpr Version kMainOnly{3, 4, 0};
  const auto& release = findings.facts().open_data_hub;
  if (service.kind != "LLMInferenceService" || (release && *release < kMainOnly)) return;
  const kserve::ProfileReference reference = kserve::profile_reference(service);
  if (reference.name->is_missing() || !kserve::lacks_main_container(service)) return;
  const Node& container = *service.spec()["template"]["containers"].items().front();
  const Node& name = container["name"] ? container["name"] : container;
  findings
      .add(name,
           "no container is named 'main', so Open Data Hub applies nothing of HardwareProfile "
           "'{}': the pods get none of its resources, node selector and tolerations",
           reference.name->text())
      .note(*reference.name, "the profile is named here")
      .help("name the container of the model server 'main'");
}

/// The accelerator of the profile that the pod does not request; empty if there is none.
static std::string_view missing_accelerator(const Workload& pod,
                                            const kserve::HardwareProfile& profile) {
  for (const Node* identifier : profile.identifiers->items()) {
    const std::string_view name = (*identifier)["identifier"].text();
    if (!accelerators::is_accelerator(name)) continue;
    if (pod.pod.requests_resource(accelerators::is_accelerator)) continue;
    return name;
  }
  return {};
}

/// The profile that was merged into one of the pods, or null.
static const k8s::Object* profile_in(std::span<const Workload* const> pods) {
  for (const Workload* pod : pods) {
    if (const k8s::Object* profile = kserve::profile_of(*pod)) return profile;
  }
  return nullptr;
}

/// The pods for which the profile sets no resources; empty if it does, or if they need none.
static std::string without_resources(const Workload& pod) {
  if (is_one_of(pod.component, {"worker", "prefill", "prefill worker"})) {
    return fmt::format("'{}'", pod.component);
  }
  const bool is_custom = pod.component == "predictor" && !kserve::framework_block(*pod.written) &&
                         pod.object->kind == "InferenceService";
  return is_custom ? "a predictor without 'model'" : "";
}

static void check_pods(const k8s::Object& service, Findings& findings) {
  const kserve::ProfileReference reference = kserve::profile_reference(service);
  if (reference.name->is_missing() || findings.scope().is_patch(service)) return;
  const auto pods = findings.scope().workloads_of(service);
  const k8s::Object* profile = profile_in(pods);
  if (profile == nullptr) return;
  for (const Workload* pod : pods) {
    const std::string what = without_resources(*pod);
    const bool is_known =
        std::ranges::none_of(pod->unknown, [](const auto& u) { return u.adds_fields(); });
    if (what.empty() || !is_known || !pod->is_built()) continue;
    const std::string_view resource = missing_accelerator(*pod, kserve::read_profile(*profile));
    if (resource.empty()) continue;
    findings.set_subject(*pod);
    findings
        .add_at_key(*pod->written,
                    "HardwareProfile '{}' sets no resources of {}: the pods do not request '{}'",
                    profile->name, what, resource)
        .note(*reference.name, "the profile is named here")
        .help("set 'resources' of the container here");
  }
}

static void check(const k8s::Object& object, Findings& findings) {
  if (kserve::is_hardware_profile(object)) return check_priority(object, findings);
  if (!kserve::is_kserve_group(object.group())) return;
  check_keys(object, findings);
  if (!kserve::reads_hardware_profiles(object)) return;
  check_main_container(object, findings);
  check_pods(object, findings);
}

extern constinit const Rule rule = {
    .id = "hardware-profile-ignored",
    .severity = Severity::warning,
    .depends_on_workspace = true,
    .check = check,
};

}  // namespace cnsched::rules::hardware_profile_ignored

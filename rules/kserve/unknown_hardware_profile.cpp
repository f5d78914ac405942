#include "core/k8s/label.h"
#include "core/kserve/fields.h"
#include "core/kserve/hardware_profile.h"
#include "rules/rule.h"

namespace cnsched::rules::unknown_hardware_profile {

static void add_namespace(const kserve::ProfileReference& reference, const k8s::Object& profile,
                          Findings& findings, Findings::Finding& finding) {
  constexpr std::string_view kKey = "opendatahub.io/hardware-profile-namespace";
  finding.note(profile["metadata"]["name"], "this HardwareProfile is in namespace '{}'",
               profile.ns.name);
  const std::string help = fmt::format("add the annotation '{}: {}'", kKey, profile.ns.name);
  finding.help("{}", help);
  finding.fix(
      Safety::unsafe, help,
      {yaml::to_add_entry(*reference.name->parent(), kKey, findings.make_string(profile.ns.name))});
}

static void check(const k8s::Object& object, Findings& findings) {
  if (!kserve::reads_hardware_profiles(object)) return;
  const kserve::ProfileReference reference = kserve::profile_reference(object);
  const std::string_view name = reference.name->text();
  if (name.empty() || !reference.ns.is_known()) return;
  if (k8s::is_placeholder(name) || k8s::is_placeholder(reference.ns.name)) return;
  const k8s::Objects& index = findings.scope().index();
  if (kserve::contains_profile(index, reference.ns, name)) return;
  const bool complete = findings.facts().namespaces_with_profiles.contains(reference.ns.name);
  const k8s::Object* elsewhere = reference.has_own_namespace
                                     ? nullptr
                                     : kserve::find_profile(index, std::nullopt, name, object);
  if (!complete && (elsewhere == nullptr || !elsewhere->ns.is_known())) return;
  auto finding =
      findings.add(*reference.name,
                   "HardwareProfile '{}' {} in namespace '{}': {}the webhook of Open Data "
                   "Hub rejects the {}",
                   name, complete ? "does not exist" : "is not known", reference.ns.name,
                   complete ? "" : "unless it exists there, ", object.kind);
  if (!complete) finding.severity(Severity::warning);
  if (elsewhere != nullptr) {
    add_namespace(reference, *elsewhere, findings, finding);
  } else {
    finding.help("name an existing HardwareProfile, or remove the annotation");
  }
}

extern constinit const Rule rule = {
    .id = "unknown-hardware-profile",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .of = Domain::no_patches,
    .fix = Safety::unsafe,
    .check = check,
};

}  // namespace cnsched::rules::unknown_hardware_profile

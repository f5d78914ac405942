#include <algorithm>
#include <array>
#include <string>

#include "core/base/text.h"
#include "core/k8s/api_kinds.h"
#include "core/k8s/label.h"
#include "core/k8s/schema/schema.h"
#include "core/k8s/scope.h"
#include "rules/rule.h"
#include "rules/yaml/shape_rules.h"

namespace cnsched::rules::unknown_kind {

using k8s::ApiKind;
using yaml::Node;

/// A kind of Kubernetes or Knative that is easily put into a serving group.
static constexpr auto kElsewhere = std::to_array<ApiKind>({
    {"v1", "Pod"},
    {"v1", "ConfigMap"},
    {"v1", "Secret"},
    {"v1", "ServiceAccount"},
    {"v1", "Namespace"},
    {"v1", "PersistentVolumeClaim"},
    {"apps/v1", "Deployment"},
    {"apps/v1", "StatefulSet"},
    {"apps/v1", "DaemonSet"},
    {"batch/v1", "Job"},
    {"batch/v1", "CronJob"},
});

/// The version to write for the kind: of the same group, or else of the one that has it; or null.
static const ApiKind* other_home(const k8s::Object& object) {
  const ApiKind* found = nullptr;
  for (const ApiKind& row : k8s::api_kinds()) {
    if (row.kind != object.kind) continue;
    if (row.group() == object.group()) return &row;
    if (found == nullptr) found = &row;
  }
  if (found != nullptr) return found;
  const auto* row = std::ranges::find(kElsewhere, object.kind, &ApiKind::kind);
  return row == kElsewhere.end() ? nullptr : row;
}

static void check_release(const k8s::Object& object, Findings& findings) {
  const Project project = k8s::schema::project_of(object.group());
  const auto* releases = k8s::schema::releases_of(object.api_version, object.kind);
  const auto& release = findings.facts().releases().of(project);
  if (releases == nullptr || releases->contains(release.value_or(newest(project)))) return;
  auto finding =
      findings.add(object["apiVersion"],
                   "no matches for kind '{}' in version '{}', which {}{}: the API server "
                   "rejects the object",
                   object.kind, object.api_version, releases->words(project),
                   cluster_release(project, findings));
  if (const auto next = releases->next(release)) {
    finding.help("upgrade to {}", k8s::schema::describe(project, *next));
  }
}

/// Proposes `right` instead of the value.
static void suggest(Findings::Finding finding, const Node& value, std::string_view right,
                    Safety safety, Findings& findings) {
  finding.help("did you mean '{}'?", right)
      .fix(safety, fmt::format("write '{}'", right),
           {yaml::to_set(value, findings.make_string(right))});
}

/// The kind is known, but not here.
static void report_version(const k8s::Object& object, const ApiKind& home, Findings& findings) {
  const Node& version = object["apiVersion"];
  auto finding = findings.add(
      version, "no matches for kind '{}' in version '{}': the API server rejects the object",
      object.kind, object.api_version);
  suggest(finding, version, home.api_version, Safety::unsafe, findings);
}

static void report_kind(const k8s::Object& object, const ApiKind& near, Findings& findings) {
  const bool is_here = k8s::find_api_kind(object.api_version, near.kind) != nullptr;
  const bool is_sure = equals_ignoring_case(object.kind, near.kind);
  auto finding = findings.add(
      object["kind"], "no matches for kind '{}' in version '{}': the API server rejects the object",
      object.kind, object.api_version);
  if (!is_here) {
    finding.help("did you mean '{}' in '{}'?", near.kind, near.api_version);
    return;
  }
  suggest(finding, object["kind"], near.kind, is_sure ? Safety::safe : Safety::unsafe, findings);
}

static void report_unknown(const k8s::Object& object, Findings& findings) {
  findings
      .add(object["kind"],
           "no matches for kind '{}' in version '{}' in {}, the newest release that cnsched knows: "
           "the API server rejects the object unless a newer one is installed",
           object.kind, object.api_version, k8s::newest_release(object.group()))
      .severity(Severity::warning)
      .help("correct the kind, or add the CustomResourceDefinition that defines it with --cluster");
}

/// A CustomResourceDefinition decides which versions there are.
static void report_unserved(const k8s::Object& object, const k8s::schema::Definition& definition,
                            Findings& findings) {
  const Node& version = object["apiVersion"];
  auto finding = findings.add(version,
                              "no matches for kind '{}' in version '{}': its "
                              "CustomResourceDefinition does not serve the version, and the API "
                              "server rejects the object",
                              object.kind, object.api_version);
  finding.note(*definition.place, "the definition");
  const auto* served = findings.facts().schemas.served_definition(object.group(), object.kind);
  if (served == nullptr) return;
  finding.help("write '{}'", served->api_version)
      .fix(Safety::unsafe, fmt::format("write '{}'", served->api_version),
           {yaml::to_set(version, findings.make_string(served->api_version))});
}

/// Checks an object of one of the groups.
static void check_kind(const k8s::Object& object, Findings& findings) {
  if (k8s::find_api_kind(object.api_version, object.kind) != nullptr) {
    return check_release(object, findings);
  }
  if (const ApiKind* home = other_home(object)) {
    if (!deprecated_api::is_of_outdated_api(object)) report_version(object, *home, findings);
  } else if (const ApiKind* near = k8s::near_api_kind(object.group(), object.kind)) {
    report_kind(object, *near, findings);
  } else {
    report_unknown(object, findings);
  }
}

static void check_group(const k8s::Object& object, Findings& findings) {
  const ApiKind* intended = k8s::kind_in_misspelt_group(object.api_version, object.kind);
  if (intended == nullptr) return;
  const Node& version = object["apiVersion"];
  auto finding =
      findings.add(version,
                   "no matches for kind '{}' in version '{}': the API server rejects the "
                   "object unless another project defines it",
                   object.kind, object.api_version);
  finding.severity(Severity::warning);
  suggest(finding, version, intended->api_version, Safety::unsafe, findings);
}

static void check_case(const k8s::Object& object, Findings& findings) {
  for (const Node* value : k8s::miscased_fields(object)) {
    const std::string_view key = value->key()->text();
    const std::string_view right = equals_ignoring_case(key, "kind") ? "kind" : "apiVersion";
    findings
        .add_at_key(*value,
                    "'{}' is not '{}': keys are case-sensitive, and the API server rejects an "
                    "object without '{}'",
                    key, right, right)
        .severity(Severity::warning)
        .help("write '{}'", right)
        .fix(Safety::safe, fmt::format("write '{}'", right), {yaml::to_rename(*value, right)});
  }
}

static void check_missing_version(const k8s::Object& object, Findings& findings) {
  if (!k8s::lacks_api_version(object)) return;
  const auto known = std::ranges::find(k8s::api_kinds(), object.kind, &ApiKind::kind);
  findings.add(object["kind"], "missing 'apiVersion': the API server rejects the object")
      .severity(Severity::warning)
      .help("add 'apiVersion: {}'", known->api_version);
}

static void check(const k8s::Object& object, Findings& findings) {
  const k8s::schema::Schemas& schemas = findings.facts().schemas;
  const auto* definition = schemas.definition_of(object);
  if (definition != nullptr && definition->served) return;
  if (definition == nullptr) definition = schemas.definition_of(object.group(), object.kind);
  // A repository may have the definitions of other clusters.
  const bool is_of_cluster =
      definition != nullptr && findings.workspace().is_fact(definition->place->span.file);
  if (is_of_cluster) return report_unserved(object, *definition, findings);
  if (!findings.workspace().is_patch(object)) {
    check_case(object, findings);
    check_missing_version(object, findings);
  }
  if (object.kind.empty() || k8s::is_placeholder(object.kind) ||
      k8s::is_placeholder(object.api_version)) {
    return;
  }
  if (k8s::is_api_group(object.group())) return check_kind(object, findings);
  check_group(object, findings);
}

extern constinit const Rule rule = {
    .id = "unknown-kind",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .decided_by_subject = true,
    .fix = Safety::safe,
    .check = check,
};

}  // namespace cnsched::rules::unknown_kind

#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/kserve/finish_pod.h"
#include "core/workspace/cluster_scope.h"
#include "rules/rule.h"

// What rules about the fields, types and versions of objects share and ask each other.
namespace cnsched::rules {

/// "; the cluster has 0.13 (.cnsched.yaml:3)". Empty if nothing states the release, or if the
/// finding names it because there are several.
inline std::string cluster_release(Project project, const Findings& findings) {
  const auto& stated = findings.facts().stated_releases;
  const auto found = stated.find(project);
  if (found == stated.end() || findings.scope().chosen_releases().of(project)) return {};
  return fmt::format("; the cluster has {} ({})", to_string(found->second.version),
                     describe_source(found->second, findings.workspace().sources));
}

/// Who rejects a value that does not fit the schema, and when: the end of a message, and the
/// finding's severity.
struct SchemaRejection {
  std::string_view text = "the API server rejects the object";
  Severity severity = Severity::error;
};

/// Nothing if KServe's webhook makes the value valid and is known to run.
inline std::optional<SchemaRejection> rejection_of(const k8s::schema::Deviation& deviation,
                                                   const k8s::Object& object,
                                                   const Findings& findings) {
  const facts::ClusterFacts& facts = findings.facts();
  if (facts.kserve_webhooks == false) return SchemaRejection{};
  switch (kserve::after_webhook(deviation, object, facts.releases().kserve)) {
    case kserve::AfterWebhook::rejected:
      return SchemaRejection{};
    case kserve::AfterWebhook::rejected_later:
      return SchemaRejection{
          "KServe's webhook accepts the object, and the API server rejects what KServe creates "
          "from it"};
    case kserve::AfterWebhook::accepted:
      break;
  }
  if (facts.kserve_webhooks == true) return std::nullopt;
  return SchemaRejection{"the API server rejects the object unless KServe's webhooks run",
                         Severity::info};
}

}  // namespace cnsched::rules

namespace cnsched::rules::deprecated_api {

/// Whether the object is in a version that is outdated or never existed, and that has a known
/// replacement: deprecated-api reports it.
bool is_of_outdated_api(const k8s::Object& object);

}  // namespace cnsched::rules::deprecated_api

namespace cnsched::rules::unknown_field {

/// The field that an unknown one misspells: a field of the type with a similar name, which the
/// mapping does not have. Nothing for other deviations.
std::optional<std::string_view> misspelt_field(const k8s::schema::Deviation& unknown);

}  // namespace cnsched::rules::unknown_field

namespace cnsched::rules::misplaced_field {

/// The one place that a misplaced field can be moved to. None if there are several, or none.
struct Destination {
  const yaml::Node* mapping = nullptr;
  /// A JSON Pointer from the mapping, with the field's name at its end. Empty: the entries of the
  /// field move to the mapping, and the field is removed.
  std::string pointer{};
};

/// A field at a level that does not have it, although another level does.
struct Misplaced {
  const yaml::Node* value;
  std::string message;
  std::string help;
  Destination destination{};
};

/// The misplaced fields among the unknown ones: fields of a pod or of a container's resources, and
/// the exceptions that misplaced_field.cpp lists.
std::vector<Misplaced> misplaced_fields(const k8s::Object& object,
                                        const k8s::schema::Schemas& schemas, Deviations deviations);

/// Notes which fields of the pod are lost with a field that does not exist.
void note_losses(const yaml::Node& value, Findings::Finding& finding);

}  // namespace cnsched::rules::misplaced_field

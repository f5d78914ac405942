#pragma once

#include <optional>
#include <string_view>

#include "core/kserve/pod_webhook.h"
#include "rules/rule.h"

namespace cnsched::rules {

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

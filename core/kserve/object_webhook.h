#pragma once

#include <optional>

#include "core/base/version.h"
#include "core/k8s/object.h"
#include "core/k8s/schema/deviations.h"

namespace cnsched::kserve {

/// What happens to a value that does not fit the schema, once KServe's mutating webhook has decoded
/// and encoded the object [K83].
enum class AfterWebhook : unsigned char {
  rejected,        ///< the kind has no such webhook, or the value still does not fit
  accepted,        ///< the webhook makes the object valid, and the pods are
  rejected_later,  ///< the object becomes valid, but not the pods that KServe creates
};

/// `release` is assumed to be the newest known one if it is not known.
AfterWebhook after_webhook(const k8s::schema::Deviation& deviation, const k8s::Object& object,
                           const std::optional<Version>& release);

}  // namespace cnsched::kserve

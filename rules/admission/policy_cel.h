#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "rules/admission/admission_check.h"
#include "rules/admission/fragments.h"
#include "rules/admission/kinds.h"
#include "rules/policy/policy.h"

namespace cnsched::rules {

/// A policy of a configuration as expressions of CEL, as AdmissionCheck is for a built-in rule.
struct PolicyCheck {
  AdmissionCheck::Of of = AdmissionCheck::Of::pod;
  std::vector<const AdmittedKind*> kinds;
  /// Kinds of `--pods` that the policy names: all objects of them are checked.
  std::vector<const AdmittedKind*> unlabelled;
  /// Of the object, in the form of matchConditions.
  std::vector<CelVariable> conditions;
  std::string findings;  ///< an expression like those of AdmissionCheck, with fragments
};

/// Translates the policy. What the evaluation cannot decide without other objects gives no finding,
/// as `lint` reports it as undecided. The error names the field that cannot be translated.
/// `made`: also for objects that KServe and Seldon make (VapOptions::made_objects).
Result<PolicyCheck> policy_check(const Policy& policy, bool made);

}  // namespace cnsched::rules

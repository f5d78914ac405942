#pragma once

#include <vector>

#include "core/diag/diagnostic.h"
#include "core/workspace/workspace.h"
#include "rules/policy/policy.h"

namespace cnsched::rules {

/// Whether the policy is for a pod of the manifest: nothing leaves it out.
bool is_for_example(const Policy& policy, const PolicyExample& example);

/// What the policy finds in a manifest, which is loaded into `workspace` under the example's name,
/// or with the positions that it has in the policy's file.
/// Pod fields become those of an InferenceService, as in the examples of built-in rules. The
/// policy's `files` and `clusters` do not count, because an example is in none of them.
std::vector<Diagnostic> lint_policy_example(const Policy& policy, const PolicyExample& example,
                                            Workspace& workspace);

}  // namespace cnsched::rules

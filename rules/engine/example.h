#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/diag/diagnostic.h"
#include "core/workspace/load_options.h"
#include "rules/policy/policy.h"
#include "rules/rule.h"

namespace cnsched::rules {

/// The example as files, with "example.yaml" among them. If the example begins with the comment
/// "# --cluster nodes.yaml", its first document becomes that file, which only gives facts.
std::vector<MemoryFile> example_files(std::string_view example);

/// The rule's findings in its own example, which is loaded into `workspace` as "example.yaml".
std::vector<Diagnostic> lint_example(const Rule& rule, std::string_view example,
                                     Workspace& workspace);

/// Whether the policy is for a pod of the manifest: nothing leaves it out.
bool is_for_example(const Policy& policy, const PolicyExample& example);

/// What the policy finds in a manifest, which is loaded into `workspace` under the example's name,
/// or with the positions that it has in the policy's file.
/// Pod fields become those of an InferenceService, as in the examples of built-in rules. The
/// policy's `files` and `clusters` do not count, because an example is in none of them.
std::vector<Diagnostic> lint_policy_example(const Policy& policy, const PolicyExample& example,
                                            Workspace& workspace);

}  // namespace cnsched::rules

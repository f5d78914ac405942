#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/diag/diagnostic.h"
#include "core/workloads/workspace.h"
#include "rules/rule.h"

namespace cnsched::rules {

/// A rule's example as a manifest: pod fields are put into the predictor of an InferenceService,
/// whole objects are left alone.
std::string example_manifest(std::string_view example);
/// The same as the files of a run, "example.yaml" among them. Where the example begins with the
/// comment "# --cluster nodes.yaml", its first document is that file, which only gives facts.
std::vector<MemoryFile> example_files(std::string_view example);

/// What the rule says about its own example, loaded into `workspace` as "example.yaml".
std::vector<Diagnostic> lint_example(const Rule& rule, std::string_view example,
                                     Workspace& workspace);

}  // namespace cnsched::rules

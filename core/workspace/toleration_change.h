#pragma once

#include <string>
#include <vector>

#include "core/base/arena.h"
#include "core/k8s/taint.h"
#include "core/workspace/workload.h"
#include "core/yaml/change.h"

namespace cnsched {

/// The toleration to write for a taint: of an accelerator's own taint whatever its value.
k8s::Toleration toleration_of(const k8s::Taint& taint);
/// Whether the API server accepts it; a placeholder counts as valid.
bool can_be_written(const k8s::Toleration& toleration);
/// The toleration as it may be written in one line.
std::string toleration_text(const k8s::Toleration& toleration);

/// The tolerations of the bases; a list of the object's own replaces them.
std::vector<k8s::Toleration> inherited_tolerations(const Workload& workload);
/// Adds the tolerations to the object's own list, with what it inherits if that is a new one.
/// Nothing if they cannot be added. New values are made in `values`.
std::vector<yaml::Change> changes_to_tolerate(const Workload& workload,
                                              const std::vector<k8s::Toleration>& tolerations,
                                              Arena& values);

}  // namespace cnsched

#pragma once

#include "core/k8s/selector.h"

namespace cnsched::k8s {

/// The requirement that a label of nodeSelector amounts to.
Requirement requirement_of(const Label& label);

/// Whether no node satisfies both requirements because of one label: In and NotIn sets, Exists and
/// DoesNotExist, intervals of Gt and Lt. False where one of them is satisfied by no node by itself,
/// which is a mistake of its own, and where a value is a placeholder.
bool exclude_each_other(const Requirement& a, const Requirement& b);

}  // namespace cnsched::k8s

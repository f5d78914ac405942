#pragma once

#include <string_view>

#include "core/k8s/selector.h"

namespace cnsched::k8s {

/// The requirement that a label of nodeSelector amounts to.
Requirement requirement_of(const Label& label);

/// The name that nodes carry today beside a deprecated one with the same value
/// (beta.kubernetes.io/arch), or `key` itself. Source: k8s.io/api core/v1/well_known_labels.go.
std::string_view current_node_label(std::string_view key);

/// Whether no node satisfies both requirements because of one label: In and NotIn sets, Exists and
/// DoesNotExist, intervals of Gt and Lt. False where one of them is satisfied by no node by itself,
/// which is a mistake of its own, and where a value is a placeholder.
bool exclude_each_other(const Requirement& a, const Requirement& b);

}  // namespace cnsched::k8s

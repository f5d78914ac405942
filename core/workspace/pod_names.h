#pragma once

#include <string>
#include <vector>

#include "core/workspace/workload.h"
#include "core/workspace/workspace.h"

namespace cnsched {

/// A name for each of the pods that the API server takes and that no other of them has in its
/// namespace: the controller's name for what makes the pod, or the object's and the component's.
/// Which of two gets a number does not depend on the order of the files.
std::vector<std::string> pod_names(const std::vector<const Workload*>& pods,
                                   const Workspace& workspace);

/// `text` as a DNS-1123 subdomain: lower case, '-' for what may not stand in one.
/// Source: k8s.io/apimachinery pkg/util/validation, IsDNS1123Subdomain.
std::string dns_subdomain(std::string_view text);

}  // namespace cnsched

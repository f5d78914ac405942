#pragma once

#include <vector>

#include "core/base/arena.h"
#include "core/k8s/objects.h"
#include "core/k8s/pod_template.h"

namespace cnsched::seldon {

/// The pod of a Server: its podSpec over the one of its ServerConfig, and what the operator and the
/// StatefulSet controller add. Without the ServerConfig its own podSpec alone; nothing without
/// either. Source: seldon-core v2 operator/controllers/reconcilers/server.
std::vector<k8s::PodTemplate> server_pods(const k8s::Object& server, const k8s::Objects& objects,
                                          Arena& arena);

}  // namespace cnsched::seldon

#pragma once

#include "core/sim/plugin.h"

namespace cnsched::sim {

extern constinit const Plugin node_affinity_pre_filter;
extern constinit const Plugin node_unschedulable;
extern constinit const Plugin node_name;
extern constinit const Plugin taint_toleration;
extern constinit const Plugin node_affinity;
extern constinit const Plugin node_ports;
extern constinit const Plugin node_resources_fit;
extern constinit const Plugin pod_topology_spread;
extern constinit const Plugin inter_pod_affinity;
extern constinit const Plugin unfiltered;

}  // namespace cnsched::sim

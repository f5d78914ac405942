#pragma once

#include "core/k8s/object.h"
#include "core/k8s/pod_template.h"
#include "core/kserve/deployment_mode.h"

namespace cnsched {

/// One pod of the run, or a part of one, and the manifest that asks for it.
struct Workload : k8s::PodTemplate {
  const k8s::Object* object = nullptr;

  /// Only for what KServe runs either way; otherwise `standard`.
  kserve::ModeOf mode{kserve::DeploymentMode::standard, nullptr};

  /// The pod of a model server, or of what belongs to one.
  bool is_serving() const;
  /// Whether the pod is tied to certain nodes or claims a device.
  bool is_led_somewhere() const;
  /// Advice on placement is for model servers, and for pods that ask for, select or tolerate an
  /// accelerator; others are none of our business.
  bool takes_placement_advice() const;
};

}  // namespace cnsched

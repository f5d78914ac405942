#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/k8s/pod_spec.h"

namespace cnsched::accelerators {

/// Why no container gets a resource of this name.
struct NameProblem {
  std::string why;        ///< "no device plugin advertises it"
  std::string instead;    ///< the name that was probably meant; may be empty
  bool is_guess = false;  ///< `instead` is one of several that come into question
  bool refused = false;   ///< the API server refuses the pod; otherwise it waits for ever
};

/// What is wrong with the name of a resource that a container asks for, or nothing. Only a slip of
/// a known name is told, and what is known not to exist: device plugins may choose any other.
std::optional<NameProblem> resource_name_problem(std::string_view name);

/// Whether the pod asks for an accelerator in a way that gets it none: by a wrong name, or for the
/// pod as a whole.
bool asks_in_vain(const k8s::PodSpec& pod);

}  // namespace cnsched::accelerators

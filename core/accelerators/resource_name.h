#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/k8s/pod_spec.h"

namespace cnsched::accelerators {

/// Why no container gets a resource of this name.
struct NameProblem {
  std::string reason;       ///< "no device plugin advertises it"
  std::string replacement;  ///< the probable name; may be empty
  bool is_guess = false;    ///< `replacement` is one of several possible names
  bool rejected = false;    ///< the API server rejects the pod; otherwise it stays Pending
};

/// What is wrong with the name of a resource that a container requests, or nothing. Only
/// misspellings of known names and names known not to exist are problems: device plugins may choose
/// any other.
std::optional<NameProblem> resource_name_problem(std::string_view name);

/// A name that users write and that no plugin advertises.
struct MisnamedResource {
  std::string_view name;
  std::string_view instead;
  bool is_guess = false;  ///< other names are possible too
};
std::span<const MisnamedResource> misnamed_resources();
/// The names whose misspellings are problems.
std::span<const std::string_view> advertised_names();

/// Whether the pod requests an accelerator in a way that gets it none: by a wrong name, or for the
/// pod as a whole.
bool requests_unobtainable(const k8s::PodSpec& pod);

}  // namespace cnsched::accelerators

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/workloads/workspace.h"
#include "templates/settings.h"

namespace cnsched::templates {

/// A manifest that is to be pinned, and what the user says.
struct PinRequest {
  std::string path;  ///< for messages, and to tell which objects are nearest
  std::string text;
  Said said;                            ///< of the parameters
  std::vector<std::string> components;  ///< see pods_to_pin
  std::string container;                ///< of the accelerator; empty: the model server's
};

/// What has come of it.
struct Pinned {
  enum class Blame : std::uint8_t {
    none,
    request,   ///< parameters, components
    manifest,  ///< cannot be edited
  };
  Blame blame = Blame::none;
  std::vector<std::string> problems;  ///< in words that go on after "error: "
  std::string text;                   ///< the manifest with the placement, if there is no problem
  std::vector<std::string> pods;      ///< that were looked at, in words
  /// Where parameters are to blame: all of them, with an example in the place of what is wrong.
  std::vector<Setting> mended;
};

/// The manifest with the placement that the parameters platform, accelerator, gpus and migStrategy
/// stand for, in the pods that are meant: edits of its bytes, and only of what those pods do not
/// say yet. `around` is what else the run holds: facts of the cluster. Done to its own result,
/// it changes nothing.
Pinned pin(const PinRequest& request, const LoadOptions& around);

/// The parameters, where the pod asks for so many accelerators already.
std::vector<Parameter> pin_parameters(std::int64_t gpus, Arena& arena);

}  // namespace cnsched::templates

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/workspace/load_options.h"
#include "templates/settings.h"

namespace cnsched::templates {

/// A manifest to pin, and the user's options.
struct PinRequest {
  std::string path;  ///< for messages, and to find the nearest objects
  std::string text;
  UserValues values;                    ///< of the parameters
  std::vector<std::string> components;  ///< see pods_to_pin
  std::string container;                ///< of the accelerator; empty: the model server's
  bool replaces = false;                ///< whether a conflicting placement is replaced
};

/// The result of `pin`.
struct Pinned {
  enum class Failure : std::uint8_t {
    none,
    request,   ///< parameters, components, or a conflicting placement
    manifest,  ///< cannot be edited
  };
  Failure failure = Failure::none;
  std::vector<std::string> problems;  ///< messages to print after "error: "
  std::string text;                   ///< the manifest with the placement, if there is no problem
  std::vector<std::string> pods;      ///< descriptions of the pods found
  /// For Failure::request: the settings, with an example instead of each missing or wrong one.
  std::vector<Setting> corrected_settings;
};

/// Adds the placement for the parameters platform, accelerator, gpus and migStrategy to the pods of
/// the request. Edits the manifest's bytes, and only what those pods lack. Fails if they have a
/// placement that no such node has, unless it is to be replaced. `context` has the other files of
/// the workspace, such as facts about the cluster. Idempotent.
Pinned pin(const PinRequest& request, const LoadOptions& context);

/// The parameters of `pin` for a pod that requests `gpus` accelerators already.
std::vector<Parameter> pin_parameters(std::int64_t gpus, Arena& arena);

}  // namespace cnsched::templates

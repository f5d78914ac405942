#pragma once

#include <string>
#include <vector>

#include "core/workspace/workspace.h"

namespace cnsched::change {

/// Where a value comes from.
struct Place {
  enum class Kind : unsigned char {
    none,    ///< no input has it: a controller or the API server sets it
    value,   ///< it is written there
    cause,   ///< it is computed from what is written there
    around,  ///< there is no such value: the nearest list or object that could hold it
  };
  Kind kind = Kind::none;
  Span where{};                 ///< in the workspace of the side
  std::string rendered_from{};  ///< the source of a rendered value, if only that file is known
};

/// The place of a value; null for a value that no input has.
Place place_of(const yaml::Node* node);
/// The place of the list or object that has no such value: where its key is.
Place place_around(const yaml::Node& node);

/// Moves places in rendered files to the sources, as far as these are known.
void move_to_sources(const Workspace& workspace, const std::vector<Place*>& places);

}  // namespace cnsched::change

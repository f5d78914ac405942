#pragma once

#include <string>

#include "cli/lsp/json.h"
#include "cli/lsp/position.h"

namespace cnsched::cli::lsp {

/// A request about a document.
struct Question {
  std::string path;
  Place place{};  ///< if the request has a `position`
  Range range{};  ///< if it has a `range`; otherwise it begins and ends at `place`
  const Json& params;
};

}  // namespace cnsched::cli::lsp

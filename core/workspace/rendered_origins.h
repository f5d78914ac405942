#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "core/packages/origin.h"
#include "core/workspace/workspace.h"

namespace cnsched {

/// The origins of what is in the rendered files of a workspace, after OriginFinder::prepare.
class RenderedOrigins {
 public:
  explicit RenderedOrigins(const Workspace& workspace);

  Origin of(Span where, Aspect aspect) const;
  /// Nothing if the workspace does not have the source.
  std::optional<Span> span_of(const SourcePlace& place) const;

 private:
  const Workspace& workspace_;
  std::unordered_map<std::string, FileId> sources_;  ///< by path
};

}  // namespace cnsched

#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/packages/origin.h"
#include "core/workspace/workspace.h"

namespace cnsched {

/// The origins of what is in the rendered files of a workspace.
class RenderedOrigins {
 public:
  explicit RenderedOrigins(const Workspace& workspace);

  /// Adds a question for what is in a rendered file; before `prepare`.
  void ask(Span where, packages::Aspect aspect);
  /// Finds the origins of what was asked for.
  void prepare();
  packages::Origin of(Span where, packages::Aspect aspect) const;
  /// Nothing if the workspace does not have the source.
  std::optional<Span> span_of(const packages::SourcePlace& place) const;

 private:
  packages::OriginQuestion question_of(Span where, packages::Aspect aspect) const;

  const Workspace& workspace_;
  std::vector<packages::OriginQuestion> questions_;
  std::unordered_map<std::string, FileId> sources_;  ///< by path
};

}  // namespace cnsched

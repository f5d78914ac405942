#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/packages/origin.h"
#include "core/source/source_file.h"
#include "core/yaml/document.h"

namespace cnsched {

/// The sources of what kustomize renders of an overlay: bases, patches, components, generators and
/// the fields of kustomizations. The build is simulated from its sources, and a place counts only
/// if its text is the rendered one. Source: kustomize 5.6, in order and details (core/packages/
/// overlay/).
class OverlayOrigins {
 public:
  /// `root`: the directory of the overlay. `sources`: every file that the build reads. Each path
  /// is `root` with the names that kustomizations contain ("overlay/../base/isvc.yaml" and
  /// "base/isvc.yaml" are the same), not the target of a link. The time is proportional to the
  /// size of the build and limited; a build that exceeds the limits has no origins.
  OverlayOrigins(const std::string& root, std::span<const PackageSource> sources);
  OverlayOrigins(const OverlayOrigins&) = delete;
  OverlayOrigins& operator=(const OverlayOrigins&) = delete;
  ~OverlayOrigins();

  /// The origin of a key or value, or of a part of a value, of a rendered object. `file` is the
  /// rendered text, `document` one of its documents, and `where` the span of a finding. Safe to
  /// call from several threads.
  Origin of(const SourceFile& file, const yaml::Document& document, Span where) const;

 private:
  struct Implementation;
  std::unique_ptr<const Implementation> implementation_;
};

}  // namespace cnsched

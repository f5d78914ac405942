#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/packages/marked_edits.h"
#include "core/packages/package.h"

namespace cnsched::packages {

/// Finds the origins of rendered keys and values by experiment: where the text of a value is in the
/// sources it is changed, the package is rendered again, and the change that shows in the value
/// tells its origin. Many places are changed in one run, each to another text. A run that fails,
/// or that changes the structure around a value, is divided into runs with fewer changes.
class OriginSearch {
 public:
  /// The most runs of the engine for one package.
  static constexpr std::size_t kMaxRuns = 24;

  /// The package, its sources and what the engine makes of them must outlive this.
  OriginSearch(const Package& package, std::span<const PackageSource> sources,
               const SourceFile& rendered, std::size_t runs = kMaxRuns);
  ~OriginSearch();

  /// Adds a question; before the first call of `next`.
  void ask(Span where, Aspect aspect);
  /// What to render next: for each run the texts that differ. Nothing at the end.
  std::vector<ReplacedTexts> next();
  /// Takes what these runs rendered; nothing of one that failed.
  void take(const std::vector<std::optional<std::string>>& rendered);

  Origin of(Span where, Aspect aspect) const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace cnsched::packages

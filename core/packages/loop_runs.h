#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/packages/marked_templates.h"
#include "core/packages/template_calls.h"
#include "core/packages/template_values.h"

namespace cnsched {

/// A document of what Helm renders, as far as it determines the order: Helm sorts documents by
/// kind, and prints hooks last.
struct DocumentOrder {
  std::string_view source{};  ///< the comment that names the template
  std::string_view kind{};
  bool is_hook = false;

  friend bool operator==(const DocumentOrder&, const DocumentOrder&) = default;
};

/// Which run of each `range` the marks in a rendered text are in: the marks of a line that each run
/// prints are counted. They are counted only where it is certain that two executions of the loop
/// have another mark between them.
class LoopRuns {
 public:
  /// `documents` has for each of the marks its document.
  LoopRuns(std::span<const PackageSource> sources, const MarkedTemplates& templates,
           const TemplateCalls& calls, std::span<const RenderedMark> marks,
           std::span<const DocumentOrder* const> documents);

  /// The run of the `range` that the mark is in; nothing if it is not known.
  std::optional<LoopRun> of(std::size_t mark, std::size_t block) const;

 private:
  class Counter;

  /// The runs of one line in one execution of a loop.
  struct Count {
    std::size_t runs = 0;
    const DocumentOrder* document = nullptr;
    bool is_sorted = false;  ///< they are in documents that Helm sorts
  };
  struct Entry {
    std::size_t block = 0;
    std::size_t count = 0;  ///< in counts_
    std::size_t index = 0;
  };

  std::vector<Count> counts_;
  std::vector<std::vector<Entry>> runs_;  ///< of each mark
};

}  // namespace cnsched

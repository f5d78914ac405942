#include "cli/output/suggestion.h"

#include <fmt/format.h>

#include "cli/output/origins.h"
#include "core/base/text.h"

namespace cnsched::cli {

std::string text_of(const sim::Suggestion& suggestion, const sim::Cluster& cluster,
                    const Workspace& run) {
  std::vector<std::string> edits;
  for (const sim::Remedy& edit : suggestion.edits) {
    edits.push_back(fmt::format("{} ({})", edit.title, line_of(edit.where, run)));
  }
  return fmt::format("{}: then it fits {}{}", join_words(edits),
                     printable(cluster.node(suggestion.node).name),
                     suggestion.fits > 1 ? fmt::format(" and {} more", suggestion.fits - 1) : "");
}

}  // namespace cnsched::cli

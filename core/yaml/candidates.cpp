#include "core/yaml/candidates.h"

#include <algorithm>

namespace cnsched::yaml {

Candidates combined(const std::vector<Candidates>& of_each) {
  std::size_t count = 1;
  for (const Candidates& candidates : of_each) {
    if (candidates.empty()) return {};
    count = std::max(count, candidates.size());
  }
  Candidates all(count);
  for (const Candidates& candidates : of_each) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::vector<Edit>& edits = candidates[std::min(i, candidates.size() - 1)];
      all[i].insert(all[i].end(), edits.begin(), edits.end());
    }
  }
  return all;
}

Edit replace(const Layout& layout, TextRange range, std::string text) {
  return {layout.span(range), std::move(text)};
}

Edit insert(const Layout& layout, std::size_t at, std::string text) {
  return replace(layout, {at, at}, std::move(text));
}

}  // namespace cnsched::yaml

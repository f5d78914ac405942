#include "core/yaml/edited.h"

#include <fmt/format.h>

#include <algorithm>

namespace cnsched::yaml {

Edited::Edited(const SourceFile& its_file, const Document& its_document, Proof whose)
    : file(its_file),
      document(its_document),
      proof(whose),
      layout(its_file, its_document),
      repetitions(its_document) {}

Result<std::vector<Edit>> choose(const Edited& edited, const Ways& ways, const Intent& intent) {
  for (const std::vector<Edit>& way : ways) {
    if (edited.proof == Proof::caller) return way;
    if (achieves(way, edited.file, edited.document, intent)) return way;
  }
  const auto first =
      std::ranges::min_element(intent, {}, [](const auto& change) { return change.first->span; });
  return Error{fmt::format("{} is written in a way that cnsched cannot edit",
                           name_in(edited.document, *first->first))};
}

Ways together(const std::vector<Ways>& of_each) {
  std::size_t count = 1;
  for (const Ways& ways : of_each) {
    if (ways.empty()) return {};
    count = std::max(count, ways.size());
  }
  Ways all(count);
  for (const Ways& ways : of_each) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::vector<Edit>& way = ways[std::min(i, ways.size() - 1)];
      all[i].insert(all[i].end(), way.begin(), way.end());
    }
  }
  return all;
}

Edit replace(const Edited& edited, Range range, std::string text) {
  return {edited.layout.span(range), std::move(text)};
}

Edit insert(const Edited& edited, std::size_t at, std::string text) {
  return replace(edited, {at, at}, std::move(text));
}

}  // namespace cnsched::yaml

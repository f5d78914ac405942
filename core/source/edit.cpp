#include "core/source/edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace cnsched {

std::string apply(std::string_view bytes, std::vector<Edit> edits, std::uint32_t offset) {
  std::ranges::stable_sort(edits, {}, &Edit::where);
  std::string result;
  std::size_t done = 0;
  for (const Edit& edit : edits) {
    const Span& where = edit.where;
    // A position before `offset` wraps around to one after the end.
    const std::size_t begin = std::size_t{where.begin} - offset;
    const std::size_t end = std::size_t{where.end} - offset;
    if (where.file != edits.front().where.file || begin < done || end < begin ||
        end > bytes.size()) {
      throw std::logic_error(fmt::format(
          "the edit of bytes {} to {} of file {} overlaps another one, or is outside the text",
          where.begin, where.end, where.file));
    }
    result += bytes.substr(done, begin - done);
    result += edit.text;
    done = end;
  }
  return result += bytes.substr(done);
}

}  // namespace cnsched

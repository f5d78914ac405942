#include "core/source/edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace cnsched {

namespace {

void check(const Edit& edit, FileId file, std::size_t done, std::size_t size) {
  const Span& where = edit.where;
  if (where.file == file && where.begin >= done && where.end >= where.begin && where.end <= size) {
    return;
  }
  throw std::logic_error(
      fmt::format("the edit of bytes {} to {} of file {} overlaps another one, "
                  "or is outside the file",
                  where.begin, where.end, where.file));
}

}  // namespace

std::string apply(std::string_view bytes, std::vector<Edit> edits) {
  std::ranges::stable_sort(edits, {}, &Edit::where);
  std::string result;
  std::size_t done = 0;
  for (const Edit& edit : edits) {
    check(edit, edits.front().where.file, done, bytes.size());
    result += bytes.substr(done, edit.where.begin - done);
    result += edit.text;
    done = edit.where.end;
  }
  return result += bytes.substr(done);
}

}  // namespace cnsched

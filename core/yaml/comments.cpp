#include "core/yaml/comments.h"

#include <algorithm>

#include "core/base/text.h"

namespace cnsched::yaml {

std::vector<Comment> find_comments(const SourceFile& file, Span where,
                                   const std::vector<Span>& scalars) {
  std::vector<Comment> comments;
  const std::string_view bytes = file.bytes();
  auto scalar = scalars.begin();
  for (std::uint32_t at = where.begin; at < where.end;) {
    while (scalar != scalars.end() && scalar->end <= at) ++scalar;
    if (scalar != scalars.end() && scalar->begin <= at) {
      at = scalar->end;
      continue;
    }
    const bool begins = at == where.begin || bytes[at - 1] == ' ' || bytes[at - 1] == '\t' ||
                        bytes[at - 1] == '\n' || bytes[at - 1] == '\r';
    if (bytes[at] != '#' || !begins) {
      ++at;
      continue;
    }
    const std::size_t line = file.line_of(at);
    const auto end = static_cast<std::uint32_t>(file.line_start(line) + file.line(line).size());
    // A byte order mark is nothing.
    const std::uint32_t line_start = std::max(file.line_start(line), where.begin);
    const bool own_line = trim(bytes.substr(line_start, at - line_start)).empty();
    comments.push_back({{file.id(), at, end}, own_line});
    at = end;
  }
  return comments;
}

}  // namespace cnsched::yaml

#include "core/yaml/parse.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/yaml/bytes.h"
#include "core/yaml/tree_builder.h"

namespace cnsched::yaml {

namespace {

/// The file in Helm's `# Source:` comment.
std::string helm_source(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    constexpr std::string_view kMark = "# Source:";
    if (line.starts_with(kMark)) return std::string(trim(line.substr(kMark.size())));
    if (!line.empty() && !line.starts_with('#') && line != "---") break;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

}  // namespace

Document parse(const SourceFile& file, Span where, std::shared_ptr<Arena> arena,
               Templates templates) {
  Document document;
  document.span = where;
  document.arena = arena != nullptr ? std::move(arena) : std::make_shared<Arena>();
  document.rendered_from = helm_source(file.text(where));
  if (auto problem = find_bad_byte(file, where)) {
    document.problems.push_back(std::move(*problem));
    return document;
  }
  const QuickEnd end = read_quickly(file, where, document);
  if (end == QuickEnd::action && templates == Templates::skipped) {
    document.templated = true;
  } else if (end != QuickEnd::read) {
    read_events(file, where, document);
  }
  return document;
}

}  // namespace cnsched::yaml

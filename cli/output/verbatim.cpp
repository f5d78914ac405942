#include "cli/output/diff.h"

#include <algorithm>

#include "core/base/text.h"

namespace cnsched::cli {

void write_diff(std::string_view diff, const Console& console) {
  if (!console.out_is_terminal) {
    console.out << diff;
    return;
  }
  while (!diff.empty()) {
    const std::size_t end = std::min(diff.find('\n'), diff.size());
    std::string_view line = diff.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    console.out << printable(line) << '\n';
    diff.remove_prefix(std::min(end + 1, diff.size()));
  }
}

}  // namespace cnsched::cli

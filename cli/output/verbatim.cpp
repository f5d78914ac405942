#include "cli/output/verbatim.h"

#include <algorithm>

#include "core/base/text.h"

namespace cnsched::cli {

namespace {

/// A printable line without its end; tabs stay.
void write_printable(std::string_view line, std::ostream& out) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::string_view between;
  for (const std::string_view part : split(line, '\t')) {
    out << between << printable(part);
    between = "\t";
  }
}

}  // namespace

void write_verbatim(std::string_view text, const Console& console) {
  if (!console.out_is_displayed()) {
    console.out << text;
    return;
  }
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    write_printable(text.substr(0, end), console.out);
    if (end < text.size()) console.out << '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace cnsched::cli

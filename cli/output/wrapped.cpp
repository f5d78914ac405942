#include "cli/output/wrapped.h"

#include "core/base/text.h"

namespace cnsched::cli {

void write_wrapped(std::string_view text, std::size_t indent, std::size_t width,
                   std::ostream& out) {
  for (const std::string& line : wrap(printable(text), width - indent)) {
    out << std::string(indent, ' ') << line << '\n';
  }
}

}  // namespace cnsched::cli

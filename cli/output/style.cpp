#include "cli/output/style.h"

#include <array>
#include <rang.hpp>
#include <sstream>

namespace cnsched::cli {

namespace {

void begin(std::ostream& out, Paint paint) {
  switch (paint) {
    case Paint::error:
      out << rang::style::bold << rang::fgB::red;
      break;
    case Paint::warning:
      out << rang::style::bold << rang::fgB::yellow;
      break;
    case Paint::info:
    case Paint::note:
      out << rang::style::bold << rang::fgB::cyan;
      break;
    case Paint::help:
      out << rang::style::bold << rang::fgB::green;
      break;
    case Paint::gutter:
      out << rang::style::bold << rang::fgB::blue;
      break;
    case Paint::strong:
      out << rang::style::bold;
      break;
  }
}

}  // namespace

Paint paint_of(Severity severity) {
  constexpr auto kPaints = std::to_array<Paint>({Paint::info, Paint::warning, Paint::error});
  return kPaints[static_cast<std::size_t>(severity)];
}

std::string Style::operator()(Paint paint, std::string_view text) const {
  if (!colored_) return std::string(text);
  // decide_color decides; rang only writes the codes.
  rang::setControlMode(rang::control::Force);
  std::ostringstream out;
  begin(out, paint);
  out << text << rang::style::reset;
  return out.str();
}

}  // namespace cnsched::cli

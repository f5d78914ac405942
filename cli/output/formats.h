#pragma once

#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "cli/output/output.h"

namespace cnsched::cli {

/// What a report may do where people read it.
struct Look {
  std::size_t width = 80;
  bool colored = false;
};

/// A format that findings are reported in.
struct Format {
  std::string_view name;
  void (*write)(const Outcome&, const Look&, std::ostream&);
};

/// Every format, the one of terminals first.
std::span<const Format> all_formats();
/// Null if there is none of that name.
const Format* find_format(std::string_view name);
/// "pretty, concise, … or checkstyle".
std::string format_names();
/// "no format is called 'sarf', did you mean 'sarif'? (…)".
std::string unknown_format(std::string_view name);

}  // namespace cnsched::cli

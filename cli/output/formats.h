#pragma once

#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output/output.h"

namespace cnsched::cli {

/// How a report is printed on a terminal.
struct Look {
  std::size_t width = 80;
  bool colored = false;
};

/// A format that findings are reported in.
struct Format {
  std::string_view name;
  void (*write)(const Outcome&, const Look&, std::ostream&);
  /// Whether the format can mark a finding as suppressed. Other formats leave suppressed findings
  /// out.
  bool shows_suppressed = false;
  /// Whether the format includes documents that are out of scope.
  bool shows_out_of_scope = false;
  /// Writes the summary of the CI system's step that belongs to the report; may be null.
  void (*write_summary)(const Outcome&, std::ostream&) = nullptr;
};

/// Writes the outcome, without suppressed findings if the format cannot mark them.
void write_as(const Format& format, const Outcome& outcome, const Look& look, std::ostream& out);
/// Writes the summary, without suppressed findings. The format has one.
void write_summary_as(const Format& format, const Outcome& outcome, std::ostream& out);

/// All formats, the one for terminals first.
std::span<const Format> all_formats();
/// Null if there is none of that name.
const Format* find_format(std::string_view name);
std::vector<std::string> format_names();
/// "no format is called 'sarf', did you mean 'sarif'? (…)".
std::string unknown_format(std::string_view name);

}  // namespace cnsched::cli

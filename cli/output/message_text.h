#pragma once

#include <cstddef>
#include <string>

#include "core/diag/diagnostic.h"
#include "core/source/source_file.h"
#include "core/workspace/workspace.h"

namespace cnsched::cli {

/// The part of a span on its first line, for formats that show a single line.
/// Lines and columns count from 1 (see Position). At least one column wide.
struct Region {
  std::size_t line = 1;
  std::size_t column = 1;
  std::size_t end_column = 2;  ///< the first column after it
};

Region region_of(const SourceFile& file, Span span);

/// The file that a report shows for a finding. A finding in a rendered file is shown in the source
/// that it was rendered from; without a line, if only the file is known.
struct ReportedFile {
  std::string path;
  bool has_line = true;
};

ReportedFile reported_file(const Workspace& workspace, const Diagnostic& finding);

/// "the suppression expired on 2026-06-30", of a finding whose suppression did.
std::string expiry_of(const Diagnostic& finding);

/// The message of a finding, printable, then its help and the expiry of its suppression, each after
/// `separator`. The snippet of the help follows only if the separator is a line end.
std::string message_text(const Diagnostic& finding, std::string_view separator);

}  // namespace cnsched::cli

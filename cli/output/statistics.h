#pragma once

#include <ostream>
#include <vector>

#include "core/diag/diagnostic.h"

namespace cnsched::cli {

/// Writes a table of findings by rule and severity, the most frequent first, with the number of
/// fixable ones. Suppressed findings are not counted.
void write_statistics(const std::vector<Diagnostic>& findings, std::ostream& out);

}  // namespace cnsched::cli

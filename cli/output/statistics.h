#pragma once

#include <ostream>
#include <vector>

#include "core/diag/diagnostic.h"

namespace cnsched::cli {

/// A table: how often each rule has fired with each severity, the most frequent first, and how much
/// of that can be mended. What is suppressed does not count.
void write_statistics(const std::vector<Diagnostic>& findings, std::ostream& out);

}  // namespace cnsched::cli

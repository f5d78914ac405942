#pragma once

#include <string>

namespace cnsched {

/// Whether Helm renders the file: it is on the disk, below `templates/` of a directory with a
/// Chart.yaml [P61]. False for "-" and other names without a file.
bool is_chart_template(const std::string& file);

}  // namespace cnsched

#pragma once

#include <string>

namespace cnsched {

/// The real path of the chart of which Helm renders the file: it is on the disk, below `templates/`
/// of a directory with a Chart.yaml [P61]. Empty if there is none, and for "-" and other names
/// without a file.
std::string chart_of_template(const std::string& file);

}  // namespace cnsched

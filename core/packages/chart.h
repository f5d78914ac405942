#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/packages/origin.h"

namespace cnsched::packages {

/// The real path of the chart of which Helm renders the file: it is on the disk, below `templates/`
/// of a directory with a Chart.yaml [P61]. Empty if there is none, and for "-" and other names
/// without a file.
std::string chart_of_template(const std::string& file);

/// The chart at the real path `chart` as the user would name it, who named one of its templates as
/// `file`: "charts/llama" for "charts/llama/templates/isvc.yaml". The real path if a link leads to
/// the template.
std::string name_of_chart(const std::string& chart, const std::string& file);

/// The source of the chart at `path` that Helm names before a document it renders:
/// "llama/charts/tgi/templates/x.yaml". Empty if that is none of the sources.
std::string named_template(const std::string& path, std::span<const PackageSource> sources,
                           std::string_view name);

}  // namespace cnsched::packages

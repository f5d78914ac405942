#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cnsched::packages {

/// What a chart is rendered with besides its own values.yaml.
struct Variant {
  std::string name{};                       ///< empty: the chart has no variants
  std::vector<std::string> values{};        ///< files; later ones take precedence
  std::vector<std::string> sets{};          ///< "K=V"; they take precedence over the files
  std::string ns{};                         ///< the release's namespace; empty: Helm's default
  std::string release{};                    ///< the release's name; empty: the chart's directory
  std::string kubernetes{};                 ///< version; empty: the newest that cnsched knows
  std::vector<std::string> api_versions{};  ///< further ones that the cluster has
};

/// A chart for which the configuration lists variants.
struct ChartVariants {
  std::string path;  ///< the directory or the archive
  std::vector<Variant> variants{};
};

/// What is rendered.
struct RenderKinds {
  bool charts = false;
  bool overlays = false;

  bool any() const { return charts || overlays; }
  /// Adds what "helm", "kustomize" or "all" render; false for another name.
  bool add(std::string_view name) {
    const bool all = name == "all";
    charts = charts || all || name == "helm";
    overlays = overlays || all || name == "kustomize";
    return all || name == "helm" || name == "kustomize";
  }
};

/// The section `render` of a configuration. Paths are relative to the working directory.
struct RenderSettings {
  RenderKinds kinds{};
  std::string helm{};                    ///< the program; empty: not set
  std::string kustomize{};               ///< the program; empty: not set
  std::optional<std::size_t> timeout{};  ///< seconds
  // Patterns of packages, by their paths.
  std::vector<std::string> exclude{};   ///< not rendered: their sources are files like others
  std::vector<std::string> may_fail{};  ///< that an engine does not render them is no failure
  /// Patterns of files in the directory of each chart: each file is a variant.
  std::vector<std::string> values_files{};
  std::vector<ChartVariants> charts{};
};

}  // namespace cnsched::packages

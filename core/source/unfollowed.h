#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cnsched {

/// Something of which another tool makes manifests that are not read.
struct Unfollowed {
  enum class Kind : std::uint8_t {
    chart,          ///< of Helm, not rendered
    template_file,  ///< of Helm, outside of a chart
    kustomization,  ///< not built
    application,    ///< of Argo CD
    application_set,
    helm_release,  ///< of Flux
    flux_kustomization,
    jsonnet,  ///< a file
    cue,
    terraform,
  };
  Kind kind = Kind::chart;
  std::string path{};         ///< of the file, or of the directory, as the user named it
  std::size_t line = 0;       ///< of an object
  std::string name{};         ///< of an object
  std::size_t templates = 0;  ///< documents of a chart or a template file

  friend auto operator<=>(const Unfollowed&, const Unfollowed&) = default;
};

/// "helm-chart": the kind in reports.
std::string_view name_of(Unfollowed::Kind kind);

}  // namespace cnsched

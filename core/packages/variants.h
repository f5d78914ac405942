#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/packages/package.h"
#include "core/packages/variant.h"

namespace cnsched::packages {

/// Replaces each chart among the packages of `search` by its variants: those that the settings list
/// for it, and one for each values file in its directory that matches a pattern, named after the
/// file ("ci/gpu-values.yaml": "ci-gpu-values"). A chart without any stays as it is.
///
/// Rejected, because they come from whom the manifests come from: values files that a link leads
/// out of the repository, and more files that match than any person writes. Also what the settings
/// name that does not exist.
void add_variants(const RenderSettings& settings, PackageSearch& search);

/// Whether Helm would take the name of a values file for an address: "https://a.example/v.yaml".
bool is_address(std::string_view values_file);

}  // namespace cnsched::packages

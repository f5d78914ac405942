#pragma once

#include <string_view>

namespace cnsched::k8s {

/// Whether a file with the text `text`, which is no YAML and names no kind in scope, is something
/// else than a manifest: a hidden file or one in a hidden directory (.github/), a test fixture, a
/// Helm values file, a file of a tool with a fixed name (mkdocs.yml), JSON without `apiVersion` and
/// `kind`. Any other file may be a manifest.
bool is_other_file(std::string_view path, std::string_view text);

}  // namespace cnsched::k8s

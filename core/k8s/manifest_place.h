#pragma once

#include <string_view>
#include <vector>

namespace cnsched::k8s {

/// Whether a file with the text `text`, which is no YAML and names no kind in scope, is something
/// else than a manifest: a hidden file or one in a hidden directory (.github/), a test fixture, a
/// Helm values file, a file of a tool with a fixed name (mkdocs.yml), JSON without `apiVersion` and
/// `kind`. Any other file may be a manifest.
bool is_other_file(std::string_view path, std::string_view text);

/// The first line of a file that `cnsched snapshot --write` makes.
inline constexpr std::string_view kSnapshotLine =
    "# Facts about a cluster, written by 'cnsched snapshot --write'. Do not edit.\n";
/// The beginning of the comments before types that could not be read.
inline constexpr std::string_view kNotRead = "Not read, because";

/// The types that a snapshot could not read, as kubectl names them: "persistentvolumes",
/// "deviceclasses.resource.k8s.io". Nothing if the text is no snapshot.
std::vector<std::string_view> unread_types(std::string_view text);

}  // namespace cnsched::k8s

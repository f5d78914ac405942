#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/k8s/object.h"

namespace cnsched::k8s {

/// Whether cnsched checks the object, or reads it as a fact about the cluster (SchedulingKind). The
/// group decides, never the kind alone: other projects have an InferenceService too.
bool in_scope(const Object& object);

/// The values of `apiVersion` and `kind` under a key in the wrong case, such as `apiversion`, if
/// the object would be in scope with the right keys.
std::vector<const yaml::Node*> miscased_fields(const Object& object);

/// Whether the object has a model server's kind and no `apiVersion`, in any case.
bool lacks_api_version(const Object& object);

/// Whether a template may render an object in scope, by the words in its text.
bool template_may_be_in_scope(std::string_view text);

/// Whether text that cannot be parsed is in scope, by its apiVersion and kind lines.
bool broken_text_in_scope(std::string_view text);

/// A group of the API and what of it is in scope, for people.
struct GroupInScope {
  std::string_view group;  ///< empty: the core group
  std::string kinds;       ///< "Deployment, StatefulSet"
};
/// In the order of the table.
std::vector<GroupInScope> groups_in_scope();

/// Whether the group is one of KServe or Seldon.
bool is_serving_group(std::string_view group);
/// Whether the kind is a model server in any group.
bool is_serving_kind(std::string_view kind);

/// Whether a directory of this name has files that are broken on purpose, or of other people.
bool is_fixture_directory(std::string_view name);

/// Whether the name of the file says that a tool fills it in: "gradio.tftpl.yaml",
/// "job-template.yaml".
bool is_template_name(std::string_view name);

/// Whether a file with the text `text`, which is no YAML and names no kind in scope, is something
/// else than a manifest: a hidden file or one in a hidden directory (.github/), a test fixture, a
/// template by its name, a Helm values file, a file of a tool with a fixed name (mkdocs.yml), JSON
/// without `apiVersion` and `kind`. Any other file may be a manifest.
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

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/lsp/session.h"
#include "core/workloads/cluster_scope.h"

namespace cnsched::cli::lsp {

/// What is written at a position of a file.
struct Cursor {
  const SourceFile* file = nullptr;
  std::uint32_t offset = 0;
  const LoadedDocument* document = nullptr;
  const k8s::Object* object = nullptr;  ///< null: none that is checked
  /// The deepest value that is written there, or whose key is; null if there is none.
  const yaml::Node* node = nullptr;
  bool is_on_key = false;
};

/// Nothing if the file is not in the workspace or holds no document there.
std::optional<Cursor> cursor_at(const std::string& path, Place place, const Session& session);
/// Whether the key of the value, or either of them, is written at the offset.
bool is_on_key(const yaml::Node& node, std::uint32_t offset);
bool is_on(const yaml::Node& node, std::uint32_t offset);
/// The deepest value of the tree at `root` that is written at `offset`, or whose key is. Null if
/// there is none.
const yaml::Node* node_at(const yaml::Node& root, std::uint32_t offset);

/// The checked objects of a file, in its order.
std::vector<const k8s::Object*> objects_of(FileId file, const Session& session);
/// Where the pod's own fields are written: a mapping and its key. Empty if no file has them.
Span span_of_component(const Workload& pod);
/// The end of the line of an offset.
Span end_of_line(const SourceFile& file, std::uint32_t offset);

/// The clusters whose facts judge the object.
std::vector<const ClusterScope*> scopes_of(const k8s::Object& object, const Session& session);

}  // namespace cnsched::cli::lsp

#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "cli/lsp/checker.h"
#include "cli/lsp/documents.h"
#include "cli/lsp/json.h"
#include "core/workspace/cluster_scope.h"

namespace cnsched::cli::lsp {

/// What the client understands.
struct ClientAbilities {
  PositionEncoding encoding = PositionEncoding::utf16;
  bool related_information = false;  ///< otherwise notes become part of the message
  bool pulls = false;                ///< requests diagnostics: none are pushed
  bool refreshes = false;            ///< requests diagnostics again when the server requests it
  bool refreshes_hints = false;      ///< likewise for inlay hints
  bool watches = false;              ///< watches files for the server
  bool document_changes = false;     ///< takes edits with the versions of documents
  bool nests_symbols = false;        ///< understands DocumentSymbol, not only SymbolInformation
  bool configures = false;           ///< answers workspace/configuration
  bool registers_settings = false;   ///< registers the server for changed settings
  bool shows_progress = false;
  bool hovers_in_markdown = false;
};

/// What requests are answered from: the last check, the texts that the client has open, and how it
/// counts positions.
struct Session {
  const Checker& checker;
  const Documents& documents;
  const ClientAbilities& client;
  const std::atomic<bool>* cancelled = nullptr;  ///< of the request that is answered

  /// Whether the client does not want the answer any more: what takes long may stop.
  bool is_cancelled() const { return cancelled != nullptr && *cancelled; }
  /// As the client writes it, if it has the document open.
  std::string uri_of(const std::string& path) const;
  /// The offset of a position in a file of the workspace; nothing if the last good text replaces
  /// that of the client and does not have the position.
  std::optional<std::uint32_t> offset_at(const SourceFile& file, Place place) const;
  /// The place of a span for the client.
  PlaceRange range_of(Span where) const;
  /// A Location of the protocol.
  Json location_of(Span where) const;
};

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

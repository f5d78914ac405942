#include "cli/lsp/session.h"

#include <algorithm>
#include <array>

#include "cli/lsp/requests.h"
#include "core/source/span.h"

namespace cnsched::cli::lsp {

std::string Session::uri_of(const std::string& path) const {
  const OpenDocument* open = documents.find(path);
  return open != nullptr ? open->uri : uri_of_path(path);
}

std::optional<std::uint32_t> Session::offset_at(const SourceFile& file, Place place) const {
  if (const LastGoodText* good = checker.last_good_text(file.id())) {
    return good->from_current(offset_of(good->current().bytes(), place, client.encoding));
  }
  return static_cast<std::uint32_t>(offset_of(file.bytes(), place, client.encoding));
}

PlaceRange Session::range_of(Span where) const {
  if (const LastGoodText* good = checker.last_good_text(where.file)) {
    where.begin = good->to_current(where.begin);
    where.end = good->to_current(where.end);
    return lsp::range_of(good->current(), where, client.encoding, true);
  }
  const std::string& path = checker.path_of(where.file);
  return lsp::range_of(checker.workspace().file_of(where), where, client.encoding,
                       documents.find(path) != nullptr);
}

Json Session::location_of(Span where) const {
  return {{"uri", uri_of(checker.path_of(where.file))}, {"range", json_of(range_of(where))}};
}

bool is_on_key(const yaml::Node& node, std::uint32_t offset) {
  return node.key() != nullptr && touches(node.key()->span, offset);
}

bool is_on(const yaml::Node& node, std::uint32_t offset) {
  return touches(node.span, offset) || is_on_key(node, offset);
}

const yaml::Node* node_at(const yaml::Node& root, std::uint32_t offset) {
  const yaml::Node* deepest = nullptr;
  yaml::walk(root, [&](const yaml::Node& node) {
    const bool is_there = is_on(node, offset);
    if (is_there) deepest = &node;
    // A block ends before its last comment, so what is below it may be outside.
    return is_there || !node.is_scalar();
  });
  return deepest;
}

std::optional<Cursor> cursor_at(const std::string& path, Place place, const Session& session) {
  const Checker::File* file = session.checker.find(path);
  if (file == nullptr) return std::nullopt;
  const Workspace& workspace = session.checker.workspace();
  Cursor cursor;
  cursor.file = file->source;
  const auto offset = session.offset_at(*file->source, place);
  if (!offset) return std::nullopt;
  cursor.offset = *offset;
  const Span where{file->source->id(), cursor.offset, cursor.offset};
  cursor.document = workspace.document_around(where);
  if (cursor.document == nullptr) return std::nullopt;
  cursor.node = node_at(*cursor.document->document.root, cursor.offset);
  if (cursor.node == nullptr) return cursor;
  cursor.object = workspace.object_around(cursor.node->span);
  cursor.is_on_key = is_on_key(*cursor.node, cursor.offset);
  return cursor;
}

std::vector<const k8s::Object*> objects_of(FileId file, const Session& session) {
  std::vector<const k8s::Object*> objects;
  for (const k8s::Object& object : session.checker.workspace().objects()) {
    if (object.root->span.file == file) objects.push_back(&object);
  }
  std::ranges::sort(objects, {}, [](const k8s::Object* object) { return object->root->span; });
  return objects;
}

Span span_of_component(const Workload& pod) {
  if (pod.written == nullptr || pod.written->is_missing() || pod.written->made) return {};
  Span span = pod.written->span;
  if (const yaml::Node* key = pod.written->key())
    span.begin = std::min(span.begin, key->span.begin);
  return span;
}

Span end_of_line(const SourceFile& file, std::uint32_t offset) {
  const std::size_t line = file.line_of(offset);
  const auto end = static_cast<std::uint32_t>(file.line_start(line) + file.line(line).size());
  return {file.id(), end, end};
}

std::vector<const ClusterScope*> scopes_of(const k8s::Object& object, const Session& session) {
  std::vector<const ClusterScope*> scopes;
  for (const ClusterScope& scope : session.checker.workspace().scopes()) {
    if (scope.is_linted(object)) scopes.push_back(&scope);
  }
  return scopes;
}

const DocumentRequest* find_document_request(std::string_view method) {
  static constexpr std::array kRequests = {
      DocumentRequest{"textDocument/codeAction", AsksAbout::range, true, code_actions},
      DocumentRequest{"textDocument/completion", AsksAbout::place, true, completions},
      DocumentRequest{"textDocument/hover", AsksAbout::place, false, hover, true},
      DocumentRequest{"textDocument/definition", AsksAbout::place, true, definition, true},
      DocumentRequest{"textDocument/references", AsksAbout::place, true, references, true},
      DocumentRequest{"textDocument/documentSymbol", AsksAbout::document, true, document_symbols},
      DocumentRequest{"textDocument/inlayHint", AsksAbout::range, true, inlay_hints},
  };
  const auto* found = std::ranges::find(kRequests, method, &DocumentRequest::method);
  return found == kRequests.end() ? nullptr : found;
}

}  // namespace cnsched::cli::lsp

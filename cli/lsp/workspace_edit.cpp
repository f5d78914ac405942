#include "cli/lsp/workspace_edit.h"

#include "core/base/diff.h"

namespace cnsched::cli::lsp {

Json workspace_edit(const SourceFile& file, const std::vector<Edit>& edits,
                    const Session& session) {
  Json texts = Json::array();
  for (const Edit& edit : edits) {
    texts.push_back({{"range", json_of(session.range_of(edit.where))}, {"newText", edit.text}});
  }
  const std::string& path = session.checker.path_of(file.id());
  const OpenDocument* open = session.documents.find(path);
  const std::string uri = session.uri_of(path);
  if (!session.client.document_changes) return {{"changes", {{uri, std::move(texts)}}}};
  const Json version = open != nullptr ? Json(open->version) : Json();
  return {
      {"documentChanges",
       {{{"textDocument", {{"uri", uri}, {"version", version}}}, {"edits", std::move(texts)}}}}};
}

Edit edit_between(const SourceFile& file, std::string_view text) {
  const std::string_view before = file.bytes();
  auto [begin, same] = common_ends(before, text);
  if (begin > 0) begin = before.rfind('\n', begin - 1) + 1;  // npos + 1 is 0
  const auto begins_line = [same = same](std::string_view whole) {
    return same == whole.size() || whole[whole.size() - same - 1] == '\n';
  };
  if (!begins_line(before) || !begins_line(text)) {
    const std::string_view tail = before.substr(before.size() - same);
    const std::size_t line_end = tail.find('\n');
    same = line_end == std::string_view::npos ? 0 : tail.size() - line_end - 1;
  }
  return {{file.id(), static_cast<std::uint32_t>(begin),
           static_cast<std::uint32_t>(before.size() - same)},
          std::string(text.substr(begin, text.size() - same - begin))};
}

}  // namespace cnsched::cli::lsp

#include "cli/lsp/hover.h"

#include <fmt/format.h>

#include "cli/lsp/accelerator_record.h"
#include "cli/lsp/cursor.h"
#include "cli/lsp/effective_values.h"
#include "cli/lsp/hover_text.h"
#include "cli/lsp/matching_pools.h"

namespace cnsched::cli::lsp {

Json hover(const Question& question, const Session& session) {
  const auto cursor = cursor_at(question.path, question.place, session);
  if (!cursor || cursor->node == nullptr) return nullptr;
  HoverText text(session.client.hovers_in_markdown);
  add_effective_values(*cursor, session, text);
  add_matching_pools(*cursor, session, text);
  add_accelerator_record(*cursor->node, text);
  if (text.empty()) return nullptr;
  const Span where = cursor->is_on_key ? cursor->node->key()->span : cursor->node->span;
  return {{"contents",
           {{"kind", session.client.hovers_in_markdown ? "markdown" : "plaintext"},
            {"value", text.text()}}},
          {"range", json_of(session.range_of(where))}};
}

}  // namespace cnsched::cli::lsp

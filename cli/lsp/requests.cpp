#include "cli/lsp/requests.h"

#include <algorithm>
#include <array>

namespace cnsched::cli::lsp {

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

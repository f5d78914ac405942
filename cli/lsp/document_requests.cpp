#include "cli/lsp/document_requests.h"

#include <algorithm>
#include <array>

#include "cli/lsp/code_actions.h"
#include "cli/lsp/hover.h"

namespace cnsched::cli::lsp {

const DocumentRequest* find_document_request(std::string_view method) {
  static constexpr std::array kRequests = {
      DocumentRequest{"textDocument/codeAction", AsksAbout::range, true, code_actions},
      DocumentRequest{"textDocument/hover", AsksAbout::place, false, hover, true},
  };
  const auto* found = std::ranges::find(kRequests, method, &DocumentRequest::method);
  return found == kRequests.end() ? nullptr : found;
}

}  // namespace cnsched::cli::lsp

#pragma once

#include <cstdint>
#include <string_view>

#include "cli/lsp/question.h"
#include "cli/lsp/session.h"

namespace cnsched::cli::lsp {

/// What the parameters of a request about a document have besides the document.
enum class AsksAbout : std::uint8_t { document, place, range };

/// A request about a document that the last check answers.
struct DocumentRequest {
  std::string_view method;
  AsksAbout asks_about = AsksAbout::document;
  bool answers_list = true;  ///< what is found nowhere: an empty list, or null
  Json (*answer)(const Question&, const Session&) = nullptr;
  /// Whether it is asked about the last tree of a document that has syntax errors now.
  bool needs_tree = false;
};

/// The request of that method, or null.
const DocumentRequest* find_document_request(std::string_view method);

}  // namespace cnsched::cli::lsp

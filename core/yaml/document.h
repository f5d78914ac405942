#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/arena.h"
#include "core/yaml/node.h"

namespace cnsched::yaml {

/// Why a document, or a part of it, is not YAML that Kubernetes reads.
struct Problem {
  Span where;
  std::string message;
  std::string help;                                   ///< what to write instead; may be empty
  std::vector<std::pair<Span, std::string>> notes{};  ///< other places that belong to it
};

struct Comment {
  Span span;              ///< from the '#' to the end of the line
  bool own_line = false;  ///< nothing but blanks before it
};

/// One document of a file: the text from one `---` line to the next.
struct Document {
  Span span;
  const Node* root = &missing_node();  ///< missing if there is a problem
  std::vector<Problem> problems;
  std::vector<Comment> comments;  ///< in file order; none if there is a problem
  std::string rendered_from;      ///< what Helm's `# Source:` comment names
  bool templated = false;         ///< a Helm or Jinja template, not yet a manifest
  std::shared_ptr<Arena> arena;   ///< holds the nodes, and perhaps those of other documents

  std::string_view text(const SourceFile& file) const { return file.text(span); }
};

}  // namespace cnsched::yaml

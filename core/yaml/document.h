#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/arena.h"
#include "core/yaml/node.h"

namespace cnsched::yaml {

/// Why Kubernetes cannot read a document, or a part of it, as YAML.
struct Problem {
  Span where;
  std::string message;
  std::string help;                                   ///< what to write instead; may be empty
  std::vector<std::pair<Span, std::string>> notes{};  ///< related positions
  bool is_syntax_error = true;  ///< false: other readers of YAML accept it, Kubernetes does not
};

struct Comment {
  Span span;              ///< from the '#' to the end of the line
  bool own_line = false;  ///< only blanks precede it on its line
};

/// One document of a file: the text from one `---` line to the next.
struct Document {
  Span span;
  const Node* root = &missing_node();  ///< missing if there is a problem
  std::vector<Problem> problems;
  std::vector<Comment> comments;  ///< in file order; none if there is a problem
  std::string rendered_from;      ///< the file in Helm's `# Source:` comment
  bool templated = false;         ///< a Helm or Jinja template, not a manifest
  std::shared_ptr<Arena> arena;   ///< owns the nodes, perhaps with those of other documents

  std::string_view text(const SourceFile& file) const { return file.text(span); }
};

}  // namespace cnsched::yaml

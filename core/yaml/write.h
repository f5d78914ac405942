#pragma once

#include <functional>
#include <string>

#include "core/yaml/node.h"

namespace cnsched::yaml {

// Both writers print each scalar as the type that Kubernetes reads it as (yes is true, 010 is 8)
// and each key as a string, and let nothing through that steers a terminal. They recurse as deep as
// the tree is, so a tree that aliases may have made deep or wide is bounded before
// (core/k8s/pod_object).

/// What to say behind a scalar, a null, {} or [] of the tree, without '#'; empty for nothing.
using CommentOf = std::function<std::string(const Node&)>;

/// `node`, a mapping or a list, in block style, kubectl's: two blanks, lists not indented. Ends
/// with a line end.
std::string to_yaml(const Node& node, const CommentOf& comment_of = {});

/// A scalar on one line, as it stands in block style; for nothing, null.
std::string scalar_to_yaml(const Node& scalar);

/// `node` on one line in flow style; with `quotes`, every string in double quotes, as JSON has
/// them.
std::string to_flow(const Node& node, bool quotes);

/// `node` as JSON, indented by two; lines but the first by `indent` more. Only ASCII; invalid UTF-8
/// becomes U+FFFD. No line end behind it.
std::string to_json(const Node& node, std::size_t indent = 0);

}  // namespace cnsched::yaml

#pragma once

#include <functional>
#include <string>

#include "core/yaml/node.h"

namespace cnsched::yaml {

// The writers print each scalar with the type that Kubernetes reads (yes is true, 010 is 8) and
// each key as a string, and escape control characters. They recurse, so the caller limits a tree
// that aliases may have made deep or wide (core/k8s/pod_object).

/// The comment after a scalar, a null, {} or [], without '#'; empty for none.
using CommentOf = std::function<std::string(const Node&)>;

/// `node`, a mapping or a list, in kubectl's block style: indented by two, lists not indented. Ends
/// with a line break.
std::string to_yaml(const Node& node, const CommentOf& comment_of = {});

/// A scalar on one line in block style; "null" for a missing or null node.
std::string scalar_to_yaml(const Node& scalar);

/// `node` on one line in flow style; with `quotes`, every string in double quotes, as in JSON.
std::string to_flow(const Node& node, bool quotes);

/// `node` as JSON, indented by two; all lines but the first by `indent` more. ASCII only; invalid
/// UTF-8 becomes U+FFFD. Without a final line break.
std::string to_json(const Node& node, std::size_t indent = 0);

}  // namespace cnsched::yaml

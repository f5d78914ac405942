#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "core/k8s/object.h"
#include "core/yaml/change.h"
#include "rules/findings.h"

namespace cnsched::rules {

/// Removes an item; if it is the only one, removes the list.
inline yaml::Change to_erase_item(const yaml::Node& item) {
  const bool is_last = item.parent() != nullptr && item.parent()->items().size() == 1;
  return yaml::to_erase(is_last ? *item.parent() : item);
}

/// Whether comments are on the lines of the value and its key, or directly above. Moving the value
/// would lose them.
inline bool has_comments(const yaml::Node& value, const Findings& findings) {
  const k8s::Object* object = findings.workspace().object_around(value.span);
  if (object == nullptr) return false;
  const SourceFile& file = findings.workspace().file_of(value.span);
  const Span begin = value.key() != nullptr ? value.key()->span : value.span;
  const auto first = file.position(begin.begin).line;
  const auto last = file.position(value.span.end).line;
  const auto line_of = [&](const yaml::Comment& c) { return file.position(c.span.begin).line; };
  const std::vector<yaml::Comment>& comments = object->document->comments;
  const auto next = std::ranges::lower_bound(
      comments, begin.begin, {}, [](const yaml::Comment& comment) { return comment.span.begin; });
  if (next != comments.end() && line_of(*next) <= last) return true;
  return next != comments.begin() && std::prev(next)->own_line &&
         line_of(*std::prev(next)) + 1 == first;
}

/// Removes the annotation, and `annotations` too if it becomes empty.
inline yaml::Change to_erase_annotation(const yaml::Node& value) {
  const bool alone = value.parent()->entries().size() == 1 && value.parent()->key() != nullptr;
  return yaml::to_erase(alone ? *value.parent() : value);
}

}  // namespace cnsched::rules

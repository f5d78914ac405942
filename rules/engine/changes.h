#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "core/k8s/object.h"
#include "core/yaml/change.h"
#include "rules/engine/report.h"

namespace cnsched::rules {

/// Removes an item, and with the last one the list.
inline yaml::Change to_erase_item(const yaml::Node& item) {
  const bool is_last = item.parent() != nullptr && item.parent()->items().size() == 1;
  return yaml::to_erase(is_last ? *item.parent() : item);
}

/// Whether comments stand on the lines of the value and its key, or directly above. They would be
/// lost if it was written elsewhere.
inline bool has_comments(const yaml::Node& value, const Report& report) {
  const k8s::Object* object = report.run().object_around(value.span);
  if (object == nullptr) return false;
  const SourceFile& file = report.run().file_of(value.span);
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

}  // namespace cnsched::rules

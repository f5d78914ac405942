#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>

#include "core/yaml/document.h"

// How tests and fuzzers compare what two readers make of one text.
namespace cnsched::test {

/// A document that is still to be read.
inline yaml::Document unread_document(Span where) {
  yaml::Document document;
  document.span = where;
  document.arena = std::make_shared<Arena>();
  return document;
}

/// All that a tree says, with every span and link.
inline void append_dump(const yaml::Node& node, const yaml::Node* parent, std::string& text) {
  text += fmt::format("({} {} {} {}-{} '{}' {} {} ", static_cast<int>(node.kind),
                      static_cast<int>(node.type), node.quoted, node.span.begin, node.span.end,
                      node.text(), node.parent() == parent,
                      node.key() == nullptr ? "no key" : std::string(node.key()->text()));
  for (const yaml::Node* item : node.items()) append_dump(*item, &node, text);
  for (const yaml::Entry& entry : node.entries()) {
    text += entry.overridden ? "overridden " : "";
    append_dump(*entry.key, &node, text);
    append_dump(*entry.value, &node, text);
  }
  text += ')';
}

/// The same of a document, with its problems and comments.
inline std::string dump(const yaml::Document& document) {
  std::string result;
  for (const yaml::Problem& problem : document.problems) result += problem.message + "; ";
  append_dump(*document.root, nullptr, result);
  for (const yaml::Comment& comment : document.comments) {
    result += fmt::format("#{}-{} {} ", comment.span.begin, comment.span.end, comment.own_line);
  }
  return result;
}

}  // namespace cnsched::test

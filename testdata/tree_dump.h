#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>

#include "core/yaml/document.h"

// For tests and fuzzers that compare the trees of two readers.
namespace cnsched::test {

/// A document before reading.
inline yaml::Document unread_document(Span where) {
  yaml::Document document;
  document.span = where;
  document.arena = std::make_shared<Arena>();
  return document;
}

/// Appends all properties of a tree, with every span and link.
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

/// The same for a document, with its problems and comments.
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

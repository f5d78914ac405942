#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/k8s/object.h"
#include "core/yaml/document.h"

namespace cnsched::cli::lsp {

/// The key or value on a line of YAML that is being typed. Positions are bytes of the line.
struct TypedWord {
  std::size_t begin = 0;
  std::size_t end = 0;          ///< of the whole word, which the cursor may be within
  char quote = '\0';            ///< that is open before it
  bool is_quote_open = false;   ///< the line does not close it
  bool is_value = false;        ///< follows a "key:"
  bool is_item = false;         ///< follows a dash
  bool lacks_blank = false;     ///< follows the ':' or dash directly
  std::string open_brackets{};  ///< that the line opens before it

  bool is_in_flow() const { return !open_brackets.empty(); }
};

/// Where in an object the cursor is. The line of the cursor is often half typed, so a placeholder
/// that makes it valid YAML replaces the word there, and only that document is parsed.
class CompletionPlace {
 public:
  /// Nothing if the cursor is in a comment or in a text of several lines, or if the document cannot
  /// be parsed even without the lines after the cursor. `text` is that of the file.
  static std::unique_ptr<CompletionPlace> find(FileId file, const std::string& path,
                                               std::string_view text, std::uint32_t cursor);

  const k8s::Object& object() const { return object_; }
  /// Whether a key is typed; otherwise it is a value. What is typed where the schema wants a value
  /// looks like a key too: an item, or a value on a line of its own.
  bool is_key() const { return is_key_; }
  /// The mapping that gets the key, or the value.
  const yaml::Node& node() const { return *node_; }
  /// The keys and "[]" for items, from the object to `node`.
  std::span<const std::string_view> steps() const { return steps_; }

  /// The word until the cursor, which proposals begin with.
  std::string_view typed() const { return typed_; }
  /// The file, and what a proposal replaces in it.
  const SourceFile& text() const { return *text_; }
  Span replaced() const { return replaced_; }
  const TypedWord& word() const { return word_; }
  bool is_in_flow() const { return is_in_flow_; }
  /// Whether a ':' follows the key.
  bool has_colon() const { return has_colon_; }
  /// What precedes every proposal: a blank after ':' or '-', a dash that the line lacks.
  const std::string& introduction() const { return introduction_; }
  /// What begins a further line of the mapping: a line break and its indentation.
  const std::string& next_line() const { return next_line_; }
  /// The indentation of mappings and of lists below their keys in this document.
  const std::string& mapping_indent() const { return mapping_indent_; }
  const std::string& list_indent() const { return list_indent_; }

 private:
  struct Attempt;
  class Attempts;

  CompletionPlace() = default;
  bool parse(FileId file, const std::string& path, std::string text, std::size_t placeholder);
  bool find_object();
  void describe(const Attempt& attempt, std::string_view line, std::size_t column,
                std::uint32_t line_begin);

  std::unique_ptr<SourceFile> text_;
  std::unique_ptr<SourceFile> file_;  ///< the document with the placeholder
  yaml::Document document_;
  k8s::Object object_;
  const yaml::Node* node_ = nullptr;
  std::vector<std::string_view> steps_;
  TypedWord word_;
  std::string typed_;
  Span replaced_;
  std::string introduction_;
  std::string next_line_;
  std::string mapping_indent_;
  std::string list_indent_;
  bool is_key_ = false;
  bool is_in_flow_ = false;
  bool has_colon_ = false;
};

}  // namespace cnsched::cli::lsp

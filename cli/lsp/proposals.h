#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cli/lsp/session.h"
#include "core/k8s/object.h"
#include "core/k8s/schema/schema.h"
#include "core/workspace/cluster_scope.h"
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

/// CompletionItemKind.
enum class ProposalKind : std::uint8_t { field = 5, property = 10, value = 12, enum_member = 20 };

/// What is inserted for a proposal besides the word.
enum class Shape : std::uint8_t {
  scalar,
  mapping,
  list,
  literal,  ///< a value that is no string: true
  text,     ///< as it is
};

struct Proposal {
  std::string_view word;
  std::string detail{};
  ProposalKind kind = ProposalKind::value;
  Shape shape = Shape::scalar;
  int rank = 1;  ///< lower ones come first
  bool deprecated = false;
  std::string text{};  ///< of Shape::text
};

/// The proposals for a place that begin with what is typed there.
class Proposals {
 public:
  explicit Proposals(const CompletionPlace& place);

  const CompletionPlace& place() const { return place_; }
  /// Whether the word fits and is new there: callers may have many to describe.
  bool wants(std::string_view word) const;
  /// Of proposals with one word the first counts.
  void add_key(Proposal proposal);
  void add_value(Proposal proposal);
  /// From now on, proposals are items of the list that is the value at the place.
  void begin_item() { item_ = "- "; }
  bool begins_item() const { return !item_.empty(); }
  /// What begins a further line of the mapping.
  std::string next_line() const;

  /// A CompletionList; `range` is what a proposal replaces.
  Json list(const Json& range) const;

 private:
  struct Item {
    Proposal proposal;
    std::string new_text;
  };
  void add(Proposal proposal, std::string text);

  const CompletionPlace& place_;
  std::unordered_set<std::string_view> written_;  ///< keys beside that which is typed
  std::string_view item_;
  std::map<std::string, Item, std::less<>> items_;
};

/// What the schema of the object's kind says about a place.
struct SchemaPlace {
  const k8s::schema::Type* type = nullptr;    ///< of the node; null: not known
  const k8s::schema::Field* field = nullptr;  ///< that has the node, or the list of it
};
SchemaPlace schema_place(const CompletionPlace& place, const k8s::schema::Schemas& schemas);

/// Adds the fields that the object at the place lacks, or the values that the schema allows there.
void propose_by_schema(const SchemaPlace& schema, Proposals& proposals);

/// Adds the versions of APIs, or the kinds of the object's version.
void propose_api_versions(const k8s::schema::Schemas& schemas, Proposals& proposals);
void propose_kinds(const k8s::schema::Schemas& schemas, Proposals& proposals);

/// Adds keys and values that no schema lists: what is known about the cluster and the workspace,
/// and what tools, KServe, Seldon and Knative define.
void propose_known(const ClusterScope& scope, const facts::ClusterFacts& facts, bool is_key,
                   Proposals& proposals);

}  // namespace cnsched::cli::lsp

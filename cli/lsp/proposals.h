#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>

#include "cli/lsp/completion_place.h"
#include "cli/lsp/session.h"
#include "core/k8s/schema/schema.h"
#include "core/workspace/cluster_scope.h"

namespace cnsched::cli::lsp {

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

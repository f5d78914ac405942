#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>

#include "cli/lsp/completion_place.h"
#include "cli/lsp/session.h"

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

}  // namespace cnsched::cli::lsp

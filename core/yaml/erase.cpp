// In block style an entry is lines, which go as a whole; only the first entry behind a dash shares
// its line, and what follows moves up to the dash. In brackets it goes with a comma.
#include <algorithm>
#include <unordered_map>

#include "core/yaml/edit.h"
#include "core/yaml/edited.h"
#include "core/yaml/tree.h"

namespace cnsched::yaml {

namespace {

/// Neighbours in one collection that go together.
struct Run {
  const Node& collection;
  std::vector<const Node*> all;  ///< what the collection holds
  std::size_t first = 0;
  std::size_t last = 0;

  const Node& front() const { return *all[first]; }
  const Node& back() const { return *all[last]; }
  bool to_the_end() const { return last + 1 == all.size(); }
  bool everything() const { return first == 0 && to_the_end() && !Layout::merges(collection); }
};

class BlockErase {
 public:
  BlockErase(const Edited& edited, const Run& run)
      : edited_(edited),
        layout_(edited.layout),
        run_(run),
        begin_(layout_.begin_of_entry(run.front())),
        lines_(layout_.lines_of(run.front(), run.back())) {}

  Ways ways() const {
    if (run_.everything()) return {emptied()};
    if (!layout_.begins_line(begin_)) return {{moved_up()}};
    if (follows_text()) return {{lines(behind_gap())}};
    return {{lines(without_double_gap())}, {lines(lines_.end)}};
  }

 private:
  Edit lines(std::size_t end) const { return replace(edited_, {lines_.begin, end}, ""); }

  /// Whether blank lines behind would become part of the text (|+) above.
  bool follows_text() const {
    if (run_.first == 0) return false;
    const Node& above = *run_.all[run_.first - 1];
    return layout_.keeps_blank_lines(above) &&
           layout_.next_line(layout_.end(above)) == lines_.begin;
  }

  std::size_t behind_gap() const { return layout_.skip_blank_lines(lines_.end); }

  /// Of blank lines on both sides, those behind go as well.
  std::size_t without_double_gap() const {
    const std::size_t begin = lines_.begin;
    const bool gap = begin == 0 || layout_.is_blank_line(layout_.line_begin(begin - 1));
    return gap ? behind_gap() : lines_.end;
  }

  Edit moved_up() const {
    const std::size_t next = layout_.skip_spaces(behind_gap());
    return replace(edited_, {begin_, next}, "");
  }

  /// The collection becomes {} or [].
  std::vector<Edit> emptied() const {
    const std::string braces = run_.collection.is_mapping() ? "{}" : "[]";
    const auto sign = layout_.introducer(run_.collection);
    if (sign && layout_.begins_line(begin_)) {
      return {insert(edited_, layout_.end_of_properties(*sign), " " + braces), lines(lines_.end)};
    }
    const std::size_t last_line = layout_.line_begin(lines_.end - 1);
    return {replace(edited_, {begin_, layout_.line_end(last_line)}, braces)};
  }

  const Edited& edited_;
  const Layout& layout_;
  const Run& run_;
  std::size_t begin_;
  Range lines_;  ///< of all that goes
};

class FlowErase {
 public:
  FlowErase(const Edited& edited, const Run& run)
      : edited_(edited),
        layout_(edited.layout),
        run_(run),
        begin_(layout_.begin_of_entry(run.front())),
        end_(layout_.end(run.back())),
        comma_(layout_.comma(run.back())) {}

  Ways ways() const {
    if (!layout_.has_brackets(run_.collection)) return {};
    if (run_.everything()) {
      const std::size_t close = layout_.end(run_.collection) - 1;
      return {{replace(edited_, {layout_.begin(run_.collection) + 1, close}, "")}};
    }
    if (has_own_lines()) return {own_lines()};
    return {run_.to_the_end() ? last_ones() : inner_ones()};
  }

 private:
  std::size_t behind() const { return comma_ ? *comma_ + 1 : end_; }

  bool has_own_lines() const {
    const std::size_t rest = layout_.skip_spaces(behind());
    return layout_.begins_line(begin_) &&
           (rest == layout_.line_end(rest) || layout_.has_comment_within({rest, rest + 1}));
  }

  std::vector<Edit> own_lines() const {
    std::vector<Edit> edits{replace(
        edited_, {layout_.begin_of_comments_above(begin_), layout_.next_line(behind())}, "")};
    if (run_.to_the_end() && !comma_) {
      if (const auto sign = comma_before()) edits.push_back(comma_gone(*sign));
    }
    return edits;
  }

  std::optional<std::size_t> comma_before() const {
    if (run_.first == 0) return std::nullopt;
    return layout_.comma(*run_.all[run_.first - 1]);
  }

  Edit comma_gone(std::size_t at) const { return replace(edited_, {at, at + 1}, ""); }

  /// With the comma in front; a comma behind, which JSON has not, stays.
  std::vector<Edit> last_ones() const {
    const auto sign = comma_before();
    if (!sign) return {};
    if (layout_.has_comment_within({*sign, begin_})) {
      return {comma_gone(*sign), replace(edited_, {begin_, end_}, "")};
    }
    return {replace(edited_, {*sign, comma_.value_or(end_)}, "")};
  }

  std::vector<Edit> inner_ones() const {
    const std::size_t next = layout_.begin_of_entry(*run_.all[run_.last + 1]);
    const bool same_line = layout_.line_begin(next) == layout_.line_begin(behind());
    if (same_line) return {replace(edited_, {begin_, next}, "")};
    const auto sign = comma_before();
    const bool joined = sign && !layout_.has_comment_within({*sign, begin_});
    return {replace(edited_, {joined ? *sign + 1 : begin_, behind()}, "")};
  }

  const Edited& edited_;
  const Layout& layout_;
  const Run& run_;
  std::size_t begin_;
  std::size_t end_;
  std::optional<std::size_t> comma_;
};

/// What the removal of a run is meant to lead to.
Intent intent_of(const Run& run, Arena& arena) {
  Intent intent;
  if (run.everything()) {
    intent[&run.collection] = run.collection.is_mapping()
                                  ? &mapping_like(arena, run.collection, {})
                                  : &sequence_like(arena, run.collection, {});
  } else {
    for (std::size_t i = run.first; i <= run.last; ++i) intent[run.all[i]] = nullptr;
  }
  return intent;
}

Ways ways_of(const Edited& edited, const Run& run) {
  return edited.layout.in_flow(run.collection) ? FlowErase(edited, run).ways()
                                               : BlockErase(edited, run).ways();
}

/// The runs of `erased` among the children of a collection.
std::vector<Run> runs_in(const Node& collection, const Intent& erased) {
  const std::vector<const Node*> all = Layout::children(collection);
  const bool gaps = Layout::merges(collection);  // a `<<` may stand between two neighbours
  std::vector<Run> runs;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!erased.contains(all[i])) continue;
    if (!gaps && !runs.empty() && runs.back().last + 1 == i) {
      runs.back().last = i;
    } else {
      runs.push_back({collection, all, i, i});
    }
  }
  return runs;
}

bool has_erased_parent(const Node& node, const Intent& erased) {
  for (const Node* at = node.parent(); at != nullptr; at = at->parent()) {
    if (erased.contains(at)) return true;
  }
  return false;
}

/// The collections that lose something, each once, in the order of `nodes`.
std::vector<const Node*> collections_of(const std::vector<const Node*>& nodes,
                                        const Intent& erased) {
  std::vector<const Node*> collections;
  for (const Node* node : nodes) {
    if (has_erased_parent(*node, erased)) continue;
    if (std::ranges::find(collections, node->parent()) == collections.end()) {
      collections.push_back(node->parent());
    }
  }
  return collections;
}

std::vector<Run> runs_of(const std::vector<const Node*>& nodes, const Intent& erased) {
  std::vector<Run> runs;
  for (const Node* collection : collections_of(nodes, erased)) {
    std::ranges::move(runs_in(*collection, erased), std::back_inserter(runs));
  }
  return runs;
}

/// The best way for each of the runs at once; if that does not do, a way for each that does.
Result<std::vector<Edit>> erase_runs(const Edited& edited, const std::vector<Run>& runs) {
  Arena arena;
  Intent all;
  std::vector<Edit> best;
  for (const Run& run : runs) {
    const Intent intent = intent_of(run, arena);
    all.insert(intent.begin(), intent.end());
    const Ways ways = ways_of(edited, run);
    if (!ways.empty()) best.insert(best.end(), ways.front().begin(), ways.front().end());
  }
  const bool is_proven = edited.proof == Proof::caller;
  if (is_proven || achieves(best, edited.file, edited.document, all)) return best;
  std::vector<Edit> edits;
  for (const Run& run : runs) {
    const auto found = choose(edited, ways_of(edited, run), intent_of(run, arena));
    if (!found) return found;
    edits.insert(edits.end(), found->begin(), found->end());
  }
  return choose(edited, {edits}, all);
}

}  // namespace

Result<std::vector<Edit>> erase_all(const SourceFile& file, const Document& document,
                                    const std::vector<const Node*>& nodes) {
  return erase_all(Edited(file, document), nodes);
}

Result<std::vector<Edit>> erase_all(const Edited& edited, const std::vector<const Node*>& nodes) {
  Intent erased;
  for (const Node* node : nodes) {
    if (auto error = edited.repetitions.obstacle(*node, Effect::away)) return *std::move(error);
    if (node->parent() == nullptr) return Error{"the root of a document cannot be removed"};
    erased[node] = nullptr;
  }
  if (nodes.empty()) return std::vector<Edit>();
  return erase_runs(edited, runs_of(nodes, erased));
}

Result<std::vector<Edit>> erase(const SourceFile& file, const Document& document,
                                const Node& node) {
  return erase_all(file, document, {&node});
}

}  // namespace cnsched::yaml

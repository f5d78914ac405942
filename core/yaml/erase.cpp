// In block style an entry is erased with its whole lines; only the first entry after a dash shares
// its line, and the next entry then moves up to the dash. In flow style it is erased with a comma.
#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "core/yaml/candidates.h"

namespace cnsched::yaml {

namespace {

/// Neighbours in one collection that are erased together.
struct Neighbours {
  const Node& collection;
  std::vector<const Node*> all;  ///< the children of the collection
  std::size_t first = 0;
  std::size_t last = 0;

  const Node& front() const { return *all[first]; }
  const Node& back() const { return *all[last]; }
  bool includes_last() const { return last + 1 == all.size(); }
  bool includes_all() const { return first == 0 && includes_last() && !Layout::merges(collection); }
};

class BlockErase {
 public:
  BlockErase(const Layout& layout, const Neighbours& neighbours)
      : layout_(layout),
        neighbours_(neighbours),
        begin_(layout_.begin_of_entry(neighbours.front())),
        lines_(layout_.lines_of(neighbours.front(), neighbours.back())) {}

  Candidates candidates() const {
    if (neighbours_.includes_all()) return {emptied()};
    if (!layout_.begins_line(begin_)) return {{moved_up()}};
    if (follows_text()) return {{lines(end_of_blank_lines())}};
    return {{lines(without_double_gap())}, {lines(lines_.end)}};
  }

 private:
  Edit lines(std::size_t end) const { return replace(layout_, {lines_.begin, end}, ""); }

  /// Whether blank lines that follow would become part of the text (|+) above.
  bool follows_text() const {
    if (neighbours_.first == 0) return false;
    const Node& above = *neighbours_.all[neighbours_.first - 1];
    return layout_.keeps_blank_lines(above) &&
           layout_.next_line(layout_.end(above)) == lines_.begin;
  }

  std::size_t end_of_blank_lines() const { return layout_.skip_blank_lines(lines_.end); }

  /// Removes the blank lines below if there are also some above.
  std::size_t without_double_gap() const {
    const std::size_t begin = lines_.begin;
    const bool gap = begin == 0 || layout_.is_blank_line(layout_.line_begin(begin - 1));
    return gap ? end_of_blank_lines() : lines_.end;
  }

  Edit moved_up() const {
    const std::size_t next = layout_.skip_spaces(end_of_blank_lines());
    return replace(layout_, {begin_, next}, "");
  }

  /// The collection becomes {} or [].
  std::vector<Edit> emptied() const {
    const std::string braces = neighbours_.collection.is_mapping() ? "{}" : "[]";
    const auto sign = layout_.introducer(neighbours_.collection);
    if (sign && layout_.begins_line(begin_)) {
      return {insert(layout_, layout_.end_of_properties(*sign), " " + braces), lines(lines_.end)};
    }
    const std::size_t last_line = layout_.line_begin(lines_.end - 1);
    return {replace(layout_, {begin_, layout_.line_end(last_line)}, braces)};
  }

  const Layout& layout_;
  const Neighbours& neighbours_;
  std::size_t begin_;
  TextRange lines_;  ///< that are erased
};

class FlowErase {
 public:
  FlowErase(const Layout& layout, const Neighbours& neighbours)
      : layout_(layout),
        neighbours_(neighbours),
        begin_(layout_.begin_of_entry(neighbours.front())),
        end_(layout_.end(neighbours.back())),
        comma_(layout_.comma(neighbours.back())) {}

  Candidates candidates() const {
    if (!layout_.has_brackets(neighbours_.collection)) return {};
    if (neighbours_.includes_all()) {
      const std::size_t close = layout_.end(neighbours_.collection) - 1;
      return {{replace(layout_, {layout_.begin(neighbours_.collection) + 1, close}, "")}};
    }
    if (has_own_lines()) return {own_lines()};
    return {neighbours_.includes_last() ? erase_last() : erase_inner()};
  }

 private:
  std::size_t end_with_comma() const { return comma_ ? *comma_ + 1 : end_; }

  bool has_own_lines() const {
    const std::size_t rest = layout_.skip_spaces(end_with_comma());
    return layout_.begins_line(begin_) &&
           (rest == layout_.line_end(rest) || layout_.has_comment_within({rest, rest + 1}));
  }

  std::vector<Edit> own_lines() const {
    std::vector<Edit> edits{replace(
        layout_, {layout_.begin_of_comments_above(begin_), layout_.next_line(end_with_comma())},
        "")};
    if (neighbours_.includes_last() && !comma_) {
      if (const auto sign = comma_before()) edits.push_back(erase_comma(*sign));
    }
    return edits;
  }

  std::optional<std::size_t> comma_before() const {
    if (neighbours_.first == 0) return std::nullopt;
    return layout_.comma(*neighbours_.all[neighbours_.first - 1]);
  }

  Edit erase_comma(std::size_t at) const { return replace(layout_, {at, at + 1}, ""); }

  /// Removes the comma before; a trailing comma, which JSON does not have, stays.
  std::vector<Edit> erase_last() const {
    const auto sign = comma_before();
    if (!sign) return {};
    if (layout_.has_comment_within({*sign, begin_})) {
      return {erase_comma(*sign), replace(layout_, {begin_, end_}, "")};
    }
    return {replace(layout_, {*sign, comma_.value_or(end_)}, "")};
  }

  std::vector<Edit> erase_inner() const {
    const std::size_t next = layout_.begin_of_entry(*neighbours_.all[neighbours_.last + 1]);
    const bool same_line = layout_.line_begin(next) == layout_.line_begin(end_with_comma());
    if (same_line) return {replace(layout_, {begin_, next}, "")};
    const auto sign = comma_before();
    const bool joined = sign && !layout_.has_comment_within({*sign, begin_});
    return {replace(layout_, {joined ? *sign + 1 : begin_, end_with_comma()}, "")};
  }

  const Layout& layout_;
  const Neighbours& neighbours_;
  std::size_t begin_;
  std::size_t end_;
  std::optional<std::size_t> comma_;
};

using Nodes = std::unordered_set<const Node*>;

/// The groups of `erased` among the children of a collection.
std::vector<Neighbours> neighbours_in(const Node& collection, const Nodes& erased) {
  const std::vector<const Node*> all = Layout::children(collection);
  const bool gaps = Layout::merges(collection);  // a `<<` may be between two neighbours
  std::vector<Neighbours> groups;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!erased.contains(all[i])) continue;
    if (!gaps && !groups.empty() && groups.back().last + 1 == i) {
      groups.back().last = i;
    } else {
      groups.push_back({collection, all, i, i});
    }
  }
  return groups;
}

JointChanges step_for(const Layout& layout, const Neighbours& neighbours) {
  JointChanges step;
  for (std::size_t i = neighbours.first; i <= neighbours.last; ++i)
    step.changes.push_back(to_erase(*neighbours.all[i]));
  step.candidates = layout.in_flow(neighbours.collection)
                        ? FlowErase(layout, neighbours).candidates()
                        : BlockErase(layout, neighbours).candidates();
  return step;
}

}  // namespace

std::vector<JointChanges> erase_steps(const Layout& layout, const std::vector<const Node*>& nodes) {
  const Nodes erased(nodes.begin(), nodes.end());
  Nodes collections;
  std::vector<JointChanges> steps;
  for (const Node* node : nodes) {
    if (!collections.insert(node->parent()).second) continue;
    for (const Neighbours& neighbours : neighbours_in(*node->parent(), erased))
      steps.push_back(step_for(layout, neighbours));
  }
  return steps;
}

}  // namespace cnsched::yaml

// Removes common lines at both ends and finds the shortest script of deleted and inserted lines for
// the rest: E. Myers, "An O(ND) Difference Algorithm and Its Variations", 1986. For d = 0, 1, 2, …
// it computes the furthest point of each diagonal that d changes reach, and keeps all of them to
// read the script backwards. If texts differ too much, the diff is one replacement of their
// middles.
#include "core/base/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <vector>

namespace cnsched {

namespace {

constexpr std::size_t kContext = 3;
constexpr int kMaxChanges = 2000;             // the points take 4 * kMaxChanges^2 bytes
constexpr std::size_t kMaxWork = 50'000'000;  // a fraction of a second

/// Lines with their line breaks.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

/// Lines [a, a_end) of the text before become lines [b, b_end) of the one after.
struct Difference {
  std::size_t a = 0;
  std::size_t a_end = 0;
  std::size_t b = 0;
  std::size_t b_end = 0;
};

/// Equal lines have equal numbers.
using Numbers = std::vector<int>;

class Myers {
 public:
  Myers(const Numbers& a, const Numbers& b)
      : a_(a), b_(b), n_(static_cast<int>(a.size())), m_(static_cast<int>(b.size())) {}

  /// The changes in order, or nothing if there are too many.
  std::optional<std::vector<Difference>> changes() {
    for (int d = 0; d <= kMaxChanges && work_ <= kMaxWork; ++d) {
      if (reaches_end(d)) return script(d);
    }
    return std::nullopt;
  }

 private:
  /// Computes how far `d` changes reach on each diagonal k = x - y: [k + d] of furthest_[d].
  bool reaches_end(int d) {
    furthest_.emplace_back(static_cast<std::size_t>(2 * d + 1), -1);
    for (int k = std::max(-d, -m_ - 1); k <= std::min(d, n_ + 1); ++k) {
      if ((k + d) % 2 != 0) continue;
      int x = d == 0 ? 0 : start(d, k);
      for (; x < n_ && x - k < m_ && x - k >= 0; ++x, ++work_) {
        if (a_[index(x)] != b_[index(x - k)]) break;
      }
      ++work_;
      furthest_.back()[index(k + d)] = x;
      if (x >= n_ && x - k >= m_) return true;
    }
    return false;
  }

  /// Whether the last of `d` changes before diagonal `k` inserts a line; else it deletes one.
  bool inserts(int d, int k) const {
    return k == -d || (k != d && at(d - 1, k - 1) < at(d - 1, k + 1));
  }

  /// The beginning of diagonal `k` after the last of `d` changes.
  int start(int d, int k) const { return inserts(d, k) ? at(d - 1, k + 1) : at(d - 1, k - 1) + 1; }

  int at(int d, int k) const { return furthest_[index(d)][index(k + d)]; }

  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  std::vector<Difference> script(int d) const {
    std::vector<Difference> changes;
    for (int k = n_ - m_; d > 0; --d) {
      const bool insertion = inserts(d, k);
      const int from = insertion ? k + 1 : k - 1;
      const std::size_t x = index(at(d - 1, from));
      const std::size_t y = index(at(d - 1, from) - from);
      const Difference step{x, insertion ? x : x + 1, y, insertion ? y + 1 : y};
      if (!changes.empty() && changes.back().a == step.a_end && changes.back().b == step.b_end) {
        changes.back().a = step.a;
        changes.back().b = step.b;
      } else {
        changes.push_back(step);
      }
      k = from;
    }
    std::ranges::reverse(changes);
    return changes;
  }

  const Numbers& a_;
  const Numbers& b_;
  int n_;
  int m_;
  std::vector<std::vector<int>> furthest_;
  std::size_t work_ = 0;
};

class UnifiedDiff {
 public:
  UnifiedDiff(std::string_view before, std::string_view after)
      : a_(lines_of(before)), b_(lines_of(after)) {}

  /// All hunks.
  std::string text() {
    const std::vector<Difference> all = changes();
    for (auto first = all.begin(); first != all.end();) {
      auto last = first;
      while (std::next(last) != all.end() && std::next(last)->a - last->a_end <= 2 * kContext) {
        ++last;
      }
      hunk(first, last);
      first = std::next(last);
    }
    return std::move(out_);
  }

 private:
  using Place = std::vector<Difference>::const_iterator;

  std::vector<Difference> changes() const {
    const auto [prefix, suffix] = common_ends(a_, b_);
    const Difference middle{prefix, a_.size() - suffix, prefix, b_.size() - suffix};

    std::unordered_map<std::string_view, int> known;
    const auto numbers = [&, from = prefix](const std::vector<std::string_view>& lines,
                                            std::size_t end) {
      Numbers result;
      for (std::size_t i = from; i < end; ++i) {
        result.push_back(known.emplace(lines[i], static_cast<int>(known.size())).first->second);
      }
      return result;
    };
    const Numbers before = numbers(a_, middle.a_end);
    const Numbers after = numbers(b_, middle.b_end);
    auto found = Myers(before, after).changes();
    if (!found) return {middle};
    for (Difference& change : *found) {
      for (std::size_t* at : {&change.a, &change.a_end, &change.b, &change.b_end}) *at += prefix;
    }
    return *std::move(found);
  }

  /// Writes the changes from `first` to `last` with the lines around them.
  void hunk(Place first, Place last) {
    const std::size_t context_before = std::min(kContext, first->a);
    const std::size_t context_after = std::min(kContext, a_.size() - last->a_end);
    const std::size_t a = first->a - context_before;
    const std::size_t b = first->b - context_before;
    out_ += fmt::format("@@ -{} +{} @@\n", range(a, last->a_end + context_after),
                        range(b, last->b_end + context_after));
    std::size_t done = a;
    for (Place change = first; change <= last; ++change) {
      lines(' ', a_, done, change->a);
      lines('-', a_, change->a, change->a_end);
      lines('+', b_, change->b, change->b_end);
      done = change->a_end;
    }
    lines(' ', a_, done, last->a_end + context_after);
  }

  /// Lines count from 1; an empty range names the line before it.
  static std::string range(std::size_t begin, std::size_t end) {
    if (end - begin == 1) return fmt::to_string(end);
    return fmt::format("{},{}", end == begin ? begin : begin + 1, end - begin);
  }

  void lines(char sign, const std::vector<std::string_view>& text, std::size_t begin,
             std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      out_ += sign;
      out_ += text[i];
      if (!text[i].ends_with('\n')) out_ += "\n\\ No newline at end of file\n";
    }
  }

  std::vector<std::string_view> a_;
  std::vector<std::string_view> b_;
  std::string out_;
};

/// A file name as GNU diff and git write it: quoted as in C if it has special characters, and
/// followed by a tab if it has spaces.
std::string header_name(std::string_view name) {
  std::string quoted;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += byte < 0x20 || byte == 0x7F ? fmt::format("\\{:03o}", byte) : std::string(1, c);
  }
  if (quoted != name) return fmt::format("\"{}\"", quoted);
  return quoted + (name.find(' ') == std::string_view::npos ? "" : "\t");
}

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after,
                         std::string_view before_name, std::string_view after_name) {
  if (before == after) return {};
  return fmt::format("--- {}\n+++ {}\n{}", header_name(before_name), header_name(after_name),
                     UnifiedDiff(before, after).text());
}

}  // namespace cnsched

#include "core/packages/loop_runs.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace cnsched {

namespace {

/// Loops around a line that are counted, the innermost ones.
constexpr std::size_t kMaxLoops = 8;

/// A source and one of its blocks.
using BlockOf = std::pair<std::size_t, std::size_t>;

/// The innermost `range` that is the block or around it, in the same definition; 0 if there is
/// none.
std::size_t loop_around(const GoTemplate& read, std::size_t block) {
  while (block != 0 && read.blocks[block].kind != TemplateBlock::Kind::range) {
    if (read.blocks[block].kind == TemplateBlock::Kind::define) return 0;
    block = read.blocks[block].parent;
  }
  return block;
}

/// The loops around the block, the innermost one first.
std::vector<std::size_t> loops_around(const GoTemplate& read, std::size_t block) {
  std::vector<std::size_t> loops;
  for (block = loop_around(read, block); block != 0 && loops.size() < kMaxLoops;
       block = loop_around(read, read.blocks[block].parent)) {
    loops.push_back(block);
  }
  return loops;
}

}  // namespace

/// Counts the marks once, from the first to the last one.
class LoopRuns::Counter {
 public:
  Counter(std::span<const PackageSource> sources, const MarkedTemplates& templates,
          const TemplateCalls& calls, LoopRuns& result)
      : sources_(sources), templates_(templates), calls_(calls), result_(result) {
    find_lines();
    find_counted();
    find_definitions();
  }

  void add(std::size_t number, std::size_t mark, const DocumentOrder* document) {
    const TemplateMark& line = templates_.marks[mark];
    const GoTemplate& read = templates_.templates[line.source];
    Execution& execution = executions_[{line.source, read.definition_of(line.block)}];
    if (execution.source != document->source) execution.loops.clear();
    execution.source = document->source;
    const std::vector<std::size_t>& loops = loops_of_[mark];
    // Loops that the mark is not in have ended.
    std::erase_if(execution.loops, [&](const auto& each) {
      return std::ranges::find(loops, each.first) == loops.end();
    });
    for (std::size_t i = 0; i < loops.size(); ++i) {
      if (const auto counted = counted_[mark][i]; counted && is_separated(read, line, loops[i])) {
        count(number, loops[i], *counted, mark, execution, document);
      }
    }
    for (const std::string_view name : calls_.included_by(mark)) end_definition(name);
  }

 private:
  /// The loops that run in a template: the counts of their lines.
  struct Execution {
    std::string_view source{};
    std::map<std::size_t, std::map<std::size_t, std::size_t>> loops{};  ///< by block, by mark
  };

  /// The blocks that print a line whenever they run.
  void find_lines() {
    for (const TemplateMark& mark : templates_.marks) lines_.emplace(mark.source, mark.block);
    for (std::size_t source = 0; source < templates_.templates.size(); ++source) {
      const GoTemplate& read = templates_.templates[source];
      for (const TemplatePiece& piece : read.pieces) {
        if (piece.kind != TemplatePiece::Kind::jump) continue;
        lines_.erase({source, loop_around(read, piece.block)});
      }
    }
  }

  /// For each mark and each loop around it the last mark before it, or itself, that each run of the
  /// loop prints, in the same document.
  void find_counted() {
    std::map<std::size_t, std::size_t> last;  // by block
    for (std::size_t i = 0; i < templates_.marks.size(); ++i) {
      const TemplateMark& mark = templates_.marks[i];
      if (i > 0 && divides(templates_.marks[i - 1], mark)) last.clear();
      last[mark.block] = i;
      loops_of_.push_back(loops_around(templates_.templates[mark.source], mark.block));
      auto& counted = counted_.emplace_back();
      for (const std::size_t loop : loops_of_.back()) {
        const auto found = last.find(loop);
        counted.push_back(found == last.end() ? std::nullopt : std::optional(found->second));
      }
    }
  }

  bool divides(const TemplateMark& before, const TemplateMark& mark) const {
    if (before.source != mark.source) return true;
    const std::string_view bytes = sources_[mark.source].bytes;
    return bytes.substr(before.at, mark.at - before.at).find("\n---") != std::string_view::npos;
  }

  void find_definitions() {
    for (std::size_t source = 0; source < templates_.templates.size(); ++source) {
      const GoTemplate& read = templates_.templates[source];
      for (std::size_t block = 1; block < read.blocks.size(); ++block) {
        if (read.blocks[block].kind != TemplateBlock::Kind::define) continue;
        definitions_[read.blocks[block].name].push_back({source, block});
      }
    }
  }

  /// Whether a mark is certain between two executions of the loop.
  bool is_separated(const GoTemplate& read, const TemplateMark& line, std::size_t loop) const {
    const std::size_t outer = loop_around(read, read.blocks[loop].parent);
    if (outer != 0) return lines_.contains({line.source, outer});
    const std::size_t definition = read.definition_of(loop);
    return definition == 0 || lines_.contains({line.source, definition}) ||
           calls_.is_followed_by_caller(read.blocks[definition].name);
  }

  void count(std::size_t number, std::size_t loop, std::size_t counted, std::size_t mark,
             Execution& execution, const DocumentOrder* document) {
    auto& lines = execution.loops[loop];
    const auto [found, is_new] = lines.emplace(counted, result_.counts_.size());
    if (is_new) result_.counts_.push_back({.document = document});
    LoopRuns::Count& count = result_.counts_[found->second];
    if (mark == counted) ++count.runs;
    if (*count.document != *document) count.is_sorted = true;
    if (count.runs == 0) return;
    result_.runs_[number].push_back({loop, found->second, count.runs - 1});
  }

  /// The next line of the definition is of another call.
  void end_definition(std::string_view name) {
    const auto found = definitions_.find(name);
    if (found == definitions_.end()) return;
    for (const BlockOf& definition : found->second) executions_[definition].loops.clear();
  }

  std::span<const PackageSource> sources_;
  const MarkedTemplates& templates_;
  const TemplateCalls& calls_;
  LoopRuns& result_;
  std::set<BlockOf> lines_;
  std::vector<std::vector<std::size_t>> loops_of_;                ///< of each mark
  std::vector<std::vector<std::optional<std::size_t>>> counted_;  ///< in these loops
  std::map<std::string_view, std::vector<BlockOf>> definitions_;
  std::map<BlockOf, Execution> executions_;
};

LoopRuns::LoopRuns(std::span<const PackageSource> sources, const MarkedTemplates& templates,
                   const TemplateCalls& calls, std::span<const RenderedMark> marks,
                   std::span<const DocumentOrder* const> documents)
    : runs_(marks.size()) {
  Counter count(sources, templates, calls, *this);
  for (std::size_t i = 0; i < marks.size(); ++i) count.add(i, marks[i].mark, documents[i]);
}

std::optional<LoopRun> LoopRuns::of(std::size_t mark, std::size_t block) const {
  const auto& entries = runs_[mark];
  const auto found = std::ranges::find(entries, block, &Entry::block);
  if (found == entries.end() || counts_[found->count].is_sorted) return std::nullopt;
  return LoopRun{found->index, counts_[found->count].runs};
}

}  // namespace cnsched

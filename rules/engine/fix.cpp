// In passes. Each takes, in every document, the first fixes that can be made together: all of them,
// or else half of them, and so on down to one. Then the rules look again at what has become of it.
#include "rules/engine/fix.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/md5.h"
#include "core/base/text.h"

namespace cnsched::rules {

namespace {

/// Each pass costs a whole run. What is honest needs two or three; a manifest that is made to keep
/// us busy does not get more than this.
constexpr int kMostPasses = 100;
constexpr std::size_t kMostBytes = std::size_t{512} << 20U;
/// Of one document and pass: so that trying and halving stay cheap for thousands of findings.
constexpr std::size_t kMostAtOnce = 500;
constexpr std::size_t kMostFailures = 50;

/// The fixes of one document, in the order of their places.
using Candidates = std::vector<const Diagnostic*>;

/// What is made in one pass.
class Pass {
 public:
  Pass(const Workspace& run, Fixed& fixed) : run_(run), fixed_(fixed) {}

  /// False if nothing can be made.
  bool make(const std::vector<Diagnostic>& findings, Safety least) {
    std::map<const yaml::Document*, Candidates> by_document;
    for (const Diagnostic& finding : findings) {
      if (!is_wanted(finding, least)) continue;
      Candidates& candidates = by_document[finding.fix->document];
      if (candidates.size() < kMostAtOnce) candidates.push_back(&finding);
    }
    for (const auto& [document, candidates] : by_document) make(*document, candidates);
    fixed_.failures.assign(failures_.begin(), failures_.end());
    for (auto& [file, edits] : edits_) {
      const SourceFile& source = *run_.sources[file];
      fixed_.texts[source.path()] = apply(source.bytes(), std::move(edits));
    }
    return !edits_.empty();
  }

  /// Bytes that were looked at.
  std::size_t cost() const { return cost_; }

 private:
  void make(const yaml::Document& document, Candidates candidates) {
    const SourceFile& file = run_.file_of(document.span);
    std::size_t failures = 0;
    std::size_t count = candidates.size();
    while (!candidates.empty() && failures < kMostFailures) {
      count = std::min(count, candidates.size());
      cost_ += document.span.end - document.span.begin;
      const auto edits = yaml::edits_for(file, document, changes_of(candidates, count));
      if (edits) {
        std::vector<Edit>& all = edits_[file.id()];
        all.insert(all.end(), edits->begin(), edits->end());
        fixed_.made[file.path()] += count;
        return;
      }
      if (count > 1) {
        count /= 2;
        continue;
      }
      // It cannot be made at all; the others can perhaps.
      ++failures;
      note_failure(*candidates.front(), edits.error());
      candidates.erase(candidates.begin());
      count = candidates.size();
    }
  }

  static std::vector<yaml::Change> changes_of(const Candidates& candidates, std::size_t count) {
    std::vector<yaml::Change> changes;
    for (std::size_t i = 0; i < count; ++i) {
      const std::vector<yaml::Change>& own = candidates[i]->fix->changes;
      changes.insert(changes.end(), own.begin(), own.end());
    }
    return changes;
  }

  /// Where the finding is, which may be in another file than what would be changed.
  void note_failure(const Diagnostic& finding, const Error& error) {
    const SourceFile& file = run_.file_of(finding.where);
    const Position at = file.position(finding.where.begin);
    failures_.insert(fmt::format("{}:{}:{}: {} cannot be fixed: {}", printable(file.path()),
                                 at.line, at.column, finding.rule, printable(error.message)));
  }

  const Workspace& run_;
  Fixed& fixed_;
  std::map<FileId, std::vector<Edit>> edits_;
  std::set<std::string> failures_;
  std::size_t cost_ = 0;
};

std::size_t size_of(const Workspace& run) {
  std::size_t bytes = 0;
  for (const auto& file : run.sources) bytes += file->bytes().size();
  return bytes;
}

/// Tells one state of the files from another.
std::string digest_of(const std::map<std::string, std::string>& texts) {
  std::string digests;
  for (const auto& [path, text] : texts) digests += md5_hex(path) + md5_hex(text);
  return md5_hex(digests);
}

}  // namespace

bool is_wanted(const Diagnostic& finding, Safety least) {
  return finding.fix && !finding.suppression && finding.fix->safety >= least;
}

/// Leaves the files alone whose fixes never come to an end, which is a bug of the rules.
static void give_up(const Workspace& before, Safety least, const Find& find, Fixed& fixed) {
  for (const Diagnostic& finding : fixed.findings) {
    if (!is_wanted(finding, least)) continue;
    const std::string& path = fixed.workspace->file_of(finding.where).path();
    if (fixed.texts.erase(path) == 0) continue;
    fixed.made.erase(path);
    fixed.failures.push_back(fmt::format("{}: left alone, for the fixes of {} never come to an end",
                                         printable(path), finding.rule));
  }
  auto again = std::make_unique<Workspace>();
  again->load_again(before, fixed.texts);
  fixed.take(find(*again));
  fixed.workspace = std::move(again);
}

Fixed fix_all(const Workspace& before, const Found& found, Safety least, const Find& find) {
  Fixed fixed;
  fixed.take(found);
  const Workspace* run = &before;
  std::set<std::string> states = {digest_of({})};
  std::size_t cost = 0;
  for (int number = 0; number < kMostPasses && cost < kMostBytes; ++number) {
    Pass pass(*run, fixed);
    if (!pass.make(fixed.findings, least)) return fixed;
    cost += pass.cost() + size_of(*run);
    auto next = std::make_unique<Workspace>();
    next->load_again(before, fixed.texts);
    fixed.take(find(*next));
    fixed.workspace = std::move(next);
    run = fixed.workspace.get();
    if (states.insert(digest_of(fixed.texts)).second) continue;
    give_up(before, least, find, fixed);
    return fixed;
  }
  fixed.failures.emplace_back(
      "not all that can be fixed has been, for it takes too long: run it again");
  return fixed;
}

}  // namespace cnsched::rules

// Works in passes. A pass applies, in every document, the first fixes that can be applied together:
// all of them, or half of them, and so on down to one. Then the rules run again.
#include "rules/engine/fix.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/md5.h"
#include "core/base/text.h"

namespace cnsched::rules {

namespace {

/// Each pass runs all rules. Real manifests need two or three passes; the limits stop manifests
/// that are designed to take long.
constexpr int kMaxPasses = 100;
constexpr std::size_t kMaxBytes = std::size_t{512} << 20U;
/// Per document, so that halving remains cheap for thousands of findings.
constexpr std::size_t kMaxFixesPerPass = 500;
constexpr std::size_t kMaxFailures = 50;

/// Whether the finding has a wanted fix, and not one that edits sources.
bool changes_document(const Diagnostic& finding, Safety least) {
  return is_wanted(finding, least) && finding.fix->document != nullptr;
}

/// The findings of one document with a fix, in the order of their places.
using FixableFindings = std::vector<const Diagnostic*>;

/// One pass.
class Pass {
 public:
  Pass(const Workspace& workspace, FixResult& fixed) : workspace_(workspace), fixed_(fixed) {}

  /// Applies fixes; false if none can be applied.
  bool make(const std::vector<Diagnostic>& findings, Safety least) {
    std::map<const yaml::Document*, FixableFindings> by_document;
    for (const Diagnostic& finding : findings) {
      if (!changes_document(finding, least)) continue;
      FixableFindings& candidates = by_document[finding.fix->document];
      if (candidates.size() < kMaxFixesPerPass) candidates.push_back(&finding);
    }
    for (const auto& [document, candidates] : by_document) make(*document, candidates);
    fixed_.failures.assign(failures_.begin(), failures_.end());
    for (auto& [file, edits] : edits_) {
      const SourceFile& source = *workspace_.sources[file];
      fixed_.texts[source.path()] = apply(source.bytes(), std::move(edits));
    }
    return !edits_.empty();
  }

  /// The number of bytes that were processed.
  std::size_t cost() const { return cost_; }

 private:
  void make(const yaml::Document& document, FixableFindings candidates) {
    const SourceFile& file = workspace_.file_of(document.span);
    std::size_t failures = 0;
    std::size_t count = candidates.size();
    while (!candidates.empty() && failures < kMaxFailures) {
      count = std::min(count, candidates.size());
      cost_ += document.span.end - document.span.begin;
      const auto edits =
          yaml::edits_for(file, document, changes_of(candidates, count), yaml::Comments::stay);
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
      // This fix cannot be applied; the others may be.
      ++failures;
      note_failure(*candidates.front(), edits.error());
      candidates.erase(candidates.begin());
      count = candidates.size();
    }
  }

  static std::vector<yaml::Change> changes_of(const FixableFindings& candidates,
                                              std::size_t count) {
    std::vector<yaml::Change> changes;
    for (std::size_t i = 0; i < count; ++i) {
      const std::vector<yaml::Change>& own = candidates[i]->fix->changes;
      changes.insert(changes.end(), own.begin(), own.end());
    }
    return changes;
  }

  /// The failure names the place of the finding, which may be in another file than the change.
  void note_failure(const Diagnostic& finding, const Error& error) {
    const SourceFile& file = workspace_.file_of(finding.where);
    const Position at = file.position(finding.where.begin);
    failures_.insert(fmt::format("{}:{}:{}: {} cannot be fixed: {}", printable(file.path()),
                                 at.line, at.column, finding.rule, printable(error.message)));
  }

  const Workspace& workspace_;
  FixResult& fixed_;
  std::map<FileId, std::vector<Edit>> edits_;
  std::set<std::string> failures_;
  std::size_t cost_ = 0;
};

bool overlap(const Edit& a, const Edit& b) {
  if (a.where.file != b.where.file) return false;
  if (a.where.begin == b.where.begin) return true;
  return a.where.begin < b.where.end && b.where.begin < a.where.end;
}

/// Adds the edits of a fix, unless one of them contradicts another fix: a line of a template may be
/// rendered, and fixed, several times.
bool add_edits(const std::vector<Edit>& wanted, std::vector<Edit>& edits) {
  std::vector<const Edit*> added;
  for (const Edit& edit : wanted) {
    const auto other = std::ranges::find_if(edits, [&](const Edit& e) { return overlap(e, edit); });
    if (other == edits.end()) {
      added.push_back(&edit);
    } else if (other->where != edit.where || other->text != edit.text) {
      return false;
    }
  }
  for (const Edit* edit : added) edits.push_back(*edit);
  return true;
}

/// Edits the sources of rendered files, last and once: the places of findings are those before.
void edit_sources(const Workspace& before, Safety least, FixResult& fixed) {
  std::vector<Edit> edits;
  std::erase_if(fixed.findings, [&](const Diagnostic& finding) {
    const bool is_fixed = is_wanted(finding, least) && finding.fix->document == nullptr &&
                          add_edits(finding.fix->edits, edits);
    if (is_fixed) ++fixed.made[before.file_of(finding.fix->edits.front().where).path()];
    return is_fixed;
  });
  std::map<FileId, std::vector<Edit>> by_file;
  for (Edit& edit : edits) by_file[edit.where.file].push_back(std::move(edit));
  for (auto& [file, own] : by_file) {
    const SourceFile& source = *before.sources[file];
    fixed.texts[source.path()] = apply(source.bytes(), std::move(own));
  }
}

std::size_t size_of(const Workspace& workspace) {
  std::size_t bytes = 0;
  for (const auto& file : workspace.sources) bytes += file->bytes().size();
  return bytes;
}

/// Identifies a state of the files.
std::string digest_of(const std::map<std::string, std::string>& texts) {
  std::string digests;
  for (const auto& [path, text] : texts) digests += md5_hex(path) + md5_hex(text);
  return md5_hex(digests);
}

}  // namespace

bool is_wanted(const Diagnostic& finding, Safety least) {
  return finding.fix && !finding.suppression && finding.fix->safety >= least;
}

/// Restores the files whose fixes repeat endlessly, which is a bug of the rules.
static void give_up(const Workspace& before, Safety least, const Find& find, FixResult& fixed) {
  for (const Diagnostic& finding : fixed.findings) {
    if (!changes_document(finding, least)) continue;
    const std::string& path = fixed.workspace->file_of(finding.where).path();
    if (fixed.texts.erase(path) == 0) continue;
    fixed.made.erase(path);
    fixed.failures.push_back(
        fmt::format("{}: not changed, because the fixes of {} repeat endlessly", printable(path),
                    finding.rule));
  }
  auto again = std::make_unique<Workspace>();
  again->load_edited(before, fixed.texts);
  fixed.take(find(*again));
  fixed.workspace = std::move(again);
}

/// Fixes documents in passes until no fix is left.
static FixResult fix_documents(const Workspace& before, const RunResult& found, Safety least,
                               const Find& find) {
  FixResult fixed;
  fixed.take(found);
  const Workspace* workspace = &before;
  std::set<std::string> states = {digest_of({})};
  std::size_t cost = 0;
  for (int number = 0; number < kMaxPasses && cost < kMaxBytes; ++number) {
    Pass pass(*workspace, fixed);
    if (!pass.make(fixed.findings, least)) return fixed;
    cost += pass.cost() + size_of(*workspace);
    auto next = std::make_unique<Workspace>();
    next->load_edited(before, fixed.texts);
    fixed.take(find(*next));
    fixed.workspace = std::move(next);
    workspace = fixed.workspace.get();
    if (states.insert(digest_of(fixed.texts)).second) continue;
    give_up(before, least, find, fixed);
    return fixed;
  }
  fixed.failures.emplace_back(
      "not all fixes were applied, because that takes too long: run cnsched again");
  return fixed;
}

FixResult fix_all(const Workspace& before, const RunResult& found, Safety least, const Find& find) {
  FixResult fixed = fix_documents(before, found, least, find);
  edit_sources(before, least, fixed);
  return fixed;
}

}  // namespace cnsched::rules

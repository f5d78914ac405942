// The fixes of a document are applied together. Most documents are fine then. Only if an error is
// at one of the changed places, each half of the fixes is tried, down to single ones.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "core/base/parallel.h"
#include "core/workspace/load_options.h"
#include "core/yaml/candidates.h"
#include "rules/engine/fix.h"

namespace cnsched::rules {

namespace {

using yaml::Change;
using yaml::Node;
using Lint = std::function<std::vector<Diagnostic>(const Workspace&)>;
using Fixable = std::span<Diagnostic* const>;

/// Of one document: each takes as long as to lint it.
constexpr std::size_t kMaxTrials = 200;
/// Of text that is linted, in a document and in all: as much as takes a second or so.
constexpr std::size_t kMaxLintedOfDocument = std::size_t{1} << 20U;
constexpr std::size_t kMaxLinted = std::size_t{16} << 20U;

/// Whether the fix may put a value where it does not fit. A safe one does not.
bool is_doubtful(const Fix& fix) {
  if (fix.document == nullptr || fix.safety == Safety::safe) return false;
  return std::ranges::any_of(fix.changes, [](const Change& change) {
    return change.kind == Change::Kind::move || change.kind == Change::Kind::rename;
  });
}

const Node& node_at(const Node& root, std::string_view pointer) {
  const Node* at = &root;
  for (const std::string& key : yaml::keys_of(pointer)) {
    std::size_t index = 0;
    if (at->is_sequence()) std::from_chars(key.data(), key.data() + key.size(), index);
    at = at->is_sequence() ? &at->at(index) : &at->under(key);
  }
  return *at;
}

/// Where errors concern what a change has put into a document.
struct Place {
  Span key;
  Span value;
  bool is_moved = false;  ///< otherwise what is in the value is as before

  bool contains(Span error) const {
    if (!is_moved) return error == key || error == value;
    return key.begin <= error.begin && error.begin < value.end;
  }
};

std::vector<Place> places_of(std::span<const Change> changes, const Node& before,
                             const Node& after) {
  std::vector<Place> places;
  for (const Change& change : changes) {
    const bool is_moved = change.kind == Change::Kind::move;
    if (!is_moved && change.kind != Change::Kind::rename) continue;
    const Node& value = node_at(
        after, is_moved ? yaml::pointer_to(*change.value, before) + change.key
                        : fmt::format("{}/{}", yaml::pointer_to(*change.node->parent(), before),
                                      yaml::pointer_step(change.key)));
    if (!value) continue;
    places.push_back(
        {value.key() != nullptr ? value.key()->span : value.span, value.span, is_moved});
  }
  return places;
}

/// The fixes of one document.
class FixCheck {
 public:
  FixCheck(const Workspace& workspace, const yaml::Document& document, const Lint& lint)
      : workspace_(workspace),
        file_(workspace.file_of(document.span)),
        document_(document),
        lint_(lint) {}

  /// Drops the fixes that are not known to be right, after linting at most `max_bytes`.
  void check(Fixable findings, std::size_t max_bytes) {
    left_ = max_bytes;
    check(findings);
  }

 private:
  void check(Fixable findings) {
    const auto error = ++trials_ > kMaxTrials ? std::nullopt : error_with(findings);
    if (error && error->empty()) return;
    if (const std::size_t half = findings.size() / 2; half > 0) {
      check(findings.first(half));
      return check(findings.subspan(half));
    }
    Diagnostic& finding = *findings.front();
    if (error) finding.help = fmt::format("{} and correct it: {}", finding.fix->title, *error);
    finding.fix.reset();
  }

  /// The first error at a place that the fixes change; empty if there is none. Nothing if that is
  /// not known.
  std::optional<std::string> error_with(Fixable findings) {
    std::vector<Change> changes;
    for (const Diagnostic* finding : findings) {
      changes.insert(changes.end(), finding->fix->changes.begin(), finding->fix->changes.end());
    }
    const auto edits = yaml::edits_for(file_, document_, changes, yaml::Comments::stay);
    // The one that applies it says why it cannot be applied.
    if (!edits) return findings.size() == 1 ? std::optional(std::string()) : std::nullopt;
    Workspace workspace;
    const auto errors =
        errors_in(workspace, apply(document_.text(file_), *edits, document_.span.begin));
    if (!errors) return std::nullopt;
    if (errors->empty() || workspace.documents().empty()) return std::string();
    const std::vector<Place> places =
        places_of(changes, *document_.root, *workspace.documents().front()->document.root);
    for (const Diagnostic& error : *errors) {
      const auto is_there = [&](const Place& place) { return place.contains(error.where); };
      if (std::ranges::none_of(places, is_there)) continue;
      const auto was_there = was_before(error);
      if (!was_there) return std::nullopt;
      if (!*was_there) return error.message;
    }
    return std::string();
  }

  /// Whether the document has the error without the fixes; nothing if that is not known.
  std::optional<bool> was_before(const Diagnostic& error) {
    if (!before_) {
      Workspace workspace;
      const auto errors = errors_in(workspace, std::string(document_.text(file_)));
      if (!errors) return std::nullopt;
      before_.emplace();
      for (const Diagnostic& each : *errors) before_->emplace(each.rule, each.message);
    }
    return before_->contains({std::string(error.rule), error.message});
  }

  /// The errors of the document with that text, without the other files; nothing if it takes too
  /// long to find them.
  std::optional<std::vector<Diagnostic>> errors_in(Workspace& workspace, std::string text) {
    if (text.size() > left_) return std::nullopt;
    left_ -= text.size();
    LoadOptions options{.memory_files = {{file_.path(), std::move(text)}}, .jobs = 1};
    const facts::ClusterConfig* config = workspace_.config_of(file_.id());
    for (const Project project : k8s::schema::kProjects) {
      for (facts::StatedRelease stated : workspace_.stated_releases(project, config)) {
        // The file that states it is not there.
        stated.place = nullptr;
        if (stated.flag.empty()) stated.flag = "the configuration";
        options.releases.of(project).push_back(stated);
      }
    }
    workspace.load(std::move(options));
    std::vector<Diagnostic> errors = lint_(workspace);
    std::erase_if(errors, [](const Diagnostic& finding) {
      return finding.severity != Severity::error || finding.suppression;
    });
    return errors;
  }

  const Workspace& workspace_;
  const SourceFile& file_;
  const yaml::Document& document_;
  const Lint& lint_;
  std::size_t left_ = 0;  ///< bytes that may still be linted
  std::size_t trials_ = 0;
  /// The rules and messages of the document's errors without the fixes, once that is needed.
  std::optional<std::set<std::pair<std::string, std::string>>> before_{};
};

/// A document, its findings, and the bytes that may be linted for them.
struct Task {
  const yaml::Document* document;
  std::vector<Diagnostic*> findings;
  std::size_t max_bytes = 0;
};

}  // namespace

void drop_harmful_fixes(const Workspace& workspace, std::vector<Diagnostic>& findings,
                        const Lint& lint) {
  std::vector<Task> tasks;
  std::map<const yaml::Document*, std::size_t> by_document;
  for (Diagnostic& finding : findings) {
    if (!finding.fix || !is_doubtful(*finding.fix)) continue;
    const yaml::Document* document = finding.fix->document;
    const auto [known, is_new] = by_document.try_emplace(document, tasks.size());
    if (is_new) tasks.push_back({document, {}});
    tasks[known->second].findings.push_back(&finding);
  }
  std::size_t left = kMaxLinted;
  for (Task& task : tasks) {
    // Both texts, each fix alone, and what the fixes add.
    const std::size_t size = task.document->span.end - task.document->span.begin + 1000;
    const std::size_t count = std::min(task.findings.size(), kMaxTrials) + 3;
    task.max_bytes = std::min({size * count, kMaxLintedOfDocument, left});
    left -= task.max_bytes;
  }
  parallel_for(tasks.size(), workspace.jobs(), [&](std::size_t i) {
    FixCheck(workspace, *tasks[i].document, lint).check(tasks[i].findings, tasks[i].max_bytes);
  });
}

}  // namespace cnsched::rules

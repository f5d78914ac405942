#include "cli/commands/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/output/output.h"
#include "cli/output/unknown_facts.h"
#include "core/base/text.h"
#include "core/k8s/schema/open_api.h"
#include "core/workspace/cluster_scope.h"

namespace cnsched::cli {

namespace {

std::string_view word_for(DocumentStatus status) {
  switch (status) {
    case DocumentStatus::checked:
      return "checked";
    case DocumentStatus::out_of_scope:
      return "out of scope";
    case DocumentStatus::templated:
      return "a Helm template, skipped";
    case DocumentStatus::fact:
      return "a fact about the cluster, not checked";
    case DocumentStatus::broken:
      break;
  }
  return "no YAML";
}

void report_scopes(const Workspace& workspace, Console& console) {
  if (workspace.scopes().size() < 2) return;
  for (const ClusterScope& scope : workspace.scopes()) {
    const auto count = std::ranges::count_if(
        scope.objects(), [&](const k8s::Object& object) { return scope.is_linted(object); });
    console.err << fmt::format("{}: {}\n", describe_scope(scope),
                               count_of(static_cast<std::size_t>(count), "object"));
  }
}

/// That directories were taken for clusters.
void report_guess(const Workspace& workspace, Console& console) {
  if (!workspace.are_scopes_guessed()) return;
  std::set<std::string_view> names;
  for (const ClusterScope& scope : workspace.scopes()) names.insert(scope.name());
  if (names.size() < 2) return;
  constexpr std::size_t kMaxNames = 5;
  std::vector<std::string> shown;
  for (const std::string_view name : names) shown.push_back(fmt::format("'{}'", printable(name)));
  console.err << fmt::format(
      "the files show {} clusters: {} ('clusters' of .cnsched.yaml states which there are)\n",
      names.size(), join_words(shown, "and", kMaxNames));
}

void report_nothing(const Discovered& found, const RunStats& stats, Console& console) {
  if (stats.documents > 0 || stats.unreadable > 0) return;
  if (stats.files > 0) {
    console.err << "nothing to check: the files are empty\n";
  } else {
    console.err << fmt::format("nothing to check: no .yaml, .yml or .json file was found{}\n",
                               found.skipped.empty() ? "" : " (-v shows what was skipped)");
  }
}

}  // namespace

bool report_unreadable(const std::vector<Unreadable>& unreadable, Console& console) {
  for (const Unreadable& entry : unreadable) {
    const std::string place = entry.path.empty() ? "''" : printable(place_of(entry));
    say_error(console, fmt::format("{}: {}", place, printable(entry.reason)));
  }
  return !unreadable.empty();
}

bool report_broken(const Workspace& workspace, Console& console) {
  bool any = false;
  for (const auto& loaded : workspace.documents()) {
    if (!loaded->linted || loaded->status != DocumentStatus::broken) continue;
    for (const yaml::Problem& problem : loaded->document.problems) {
      const SourceFile& file = workspace.file_of(problem.where);
      const Position at = file.position(problem.where.begin);
      say_error(console, fmt::format("{}:{}:{}: {}", printable(file.path()), at.line, at.column,
                                     problem.message));
      any = true;
    }
  }
  return any;
}

void report_skipped(const Discovered& found, Console& console) {
  for (const Skipped& skipped : found.skipped) {
    console.err << fmt::format("{}: {}\n", printable(skipped.path), printable(skipped.reason));
  }
  for (const Unfollowed& file : found.unfollowed) {
    console.err << fmt::format("{}: {}, not read\n", printable(file.path), name_of(file.kind));
  }
}

void report_documents(const LoadedProject& project, const Workspace& workspace, Console& console) {
  report_skipped(project.found, console);
  if (!project.confinement.empty()) {
    console.err << fmt::format("engines are confined by {}\n", project.confinement);
  }
  for (const auto& loaded : workspace.documents()) {
    const Span span = loaded->document.span;
    const SourceFile& file = workspace.file_of(span);
    console.err << fmt::format("{}:{}: {}{}\n", printable(file.path()), file.line_of(span.begin),
                               word_for(loaded->status), loaded->linted ? "" : " (facts only)");
  }
  report_scopes(workspace, console);
}

void report_unevaluated(const Workspace& workspace, Console& console) {
  for (const PlacedDefinition& each : workspace.definitions()) {
    if (each.definition.types == nullptr) continue;
    const std::string place = describe_line(each.definition.place->span, workspace.sources);
    for (const std::string& what : each.definition.types->unevaluated()) {
      console.err << fmt::format("{}: not evaluated: {}\n", place, what);
    }
  }
}

void report_unfollowed(const Workspace& workspace, std::string_view command, Console& console) {
  for (const std::string& line : describe(workspace.unfollowed(), command)) {
    console.err << line << '\n';
  }
}

void report_links(const Discovered& found, Console& console) {
  for (const Skipped& skipped : found.skipped) {
    if (skipped.reason != kLinkOut) continue;
    console.err << fmt::format("{}: {}\n", printable(skipped.path), skipped.reason);
  }
}

void report_coverage(const Discovered& found, const Workspace& workspace, std::string_view command,
                     bool verbose, Console& console) {
  if (!verbose) report_links(found, console);
  report_nothing(found, workspace.stats(), console);
  report_unfollowed(workspace, command, console);
  report_guess(workspace, console);
}

Reading report_reading(const LoadedProject& project, const MessageOptions& messages,
                       std::string_view command, std::string_view summary, Console& console) {
  const Workspace& workspace = project.workspace;
  if (messages.verbose) report_documents(project, workspace, console);
  Reading reading;
  reading.is_broken = report_broken(workspace, console);
  reading.is_unreadable = report_unreadable(workspace.unreadable(), console);
  if (!messages.quiet) {
    report_coverage(project.found, workspace, command, messages.verbose, console);
    console.err << summary << "; " << describe(workspace.stats()) << '\n';
  }
  return reading;
}

}  // namespace cnsched::cli

#include "rules/engine/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "core/base/text.h"
#include "core/workspace/cluster_scope.h"

namespace cnsched::rules {

namespace {

void add_new(std::vector<std::string>&& from, std::vector<std::string>& into) {
  for (std::string& name : from) {
    if (std::ranges::find(into, name) == into.end()) into.push_back(std::move(name));
  }
}

/// How many variants a file is judged for, or its chart is rendered with.
class Counts {
 public:
  explicit Counts(const Workspace& workspace) : workspace_(workspace) {
    for (FileId file = 0; file < workspace.sources.size(); ++file) {
      const RenderedVariant& variant = workspace.variant_of(file);
      if (!variant.name.empty()) of_chart_[variant.chart].insert(variant.name);
    }
  }

  bool any() const { return !of_chart_.empty(); }

  std::size_t of(FileId file) {
    const RenderedVariant& variant = workspace_.variant_of(file);
    if (!variant.name.empty()) return of_chart_[variant.chart].size();
    const auto [known, is_new] = of_file_.try_emplace(file);
    if (is_new) {
      std::set<std::string_view> names;
      for (const ClusterScope& scope : workspace_.scopes()) {
        if (!scope.variant().empty() && scope.is_linted(file)) names.insert(scope.variant());
      }
      known->second = names.size();
    }
    return known->second;
  }

 private:
  const Workspace& workspace_;
  std::map<std::string_view, std::set<std::string_view>> of_chart_;
  std::unordered_map<FileId, std::size_t> of_file_;
};

std::string_view line_at(const SourceFile& file, Span where) {
  const std::size_t line = file.line_of(where.begin);
  const std::uint32_t begin = file.line_start(line);
  const std::string_view rest = file.bytes().substr(begin);
  return rest.substr(0, rest.find('\n'));
}

/// What is equal for one mistake in several variants.
using Key = std::tuple<std::string_view, std::string_view, std::string, std::string, std::string,
                       std::string, std::string, std::string_view>;

Key key_of(const Workspace& workspace, const Diagnostic& finding) {
  const Subject& subject = finding.subject;
  return {workspace.variant_of(finding.where.file).chart,
          finding.rule,
          finding.message,
          subject.kind,
          subject.ns + "/" + subject.name,
          subject.component,
          subject.pointer,
          line_at(workspace.file_of(finding.where), finding.where)};
}

}  // namespace

void merge_scopes(Diagnostic& from, Diagnostic& into) {
  add_new(std::move(from.clusters), into.clusters);
  add_new(std::move(from.variants), into.variants);
  add_new(std::move(from.releases), into.releases);
  into.all_variants = std::max(into.all_variants, from.all_variants);
}

void label(std::vector<std::string>& names, std::size_t count, std::string_view noun,
           std::string& message) {
  if (names.empty()) return;
  if (names.size() >= count) return names.clear();
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(fmt::format("'{}'", name));
  message = fmt::format("in {}{} {}: {}", noun, names.size() == 1 ? "" : "s", join_words(quoted),
                        message);
}

void label_releases(std::vector<std::string>& releases, std::size_t count, std::string& message) {
  if (releases.empty()) return;
  if (releases.size() >= count) return releases.clear();
  message = fmt::format("with {}: {}", join_words(releases), message);
}

void note_variants(const Workspace& workspace, std::vector<Diagnostic>& findings) {
  Counts counts(workspace);
  if (!counts.any()) return;
  for (Diagnostic& finding : findings) {
    const RenderedVariant& variant = workspace.variant_of(finding.where.file);
    if (!variant.name.empty()) finding.variants = {variant.name};
    finding.all_variants = counts.of(finding.where.file);
  }
}

void merge_variants(const Workspace& workspace, std::vector<Diagnostic>& findings) {
  if (std::ranges::none_of(findings, [](const Diagnostic& d) { return d.all_variants > 0; })) {
    return;
  }
  std::map<Key, std::vector<std::size_t>> kept_of;  // one for each occurrence in a file
  std::map<std::pair<Key, FileId>, std::size_t> occurrences;
  std::vector<Diagnostic> kept;
  for (Diagnostic& finding : findings) {
    const bool is_variant = !workspace.variant_of(finding.where.file).name.empty();
    if (is_variant) {
      const Key key = key_of(workspace, finding);
      std::vector<std::size_t>& same = kept_of[key];
      const std::size_t occurrence = occurrences[{key, finding.where.file}]++;
      if (occurrence < same.size()) {
        merge_scopes(finding, kept[same[occurrence]]);
        continue;
      }
      same.push_back(kept.size());
    }
    kept.push_back(std::move(finding));
  }
  findings = std::move(kept);
  for (Diagnostic& finding : findings) {
    label(finding.variants, finding.all_variants, "variant", finding.message);
  }
}

}  // namespace cnsched::rules

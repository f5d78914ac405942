#include "core/k8s/schema/releases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/base/text.h"

namespace cnsched::k8s::schema {

namespace {

const Release* release_of(Project project) {
  const std::string_view name =
      project == Project::seldon ? std::string_view("Seldon Core 2") : name_of(project);
  const auto* found = std::ranges::find(kReleases, name, &Release::project);
  return found == kReleases.end() ? nullptr : found;
}

/// Fields change with minor releases.
Version without_patch(const Version& version) { return {version.major, version.minor, 0}; }

}  // namespace

Project project_of(std::string_view group) {
  if (group == "serving.kserve.io") return Project::kserve;
  if (group == "mlops.seldon.io") return Project::seldon;
  return group.find('.') == std::string_view::npos ? Project::kubernetes : Project::without_release;
}

std::string_view name_of(Project project) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"Kubernetes", "KServe", "Seldon Core", ""});
  return kNames[static_cast<std::size_t>(project)];
}

std::string_view key_of(Project project) {
  if (project == Project::kubernetes) return "kubernetes";
  return project == Project::kserve ? "kserve" : "seldon";
}

std::string describe(Project project, const Version& version) {
  return fmt::format("{} {}", name_of(project), to_string(version));
}

std::optional<Version> release_named(std::string_view text) {
  return text == "head" ? kHeadRelease : Version::parse(text);
}

bool knows(Project project, const Version& version) {
  const Release* release = release_of(project);
  if (release == nullptr) return false;
  const Version minor = without_patch(version);
  if (project == Project::seldon && version.major == 1) return true;
  if (version == kHeadRelease) return release->has_head;
  return *Version::parse(release->oldest) <= minor && minor <= newest(project);
}

Version newest(Project project) {
  static const std::map<Project, Version> kNewest = [] {
    std::map<Project, Version> newest;
    for (const Project each : kProjects) {
      if (const Release* release = release_of(each))
        newest[each] = *Version::parse(release->release);
    }
    return newest;
  }();
  const auto found = kNewest.find(project);
  return found == kNewest.end() ? Version() : found->second;
}

std::string describe_known(Project project) {
  const Release* release = release_of(project);
  return fmt::format("{} {}{} to {}", name_of(project), project == Project::seldon ? "1 and " : "",
                     release->oldest, release->release);
}

const std::optional<Version>& Releases::of(Project project) const {
  static const std::optional<Version> kNewest;
  switch (project) {
    case Project::kubernetes:
      return kubernetes;
    case Project::kserve:
      return kserve;
    case Project::seldon:
      return seldon;
    case Project::without_release:
      break;
  }
  return kNewest;
}

ReleaseRanges ReleaseRanges::none() {
  ReleaseRanges ranges;
  ranges.ranges_.clear();
  return ranges;
}

std::optional<Version>& Releases::of(Project project) {
  if (project == Project::kubernetes) return kubernetes;
  return project == Project::kserve ? kserve : seldon;
}

std::optional<ReleaseRanges> ReleaseRanges::parse(std::string_view list) {
  ReleaseRanges ranges = none();
  for (const std::string_view text : split(list, ',')) {
    const std::size_t dash = text.find('-');
    const std::string_view from = text.substr(0, dash);
    const std::string_view to = dash == std::string_view::npos ? text : text.substr(dash + 1);
    const Range range{release_named(from), release_named(to)};
    const bool is_valid =
        (from.empty() || range.from) && (to.empty() || range.to) && (range.from || range.to);
    if (!is_valid) return std::nullopt;
    ranges.ranges_.push_back(range);
  }
  return ranges;
}

bool ReleaseRanges::contains(const Version& version) const {
  const Version minor = without_patch(version);
  return std::ranges::any_of(ranges_, [&](const Range& range) {
    return (!range.from || *range.from <= minor) && (!range.to || minor <= *range.to);
  });
}

void ReleaseRanges::add(const ReleaseRanges& other) {
  ranges_.insert(ranges_.end(), other.ranges_.begin(), other.ranges_.end());
}

std::optional<Version> ReleaseRanges::first() const {
  std::optional<Version> first;
  for (const Range& range : ranges_) {
    if (!range.from) return std::nullopt;
    if (!first || *range.from < *first) first = range.from;
  }
  return first;
}

std::optional<Version> ReleaseRanges::next(const std::optional<Version>& version) const {
  std::optional<Version> next;
  if (!version) return next;
  for (const Range& range : ranges_) {
    const bool is_later = range.from && *range.from > *version && *range.from < kHeadRelease;
    if (is_later && (!next || *range.from < *next)) next = range.from;
  }
  return next;
}

std::string ReleaseRanges::words(Project project) const {
  const std::string_view name = name_of(project);
  const std::optional<Version> from = first();
  std::optional<Version> last;  // nothing if any range has no end
  for (const Range& range : ranges_) {
    if (range.to && (!last || *range.to > *last)) last = range.to;
  }
  if (std::ranges::any_of(ranges_, [](const Range& range) { return !range.to; })) last.reset();
  if (from == kHeadRelease) return fmt::format("is in no release of {} yet", name);
  if (from && last && *from == *last) {
    return fmt::format("exists only in {} {}", name, to_string(*from));
  }
  if (from && last) {
    return fmt::format("exists only in {} {} to {}", name, to_string(*from), to_string(*last));
  }
  if (from) return fmt::format("exists from {} {} on", name, to_string(*from));
  if (last) return fmt::format("existed until {} {}", name, to_string(*last));
  return fmt::format("exists in {}", name);
}

}  // namespace cnsched::k8s::schema

#include "core/facts/stated_release.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace cnsched::facts {

std::vector<StatedRelease>& StatedReleases::of(Project project) {
  if (project == Project::kubernetes) return kubernetes;
  return project == Project::kserve ? kserve : seldon;
}

const std::vector<StatedRelease>& StatedReleases::of(Project project) const {
  static const std::vector<StatedRelease> kNone;
  if (project == Project::kubernetes) return kubernetes;
  if (project == Project::kserve) return kserve;
  return project == Project::seldon ? seldon : kNone;
}

std::string mistake_of_release(Project project, std::string_view text) {
  const auto version = Version::parse(text);
  if (!version) return fmt::format("'{}' is not a release such as \"1.34\"", printable(text));
  if (k8s::schema::knows(project, *version)) return {};
  return fmt::format("'{}' is not a release that cnsched knows: it knows {}", printable(text),
                     k8s::schema::describe_known(project));
}

std::string describe_source(const StatedRelease& release, const Sources& sources) {
  if (release.place == nullptr) return std::string(release.flag);
  return describe_line(release.place->span, sources);
}

}  // namespace cnsched::facts

#include "core/facts/stated_release.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

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
  const auto version = k8s::schema::release_named(text);
  if (!version) return fmt::format("'{}' is not a release such as \"1.34\"", printable(text));
  if (k8s::schema::knows(project, *version)) return {};
  return fmt::format("'{}' is not a release that cnsched knows: it knows {}", printable(text),
                     k8s::schema::describe_known(project));
}

std::string describe_source(const StatedRelease& release, const Sources& sources) {
  if (release.place == nullptr) return std::string(release.flag);
  return describe_line(release.place->span, sources);
}

namespace {

using yaml::Node;

/// The release in a version that may name a vendor: "v1.29.6-eks-1552ad0", "v1.30.1+k3s1".
std::optional<Version> release_in(std::string_view text) {
  constexpr std::string_view kOfRelease = "v0123456789.";
  return Version::parse(text.substr(0, text.find_first_not_of(kOfRelease)));
}

/// A controller's image, by the end of its name.
struct ControllerImage {
  std::string_view name;
  Project project;
};

/// Sources: the manifests of KServe 0.20, Seldon Core 2.10 and Seldon Core 1.19.
constexpr auto kControllers = std::to_array<ControllerImage>({
    {"/kserve-controller", Project::kserve},
    {"/seldonv2-controller", Project::seldon},
    {"/seldon-core-operator", Project::seldon},
});

class ReleaseSearch {
 public:
  void look(const k8s::Object& object) {
    if (object.is("", "Node")) {
      note_kubelet(object["status"]["nodeInfo"]["kubeletVersion"]);
    } else if (object.is("apps", "Deployment")) {
      for (const Node* container : object.spec()["template"]["spec"]["containers"].items()) {
        note_image((*container)["image"]);
      }
      note_knative(object);
    }
  }

  /// The API server is not older than the kubelet of any node.
  /// Source: https://kubernetes.io/releases/version-skew-policy/.
  void note_kubelet(const Node& version) {
    const auto release = release_in(version.text());
    if (!release) return;
    std::vector<StatedRelease>& known = found_.stated.kubernetes;
    if (known.empty()) {
      known.push_back({.version = *release, .place = &version});
    } else if (known.front().version < *release) {
      known.front() = {.version = *release, .place = &version};
    }
  }

  void note_server(const Node& version) {
    const auto release = release_in(version["gitVersion"].text());
    if (release) servers_.push_back({.version = *release, .place = &version["gitVersion"]});
  }

  FoundReleases result() {
    if (!servers_.empty()) found_.stated.kubernetes = std::move(servers_);
    for (const Project project : k8s::schema::kProjects) {
      std::vector<StatedRelease>& releases = found_.stated.of(project);
      const bool is_one = std::ranges::all_of(releases, [&](const StatedRelease& each) {
        return to_string(each.version) == to_string(releases.front().version) &&
               k8s::schema::knows(project, each.version);
      });
      releases.resize(is_one ? std::min<std::size_t>(releases.size(), 1) : 0);
    }
    return std::move(found_);
  }

 private:
  void note_image(const Node& image) {
    const std::string_view text = image.text();
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return;
    for (const ControllerImage& controller : kControllers) {
      if (!text.substr(0, colon).ends_with(controller.name)) continue;
      const auto release = release_in(text.substr(colon + 1));
      if (!release) continue;
      found_.stated.of(controller.project).push_back({.version = *release, .place = &image});
    }
  }

  void note_knative(const k8s::Object& object) {
    if (object.labels()["app.kubernetes.io/name"].text() != "knative-serving") return;
    if (object.name != "controller") return;
    found_.knative = release_in(object.labels()["app.kubernetes.io/version"].text());
  }

  FoundReleases found_;
  std::vector<StatedRelease> servers_;
};

}  // namespace

const Node& server_version(const Node& root) {
  return root["kind"] ? yaml::missing_node() : root["serverVersion"];
}

FoundReleases releases_in(std::span<const k8s::Object* const> objects,
                          std::span<const Node* const> server_versions) {
  ReleaseSearch search;
  for (const k8s::Object* object : objects) search.look(*object);
  for (const Node* version : server_versions) search.note_server(*version);
  return search.result();
}

}  // namespace cnsched::facts

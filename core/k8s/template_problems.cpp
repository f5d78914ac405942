#include "core/k8s/template_problems.h"

#include <fmt/format.h>

#include <unordered_map>

#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/k8s/object.h"

namespace cnsched::k8s {

namespace {

using yaml::Node;

/// Names that were seen, and where.
using Names = std::unordered_map<std::string_view, const Node*>;

class Check {
 public:
  Check(const PodSpec& pod, bool images_known) : pod_(pod), images_known_(images_known) {}

  std::vector<TemplateProblem> result() && {
    Names containers;
    for (const Container& container : pod_.all_containers()) check_container(container, containers);
    Names volumes;
    for (const Node* volume : pod_["volumes"].items()) check_volume(*volume, volumes);
    return std::move(found_);
  }

 private:
  void add(const Node& where, const Node* other, std::string what, std::string help) {
    found_.push_back({&where, other, std::move(what), std::move(help)});
  }

  void check_container(const Container& container, Names& names) {
    const Node& name = (*container.node)["name"];
    const std::string_view text = name.text();
    if (is_placeholder(text)) return;
    const Node& place = name ? name : *container.node;
    if (!text.empty() && (!is_dns_part(text) || text.size() > kMaxLength)) {
      add(place, nullptr, fmt::format("'{}' is not a name of a container", printable(text)),
          "write at most 63 lower-case letters, digits and '-'");
    }
    const auto [first, is_new] = names.try_emplace(text, &place);
    if (!is_new && !text.empty()) {
      add(place, first->second, fmt::format("two containers are named '{}'", printable(text)),
          "write another name");
    }
    if (!images_known_ || !(*container.node)["image"].text().empty()) return;
    add(place, nullptr, fmt::format("container '{}' has no image", printable(text)), "add 'image'");
  }

  void check_volume(const Node& volume, Names& names) {
    const Node& name = volume["name"];
    if (is_placeholder(name.text()) || name.text().empty()) return;
    const auto [first, is_new] = names.try_emplace(name.text(), &name);
    if (!is_new) {
      add(name, first->second, fmt::format("two volumes are named '{}'", printable(name.text())),
          "write another name");
    }
    std::vector<const Node*> types;
    for (const yaml::Entry& entry : volume.entries()) {
      if (entry.value->is_mapping()) types.push_back(entry.key);
    }
    if (types.size() < 2) return;
    add(*types.back(), types.front(),
        fmt::format("volume '{}' has two types, '{}' and '{}'", printable(name.text()),
                    printable(types.front()->text()), printable(types.back()->text())),
        "give the volume another name, or use the same type");
  }

  static constexpr std::size_t kMaxLength = 63;

  const PodSpec& pod_;
  bool images_known_;
  std::vector<TemplateProblem> found_;
};

}  // namespace

std::vector<TemplateProblem> repeated_mounts(const PodSpec& pod) {
  std::vector<TemplateProblem> found;
  for (const Container& container : pod.all_containers()) {
    std::unordered_map<std::string_view, const Node*> by_path;
    for (const Node* mount : (*container.node)["volumeMounts"].items()) {
      const Node& path = (*mount)["mountPath"];
      if (path.text().empty() || is_placeholder(path.text())) continue;
      const auto [first, is_new] = by_path.try_emplace(path.text(), &path);
      // What a controller adds has the place of what requires it, not that of a list.
      const bool is_added = mount->span == path.span;
      if (is_new || !is_added) continue;
      found.push_back({first->second, &path,
                       fmt::format("two mounts at '{}'", printable(path.text())),
                       "mount the volume at another path"});
    }
  }
  return found;
}

std::vector<TemplateProblem> template_problems(const PodSpec& pod, bool images_known) {
  return Check(pod, images_known).result();
}

}  // namespace cnsched::k8s

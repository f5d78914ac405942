#include "core/seldon/model_initializer.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/k8s/pod_spec.h"
#include "core/k8s/struct_merge.h"
#include "core/k8s/volume_mount.h"
#include "core/yaml/tree.h"

namespace cnsched::seldon {

namespace {

using yaml::Node;

constexpr std::string_view kModelPath = "/mnt/models";
constexpr std::string_view kClaimPath = "/mnt/pvc";
constexpr std::string_view kClaimVolume = "kfserving-pvc-source";

/// A name with that suffix, cut as the operator cuts it.
std::string name_with(std::string_view container, std::string_view suffix) {
  constexpr std::size_t kMaxLength = 63;
  std::string name = fmt::format("{}-{}", container, suffix);
  if (name.size() <= kMaxLength) return name;
  name.resize(kMaxLength);
  if (name.ends_with('-')) name.pop_back();
  return name;
}

/// What the container mounts: the claim, if the model is in one, and last the model's files.
std::vector<k8s::VolumeMount> mounts_of(const ModelSource& model) {
  std::vector<k8s::VolumeMount> mounts;
  if (model.is_claim()) {
    mounts.push_back({.cause = model.uri,
                      .volume = std::string(kClaimVolume),
                      .path = std::string(kClaimPath),
                      .claim = k8s::ClaimAddress(model.uri->text()).claim,
                      .read_only = true});
  }
  mounts.push_back({.cause = model.uri,
                    .volume = name_with(model.container, "provision-location"),
                    .path = std::string(kModelPath),
                    .read_only = true});
  return mounts;
}

/// The init container. `mounts` are those of the model's container.
const Node& initializer(const ModelSource& model, std::vector<k8s::VolumeMount> mounts,
                        const OperatorConfig& config, Arena& arena) {
  const Node& uri = *model.uri;
  std::string source(uri.text());
  if (model.is_claim()) source = fmt::format("{}/{}", kClaimPath, k8s::ClaimAddress(source).path);
  const auto text = [&](std::string_view value) -> const Node& {
    return yaml::string_like(arena, uri, value);
  };
  std::vector<yaml::Entry> entries = {
      yaml::entry_of(arena, "name"_key, text(initializer_name(model.container)))};
  const Node& image = model.image->text().empty() ? config.initializer_image() : *model.image;
  if (image) entries.push_back(yaml::entry_of(arena, "image"_key, image));
  entries.push_back(yaml::entry_of(
      arena, "args"_key, yaml::sequence_like(arena, uri, {&text(source), &text(kModelPath)})));
  entries.push_back(yaml::entry_of(arena, "resources"_key, config.initializer_resources(uri)));
  mounts.back().read_only = false;  // it writes the files
  return k8s::with_mounts(yaml::mapping_like(arena, uri, entries), mounts, arena);
}

k8s::NameIndex places_of(const std::vector<const Node*>& containers) {
  k8s::NameIndex places;
  for (const Node* container : containers) places.add((*container)["name"].text());
  return places;
}

}  // namespace

bool ModelSource::is_claim() const { return uri->text().starts_with(k8s::ClaimAddress::kScheme); }

std::string initializer_name(std::string_view container) {
  return name_with(container, "model-initializer");
}

const Node& with_models(const Node& pod, std::span<const ModelSource> models,
                        const OperatorConfig& config, Arena& arena) {
  if (models.empty()) return pod;
  std::vector<const Node*> containers(pod["containers"].items().begin(),
                                      pod["containers"].items().end());
  std::vector<const Node*> initializers(pod["initContainers"].items().begin(),
                                        pod["initContainers"].items().end());
  const k8s::NameIndex places = places_of(containers);
  const k8s::NameIndex written = places_of(initializers);
  std::vector<k8s::VolumeMount> volumes;
  for (const ModelSource& model : models) {
    const std::size_t place = places.find(model.container);
    if (place == k8s::NameIndex::kNone) continue;
    std::vector<k8s::VolumeMount> mounts = mounts_of(model);
    const bool is_written =
        written.find(initializer_name(model.container)) != k8s::NameIndex::kNone;
    if (is_written) mounts = {mounts.back()};
    containers[place] = &k8s::with_mounts(*containers[place], mounts, arena);
    if (is_written) continue;
    initializers.push_back(&initializer(model, mounts, config, arena));
    volumes.insert(volumes.end(), mounts.begin(), mounts.end());
  }
  const auto with_list = [&](const Node& to, yaml::Key key, const auto& items) -> const Node& {
    const Node& list = pod[key.text()];
    const Node& like = list ? list : *models.front().uri;
    return yaml::with(arena, to, key, yaml::sequence_like(arena, like, items));
  };
  const Node& mounted = with_list(pod, "containers"_key, containers);
  if (volumes.empty()) return mounted;
  return with_list(
      yaml::with(arena, mounted, "volumes"_key, k8s::with_volumes(pod["volumes"], volumes, arena)),
      "initContainers"_key, initializers);
}

}  // namespace cnsched::seldon

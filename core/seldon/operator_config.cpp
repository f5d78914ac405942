#include "core/seldon/operator_config.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "core/k8s/pod_spec.h"
#include "core/k8s/struct_merge.h"
#include "core/k8s/volume_mount.h"
#include "core/yaml/tree.h"

namespace cnsched::seldon {

using yaml::Node;

namespace {

std::string path_of_server(std::string_view implementation) {
  return fmt::format("predictor_servers/{}", implementation);
}

/// "registry/b:1" for "registry/a:1"; empty if the repository is not `from`.
std::string beside(std::string_view image, std::string_view from, std::string_view to) {
  const std::size_t tag = image.rfind(':');
  const std::size_t slash = image.rfind('/');
  if (tag == std::string_view::npos || slash == std::string_view::npos || tag < slash) return {};
  if (image.substr(slash + 1, tag - slash - 1) != from) return {};
  return fmt::format("{}/{}{}", image.substr(0, slash), to, image.substr(tag));
}

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

bool is_open_inference(std::string_view protocol) {
  return protocol == "v2" || protocol == "kfserving";
}

bool OperatorConfig::has_server(std::string_view implementation) const {
  return config_.has(path_of_server(implementation));
}

const Node& OperatorConfig::image_for(std::string_view implementation,
                                      std::string_view protocol) const {
  const std::string path = fmt::format("{}/protocols/{}", path_of_server(implementation), protocol);
  const Node& image = config_.find(path + "/image", arena_);
  const Node& version = config_.find(path + "/defaultImageVersion", arena_);
  if (image.text().empty()) return yaml::missing_node();
  if (version.text().empty()) return image;
  return yaml::string_like(arena_, image, fmt::format("{}:{}", image.text(), version.text()));
}

const Node& OperatorConfig::server_image(std::string_view implementation,
                                         std::string_view protocol) const {
  const Node& image = image_for(implementation, protocol.empty() ? "seldon" : protocol);
  if (image || !is_open_inference(protocol)) return image;
  return image_for(implementation, protocol == "v2" ? "kfserving" : "v2");
}

const Node& OperatorConfig::explainer_image(std::string_view protocol) const {
  return config_.find(is_open_inference(protocol) ? "explainer/image_v2" : "explainer/image",
                      arena_);
}

const Node& OperatorConfig::initializer_image() const {
  return config_.find("storageInitializer/image", arena_);
}

const Node& OperatorConfig::initializer_resources(const Node& like) const {
  return config_.resources("storageInitializer", like, arena_);
}

const Node& OperatorConfig::orchestrator_image() const {
  constexpr auto kServers = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"SKLEARN_SERVER", "sklearnserver"},
       {"XGBOOST_SERVER", "xgboostserver"},
       {"MLFLOW_SERVER", "mlflowserver"},
       {"TENSORFLOW_SERVER", "tfserving-proxy"}});
  const Node* cause = nullptr;
  std::string found;
  for (const auto& [implementation, repository] : kServers) {
    const Node& server = image_for(implementation, "seldon");
    const std::string image = beside(server.text(), repository, "seldon-core-executor");
    if (image.empty() || (cause != nullptr && image != found)) return yaml::missing_node();
    found = image;
    cause = &server;
  }
  return yaml::string_like(arena_, *cause, found);
}

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
    const Node& list = pod.under(key.text());
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

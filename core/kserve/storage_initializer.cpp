#include "core/kserve/storage_initializer.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/k8s/pod_spec.h"
#include "core/k8s/struct_merge.h"
#include "core/k8s/volume_mount.h"
#include "core/k8s/workloads.h"
#include "core/kserve/child_name.h"
#include "core/kserve/containers.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

namespace {

using yaml::Node;

constexpr std::string_view kModelPath = "/mnt/models";
constexpr std::string_view kModelVolume = "kserve-provision-location";
constexpr std::string_view kClaimVolume = "kserve-pvc-source";
constexpr std::string_view kInitializer = "storage-initializer";
constexpr std::string_view kImageScheme = "oci://";

// KServe's shipped defaults.
constexpr Node kShippedCpuModelcar = yaml::constant("10m");
constexpr Node kShippedMemoryModelcar = yaml::constant("15Mi");

struct InitializerOptions {
  std::vector<k8s::VolumeMount> mounts{};  ///< further ones, of the initializer only
  bool read_only = true;                   ///< the volume, in the server's container
};

class Injector {
 public:
  Injector(const Node& pod, const StorageRequest& request, const ControllerContext& context)
      : before_(pod),
        pod_(yaml::entries_of(pod)),
        request_(request),
        context_(context),
        arena_(context.arena) {}

  const Node& with_many() && {
    if (has_initializer() || request_.uris->items().empty()) return before_;
    std::vector<const Node*> arguments;
    std::vector<k8s::VolumeMount> claims;
    std::string common;
    for (const Node* entry : request_.uris->items()) {
      const Node& uri = (*entry)["uri"];
      const Node& written = (*entry)["mountPath"];
      const Node& path = written ? written : text(uri, kModelPath);
      if (uri.text().starts_with(k8s::ClaimAddress::kScheme)) {
        claims.push_back({.cause = &uri,
                          .volume = volume_name(path.text()),
                          .path = std::string(path.text()),
                          .claim = k8s::ClaimAddress(uri.text()).claim,
                          .read_only = request_.read_only});
        continue;
      }
      arguments.insert(arguments.end(), {&uri, &path});
      common =
          arguments.size() == 2 ? std::string(path.text()) : common_directory(common, path.text());
    }
    mount(claims);
    if (!arguments.empty()) add_initializer(*request_.uris, arguments, volume_name(common), common);
    return pod();
  }

  const Node& with_one() && {
    const Node& uri = *request_.uri;
    const std::string_view source = uri.text();
    if (has_initializer() || source.empty()) return before_;
    if (const Image image = image_of(source); image.mode != ImageMode::none) {
      add_image(uri, image);
      add_adapters({});
      return pod();
    }
    if (source.starts_with(k8s::ClaimAddress::kScheme)) {
      mount({claim_mount(uri, kClaimVolume, std::string(kModelPath), request_.read_only)});
      add_adapters({});
    } else {
      add_adapters({&uri, &text(uri, kModelPath)});
    }
    change_containers([&](const Node& container) -> const Node& {
      const bool has_uri =
          is_server(container) && !environment(container, "STORAGE_URI").text().empty();
      return has_uri ? with_environment(container, "STORAGE_URI", kModelPath, uri, arena_)
                     : container;
    });
    return pod();
  }

 private:
  /// The completed pod.
  const Node& pod() const {
    return is_changed_ ? yaml::mapping_like(arena_, before_, pod_) : before_;
  }
  const Node& field(std::string_view name) const {
    const auto entry = std::ranges::find_if(
        pod_, [&](const yaml::Entry& each) { return each.key->text() == name; });
    return entry == pod_.end() ? yaml::missing_node() : *entry->value;
  }
  const Node& text(const Node& like, std::string_view value) {
    return yaml::string_like(arena_, like, value);
  }
  void set(yaml::Key key, const Node& value) {
    yaml::set(arena_, pod_, key, value);
    is_changed_ = true;
  }
  void append(yaml::Key list, const Node& item) {
    set(list, yaml::with_item(arena_, field(list.text()), item));
  }
  bool has_initializer() const {
    return bool(k8s::item_named(field("initContainers"), kInitializer));
  }
  bool is_server(const Node& container) const {
    return container["name"].text() == request_.container;
  }
  bool reads_model(const Node& container) const {
    return is_server(container) || container["name"].text() == kTransformerContainer;
  }

  template <typename Change>
  void change_containers(Change change) {
    const Node& list = field("containers");
    std::vector<const Node*> containers;
    for (const Node* container : list.items()) containers.push_back(&change(*container));
    if (std::ranges::equal(containers, list.items())) return;
    set("containers"_key, yaml::sequence_like(arena_, list, containers));
  }

  /// Adds the volumes, and their mounts to the containers that read the model.
  void mount(const std::vector<k8s::VolumeMount>& mounts) {
    const Node& volumes = field("volumes");
    const Node& more = k8s::with_volumes(volumes, mounts, arena_);
    if (&more != &volumes) set("volumes"_key, more);
    change_containers([&](const Node& container) -> const Node& {
      return reads_model(container) ? k8s::with_mounts(container, mounts, arena_) : container;
    });
  }

  /// `arguments` are addresses and their target paths; `cause` is the node that requests them.
  void add_initializer(const Node& cause, const std::vector<const Node*>& arguments,
                       const std::string& volume, const std::string& path,
                       InitializerOptions options = {}) {
    const Node& container = yaml::mapping_like(
        arena_, cause,
        {yaml::entry_of(arena_, "name"_key, text(cause, kInitializer)),
         yaml::entry_of(arena_, "image"_key,
                        setting("storageInitializer/image", k8s::configured_image())),
         yaml::entry_of(arena_, "args"_key, yaml::sequence_like(arena_, cause, arguments)),
         yaml::entry_of(arena_, "resources"_key,
                        context_.config.resources("storageInitializer", cause, arena_))});
    k8s::VolumeMount shared{.cause = &cause, .volume = volume, .path = path};
    const Node& volumes = k8s::with_volumes(field("volumes"), options.mounts, arena_);
    if (&volumes != &field("volumes")) set("volumes"_key, volumes);
    options.mounts.insert(options.mounts.begin(), shared);
    const Node& mounted = k8s::with_mounts(container, options.mounts, arena_);
    const Node& custom =
        request_.object->kind == "InferenceService"
            ? storage_container(context_.objects, *request_.object, arguments.front()->text())
            : yaml::missing_node();
    append("initContainers"_key,
           custom ? k8s::strategic_merge(arena_, mounted, custom, "Container") : mounted);
    shared.read_only = options.read_only && request_.read_only;
    mount({shared});
  }

  const Node& setting(std::string_view path, const Node& shipped) {
    const Node& configured = context_.config.find(path, arena_);
    return configured ? configured : shipped;
  }

  const Node& amounts(const Node& like, const Node& cpu, const Node& memory) {
    return yaml::mapping_like(
        arena_, like,
        {yaml::entry_of(arena_, "cpu"_key, cpu), yaml::entry_of(arena_, "memory"_key, memory)});
  }

  // Images.

  /// How the files of an image reach the pod.
  enum class ImageMode : unsigned char { none, modelcar, native, fetch };
  struct Image {
    ImageMode mode = ImageMode::none;
    std::string_view reference;
  };

  /// Nothing if the address is no image, or if the configuration has no mode for images.
  Image image_of(std::string_view uri) {
    const std::size_t end = uri.find("://");
    if (!uri.starts_with("oci") || end == std::string_view::npos) return {};
    const std::string_view reference = uri.substr(end + 3);
    std::string_view mode = uri.substr(3, end - 3);
    if (mode.empty()) {
      mode = context_.config.find("storageInitializer/ociModelMode", arena_).text();
      if (mode.empty() && !modelcar_enabled()) return {};
    } else if (mode.front() != '+') {
      return {};
    } else {
      mode.remove_prefix(1);
    }
    return {mode == "native"                                                 ? ImageMode::native
            : mode == "fetch" && is_at_least(context_.version, kHeadRelease) ? ImageMode::fetch
                                                                             : ImageMode::modelcar,
            reference};
  }

  void add_image(const Node& uri, const Image& image) {
    const std::string volume = volume_name(kModelPath);
    if (image.mode == ImageMode::native) {
      mount({{.cause = &uri,
              .volume = volume,
              .path = std::string(kModelPath),
              .image = std::string(image.reference),
              .sub_path = "models",
              .read_only = true}});
    } else if (image.mode == ImageMode::fetch) {
      const Node& address = text(uri, fmt::format("{}{}", kImageScheme, image.reference));
      std::vector<k8s::VolumeMount> more;
      // The first secret holds the credentials of the registry.
      if (const Node& secret = field("imagePullSecrets").at(0)["name"]) {
        more.push_back({.cause = &secret,
                        .volume = "kserve-oci-fetch-docker-config",
                        .path = "/mnt/kserve-oci-docker-config",
                        .secret = std::string(secret.text()),
                        .read_only = true});
      }
      add_initializer(uri, {&address, &text(uri, kModelPath)}, volume, std::string(kModelPath),
                      {.mounts = more, .read_only = false});
    } else {
      add_modelcar(uri, image.reference);
    }
  }

  // Adapters.

  k8s::VolumeMount claim_mount(const Node& uri, std::string_view volume, std::string path,
                               bool read_only) const {
    const k8s::ClaimAddress address(uri.text());
    return {.cause = &uri,
            .volume = std::string(volume),
            .path = std::move(path),
            .claim = address.claim,
            .sub_path = address.path,
            .read_only = read_only};
  }

  /// "/mnt/lora/chat": an adapter is no part of the model's read-only volume.
  static std::string path_of_adapter(std::string_view name) {
    std::string segment(name);
    for (char& c : segment) {
      const bool is_permitted =
          std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
      if (!is_permitted) c = '-';
    }
    if (segment.empty() || segment == "." || segment == "..") segment = "adapter";
    return "/mnt/lora/" + segment;
  }

  /// Mounts the claims of the adapters, and adds the initializer for `downloads` (addresses and
  /// their paths) and the adapters that are downloaded.
  void add_adapters(std::vector<const Node*> downloads) {
    std::vector<const Node*> adapters(request_.adapters->items().begin(),
                                      request_.adapters->items().end());
    std::ranges::stable_sort(adapters, {}, [](const Node* a) { return (*a)["name"].text(); });
    std::vector<k8s::VolumeMount> claims;
    for (const Node* adapter : adapters) {
      const Node& uri = (*adapter)["uri"];
      const std::string_view name = (*adapter)["name"].text();
      const std::string path = path_of_adapter(name);
      if (uri.text().starts_with(k8s::ClaimAddress::kScheme)) {
        claims.push_back(claim_mount(uri, child_name("lora-pvc-", name), path, true));
      } else {
        downloads.insert(downloads.end(), {&uri, &text(uri, path)});
      }
    }
    if (!downloads.empty()) {
      std::string common(downloads[1]->text());
      for (std::size_t i = 3; i < downloads.size(); i += 2) {
        common = common_directory(common, downloads[i]->text());
      }
      add_initializer(*downloads.front(), downloads, std::string(kModelVolume), common);
    }
    if (!claims.empty()) mount(claims);
  }

  /// Enabled by default.
  bool modelcar_enabled() {
    const std::string_view enabled =
        context_.config.find("storageInitializer/enableModelcar", arena_).text();
    return context_.config.is_known() ? enabled == "true" : true;
  }

  /// The image runs as a sidecar; the model server reads its files through the process namespace.
  void add_modelcar(const Node& uri, std::string_view image) {
    const k8s::VolumeMount models{
        .cause = &uri, .volume = std::string(kModelVolume), .path = "/mnt"};
    mount({models});
    change_containers([&](const Node& container) -> const Node& {
      return reads_model(container)
                 ? with_environment(container, "MODEL_INIT_MODE", "async", uri, arena_)
                 : container;
    });
    const Node& same =
        amounts(uri, setting("storageInitializer/cpuModelcar", kShippedCpuModelcar),
                setting("storageInitializer/memoryModelcar", kShippedMemoryModelcar));
    const Node& resources = yaml::mapping_like(
        arena_, uri,
        {yaml::entry_of(arena_, "limits"_key, same), yaml::entry_of(arena_, "requests"_key, same)});
    const auto container = [&](std::string_view name) -> const Node& {
      return yaml::mapping_like(arena_, uri,
                                {yaml::entry_of(arena_, "name"_key, text(uri, name)),
                                 yaml::entry_of(arena_, "image"_key, text(uri, image)),
                                 yaml::entry_of(arena_, "resources"_key, resources)});
    };
    if (!k8s::item_named(field("containers"), "modelcar")) {
      append("containers"_key, k8s::with_mounts(container("modelcar"), {&models, 1}, arena_));
      append("initContainers"_key, container("modelcar-init"));
    }
    set("shareProcessNamespace"_key, yaml::boolean_like(arena_, uri, true));
  }

  const Node& before_;
  std::vector<yaml::Entry> pod_;  ///< its fields, with the changes
  bool is_changed_ = false;
  const StorageRequest& request_;
  const ControllerContext& context_;
  Arena& arena_;
};

}  // namespace

const Node& storage_container(const k8s::ObjectIndex& objects, const k8s::Object& object,
                              std::string_view uri) {
  for (const k8s::Object* storage :
       objects.all("serving.kserve.io", "ClusterStorageContainer", std::nullopt, object)) {
    const Node& spec = storage->spec();
    const std::string_view type = spec["workloadType"].text();
    if ((*storage)["disabled"].text() == "true") continue;
    if (!type.empty() && type != "initContainer") continue;
    for (const Node* format : spec["supportedUriFormats"].items()) {
      const std::string_view prefix = (*format)["prefix"].text();
      if (!prefix.empty() && uri.starts_with(prefix)) return spec["container"];
    }
  }
  return yaml::missing_node();
}

const Node& with_many_models(const Node& pod, const StorageRequest& request,
                             const ControllerContext& context) {
  return Injector(pod, request, context).with_many();
}

const Node& with_one_model(const Node& pod, const StorageRequest& request,
                           const ControllerContext& context) {
  return Injector(pod, request, context).with_one();
}

}  // namespace cnsched::kserve

#include "core/kserve/storage_initializer.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/k8s/pod_spec.h"
#include "core/kserve/containers.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

namespace {

using yaml::Entry;
using yaml::Node;

constexpr std::string_view kModelPath = "/mnt/models";
constexpr std::string_view kModelVolume = "kserve-provision-location";
constexpr std::string_view kClaimVolume = "kserve-pvc-source";
constexpr std::string_view kInitializer = "storage-initializer";

/// Where a model's files are put.
struct Mount {
  std::string volume;
  std::string path;
  std::string claim;     ///< of a PersistentVolumeClaim; empty for an emptyDir
  std::string sub_path;  ///< within the volume
  bool read_only = false;
};

class Injector {
 public:
  Injector(const Node& pod, const StorageRequest& request, const Surroundings& around)
      : pod_(&pod), request_(request), around_(around), arena_(around.arena) {}

  const Node& result() && {
    if (k8s::item_called((*pod_)["initContainers"], kInitializer)) return *pod_;
    if (!request_.uris->items.empty()) {
      add_many();
    } else if (!request_.uri->scalar().empty()) {
      add_one(*request_.uri);
    }
    return *pod_;
  }

 private:
  const Node& text(const Node& like, std::string_view value) {
    return yaml::string_like(arena_, like, value);
  }
  void set(std::string_view field, const Node& value) {
    pod_ = &yaml::with(arena_, *pod_, field, value);
  }
  void append(std::string_view list, const Node& item) {
    set(list, yaml::with_item(arena_, (*pod_)[list], item));
  }

  void add_one(const Node& uri) {
    constexpr std::string_view kClaim = "pvc://";
    constexpr std::string_view kImage = "oci://";
    const std::string_view source = uri.scalar();
    if (source.starts_with(kImage) && modelcar_enabled()) {
      add_modelcar(uri, source.substr(kImage.size()));
    } else if (source.starts_with(kClaim)) {
      const std::string_view rest = source.substr(kClaim.size());
      const std::size_t slash = std::min(rest.find('/'), rest.size());
      mount(uri, {.volume = std::string(kClaimVolume),
                  .path = std::string(kModelPath),
                  .claim = std::string(rest.substr(0, slash)),
                  .sub_path = std::string(rest.substr(std::min(slash + 1, rest.size()))),
                  .read_only = true});
    } else {
      add_initializer(uri, {&uri, &text(uri, kModelPath)}, std::string(kModelVolume),
                      std::string(kModelPath));
      mount(uri, {.volume = std::string(kModelVolume),
                  .path = std::string(kModelPath),
                  .claim = {},
                  .sub_path = {},
                  .read_only = true});
    }
  }

  /// `storageUris`: claims are mounted one by one, all else shares the deepest common directory.
  void add_many() {
    std::vector<const Node*> arguments;
    std::string common;
    for (const Node* entry : request_.uris->items) {
      const Node& uri = (*entry)["uri"];
      const std::string_view written = (*entry)["mountPath"].scalar();
      const std::string path(written.empty() ? kModelPath : written);
      if (uri.scalar().starts_with("pvc://")) {
        const std::string_view rest = uri.scalar().substr(6);
        mount(uri, {.volume = volume_name(path),
                    .path = path,
                    .claim = std::string(rest.substr(0, rest.find('/'))),
                    .sub_path = {},
                    .read_only = true});
        continue;
      }
      arguments.push_back(&uri);
      arguments.push_back(written.empty() ? &text(uri, path) : &(*entry)["mountPath"]);
      common = arguments.size() == 2 ? path : common_directory(common, path);
    }
    if (arguments.empty()) return;
    const Node& first = *arguments.front();
    add_initializer(first, arguments, volume_name(common), common);
    mount(first, {.volume = volume_name(common),
                  .path = common,
                  .claim = {},
                  .sub_path = {},
                  .read_only = true});
  }

  static std::string volume_name(std::string_view path) {
    std::string name(path);
    std::ranges::replace(name, '/', '-');
    const std::size_t first = name.find_first_not_of('-');
    if (first == std::string::npos) return "models";
    return name.substr(first, name.find_last_not_of('-') - first + 1);
  }

  static std::string common_directory(std::string_view a, std::string_view b) {
    if (a == b) return std::string(a);
    std::size_t end = 0;
    for (std::size_t i = 0; i <= std::min(a.size(), b.size()); ++i) {
      const bool a_ends = i == a.size() || a[i] == '/';
      const bool b_ends = i == b.size() || b[i] == '/';
      if (a_ends && b_ends) end = i;
      if (i == a.size() || i == b.size() || a[i] != b[i]) break;
    }
    return end == 0 ? "/" : std::string(a.substr(0, end));
  }

  /// Adds the volume, and its mount to the containers that read the model.
  void mount(const Node& like, const Mount& mount) {
    add_volume(like, mount);
    std::vector<const Node*> containers;
    for (const Node* container : (*pod_)["containers"].items) {
      const std::string_view name = (*container)["name"].scalar();
      const bool reads = name == request_.container || name == kTransformerContainer;
      containers.push_back(reads ? &with_mount(*container, like, mount) : container);
    }
    if (!containers.empty()) {
      set("containers", yaml::sequence_like(arena_, (*pod_)["containers"], containers));
    }
  }

  void add_volume(const Node& like, const Mount& mount) {
    if (k8s::item_called((*pod_)["volumes"], mount.volume)) return;
    const Node& source =
        mount.claim.empty()
            ? yaml::mapping_like(arena_, like, {})
            : yaml::mapping_like(arena_, like,
                                 {yaml::entry_of(arena_, "claimName", text(like, mount.claim))});
    append("volumes",
           yaml::mapping_like(
               arena_, like,
               {yaml::entry_of(arena_, "name", text(like, mount.volume)),
                yaml::entry_of(arena_, mount.claim.empty() ? "emptyDir" : "persistentVolumeClaim",
                               source)}));
  }

  const Node& with_mount(const Node& container, const Node& like, const Mount& mount) {
    const Node& mounts = container["volumeMounts"];
    const bool taken = std::ranges::any_of(mounts.items, [&](const Node* item) {
      return (*item)["mountPath"].scalar() == mount.path;
    });
    if (taken) return container;
    std::vector<Entry> entries = {yaml::entry_of(arena_, "name", text(like, mount.volume)),
                                  yaml::entry_of(arena_, "mountPath", text(like, mount.path))};
    if (!mount.sub_path.empty()) {
      entries.push_back(yaml::entry_of(arena_, "subPath", text(like, mount.sub_path)));
    }
    if (mount.read_only) {
      entries.push_back(yaml::entry_of(arena_, "readOnly", yaml::boolean_like(arena_, like, true)));
    }
    return yaml::with(arena_, container, "volumeMounts",
                      yaml::with_item(arena_, mounts, yaml::mapping_like(arena_, like, entries)));
  }

  void add_initializer(const Node& like, const std::vector<const Node*>& arguments,
                       const std::string& volume, const std::string& path) {
    const Node& container = yaml::mapping_like(
        arena_, like,
        {yaml::entry_of(arena_, "name", text(like, kInitializer)),
         yaml::entry_of(arena_, "image",
                        setting("storageInitializer/image", "kserve/storage-initializer:latest")),
         yaml::entry_of(arena_, "args", yaml::sequence_like(arena_, like, arguments)),
         yaml::entry_of(arena_, "resources", initializer_resources(like))});
    append("initContainers",
           with_mount(
               container, like,
               {.volume = volume, .path = path, .claim = {}, .sub_path = {}, .read_only = false}));
  }

  const Node& setting(std::string_view path, std::string_view shipped) {
    const Node& set = around_.config.find(path, arena_);
    return set ? set : text(yaml::nowhere(), shipped);
  }

  const Node& amounts(const Node& like, const Node& cpu, const Node& memory) {
    return yaml::mapping_like(
        arena_, like,
        {yaml::entry_of(arena_, "cpu", cpu), yaml::entry_of(arena_, "memory", memory)});
  }

  const Node& initializer_resources(const Node& like) {
    return yaml::mapping_like(
        arena_, like,
        {yaml::entry_of(arena_, "limits",
                        amounts(like, setting("storageInitializer/cpuLimit", "1"),
                                setting("storageInitializer/memoryLimit", "1Gi"))),
         yaml::entry_of(arena_, "requests",
                        amounts(like, setting("storageInitializer/cpuRequest", "100m"),
                                setting("storageInitializer/memoryRequest", "100Mi")))});
  }

  /// KServe ships it switched on.
  bool modelcar_enabled() {
    const std::string_view enabled =
        around_.config.find("storageInitializer/enableModelcar", arena_).scalar();
    return around_.config.is_known() ? enabled == "true" : true;
  }

  /// The image runs beside the model server, which reads the files through the process namespace.
  void add_modelcar(const Node& uri, std::string_view image) {
    const Mount models{.volume = std::string(kModelVolume),
                       .path = "/mnt",
                       .claim = {},
                       .sub_path = {},
                       .read_only = false};
    mount(uri, models);
    const Node& cpu = setting("storageInitializer/cpuModelcar", "10m");
    const Node& memory = setting("storageInitializer/memoryModelcar", "15Mi");
    const Node& same = amounts(uri, cpu, memory);
    const Node& resources = yaml::mapping_like(
        arena_, uri,
        {yaml::entry_of(arena_, "limits", same), yaml::entry_of(arena_, "requests", same)});
    const auto container = [&](std::string_view name) -> const Node& {
      return yaml::mapping_like(arena_, uri,
                                {yaml::entry_of(arena_, "name", text(uri, name)),
                                 yaml::entry_of(arena_, "image", text(uri, image)),
                                 yaml::entry_of(arena_, "resources", resources)});
    };
    append("containers", with_mount(container("modelcar"), uri, models));
    append("initContainers", container("modelcar-init"));
    set("shareProcessNamespace", yaml::boolean_like(arena_, uri, true));
  }

  const Node* pod_;
  const StorageRequest& request_;
  const Surroundings& around_;
  Arena& arena_;
};

}  // namespace

const Node& with_storage_initializer(const Node& pod, const StorageRequest& request,
                                     const Surroundings& around) {
  return Injector(pod, request, around).result();
}

}  // namespace cnsched::kserve

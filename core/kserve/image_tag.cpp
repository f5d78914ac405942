#include "core/kserve/image_tag.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/k8s/pod_spec.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

namespace {

using yaml::Node;

/// The index of the colon before an image's tag; the end of the image if there is none.
std::size_t tag_start(std::string_view image) {
  const std::size_t colon = image.rfind(':');
  if (colon == std::string_view::npos) return image.size();
  return image.find('/', colon) == std::string_view::npos ? colon : image.size();
}

bool has_gpu_limit(const Node& container) {
  const auto limits = k8s::Container{&container}.limits();
  return std::ranges::any_of(limits, [](const k8s::ResourceAmount& limit) {
    return limit.name == "nvidia.com/gpu" || limit.name.starts_with("nvidia.com/mig");
  });
}

/// "huggingfaceserver"; empty if it is not set.
std::string_view server_type(const k8s::Object& runtime) {
  constexpr std::string_view kPrefix = "kserve-";
  const std::string_view written = runtime.annotations()["serving.kserve.io/server-type"].text();
  if (!written.empty()) return written;
  std::string_view name = runtime.name;
  if (!name.starts_with(kPrefix)) return {};
  name.remove_prefix(kPrefix.size());
  return name;
}

std::string tagged(std::string_view image, std::size_t tag, std::string_view server, bool gpu) {
  constexpr auto kWithGpuImage =
      std::to_array<std::string_view>({"tensorflow-serving", "torchserve", "huggingfaceserver"});
  const std::string_view repository = image.substr(0, tag);
  if (gpu && std::ranges::find(kWithGpuImage, server) != kWithGpuImage.end() &&
      !image.ends_with("-gpu")) {
    return std::string(image) + "-gpu";
  }
  if (!gpu && server == "vllmserver" && !repository.ends_with("-cpu")) {
    return std::string(repository) + "-cpu" + std::string(image.substr(tag));
  }
  return std::string(image);
}

}  // namespace

const Node& with_image_tag(const Node& container, const Node& runtime_version,
                           const k8s::Object& runtime, Arena& arena) {
  const Node& image = container["image"];
  const std::string_view text = image.text();
  if (text.empty() || text.find("@sha256:") != std::string_view::npos) return container;
  const std::size_t tag = tag_start(text);
  const std::string_view version = runtime_version.text();
  std::string result(text);
  if (!version.empty()) {
    result = std::string(text.substr(0, tag)) + ":" + std::string(version);
  } else if (tag < text.size()) {
    result = tagged(text, tag, server_type(runtime), has_gpu_limit(container));
  }
  if (result == text) return container;
  return yaml::with(arena, container, "image"_key, yaml::string_like(arena, image, result));
}

}  // namespace cnsched::kserve

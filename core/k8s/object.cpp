#include "core/k8s/object.h"

namespace cnsched::k8s {

namespace {

/// What wraps objects in another object, or a missing node. A List of a real kind that merely ends
/// in "List" has no items.
const yaml::Node& wrapped_objects(const yaml::Node& root) {
  const std::string_view kind = root["kind"].scalar();
  if (kind.ends_with("List") && root["items"].is_sequence()) return root["items"];
  if (kind == "Template" &&
      root["apiVersion"].scalar().find("template") != std::string_view::npos) {
    return root["objects"];
  }
  if (kind == "Template" && root["apiVersion"].scalar() == "v1") return root["objects"];
  return yaml::missing_node();
}

void collect(const yaml::Document& document, const yaml::Node& root, std::vector<Object>& objects) {
  if (!root.is_mapping()) return;
  if (const yaml::Node& inner = wrapped_objects(root)) {
    for (const yaml::Node* item : inner.items) collect(document, *item, objects);
    return;
  }
  const yaml::Node& metadata = root["metadata"];
  objects.push_back({.document = &document,
                     .root = &root,
                     .api_version = root["apiVersion"].scalar(),
                     .kind = root["kind"].scalar(),
                     .ns = metadata["namespace"].scalar(),
                     .name = metadata["name"].scalar()});
}

}  // namespace

std::string_view group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

std::vector<Object> objects_in(const yaml::Document& document) {
  std::vector<Object> objects;
  collect(document, *document.root, objects);
  return objects;
}

}  // namespace cnsched::k8s

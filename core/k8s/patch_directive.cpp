#include "core/k8s/patch_directive.h"

namespace cnsched::k8s {

bool is_patch_directive(std::string_view key) {
  return key == "$patch" || key == "$retainKeys" || key.starts_with("$setElementOrder/") ||
         key.starts_with("$deleteFromPrimitiveList/");
}

bool contains_patch_directive(const yaml::Node& root) {
  bool found = false;
  yaml::walk(root, [&](const yaml::Node& node) {
    found = found || (node.key() != nullptr && is_patch_directive(node.key()->text()));
    return !found;
  });
  return found;
}

}  // namespace cnsched::k8s

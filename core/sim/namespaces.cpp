#include "core/sim/namespaces.h"

namespace cnsched::sim {

Namespaces::Namespaces(const std::vector<const k8s::Object*>& objects, bool is_complete)
    : is_complete_(is_complete) {
  for (const k8s::Object* object : objects) {
    std::map<std::string_view, std::string_view>& labels = labels_[object->name];
    for (const k8s::Label& label : k8s::labels_in(object->labels())) {
      labels[label.key] = label.value;
    }
    // The API server sets it.
    labels["kubernetes.io/metadata.name"] = object->name;
  }
}

const std::map<std::string_view, std::string_view>* Namespaces::labels(
    std::string_view name) const {
  const auto found = labels_.find(name);
  return found == labels_.end() ? nullptr : &found->second;
}

}  // namespace cnsched::sim

#pragma once

#include <string_view>
#include <vector>

#include "core/yaml/document.h"

namespace cnsched::k8s {

/// "serving.kserve.io" of "serving.kserve.io/v1beta1"; empty for "v1".
std::string_view group_of(std::string_view api_version);

/// One Kubernetes object: a document, or an item of a List or Template that is one.
struct Object {
  const yaml::Document* document = nullptr;
  const yaml::Node* root = nullptr;  ///< a mapping
  std::string_view api_version;
  std::string_view kind;
  std::string_view ns;  ///< empty if the manifest leaves it to kubectl
  std::string_view name;

  std::string_view group() const { return group_of(api_version); }
  bool is(std::string_view of_group, std::string_view of_kind) const {
    return group() == of_group && kind == of_kind;
  }
  const yaml::Node& operator[](std::string_view key) const { return (*root)[key]; }
  const yaml::Node& spec() const { return (*root)["spec"]; }
  const yaml::Node& annotations() const { return (*root)["metadata"]["annotations"]; }
  const yaml::Node& labels() const { return (*root)["metadata"]["labels"]; }
};

/// The objects of a document: itself, or the items of any `*List` and the objects of an OpenShift
/// Template, however deeply nested. Nothing if the document is not a mapping.
std::vector<Object> objects_in(const yaml::Document& document);

}  // namespace cnsched::k8s

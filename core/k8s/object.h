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

/// Whether `part` consists of lower-case letters, digits and '-', with a letter or digit at both
/// ends, as the parts of a DNS name do. Does not check the length.
bool is_dns_part(std::string_view part);
/// Whether `name` is a name for most kinds of objects: at most 253 lower-case letters, digits, '-'
/// and '.', with a letter or digit at both ends of each part between dots [P54].
/// Source: k8s.io/apimachinery pkg/util/validation, IsDNS1123Subdomain.
bool is_object_name(std::string_view name);

}  // namespace cnsched::k8s

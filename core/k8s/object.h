#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/yaml/document.h"

namespace cnsched::k8s {

/// "serving.kserve.io" of "serving.kserve.io/v1beta1"; empty for "v1".
std::string_view group_of(std::string_view api_version);

/// Objects that are created together: those of one build of a kustomization, one release of a
/// chart, one directory. Those of them that name no namespace get the same one.
using PackageId = std::uint32_t;

/// The namespace in which an object is created, as far as the files show it.
struct Namespace {
  std::string_view name{};                ///< empty if it is not known
  std::span<const PackageId> packages{};  ///< sorted; a base belongs to each of its overlays

  bool is_known() const { return !name.empty(); }
  /// Equal for two of one name, or of the same packages.
  std::string key() const;
  /// Whether two objects are certainly in one namespace.
  bool operator==(const Namespace& other) const;
  /// Whether the one is seen from the other: they are in one namespace, or only one of them names
  /// it and kubectl creates both together.
  bool meets(const Namespace& other) const;
  /// Whether they may be in one namespace: unless the files show two names.
  bool may_be(const Namespace& other) const {
    return !is_known() || !other.is_known() || name == other.name;
  }
};

/// One Kubernetes object: a document, or an item of a List or Template that is one.
struct Object {
  const yaml::Document* document = nullptr;
  const yaml::Node* root = nullptr;  ///< a mapping
  std::string_view api_version;
  std::string_view kind;
  Namespace ns;
  std::string_view name;

  std::string_view group() const { return group_of(api_version); }
  bool is(std::string_view of_group, std::string_view of_kind) const {
    return kind == of_kind && group() == of_group;
  }
  const yaml::Node& operator[](yaml::FieldName field) const { return (*root)[field]; }
  const yaml::Node& spec() const { return (*root)["spec"]; }
  const yaml::Node& annotations() const { return (*root)["metadata"]["annotations"]; }
  const yaml::Node& labels() const { return (*root)["metadata"]["labels"]; }
};

/// What is known of an object that a pod names: it is the one of that name in its namespace.
struct FoundIn {
  const Object* object = nullptr;  ///< null: there is none
  bool is_doubtful = false;        ///< whether it is in the namespace is not known
};
/// Looks for it among the objects of that name.
FoundIn find_in(const Namespace& ns, const std::vector<const Object*>& named);

/// The objects of a document: itself, or the items of any `*List` and the objects of an OpenShift
/// Template, however deeply nested. Nothing if the document is not a mapping.
std::vector<Object> objects_in(const yaml::Document& document);

/// Whether the phase of the Pod says that its containers have ended and do not start again.
bool has_ended(const Object& pod);

/// Whether `part` consists of lower-case letters, digits and '-', with a letter or digit at both
/// ends, as the parts of a DNS name do. Does not check the length.
bool is_dns_part(std::string_view part);
/// Whether `name` is a name for most kinds of objects: at most 253 lower-case letters, digits, '-'
/// and '.', with a letter or digit at both ends of each part between dots [P54].
/// Source: k8s.io/apimachinery pkg/util/validation, IsDNS1123Subdomain.
bool is_object_name(std::string_view name);

}  // namespace cnsched::k8s

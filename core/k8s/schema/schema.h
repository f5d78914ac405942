#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/k8s/object.h"
#include "core/k8s/schema/type.h"
#include "core/yaml/node.h"

namespace cnsched::k8s::schema {

class DefinedTypes;

/// A version of a kind that a CustomResourceDefinition defines.
struct Definition {
  std::string api_version;
  std::string kind;
  bool served = true;
  const yaml::Node* place = nullptr;            ///< its name in `versions`
  std::shared_ptr<const DefinedTypes> types{};  ///< null: its schema states no fields
};

/// The types of the kinds in the releases of one cluster.
class Schemas {
 public:
  /// Those of the newest releases.
  Schemas() = default;
  explicit Schemas(Releases releases) : releases_(releases) {}

  const Releases& releases() const { return releases_; }
  /// The steps that the rules of CEL may take for one object.
  std::uint64_t rule_steps() const { return rule_steps_; }
  void limit_rule_steps(std::uint64_t steps) { rule_steps_ = steps; }

  /// The type of a kind in that version, or null if no table has it in that release.
  const Type* type_of(std::string_view api_version, std::string_view kind) const;
  const Type* type_of(const Object& object) const;

  /// Adds a definition of a kind, which must outlive this. It decides about fields if it is sure to
  /// be the cluster's, and states any (see states_fields).
  void define(const Definition& definition, bool is_sure);
  /// The definition that decides about the fields of the object, or null.
  const DefinedTypes* defined_types(std::string_view api_version, std::string_view kind) const;
  /// The definition of the kind in that version, or null.
  const Definition* definition_of(const Object& object) const;
  /// All of them, by apiVersion and kind.
  std::vector<const Definition*> definitions() const;
  /// A definition of the kind in any version, or in one that is served; or null.
  const Definition* definition_of(std::string_view group, std::string_view kind) const;
  const Definition* served_definition(std::string_view group, std::string_view kind) const;

  /// Whether both have the same types, whatever their limits are.
  friend bool operator==(const Schemas& a, const Schemas& b) {
    return a.releases_ == b.releases_ && a.definitions_ == b.definitions_;
  }

 private:
  Releases releases_;
  std::uint64_t rule_steps_ = 1'000'000;
  struct Known {
    const Definition* definition = nullptr;
    bool is_sure = true;
    friend bool operator==(const Known&, const Known&) = default;
  };
  std::map<std::pair<std::string_view, std::string_view>, Known> definitions_;
};

/// The releases of its project that have the kind in that version; null if no table has it.
const ReleaseRanges* releases_of(std::string_view api_version, std::string_view kind);

/// The kinds of a group that the tables have, in any version; sorted.
std::vector<std::string_view> kinds_of(std::string_view group);

/// The types of the kinds of that name, in every group and version.
std::vector<const Type*> types_of_kind(std::string_view kind);

/// A type by its name in the tables, in the newest release, or null.
const Type* type_named(std::string_view name);

/// The names of the fields that the second type has, and the first in any release.
std::vector<std::string_view> field_names(std::string_view type, std::string_view shared);

/// Whether the node is of the YAML kind that the form has: a list, a mapping or a scalar.
bool has_kind_of(const yaml::Node& node, Form form);

/// Whether the kind is built into Kubernetes, so that code instead of a schema decodes and
/// validates it.
bool is_native(const Object& object);

/// A syntax of strings that the tables name.
struct Format {
  std::string_view name;   ///< "dns-1123-label"
  std::string_view words;  ///< its description: "lower case letters, digits and '-', …"
  bool (*fits)(std::string_view text);
};

/// The format of that name, or null.
const Format* find_format(std::string_view name);

/// The whole number that reaches the API server: 1.0 and 1e3 are whole. Nothing for other scalars.
std::optional<std::int64_t> whole_number(const yaml::Node& scalar);

/// The number that reaches the API server. Nothing for other scalars.
std::optional<double> number_of(const yaml::Node& scalar);

}  // namespace cnsched::k8s::schema

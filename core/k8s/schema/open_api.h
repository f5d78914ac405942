#pragma once

#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/k8s/schema/type.h"
#include "core/k8s/schema/violations.h"
#include "core/yaml/node.h"

namespace cnsched::k8s::schema {

/// The types of one version of a kind, as a CustomResourceDefinition defines them, or the API
/// server's OpenAPI document. They are made on
/// first use, because a schema has tens of thousands of fields. A type of the tables that is at the
/// same place gives what a schema does not state: its name, and what validation of pods demands.
/// Source:
/// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/.
class DefinedTypes : public FieldSource {
 public:
  /// `schema` is an `openAPIV3Schema`, which must outlive this; `like` is the kind's type in the
  /// tables, or null.
  /// `drops_status`: the API server ignores `status` in what users write (a subresource).
  DefinedTypes(const yaml::Node& schema, const Type* like, bool drops_status);
  /// Of a kind of Kubernetes: `schema` is in the `definitions` of an OpenAPI document (version 2).
  /// It decides which fields there are; their constraints are those of the tables, because code of
  /// the API server checks them.
  DefinedTypes(const yaml::Node& schema, const yaml::Node& definitions, const Type& like);

  /// The kind itself, as a field without a name.
  const Field& root() const { return root_; }
  bool drops_status() const { return drops_status_; }
  /// Whether any value has a rule of CEL.
  bool has_rules() const { return has_rules_; }
  void fill(const Type& type) override;

  /// What is not evaluated: "the pattern '…' (RE2: …)", "the rule '…' (function 'x')".
  std::vector<std::string> unevaluated() const;
  void note_unevaluated(std::string what) const;

 private:
  /// What a type was made of.
  struct Origin {
    const yaml::Node* schema = nullptr;
    const Type* like = nullptr;
    std::string_view name{};    ///< of the field, for messages; elements have that of their list
    bool is_structural = true;  ///< false within `anyOf` and the like, which names few fields
    bool is_resource = false;   ///< has apiVersion, kind and metadata
  };

  const Type& type_of(const Origin& origin);
  Type& make(Form form, const Origin& origin);
  const Type& object_type(const Origin& origin);
  Origin referred(Origin origin) const;
  Field field_of(const Origin& origin, const Field* like);
  Field native_field(const Origin& origin, const Field* like);
  void add_choices(const yaml::Node& list, Field& field) const;
  void add_checks(const Origin& origin, Field& field);
  void add_junctors(const Origin& origin, Checks& checks);
  void add_rules(const yaml::Node& list, Checks& checks);
  void add_pattern(const yaml::Node& node, Checks& checks);
  void add_resource_fields(const Origin& origin, std::vector<Field>& fields);

  const yaml::Node* definitions_ = nullptr;  ///< of an OpenAPI document; otherwise null
  std::recursive_mutex filling_;
  std::size_t depth_ = 0;  ///< of lists within lists, which are made at once
  std::deque<Type> types_;
  std::deque<Origin> origins_;  ///< by the types' index
  std::deque<Field> elements_;
  std::deque<Checks> checks_;
  Field root_;
  bool has_rules_ = false;
  bool drops_status_ = false;
  std::size_t junctors_ = 0;
  mutable std::mutex noting_;
  mutable std::set<std::string> unevaluated_;
};

/// Whether the schema names any field of the objects. KServe's minimal CRDs have none: their API
/// server accepts everything, and the controllers read what the full CRDs have.
bool states_fields(const yaml::Node& schema);

}  // namespace cnsched::k8s::schema

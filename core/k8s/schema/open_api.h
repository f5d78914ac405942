#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/pattern.h"
#include "core/cel/program.h"
#include "core/k8s/schema/type.h"
#include "core/yaml/node.h"

namespace cnsched::k8s::schema {

/// One rule of `x-kubernetes-validations`.
struct ValidationRule {
  std::string_view text;
  cel::Program program;
  std::string_view message;                  ///< may be empty
  std::optional<cel::Program> make_message;  ///< of `messageExpression`
  std::string_view path;                     ///< of a field of `self`, such as ".replicas"
};

/// What a schema of OpenAPI demands of a value besides what the tables state.
struct Checks {
  std::optional<Pattern> pattern{};
  std::string_view pattern_text{};
  bool nullable = false;
  /// What the API server writes where the value is missing; null: nothing.
  const yaml::Node* preset = nullptr;
  std::optional<double> minimum{};  ///< of a number that is not an integer, or exclusive
  std::optional<double> maximum{};
  bool above_minimum = false;  ///< the minimum itself is not valid
  bool below_maximum = false;
  std::optional<double> multiple_of{};
  Bounds entries;  ///< of a map or an object
  /// Of a text that CEL reads as a time, a duration or bytes, and not as a string.
  std::string_view cel_format{};
  bool unique_items = false;  ///< of scalars, also in a list of type `set`
  // Fields without a name, whose checks the value must pass: all, at least one, exactly one, not.
  std::vector<Field> all_of{};
  std::vector<Field> any_of{};
  std::vector<Field> one_of{};
  std::vector<Field> none_of{};
  std::vector<ValidationRule> rules{};
};

inline bool is_nullable(const Field& field) {
  return field.checks != nullptr && field.checks->nullable;
}

/// What the API server writes where the field is missing; null: nothing.
inline const yaml::Node* preset_of(const Field& field) {
  return field.checks == nullptr ? nullptr : field.checks->preset;
}

/// The value of a field as the API server stores it: what it writes where the field is missing,
/// also for null, unless the field may be null. Null if there is none.
inline const yaml::Node* stored_value(const yaml::Node& object, const Field& field) {
  const yaml::Node& value = object.under(field.name);
  return value && (!value.is_null() || is_nullable(field)) ? &value : preset_of(field);
}

/// The field with the constraints of the elements of a list or map, which `field` has.
inline const Field& elements_of(const Type& type, const Field& field) {
  return type.element_field != nullptr ? *type.element_field : field;
}

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

#pragma once

#include <deque>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "core/k8s/schema/type.h"

namespace cnsched::k8s::schema {

/// Types as the tables (*.table) describe them, in lines such as
///
///     # a comment
///     kind apps/v1 Deployment = Object    the type of a kind: that of Object, and
///       spec*  DeploymentSpec             a field that it cannot do without
///
///     WorkerSpec = PodSpec - hostIPC      PodSpec without a field, and with
///       containers  [Container]           this row in the place of PodSpec's own
///
///     KnativeServingSpec open             may have fields that nobody lists
///
/// The type of a field is `any string bool int int32 int64 quantity int-or-string time`, `[T]` for
/// a list, `map[T]`, `{name*: T, ...}` or the name of a type. What it is held to comes behind:
/// `enum a|b`, `is FORMAT`, `min N`, `max N`, `min-length N`, `max-length N`, `min-items N`,
/// `max-items N`, `templated`, and the fields that no two items may share: `keys a|b`,
/// `merge-keys a|b` (Uniqueness::refused_if_custom), `pod-keys a|b` (refused_in_the_pod).
///
/// The tables are ours: a mistake in one is a bug, and throws std::logic_error.
class Reader {
 public:
  enum class Of : bool { custom_resources, kubernetes };

  /// Adds the types of a table, which has to outlive this.
  void add(std::string_view table, Of of);
  /// Gives each type its fields, once all tables are there.
  void finish();

  /// Null if there is none.
  const Type* kind(std::string_view api_version, std::string_view name) const;
  const Type* type(std::string_view name) const;

 private:
  /// What is known of a type before others' fields are.
  struct Draft {
    std::string_view base;
    std::vector<std::string_view> without;
    std::vector<std::string_view> rows;
    Of of = Of::custom_resources;
    bool begun = false;  ///< but not finished: only while its base is
    bool finished = false;
  };

  Draft& begin(std::string_view heading);
  void finish(Type& type);
  Field field_in(std::string_view row, Of of);
  const Type* type_in(std::string_view text);
  const Type* object_of(std::string_view fields);
  const Type* holder_of(Form form, const Type* element);

  std::deque<Type> types_;
  std::map<const Type*, Draft> drafts_;
  std::map<std::string_view, Type*> by_name_;
  std::map<std::pair<std::string_view, std::string_view>, const Type*> kinds_;
  std::map<std::pair<Form, const Type*>, const Type*> holders_;
};

}  // namespace cnsched::k8s::schema

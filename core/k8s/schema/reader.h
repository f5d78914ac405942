#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/k8s/schema/type.h"

namespace cnsched::k8s::schema {

/// Types as the tables (*.table) describe them, in lines such as
///
///     # a comment
///     kind apps/v1 Deployment = Object    the type of a kind: Object with
///       spec*  DeploymentSpec             a required field
///
///     WorkerSpec = PodSpec - hostIPC      PodSpec without a field and with
///       containers  [Container]           this row instead of PodSpec's
///
///     KnativeServingSpec open             may have unlisted fields
///
/// The type of a field is `any string bool int int32 int64 quantity int-or-string time`, `[T]` for
/// a list, `map[T]`, `{name*: T, ...}` or the name of a type. Constraints follow it:
/// `enum a|b`, `is FORMAT`, `min N`, `max N`, `min-length N`, `max-length N`, `min-items N`,
/// `max-items N`, `templated`, and the fields that identify an item: `keys a|b`,
/// `merge-keys a|b` (Uniqueness::rejected_if_custom), `pod-keys a|b` (rejected_in_pod).
///
/// A mistake in a table is a bug of cnsched and throws std::logic_error.
class Reader {
 public:
  enum class Of : bool { custom_resources, kubernetes };

  Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  /// Adds the types of a table, which must outlive this. Any thread may read a type's fields
  /// on first use.
  void add(std::string_view table, Of of);
  /// Reads the fields of all types.
  void finish();
  /// Reads the fields of one type.
  void fill(const Type& type);

  /// The type of the kind, or null.
  const Type* kind(std::string_view api_version, std::string_view name) const;
  const Type* type(std::string_view name) const;
  /// The kinds, by apiVersion and name.
  const std::map<std::pair<std::string_view, std::string_view>, const Type*>& kinds() const {
    return kinds_;
  }

 private:
  void begin(std::string_view heading, std::string_view rows, Of of);
  std::vector<Field> fields_of(const Type& type);
  std::vector<Field> base_of(const Type& type);
  Field field_in(std::string_view row, bool of_kubernetes);
  const Type* type_in(std::string_view text);
  const Type* object_of(std::string_view fields);
  const Type* collection_of(Form form, const Type* element);

  std::recursive_mutex filling_;    ///< recursive, because filling a type fills its base
  std::vector<const Type*> bases_;  ///< types that are being filled
  std::deque<Type> types_;
  std::unordered_map<std::string_view, const Type*> by_name_;
  std::map<std::pair<std::string_view, std::string_view>, const Type*> kinds_;
  std::map<std::pair<Form, const Type*>, const Type*> collections_;
};

}  // namespace cnsched::k8s::schema

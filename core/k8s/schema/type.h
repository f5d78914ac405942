#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "core/k8s/schema/releases.h"
#include "core/yaml/node.h"

namespace cnsched::k8s::schema {

/// The JSON type of a value.
enum class Form : std::uint8_t {
  any,
  string,
  boolean,
  integer,
  number,    ///< any number
  quantity,  ///< a string or an integer; in Kubernetes' own kinds, any number
  int_or_string,
  time,  ///< a string (RFC 3339)
  list,
  map,     ///< the user chooses the keys
  object,  ///< the type names the fields
};

struct Type;
struct Checks;

/// What happens to items of a list that have the same keys.
enum class Uniqueness : std::uint8_t {
  none,
  rejected,            ///< the API server rejects the object
  rejected_if_custom,  ///< only for custom resources; in Kubernetes' own kinds the last item wins
  rejected_in_pod,     ///< the API server accepts the object and rejects its pods
};

/// The smallest and the largest value, length or count.
struct Bounds {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();

  bool contains(std::int64_t number) const { return least <= number && number <= most; }
};

/// One field of an object, as a row of the tables states it (core/k8s/schema/*.table).
struct Field {
  std::string_view name;
  const Type* type = nullptr;
  bool required = false;
  /// The value may contain Go templates: formats, quantities and minimums are not checked.
  bool templated = false;
  /// The constraints are those of pod validation: for a custom resource that violates them, the API
  /// server accepts the object and rejects its pods.
  bool is_pod_validation = false;
  std::vector<std::string_view> allowed;  ///< the allowed values; empty: any
  std::string_view format;                ///< see find_format; empty: any
  Bounds range;                           ///< of a number
  Bounds length;                          ///< of a string, in characters
  Bounds items;                           ///< of a list
  Uniqueness uniqueness = Uniqueness::none;
  std::vector<std::string_view> keys;  ///< the fields that identify an item of a list
  const Checks* checks = nullptr;      ///< what only schemas of OpenAPI demand; may be null
};

/// A field that a type has in other releases of the project than the requested one.
struct AbsentField {
  std::string_view name;
  ReleaseRanges releases;
};

/// What makes the fields of types, on first use.
class FieldSource {
 public:
  FieldSource() = default;
  FieldSource(const FieldSource&) = delete;
  FieldSource& operator=(const FieldSource&) = delete;
  virtual ~FieldSource() = default;
  /// Fills the fields of a type that this has made. Any thread may call it.
  virtual void fill(const Type& type) = 0;
};

struct Type {
  Form form = Form::any;
  std::string_view name;  ///< "PodSpec"; empty for lists, maps and types in braces
  /// The range of an integer type.
  Bounds width{};
  const Type* element = nullptr;  ///< of a list or map
  /// Constraints of the elements, as a field without a name; null: those of the field that has the
  /// list or map.
  const Field* element_field = nullptr;
  bool open = false;  ///< an object that may have unlisted fields

  /// The fields of an object, sorted by name. Read from the table on first use, because a manifest
  /// uses few of the hundreds of types.
  const std::vector<Field>& fields() const;
  /// The field of that name, or null.
  const Field* find(std::string_view field) const;
  /// The field that the entry of an object sets, or null.
  const Field* find(const yaml::Entry& entry) const;
  /// The field of that name that other releases of `project` have, or null.
  const AbsentField* find_absent(std::string_view field) const;

  // Set by the source; `filled` and `absent` on first use:
  Project owner = Project::without_release;    ///< has it in its table
  Project project = Project::without_release;  ///< whose releases count: KServe's for its pods
  FieldSource* source = nullptr;
  std::size_t index = 0;  ///< where the source describes it
  /// Sets the fields, which must be sorted by name.
  void fill(std::vector<Field> fields) const;
  mutable std::vector<Field> filled{};
  /// The fields by the numbers of their names.
  mutable std::vector<std::pair<yaml::KeyNumber, const Field*>> by_number{};
  mutable std::vector<AbsentField> absent{};
  mutable std::atomic<bool> is_filled = false;
};

/// A kind in a version of its group.
struct KindVersion {
  std::string_view api_version;
  std::string_view kind;
};

/// All that the tables have in any release, by apiVersion and name.
std::vector<KindVersion> all_kinds();

}  // namespace cnsched::k8s::schema

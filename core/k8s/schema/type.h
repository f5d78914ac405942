#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace cnsched::k8s::schema {

/// The JSON type of a value.
enum class Form : std::uint8_t {
  any,
  string,
  boolean,
  integer,
  quantity,  ///< a string or an integer; in Kubernetes' own kinds, any number
  int_or_string,
  time,  ///< a string (RFC 3339)
  list,
  map,     ///< the user chooses the keys
  object,  ///< the type names the fields
};

struct Type;

/// What happens to items of a list that have the same keys.
enum class Uniqueness : std::uint8_t {
  none,
  rejected,            ///< the API server rejects the object
  rejected_if_custom,  ///< only for custom resources; in Kubernetes' own kinds the last item wins
  rejected_in_pod,     ///< the API server accepts the object and rejects its pods
};

/// The smallest and the largest value, length or count.
struct Range {
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
  std::string_view format;                ///< see formats.h; empty: any
  Range range;                            ///< of a number
  Range length;                           ///< of a string, in characters
  Range items;                            ///< of a list
  Uniqueness uniqueness = Uniqueness::none;
  std::vector<std::string_view> keys;  ///< the fields that identify an item of a list
};

class Reader;

struct Type {
  Form form = Form::any;
  std::string_view name;  ///< "PodSpec"; empty for lists, maps and types in braces
  /// The range of an integer type.
  Range width{};
  const Type* element = nullptr;  ///< of a list or map
  bool open = false;              ///< an object that may have unlisted fields

  /// The fields of an object, sorted by name. Read from the table on first use, because a manifest
  /// uses few of the hundreds of types.
  const std::vector<Field>& fields() const;
  /// The field of that name, or null.
  const Field* find(std::string_view field) const;

  // Set by the reader; `filled` on first use:
  Reader* reader = nullptr;
  std::string_view base{};
  std::string_view without{};
  std::string_view rows{};
  bool of_kubernetes = false;
  mutable std::vector<Field> filled{};
  mutable std::atomic<bool> is_filled = false;
};

}  // namespace cnsched::k8s::schema

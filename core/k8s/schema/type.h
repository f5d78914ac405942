#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace cnsched::k8s::schema {

/// What a value has to be in JSON.
enum class Form : std::uint8_t {
  any,
  string,
  boolean,
  integer,
  quantity,  ///< a string; an integer as well, and in Kubernetes' own kinds any number
  int_or_string,
  time,  ///< a string (RFC 3339)
  list,
  map,     ///< of keys that are the user's
  object,  ///< of the fields that its type names
};

struct Type;

/// Which items of a list are one and the same to the API, and what happens to them.
enum class Uniqueness : std::uint8_t {
  none,
  refused,             ///< the API server refuses the object
  refused_if_custom,   ///< so for custom resources; of Kubernetes' own kinds the last one wins
  refused_in_the_pod,  ///< the object is accepted, the pod that is made of it is not
};

/// How much, or how many; of lengths and counts of items the lower end is 0 if none is stated.
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
  /// Go templates may stand in what lies below: neither formats nor least lengths are checked.
  bool templated = false;
  /// What Kubernetes' own validation wants of the value, which no custom resource is held to: the
  /// pod that is made of it is refused.
  bool of_pods = false;
  std::vector<std::string_view> allowed;  ///< no others; none: all are
  std::string_view format;                ///< see formats.h; empty: any
  Range range;                            ///< of a number
  Range length;                           ///< of a string, in characters
  Range items;                            ///< of a list
  Uniqueness uniqueness = Uniqueness::none;
  std::vector<std::string_view> keys;  ///< the fields that make an item of a list what it is
};

class Reader;

struct Type {
  Form form = Form::any;
  std::string_view name;  ///< "PodSpec"; empty for what is built of others
  /// Of an integer: what its width holds.
  Range width{};
  const Type* element = nullptr;  ///< of a list or map
  bool open = false;              ///< an object that may have fields which nobody lists

  /// Of an object, sorted by name. Read off the table when they are first asked for: of hundreds of
  /// types a manifest meets a few.
  const std::vector<Field>& fields() const;
  /// Null if there is none of that name.
  const Field* find(std::string_view field) const;

  // What the reader knows, until it is asked and when it has been:
  Reader* reader = nullptr;
  std::string_view base{};
  std::string_view without{};
  std::string_view rows{};
  bool of_kubernetes = false;
  mutable std::vector<Field> filled{};
  mutable std::atomic<bool> is_filled = false;
};

}  // namespace cnsched::k8s::schema

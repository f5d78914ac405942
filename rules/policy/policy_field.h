#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cnsched::rules {

/// What the values of a field are, which decides how they are compared.
enum class FieldKind : std::uint8_t {
  text,
  number,   ///< an amount: 4, 500m, 64Gi
  product,  ///< of accelerators, under any of its names
  items,    ///< of a list
  any,      ///< as found: of a JSON Pointer
};

/// The fields that conditions may name.
enum class FieldId : std::uint8_t {
  node_selector,
  node_labels,
  tolerations,
  accelerator_count,
  accelerator_total,
  accelerator_product,
  accelerator_memory,
  accelerator_resource,
  limits,
  requests,
  containers,
  init_containers,
  image,
  priority_class,
  runtime_class,
  scheduler,
  service_account,
  replicas,
  mode,
  labels,
  annotations,
  object_labels,
  object_annotations,
  pod_pointer,     ///< JSON Pointer into the v1/Pod, or into an object that has no pod
  object_pointer,  ///< "object" and a JSON Pointer into the object as it is written
  item_path,       ///< of an item of a list: "securityContext.privileged"
  item,            ///< the item itself
};

/// One row of the table of fields, which documentation and messages show too.
struct NamedField {
  FieldId id;
  std::string_view name;  ///< "nodeSelector"
  FieldKind kind;
  bool has_key = false;  ///< written as name['key'] or name.key
  bool several = false;  ///< may have several values
  std::string_view doc;  ///< one sentence for people
};

std::span<const NamedField> named_fields();
const NamedField& field_of(FieldId id);

/// A field as a condition names it.
struct FieldRef {
  FieldId id = FieldId::item;
  std::string key{};                ///< of nodeSelector['pool']
  std::vector<std::string> path{};  ///< steps of a pointer or of a path in an item
  std::string text{};               ///< as written
  /// The same number for the same text, unless too many texts were read; none of items' fields.
  std::optional<std::size_t> number{};
};

/// A field that `text` names, or the reason why it names none, with a suggestion. `in_item`: of an
/// item of a list.
struct ParsedField {
  FieldRef field{};
  std::string mistake{};
};
ParsedField parse_field(std::string_view text, bool in_item);

}  // namespace cnsched::rules

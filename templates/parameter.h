#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/accelerators/catalogue.h"
#include "core/base/arena.h"
#include "core/base/result.h"
#include "core/yaml/node.h"
#include "core/yaml/shape.h"

namespace cnsched::templates {

/// The type of a parameter: which values are valid, and how they are written in a manifest.
enum class Type : std::uint8_t {
  string,
  dns_label,
  label_key,
  label_value,
  taint_key,
  quantity,
  integer,
  boolean,
  enumeration,
  uri,
  list,
  map,
  platform,     ///< of the cluster (core/accelerators/platform.h)
  accelerator,  ///< by any name in the catalogue
};

/// "dns-label".
std::string_view name_of(Type type);
std::optional<Type> type_named(std::string_view name);

/// A default that depends on another parameter's value.
struct DefaultFor {
  std::string parameter;
  std::vector<std::pair<std::string, const yaml::Node*>> values;
};

/// Values of another parameter, or of a fact of the catalogue ("accelerator.vendor").
struct ForValues {
  std::string parameter;
  std::vector<std::string> values;
};

/// A parameter as the template declares it. The nodes belong to the template's document.
struct Parameter {
  std::string name;
  Type type = Type::string;
  std::string description;
  bool required = false;
  const yaml::Node* default_value = &yaml::missing_node();
  std::optional<DefaultFor> default_for;
  std::optional<ForValues> required_for;  ///< also required if the other has one of these
  std::optional<ForValues> only_for;      ///< allowed only if the other has one of these
  std::string not_below;            ///< of an integer: another parameter, which is its minimum
  std::vector<std::string> values;  ///< of an enumeration
  std::vector<accelerators::Vendor> vendors;  ///< of an accelerator; empty: any
  std::vector<std::string> resources;         ///< of an accelerator, by resource name; empty: any
  std::string pattern;                        ///< for the whole text; may be empty
  std::optional<std::int64_t> minimum;
  std::optional<std::int64_t> maximum;
  std::string example;     ///< as `--set` takes it; of every required parameter
  bool is_common = false;  ///< from the common parameters
  Span where;              ///< of the declaration, in the template
};

/// Reads a declaration. Missing fields are those of `base`, the common parameter that it uses, or
/// an empty one.
Parameter read_parameter(const yaml::Node& node, Parameter base, yaml::StrictReader& reader);

/// The valid values of an enumeration, a platform or an accelerator; else empty.
std::vector<std::string> values_of(const Parameter& parameter);

/// "an integer from 1 to 8": the valid values, for tables and errors.
std::string requirement_of(const Parameter& parameter);

/// Parses `text`, as `--set` and values files have it, into a built node. A list takes `a,b` or
/// YAML in brackets, a map `k=v,k=v` or YAML in braces. The error follows the parameter's name:
/// "must be an integer, not 'two'".
Result<const yaml::Node*> value_of(const Parameter& parameter, std::string_view text, Arena& arena);
/// The same for a value of a YAML file: a scalar of any type is read as its text.
Result<const yaml::Node*> value_of(const Parameter& parameter, const yaml::Node& given,
                                   Arena& arena);

/// The value as `--set` takes it: the inverse of `value_of`.
std::string text_of(const yaml::Node& value);

}  // namespace cnsched::templates

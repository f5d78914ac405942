#include "core/k8s/schema/numbers.h"

#include "core/base/portability.h"
#include "core/k8s/selector.h"
#include "core/yaml/scalar.h"

namespace cnsched::k8s::schema {

std::optional<std::int64_t> whole_number(const yaml::Node& scalar) {
  if (scalar.type == yaml::ScalarType::integer) return yaml::integer_of(scalar);
  const auto literal = yaml::json_literal(scalar);
  return literal ? parse_int64(*literal) : std::nullopt;
}

std::optional<double> number_of(const yaml::Node& scalar) {
  if (const auto whole = whole_number(scalar)) return static_cast<double>(*whole);
  const auto literal = yaml::json_literal(scalar);
  return literal ? parse_double(*literal) : std::nullopt;
}

}  // namespace cnsched::k8s::schema

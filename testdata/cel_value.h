#pragma once

#include "core/cel/functions.h"
#include "core/cel/program.h"
#include "core/cel/time.h"
#include "testdata/support.h"

// What expressions give, as text. cel-go in the environment of the API server gave the results in
// core/cel/evaluations.cases.

namespace cnsched::test {

inline std::string shown(const cel::Value& value) {
  using cel::Kind;
  switch (value.kind()) {
    case Kind::failure:
      return fmt::format("{}: {}", value.is_unknown() ? "unknown" : "error", value.message());
    case Kind::null:
      return "null";
    case Kind::boolean:
      return value.get<bool>() ? "true" : "false";
    case Kind::integer:
      return fmt::format("{}", value.get<std::int64_t>());
    case Kind::unsigned_integer:
      return fmt::format("{}u", value.get<std::uint64_t>());
    case Kind::floating:
      return fmt::format("double {}", value.get<double>());
    case Kind::string:
      return fmt::format("'{}'", value.text());
    case Kind::bytes:
      return fmt::format("{} bytes", value.get<cel::Bytes>().text.view().size());
    case Kind::timestamp:
      return to_text(value.get<cel::Timestamp>());
    case Kind::duration:
      return to_text(value.get<cel::Duration>());
    case Kind::type:
      return fmt::format("type {}", value.get<cel::Type>().name);
    case Kind::optional:
      return value.optional() ? fmt::format("some({})", shown(*value.optional())) : "none";
    case Kind::quantity:
      return "quantity " + value.quantity().quantity.canonical();
    case Kind::ip:
      return to_text(value.get<cel::Ip>());
    case Kind::cidr:
      return to_text(value.get<cel::Cidr>());
    case Kind::list: {
      std::string items;
      for (std::size_t i = 0; i < value.list().size(); ++i) {
        items += (i == 0 ? "" : ", ") + shown(value.list().at(i));
      }
      return "[" + items + "]";
    }
    case Kind::map: {
      std::string entries;
      for (const cel::Value& key : value.map().keys()) {
        entries += (entries.empty() ? "" : ", ") + shown(key) + ": " +
                   shown(value.map().find(key).value_or(cel::Value()));
      }
      return "{" + entries + "}";
    }
    default:
      return std::string(type_name(value));
  }
}

/// The result of an expression, or "syntax error at BYTE: MESSAGE".
inline std::string evaluated(std::string_view text, std::span<const cel::Variable> variables = {}) {
  const cel::Compiled compiled = cel::compile(text);
  if (!compiled) {
    return fmt::format("syntax error at {}: {}", compiled.error.at, compiled.error.message);
  }
  cel::Budget budget;
  return shown(compiled.program->evaluate(variables, budget));
}

}  // namespace cnsched::test

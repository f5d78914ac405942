#pragma once

#include <optional>
#include <vector>

#include "core/yaml/shape.h"
#include "rules/policy/policy.h"

namespace cnsched::rules {

/// Reads the conditions of one policy.
class ConditionReader {
 public:
  /// `kinds`: those that the policy matches, which decide where JSON Pointers may lead.
  ConditionReader(yaml::StrictReader& reader, const MatchCriteria::Patterns& kinds);
  ~ConditionReader();
  ConditionReader(const ConditionReader&) = delete;
  ConditionReader& operator=(const ConditionReader&) = delete;

  /// Nothing, with errors, for a mistake.
  std::optional<Condition> read(const yaml::Node& node, std::string_view name);
  /// One condition, or each of a list.
  std::vector<Condition> read_all(const yaml::Node& node, std::string_view name);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cnsched::rules

#pragma once

#include <string>
#include <string_view>

#include "rules/admission/policy_field_cel.h"
#include "rules/policy/policy.h"
#include "rules/policy/policy_evaluation.h"

namespace cnsched::rules {

/// Translates conditions of policies.
class ConditionWriter {
 public:
  explicit ConditionWriter(FieldWriter& fields) : fields_(fields) {}

  /// An expression that holds if the condition certainly is true, or false.
  std::string certain(const Condition& condition, Quantifier quantifier, bool wanted) {
    return certain(condition, quantifier, wanted, {});
  }
  /// What the condition is about, as the beginning of a message.
  std::string subject(const Condition& condition);

 private:
  std::string certain(const Condition& condition, Quantifier quantifier, bool wanted,
                      const CelItem& item);
  std::string certain_field(const Condition& condition, Quantifier quantifier, bool wanted,
                            const CelItem& item);
  std::string certain_values(const Condition& condition, const CelValues& values,
                             Quantifier quantifier, bool wanted);
  std::string certain_value(const Condition& condition, const CelValues& values,
                            const std::string& value, bool wanted);
  static std::string certain_test(const CelValues& values, const Test& test,
                                  const std::string& value, bool wanted);
  std::string certain_amount(const CelValues& values, const Test& test, const std::string& value,
                             bool wanted);
  std::string certain_items(const FieldRef& field, const CelValues& values, const Test& test,
                            bool wanted);
  std::string certain_count(const FieldRef& field, const CelValues& values, const Test& test,
                            bool wanted);

  FieldWriter& fields_;
};

/// A text of a policy in a message: one line.
std::string in_one_line(std::string_view text);

}  // namespace cnsched::rules

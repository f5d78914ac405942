#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/truth.h"
#include "rules/policy/policy.h"
#include "rules/policy/policy_subject.h"

namespace cnsched::rules {

/// What a test of a field with several values means: in `require` every value must pass it, in
/// `forbid` and `when` one is enough.
enum class Quantifier : std::uint8_t { every, some };

inline Quantifier operator!(Quantifier quantifier) {
  return quantifier == Quantifier::every ? Quantifier::some : Quantifier::every;
}

/// A place that decides, and what is found there: "nodeSelector['pool'] is 'general'".
struct Reason {
  struct Place {
    const yaml::Node* node = nullptr;  ///< null or missing: the object
    std::string text;
  };
  Place first;
  std::vector<Place> others{};
};

/// Decides conditions for one object or pod.
class Evaluation {
 public:
  explicit Evaluation(const PolicySubject& subject) : subject_(subject) {}

  Truth truth(const Condition& condition, Quantifier quantifier) const {
    return truth(condition, quantifier, nullptr);
  }
  /// Why the condition has this truth, which is not unknown. Each reason is sufficient alone.
  std::vector<Reason> reasons(const Condition& condition, Quantifier quantifier,
                              Truth truth) const {
    return reasons(condition, quantifier, truth, {});
  }

  Truth applies(const MatchCriteria& match) const;

 private:
  /// An item of a list, and how messages call it: "tolerations[1]".
  struct Item {
    const yaml::Node* node = nullptr;
    std::string name{};
  };

  Truth truth(const Condition& condition, Quantifier quantifier, const yaml::Node* item) const;
  Truth truth_of_parts(const Condition& condition, Quantifier quantifier,
                       const yaml::Node* item) const;
  Truth truth_of_field(const Condition& condition, Quantifier quantifier,
                       const yaml::Node* item) const;
  Truth truth_of_tests(const Condition& condition, const FieldValues& values,
                       Quantifier quantifier) const;
  /// Of the tests of values together: one value must pass all.
  Truth truth_of_values(const Condition& condition, const FieldValues& values,
                        Quantifier quantifier) const;
  Truth truth_of_value(const Condition& condition, const FieldValue& value,
                       bool is_lower_bound) const;
  /// Of another test.
  Truth truth_of_test(const FieldRef& field, const FieldValues& values, const Test& test) const;
  Truth truth_of_items(const FieldValues& values, const Test& test, bool wants_all) const;
  Truth truth_of_value(const FieldValue& value, bool is_lower_bound, const Test& test) const;
  const FieldValues& values_of(const FieldRef& field, const yaml::Node* item,
                               FieldValues& storage) const;

  std::vector<Reason> reasons(const Condition& condition, Quantifier quantifier, Truth truth,
                              const Item& item) const;
  std::vector<Reason> reasons_of_field(const Condition& condition, Quantifier quantifier,
                                       Truth truth, const Item& item) const;
  // Of these, `item` has the name of the field.
  std::vector<Reason> reasons_of_values(const Condition& condition, const FieldValues& values,
                                        Quantifier quantifier, Truth truth, const Item& item) const;
  std::vector<Reason> reasons_of_test(const FieldRef& field, const FieldValues& values,
                                      const Test& test, Truth truth, const Item& item) const;
  std::vector<Reason> reasons_of_items(const FieldRef& field, const FieldValues& values,
                                       const Test& test, Truth truth, const Item& item) const;

  const PolicySubject& subject_;
};

}  // namespace cnsched::rules

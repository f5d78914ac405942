#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/text.h"
#include "rules/admission/admission_check.h"
#include "rules/admission/cel_text.h"
#include "rules/policy/policy_field.h"

namespace cnsched::rules {

/// Writes the values of a field: an expression that holds if one of them does what `Holds` writes
/// for the variable of that name.
using Holds = std::function<std::string(const std::string& variable)>;

/// The values of a field, and the expressions for what is not known about them (FieldValues).
struct CelValues {
  std::function<std::string(const Holds&)> exists;
  std::string open_if_empty{kCelFalse};
  std::string open_if_set{kCelFalse};
  std::string open_items{kCelFalse};  ///< of the items of a value, or of a list of items
  std::string is_lower_bound{kCelFalse};
  bool is_amount = false;       ///< each value is a number of CEL
  bool is_text = false;         ///< each value is a text
  bool is_pointer = false;      ///< at most one value, which may be a list
  bool is_several = false;      ///< of a JSON Pointer with `*`
  std::string list{};           ///< of items
  bool items_are_open = false;  ///< items may have more fields, as open as the list
};

/// The item of a list that a condition is about.
struct CelItem {
  std::string variable{};
  std::string is_open{kCelFalse};
};

/// Writes the values of fields, of a pod or an object. Values are visited by nested `exists`,
/// because CEL cannot flatten lists: a step `*` of a JSON Pointer is one of them.
class FieldWriter {
 public:
  explicit FieldWriter(AdmissionCheck::Of of) : has_pods_(of == AdmissionCheck::Of::pod) {}

  bool has_pods() const { return has_pods_; }
  std::string object() const { return has_pods_ ? "pod.object" : "object"; }
  /// A name for a variable, each time another one.
  std::string variable() { return fmt::format("v{}", ++variables_); }

  CelValues values_of(const FieldRef& field, const CelItem& item);

  /// Why the policy cannot be translated; empty if it can.
  const std::string& mistake() const { return mistake_; }
  /// Keeps the first mistake. Returns an expression that never holds.
  std::string fail(std::string_view field, std::string_view why) {
    if (mistake_.empty()) mistake_ = fmt::format("'{}': {}", printable(field), why);
    return std::string(kCelFalse);
  }

 private:
  CelValues pod_values(const FieldRef& field);
  CelValues node_labels(const std::string& key);
  CelValues device_count();
  CelValues device_names();
  CelValues amount(const std::string& resource, bool limits);
  CelValues images();
  CelValues scheduler();
  CelValues mode();
  CelValues pod_pointer(const FieldRef& field);
  CelValues at_path(const std::string& root, std::span<const std::string> path);
  CelValues of_list(std::string list);
  CelValues entry(const std::string& map, const std::string& key, std::string open);

  bool has_pods_;
  std::size_t variables_ = 0;
  std::string mistake_{};
};

}  // namespace cnsched::rules

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/accelerators/catalogue.h"

namespace cnsched::rules {

// Pieces of CEL that expressions of rules share. Functions are expanded in place, because CEL has
// no functions of one's own; variables become variables of the policy, which are evaluated once and
// only if they are used.

/// `text` as a literal of CEL.
std::string cel_string(std::string_view text);
/// "['a', 'b']"
template <typename Texts>
std::string cel_strings(const Texts& texts) {
  std::string list;
  for (const auto& text : texts) list += (list.empty() ? "" : ", ") + cel_string(text);
  return "[" + list + "]";
}

/// A variable of a policy.
struct CelVariable {
  std::string name;
  std::string expression;
};

/// `text` with every call of a fragment replaced by its text.
std::string expand_fragments(std::string_view text);

/// The shared variables that the expanded expressions use.
std::vector<CelVariable> variables_used_in(const std::vector<std::string>& expressions);

/// The fields of `pod` that an expanded expression reads, as a map in CEL: of `m[name]`, a pod spec
/// in the object `o`.
std::string pod_fields_used_in(std::string_view expression);

/// The name of the fact that has the tolerations of a vendor's device plugin.
std::string plugin_fact_name(accelerators::Vendor vendor);

/// Whether the expanded expression reads facts about the cluster.
bool reads_parameters(std::string_view expression);

}  // namespace cnsched::rules

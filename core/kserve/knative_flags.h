#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/base/version.h"
#include "core/kserve/knative_features.h"

namespace cnsched::kserve {

/// A key of Knative Serving's config-features, whether it gates a field of the pod or not.
struct KnativeFlag {
  std::string_view key;
  Version since;            ///< the first release that reads it
  bool tri_state = true;    ///< enabled, allowed, disabled; otherwise it has values of its own
  bool is_removed = false;  ///< a later release does not read it any more
};

/// Source: knative/serving pkg/apis/config/features.go at each tag.
std::span<const KnativeFlag> knative_flags();
/// The flag of exactly that key, or null.
const KnativeFlag* find_knative_flag(std::string_view key);
/// The flag that `key` is a slip of: another case, other separators, a prefix that is missing or
/// too much, one or two letters. Null if it is none; it may be a flag of a newer Knative.
const KnativeFlag* meant_knative_flag(std::string_view key);

/// What a flag is unless config-features says otherwise.
FlagState default_state(const KnativeFlag& flag);
/// Whether Knative reads `value`: compared without case, not trimmed.
bool reads_value(const KnativeFlag& flag, std::string_view value);
/// Whether `value` is `allowed` where Knative's code wants `enabled`.
bool is_too_weak(const KnativeFlag& flag, std::string_view value);

/// A line of `_example` that says something else than what Knative ships.
struct EditedExample {
  std::string_view line;  ///< trimmed
  const KnativeFlag* flag = nullptr;
  std::string_view value;
};

/// The lines of the inert text under `_example` by which someone has switched flags on;
/// one for each flag.
std::vector<EditedExample> edited_examples(std::string_view example);

}  // namespace cnsched::kserve

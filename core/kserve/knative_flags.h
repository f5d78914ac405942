#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/version.h"

namespace cnsched::kserve {

/// The value of a flag in Knative's config-features.
enum class FlagState : unsigned char { disabled, allowed, enabled };

/// What a flag gates.
enum class Gate : unsigned char {
  none,       ///< no field of the pod spec
  pod_field,  ///< a field of the pod spec; KServe omits it if it is empty
  pointer,    ///< a field of the pod spec that is a pointer in Go: {}, "" and false reach Knative
  volume,     ///< a kind of volume
  other,      ///< fields of containers, or fields in combination (knative_features.cpp)
};

/// A key of Knative Serving's config-features, and its properties [N3, N4]. Source: knative/serving
/// pkg/apis/config/features.go at each tag, pkg/apis/serving/fieldmask.go; the recorded answers of
/// Knative's own validator.
struct KnativeFlag {
  std::string_view key;
  Version since;  ///< the first release that reads it
  Gate gate = Gate::none;
  std::string_view field = {};  ///< the gated field, for pod_field, pointer and volume
  FlagState by_default = FlagState::disabled;
  bool allowed_suffices = true;  ///< `allowed` allows the field; otherwise only `enabled` does
  bool tri_state = true;         ///< enabled, allowed, disabled; otherwise it has its own values
  bool is_removed = false;       ///< later releases do not read it
  /// The KnativeServing of Open Data Hub's operator enables it [N10]. Source: its template in
  /// opendatahub-io/opendatahub-operator, from commit 7110484ae until it dropped serverless mode.
  bool open_data_hub = false;
};

std::span<const KnativeFlag> knative_flags();
/// The flag with exactly this key, or null.
const KnativeFlag* find_knative_flag(std::string_view key);
/// The flag that a misspelled `key` is intended to be. Tolerates differences in case, separators,
/// prefixes and one or two letters. Null if there is none; `key` may be a flag of a newer Knative.
const KnativeFlag* intended_knative_flag(std::string_view key);

/// The values of the flag that Knative reads; see `reads_value`.
std::span<const std::string_view> values_of(const KnativeFlag& flag);
/// Whether `value` is one that Knative reads. Compares without case and does not trim.
bool reads_value(const KnativeFlag& flag, std::string_view value);
/// Whether `value` is `allowed` where Knative requires `enabled`.
bool is_too_weak(const KnativeFlag& flag, std::string_view value);

/// A line of `_example` that differs from what Knative ships.
struct ExampleFlag {
  std::string_view line;  ///< trimmed
  const KnativeFlag* flag = nullptr;
  std::string_view value;
};

/// The lines under `_example`, which Knative does not read, that enable a flag; one for each flag.
std::vector<ExampleFlag> example_flags(std::string_view example);

}  // namespace cnsched::kserve

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/k8s/selector.h"
#include "core/k8s/taint.h"
#include "core/yaml/node.h"

namespace cnsched::change {

// Texts that are equal only for values that mean the same to the scheduler: defaults are written
// out, and what has no order is sorted. Readers see them, too.

/// `text`, in quotes if it has characters that labels and names do not have.
std::string word(std::string_view text);
/// The same, always in quotes: 'main'.
std::string quoted(std::string_view text);
/// "nodeSelector['pool']".
std::string entry_name(std::string_view map, std::string_view key);

/// "a=b, pool in (a100, l4), !spot". Empty for no requirement.
std::string conjunction(const std::vector<k8s::Requirement>& requirements);
/// As kubectl describes it: "dedicated=ml:NoSchedule", "nvidia.com/gpu:NoSchedule op=Exists".
std::string toleration_text(const k8s::Toleration& toleration);
/// "dedicated=ml:NoSchedule".
std::string taint_text(const k8s::Taint& taint);
/// A term of podAffinity or podAntiAffinity of a pod of namespace `ns`.
std::string affinity_term_text(const yaml::Node& term, std::string_view ns);
/// "maxSkew 1, DoNotSchedule: app=a".
std::string spread_text(const yaml::Node& constraint);

/// Any value on one line, keys sorted, without null values and empty maps and lists. Cut at a depth
/// and a size that no honest manifest reaches.
std::string flow_text(const yaml::Node& node);

/// An amount of a resource.
struct Amount {
  std::string value;  ///< equal for equal amounts: "1500m", "1073741824"
  std::string shown;  ///< in the notation of the manifest: "1Gi"
};
Amount amount_in(const yaml::Node& quantity);

}  // namespace cnsched::change

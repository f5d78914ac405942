#include <string>

#include "core/base/text.h"
#include "core/k8s/schema/schema.h"
#include "rules/common/wording.h"
#include "rules/rule.h"
#include "rules/yaml/shape_rules.h"

namespace cnsched::rules::duplicate_list_key {

using k8s::schema::Deviation;
using k8s::schema::Uniqueness;
using yaml::Node;

/// "name 'HF_HOME'", "containerPort '8080' and protocol 'TCP'".
static std::string identity_of(const Node& item, const Deviation& deviation) {
  // A list of type `set` has scalars.
  if (deviation.field->keys.empty()) return fmt::format("value '{}'", item.text());
  std::vector<std::string> words;
  for (const std::string_view key : deviation.field->keys) {
    const Node& value = item.under(key);
    words.push_back(fmt::format("{} '{}'", key, value ? value.text() : "TCP"));
  }
  return join_words(words);
}

static const Node& place_in(const Node& item, const Deviation& deviation) {
  if (deviation.field->keys.empty()) return item;
  const Node& value = item.under(deviation.field->keys.front());
  return value ? value : item;
}

static void check(const k8s::Object& object, Deviations deviations, Findings& findings) {
  const bool native = k8s::schema::is_native(object);
  for (const Deviation& deviation : deviations) {
    if (deviation.kind != Deviation::Kind::repeated_item) continue;
    const bool is_permitted =
        native && deviation.field->uniqueness == Uniqueness::rejected_if_custom;
    const Node& place = place_in(*deviation.node, deviation);
    const bool is_left =
        place.is_string() && place.text().empty() && may_be_left_to_values(place, findings);
    auto finding =
        findings.add(place, "duplicate item of '{}' with {}: {}{}", deviation.field->name,
                     identity_of(*deviation.node, deviation), is_left ? kWithoutValues : "",
                     is_permitted ? "this item counts, and 'kubectl apply' may drop either"
                     : deviation.rejected_in_pod ? "the API server rejects the pods created from it"
                                                 : "the API server rejects the object");
    finding.note(place_in(*deviation.first, deviation), "the first item is here");
    if (is_left) {
      leave_to_values(finding);
      continue;
    }
    finding.help("keep one of the items");
    if (is_permitted || deviation.rejected_in_pod) finding.severity(Severity::warning);
  }
}

extern constinit const Rule rule = {
    .id = "duplicate-list-key",
    .severity = Severity::error,
    .decided_by_subject = true,
    .check = check,
};

}  // namespace cnsched::rules::duplicate_list_key

#include <algorithm>

#include "core/base/suggest.h"
#include "core/k8s/label.h"
#include "core/k8s/schema/schema.h"
#include "rules/rule.h"

namespace cnsched::rules::invalid_taint {

using yaml::Node;

/// The effects as the object's API spells them. Only Cluster API for AWS has its own spelling.
static std::vector<std::string_view> effects_of(const k8s::Object& object) {
  if (object.kind == "AWSManagedMachinePool") {
    return {"no-schedule", "prefer-no-schedule", "no-execute"};
  }
  return {k8s::kNoSchedule, k8s::kPreferNoSchedule, k8s::kNoExecute};
}

/// Whether the value is left out in a kind with a schema: missing-field reports that.
static bool is_left_out(const Node& value, const k8s::Object& object, const Findings& findings) {
  return (value.is_missing() || value.is_null()) &&
         findings.facts().schemas.type_of(object) != nullptr;
}

/// The result of a taint that is not valid.
static std::string_view outcome_for(const k8s::Object& object) {
  return object.kind == "Node" ? "the API server rejects the Node"
                               : "new nodes start without the taint, or not at all";
}

static void check_effect(const k8s::Object& object, const k8s::Taint& taint, Findings& findings) {
  // eksctl's short form "value:effect" has no field 'effect', and uses Kubernetes' spelling.
  const Node& effect = (*taint.node)["effect"];
  const std::string_view written = effect ? effect.text() : taint.effect;
  const std::vector<std::string_view> known = effects_of(object);
  if (std::ranges::find(known, written) != known.end() || k8s::is_placeholder(written)) return;
  if (is_left_out(effect, object, findings)) return;
  if (written.empty()) {
    findings
        .add(effect ? effect : *taint.node, "missing required field 'effect' of the taint '{}': {}",
             taint.key, outcome_for(object))
        .help("add 'effect: {}'", known.front());
    return;
  }
  findings
      .add(effect ? effect : *taint.node, "invalid taint effect '{}'{}: {}", written,
           k8s::is_taint_effect(taint.effect) ? " in this API" : "", outcome_for(object))
      .help("use {}, {} or {}{}", known[0], known[1], known[2], did_you_mean(written, known));
}

static void check_syntax(const k8s::Object& object, const k8s::Taint& taint, Findings& findings) {
  const Node& key = (*taint.node)["key"];
  if (taint.key.empty() && !is_left_out(key, object, findings)) {
    findings.add(key ? key : *taint.node, "missing required field 'key' of the taint: {}",
                 outcome_for(object));
  } else if (const auto problem = k8s::label_key_problem(taint.key);
             problem && !taint.key.empty() && !k8s::is_placeholder(taint.key)) {
    findings.add(key ? key : *taint.node, "invalid taint key '{}': it {}; {}", taint.key, *problem,
                 outcome_for(object));
  }
  const Node& value = (*taint.node)["value"];
  if (const auto problem = k8s::label_value_problem(taint.value);
      problem && !k8s::is_placeholder(taint.value)) {
    findings.add(value ? value : *taint.node, "invalid taint value '{}': it {}; {}", taint.value,
                 *problem, outcome_for(object));
  }
}

static void check(const k8s::Object& object, Findings& findings) {
  for (const facts::NodePool& pool : findings.facts().pools) {
    if (pool.object != &object) continue;
    for (std::size_t i = 0; i < pool.taints.size(); ++i) {
      const k8s::Taint& taint = pool.taints[i];
      check_effect(object, taint, findings);
      check_syntax(object, taint, findings);
      for (std::size_t j = 0; j < i; ++j) {
        const k8s::Taint& earlier = pool.taints[j];
        if (earlier.key != taint.key || earlier.effect != taint.effect) continue;
        findings
            .add(*taint.node,
                 "duplicate taint '{}' with effect '{}': taints must be unique by key and effect; "
                 "{}",
                 taint.key, taint.effect, outcome_for(object))
            .note(*earlier.node, "the first one")
            .help("remove one of the two");
        break;
      }
    }
  }
}

extern constinit const Rule rule = {
    .id = "invalid-taint",
    .severity = Severity::error,
    .check = check,
};

}  // namespace cnsched::rules::invalid_taint

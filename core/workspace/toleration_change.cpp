#include "core/workspace/toleration_change.h"

#include <fmt/format.h>

#include <iterator>

#include "core/accelerators/catalogue.h"
#include "core/k8s/label.h"
#include "core/yaml/tree.h"

namespace cnsched {

namespace {

using k8s::Taint;
using k8s::Toleration;

const yaml::Node& toleration_node(const Toleration& t, Arena& values) {
  std::vector<yaml::Entry> entries;
  const auto add = [&](yaml::Key field, std::string_view value) {
    if (value.empty()) return;
    entries.push_back(
        yaml::entry_of(values, field, yaml::string_like(values, yaml::nowhere(), value)));
  };
  add("key"_key, t.key);
  add("operator"_key, t.op);
  add("value"_key, t.value);
  add("effect"_key, t.effect);
  return yaml::mapping_like(values, yaml::nowhere(), entries);
}

/// The mapping of the object with the pod's tolerations; null if none is written, as in a
/// Server without a podSpec.
const yaml::Node* place_of_tolerations(const Workload& workload) {
  // Of a component only some fields are the pod's, so that its pod spec is made.
  if (workload.object->kind == "InferenceService") return workload.written;
  const yaml::Node& own = workload.own.node();
  return own.is_mapping() && !own.made ? &own : nullptr;
}

}  // namespace

Toleration toleration_of(const Taint& taint) {
  const bool any_value = taint.value.empty() || accelerators::is_accelerator(taint.key);
  return {taint.node, taint.key, any_value ? "Exists" : "Equal",
          any_value ? std::string_view() : taint.value, taint.effect};
}

bool can_be_written(const Toleration& t) {
  return !k8s::is_placeholder(t.key) && !k8s::is_placeholder(t.value) &&
         !k8s::label_key_problem(t.key) && !k8s::label_value_problem(t.value);
}

std::string toleration_text(const k8s::Toleration& t) {
  std::string text = "{";
  const auto add = [&](std::string_view field, std::string_view value) {
    if (value.empty()) return;
    fmt::format_to(std::back_inserter(text), "{}{}: {}", text.size() > 1 ? ", " : "", field, value);
  };
  const std::string value = t.node != nullptr && (*t.node)["value"].quoted
                                ? fmt::format("\"{}\"", t.value)
                                : std::string(t.value);
  add("key", t.key);
  add("operator", t.op);
  if (t.op != "Exists") add("value", value);
  add("effect", t.effect);
  return text + "}";
}

std::vector<Toleration> inherited_tolerations(const Workload& workload) {
  if (!workload.own["tolerations"].is_empty()) return {};
  return workload.pod.tolerations();
}

std::vector<yaml::Change> changes_to_tolerate(const Workload& workload,
                                              const std::vector<Toleration>& tolerations,
                                              Arena& values) {
  std::vector<const yaml::Node*> items;
  for (const Toleration& t : inherited_tolerations(workload)) items.push_back(t.node);
  for (const Toleration& t : tolerations) items.push_back(&toleration_node(t, values));
  const yaml::Node& own = workload.own["tolerations"];
  std::vector<yaml::Change> changes;
  if (own) {
    for (const yaml::Node* item : items) changes.push_back(yaml::to_add_item(own, *item));
  } else if (const yaml::Node* place = place_of_tolerations(workload)) {
    const yaml::Node& list = yaml::sequence_like(values, yaml::nowhere(), items);
    changes.push_back(yaml::to_add_entry(*place, "tolerations", list));
  }
  return changes;
}

}  // namespace cnsched

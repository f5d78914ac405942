// Edits pseudo-random manifests, and asks whether the difference is empty exactly if the effective
// pods are equal for placement. The reference is naive: it compares the v1/Pods that `render`
// prints, as JSON, without any code of core/change.
#include <nlohmann/json.hpp>

#include "core/base/quantity.h"
#include "core/k8s/workloads.h"
#include "core/workspace/admission.h"
#include "core/yaml/write.h"
#include "testdata/chance.h"
#include "testdata/sides.h"

namespace cnsched::change::properties_test {

using nlohmann::json;
// Random manifests.

json any_requirement(Chance& chance) {
  json requirement = {{"key", chance.any_of({"zone", "pool"})}};
  if (chance.one_in(3)) {
    requirement["operator"] = "Exists";
  } else {
    requirement["operator"] = chance.any_of({"In", "NotIn"});
    requirement["values"] = {chance.any_of({"a", "b"}), chance.any_of({"b", "c"})};
  }
  return requirement;
}

json any_toleration(Chance& chance) {
  json toleration = {{"key", chance.any_of({"gpu", "dedicated"})}};
  if (chance.one_in(2)) {
    toleration["operator"] = "Exists";
  } else {
    toleration["value"] = chance.any_of({"x", "y"});
    if (chance.one_in(2)) toleration["operator"] = "Equal";
  }
  if (chance.one_in(2)) toleration["effect"] = "NoSchedule";
  return toleration;
}

json any_amounts(Chance& chance) {
  json amounts;
  amounts["cpu"] = chance.any_of({"1", "1000m", "500m", "0.5"});
  if (chance.one_in(2)) amounts["memory"] = chance.any_of({"1Gi", "1024Mi", "1073741824", "2Gi"});
  if (chance.one_in(2)) amounts["nvidia.com/gpu"] = chance.any_of({"1", "2"});
  return amounts;
}

json any_container(Chance& chance, const std::string& name) {
  json container = {{"name", name}, {"image", chance.any_of({"i", "j"})}};
  if (chance.one_in(2)) container["resources"]["limits"] = any_amounts(chance);
  if (chance.one_in(3)) container["resources"]["requests"] = any_amounts(chance);
  return container;
}

json any_spread(Chance& chance) {
  json spread = {{"maxSkew", 1 + chance.below(2)},
                 {"topologyKey", "zone"},
                 {"whenUnsatisfiable", "DoNotSchedule"},
                 {"labelSelector", {{"matchLabels", {{"app", chance.any_of({"a", "b"})}}}}}};
  if (chance.one_in(2)) spread["nodeAffinityPolicy"] = "Honor";
  if (chance.one_in(3)) spread["nodeTaintsPolicy"] = chance.any_of({"Ignore", "Honor"});
  return spread;
}

json any_spec(Chance& chance) {
  json spec = {{"containers", {any_container(chance, "main")}}};
  if (chance.one_in(2)) spec["containers"].push_back(any_container(chance, "proxy"));
  if (chance.one_in(2)) spec["nodeSelector"]["pool"] = chance.any_of({"a", "b"});
  if (chance.one_in(3)) spec["nodeSelector"]["zone"] = "z";
  for (std::size_t i = chance.below(3); i > 0; --i) {
    spec["tolerations"].push_back(any_toleration(chance));
  }
  if (chance.one_in(2)) {
    json& terms = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
                      ["nodeSelectorTerms"];
    for (std::size_t i = chance.below(2) + 1; i > 0; --i) {
      terms.push_back({{"matchExpressions", {any_requirement(chance), any_requirement(chance)}}});
    }
  }
  if (chance.one_in(3)) spec["topologySpreadConstraints"] = json::array({any_spread(chance)});
  if (chance.one_in(4)) {
    spec["schedulerName"] = chance.any_of({"default-scheduler", "volcano"});
  }
  if (chance.one_in(4)) spec["priorityClassName"] = chance.any_of({"high", "low"});
  if (chance.one_in(4)) {
    spec["volumes"] = {
        {{"name", "v"}, {"persistentVolumeClaim", {{"claimName", chance.any_of({"c", "d"})}}}}};
  }
  return spec;
}

json any_object(Chance& chance) {
  return {{"apiVersion", "apps/v1"},
          {"kind", "Deployment"},
          {"metadata", {{"name", "d"}, {"namespace", "ml"}}},
          {"spec",
           {{"replicas", 1 + chance.below(2)},
            {"template",
             {{"metadata", {{"labels", {{"app", chance.any_of({"a", "b"})}, {"chart", "1"}}}}},
              {"spec", any_spec(chance)}}}}}};
}

// Random edits.

/// Every list below `value` that has items.
void collect_lists(json& value, std::vector<json*>& lists) {
  if (value.is_array() && !value.empty()) lists.push_back(&value);
  if (!value.is_structured()) return;
  for (json& child : value) collect_lists(child, lists);
}

void collect_mappings(json& value, std::vector<json*>& mappings) {
  if (value.is_object() && !value.empty()) mappings.push_back(&value);
  if (!value.is_structured()) return;
  for (json& child : value) collect_mappings(child, mappings);
}

void edit(json& object, Chance& chance) {
  json& spec = object["spec"]["template"]["spec"];
  const json other = any_spec(chance);
  switch (chance.below(9)) {
    case 0: {  // another order
      std::vector<json*> lists;
      collect_lists(spec, lists);
      if (!lists.empty()) std::ranges::reverse(*lists[chance.below(lists.size())]);
      break;
    }
    case 1: {  // one field less
      std::vector<json*> mappings;
      collect_mappings(spec, mappings);
      json& mapping = *mappings[chance.below(mappings.size())];
      auto entry = mapping.begin();
      std::advance(entry, static_cast<std::ptrdiff_t>(chance.below(mapping.size())));
      const bool is_needed = entry.key() == "containers" || entry.key() == "name" ||
                             entry.key() == "key" || entry.key() == "operator" ||
                             entry.key() == "values" || entry.key() == "nodeSelectorTerms" ||
                             entry.key() == "matchExpressions" || entry.key() == "maxSkew" ||
                             entry.key() == "topologyKey" || entry.key() == "whenUnsatisfiable" ||
                             entry.key().starts_with("required");
      if (!is_needed) mapping.erase(entry);
      break;
    }
    case 2:
      spec["containers"][0]["image"] = "other";
      spec["containers"][0]["args"] = {"--x"};
      break;
    case 3:
      object["metadata"]["annotations"]["a"] = "b";
      object["spec"]["template"]["metadata"]["labels"]["chart"] = "2";
      break;
    case 4:
      object["spec"]["template"]["metadata"]["labels"]["app"] = chance.any_of({"a", "b"});
      break;
    case 5:
      object["spec"]["replicas"] = 1 + chance.below(2);
      break;
    case 6:
      spec["containers"][0]["resources"]["limits"] = any_amounts(chance);
      break;
    default: {  // a field of another pod
      auto entry = other.begin();
      std::advance(entry, static_cast<std::ptrdiff_t>(chance.below(other.size())));
      spec[entry.key()] = entry.value();
      break;
    }
  }
}

// The reference.

std::string sorted_text(json list) {
  std::vector<std::string> texts;
  for (const json& item : list) texts.push_back(item.dump());
  std::ranges::sort(texts);
  const auto rest = std::ranges::unique(texts);
  texts.erase(rest.begin(), rest.end());
  return fmt::format("{}", fmt::join(texts, "\n"));
}

json as_set(const json& list) { return sorted_text(list); }

json amounts_by_value(const json& amounts) {
  json result = json::object();
  for (const auto& [name, amount] : amounts.items()) {
    result[name] = Quantity::parse(amount.is_string() ? amount.get<std::string>() : amount.dump())
                       ->milli_value();
  }
  return result;
}

json resources_of(const json& container) {
  const json resources = container.value("resources", json::object());
  const json limits = resources.value("limits", json::object());
  json requests = resources.value("requests", json::object());
  for (const auto& [name, amount] : limits.items()) {
    if (!requests.contains(name)) requests[name] = amount;
  }
  return {amounts_by_value(limits), amounts_by_value(requests)};
}

json plain_requirements(json expressions) {
  for (json& expression : expressions) {
    if (expression.contains("values")) expression["values"] = as_set(expression["values"]);
  }
  return as_set(expressions);
}

/// What the scheduler reads of a Pod.
json essence(const json& pod, bool reads_labels) {
  const json& spec = pod["spec"];
  json result;
  for (const char* field : {"nodeSelector", "priorityClassName", "runtimeClassName"}) {
    if (spec.contains(field)) result[field] = spec[field];
  }
  result["scheduler"] = spec.value("schedulerName", "default-scheduler");
  for (const json& container : spec["containers"]) {
    const json resources = resources_of(container);
    const bool is_read = !resources[0].empty() || !resources[1].empty();
    if (is_read) result["containers"][container["name"]] = resources;
  }
  json tolerations = spec.value("tolerations", json::array());
  for (json& toleration : tolerations) {
    if (!toleration.contains("operator")) toleration["operator"] = "Equal";
  }
  result["tolerations"] = as_set(tolerations);
  json spread = spec.value("topologySpreadConstraints", json::array());
  for (json& constraint : spread) {
    if (!constraint.contains("nodeAffinityPolicy")) constraint["nodeAffinityPolicy"] = "Honor";
    if (!constraint.contains("nodeTaintsPolicy")) constraint["nodeTaintsPolicy"] = "Ignore";
    // A selector without labels reads none; only the empty one selects every pod.
    const json selector = constraint.value("labelSelector", json());
    if (selector.is_object() && selector.value("matchLabels", json::object()).empty()) {
      constraint["labelSelector"] = json::object();
    }
  }
  result["spread"] = as_set(spread);
  const json affinity =
      spec.value("affinity", json::object()).value("nodeAffinity", json::object());
  const json required =
      affinity.value("requiredDuringSchedulingIgnoredDuringExecution", json::object());
  json terms = required.value("nodeSelectorTerms", json::array());
  for (json& term : terms) term = plain_requirements(term.value("matchExpressions", json::array()));
  result["terms"] = as_set(terms);
  for (const json& volume : spec.value("volumes", json::array())) {
    if (volume.contains("persistentVolumeClaim")) result["volumes"].push_back(volume);
  }
  if (reads_labels)
    result["app"] = pod["metadata"].value("labels", json::object()).value("app", "");
  return result;
}

json effective_pod(const LoadedSide& side) {
  Arena arena;
  const Workload& workload = *side.simulation().workloads().front().workload;
  const Workload admitted = admitted_workload(workload, admission_for(workload), arena);
  std::size_t values = k8s::kPodValues;
  const auto pod = k8s::pod_object(arena, admitted, *workload.object, {.name = "p"}, values);
  REQUIRE(pod);
  return json::parse(yaml::to_json(**pod));
}

/// Whether any selector of the pod reads the label `app`.
bool reads_app(const json& pod) {
  for (const json& constraint : pod["spec"].value("topologySpreadConstraints", json::array())) {
    const json selector = constraint.value("labelSelector", json::object());
    if (selector.is_object() && selector.value("matchLabels", json::object()).contains("app")) {
      return true;
    }
  }
  return false;
}

std::string swapped(const Difference& difference) {
  std::string text;
  for (const PodChange& pod : difference.pods) {
    for (const FactChange& change : pod.facts) {
      text += fmt::format("{}: {} <- {}\n", change.name, change.after.value_or("none"),
                          change.before.value_or("none"));
    }
  }
  return text;
}

std::string straight(const Difference& difference) {
  std::string text;
  for (const PodChange& pod : difference.pods) {
    for (const FactChange& change : pod.facts) {
      text += fmt::format("{}: {} <- {}\n", change.name, change.before.value_or("none"),
                          change.after.value_or("none"));
    }
  }
  return text;
}

TEST_CASE("the difference is empty exactly if the effective pods are equal") {
  constexpr std::uint64_t kRounds = 600;
  std::size_t equal = 0;
  for (std::uint64_t round = 1; round <= kRounds; ++round) {
    Chance chance(round);
    const json before = any_object(chance);
    json after = before;
    for (std::size_t edits = chance.below(3) + 1; edits > 0; --edits) edit(after, chance);
    CAPTURE(before.dump());
    CAPTURE(after.dump());
    const Compared compared({{"a.yaml", before.dump(2)}}, {{"b.yaml", after.dump(4)}});
    const json old_pod = effective_pod(compared.before);
    const json new_pod = effective_pod(compared.after);
    const bool reads_labels = reads_app(old_pod) || reads_app(new_pod);
    const bool is_equal = essence(old_pod, reads_labels) == essence(new_pod, reads_labels) &&
                          before["spec"]["replicas"] == after["spec"].value("replicas", json(1));
    if (is_equal) ++equal;
    CHECK(compared.difference.pods.empty() == is_equal);
    const Difference back = compare(compared.new_side, compared.old_side);
    CHECK(straight(compared.difference) == swapped(back));
    CHECK(compare(compared.old_side, compared.old_side).is_empty());
  }
  CHECK(equal > kRounds / 5);
  CHECK(equal < kRounds / 5 * 4);
}

}  // namespace cnsched::change::properties_test

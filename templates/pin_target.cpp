#include "templates/pin_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/accelerators/catalogue.h"
#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/kserve/containers.h"
#include "core/kserve/fields.h"
#include "core/kserve/runtime.h"
#include "core/seldon/pods.h"
#include "core/seldon/predictor.h"
#include "core/seldon/shipped.h"
#include "core/yaml/change.h"
#include "core/yaml/parse.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"

namespace cnsched::templates {

namespace {

using yaml::Node;

bool is_inference_service(const k8s::Object& object) {
  return kserve::is_kserve_group(object.group()) && object.kind == "InferenceService";
}

bool is_seldon_deployment(const k8s::Object& object) {
  return object.is("machinelearning.seldon.io", "SeldonDeployment");
}

// Pods to pin.

/// The names that a user may use for the pod's component, the preferred first: the object's name if
/// it is the only pod of its object, the last word of "predictor default".
std::vector<std::string> names_of(const Workload& pod) {
  if (pod.component.empty()) return {std::string(pod.object->name)};
  std::vector<std::string> names = {pod.component};
  const std::size_t blank = pod.component.find(' ');
  const bool is_labelled = is_seldon_deployment(*pod.object) || pod.object->kind == "SeldonRuntime";
  if (is_labelled && blank != std::string::npos) names.push_back(pod.component.substr(blank + 1));
  return names;
}

bool is_named(const Workload& pod, std::string_view name) {
  return std::ranges::any_of(names_of(pod), [&](const std::string& own) {
    return name == own ||
           (!pod.component.empty() && name == fmt::format("{}/{}", pod.object->name, own));
  });
}

/// Each name once, with the object's name where several objects have it.
std::vector<std::string> all_names(const std::vector<const Workload*>& pods) {
  std::map<std::string, std::set<const k8s::Object*>> users;
  for (const Workload* pod : pods) users[names_of(*pod).front()].insert(pod->object);
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const Workload* pod : pods) {
    const std::string name = names_of(*pod).front();
    const bool is_shared = users[name].size() > 1 && !pod->component.empty();
    std::string full = is_shared ? fmt::format("{}/{}", pod->object->name, name) : name;
    if (known.insert(full).second) names.push_back(std::move(full));
  }
  return names;
}

/// "'predictor', 'transformer' and 12 more".
std::string quoted_names(std::vector<std::string> names) {
  constexpr std::size_t kMaxNames = 12;
  for (std::string& name : names) name = fmt::format("'{}'", printable(name));
  return join_words(names, "and", kMaxNames);
}

Error unknown_components(const std::vector<const Workload*>& pods,
                         const std::vector<std::string>& unknown) {
  const std::vector<std::string> names = all_names(pods);
  std::vector<std::string_view> candidates;
  for (const Workload* pod : pods) candidates.push_back(pod->component);
  candidates.insert(candidates.end(), names.begin(), names.end());
  std::string message;
  for (const std::string& name : unknown) {
    message +=
        fmt::format("{}the file has no component '{}'{} (it has {})", message.empty() ? "" : "\n",
                    printable(name), did_you_mean(name, candidates), quoted_names(names));
  }
  return {message};
}

Error no_accelerator(const std::vector<const Workload*>& pods) {
  const std::vector<std::string> names = all_names(pods);
  if (names.size() == 1) {
    return {
        fmt::format("{} requests no accelerator: to add a request, pass "
                    "'--component {}'",
                    description_of(*pods.front()), printable(names.front()))};
  }
  return {
      fmt::format("no pod requests an accelerator: to add a request, choose a component with "
                  "--component ({})",
                  quoted_names(names))};
}

/// Parts that others are based on come first, since they may complete the others.
void sort_for_pinning(std::vector<const Workload*>& pods) {
  std::ranges::stable_partition(pods, [](const Workload* pod) { return pod->fragment; });
}

std::vector<const Workload*> pods_requesting_accelerator(const std::vector<const Workload*>& pods) {
  std::vector<const Workload*> requesting;
  std::ranges::copy_if(pods, std::back_inserter(requesting), [](const Workload* pod) {
    return pod->pod.requests_resource(accelerators::is_accelerator) ||
           !pod->pod["resourceClaims"].is_empty();
  });
  return requesting;
}

// Positions of the fields.

/// The keys from the spec of an LLMInferenceService to the pod of a component.
std::vector<std::string> keys_to_llm_pod(std::string_view component) {
  if (component == "prefill") return {"prefill", "template"};
  if (component == "prefill worker") return {"prefill", "worker"};
  if (component == "scheduler") return {"router", "scheduler", "template"};
  if (component == "tokenizer") return {"router", "scheduler", "tokenizer", "template"};
  return {std::string(component)};
}

/// The 1 of "predictor default, componentSpecs[1]"; 0 without an index.
std::size_t index_of_component(std::string_view component) {
  constexpr std::string_view kWord = "componentSpecs[";
  const std::size_t at = component.find(kWord);
  if (at == std::string_view::npos) return 0;
  std::string_view rest = component.substr(at + kWord.size());
  return take_number(rest).value_or(0);
}

/// The place for the pod's fields if the manifest has none of them.
Result<PodPlace> missing_place_of(const Workload& pod) {
  const Node& none = yaml::missing_node();
  const Node& spec = pod.object->spec();
  const Path to_spec = path_to(spec);
  if (pod.object->kind == "LLMInferenceService") {
    return PodPlace{below(to_spec, keys_to_llm_pod(pod.component)), &none};
  }
  if (is_seldon_deployment(*pod.object)) {
    const Path list = below(path_to(*pod.written), {"componentSpecs"});
    return PodPlace{below(item_of(list, index_of_component(pod.component)), {"spec"}), &none};
  }
  const bool in_pod_spec =
      pod.object->kind == "Server" || (pod.object->kind == "SeldonRuntime" && pod.written != &spec);
  if (in_pod_spec) return PodPlace{below(path_to(*pod.written), {"podSpec"}), &none};
  return Error{"is not in this manifest: add an override for it, or pin the manifest that has it"};
}

/// Whether the manifest has no field of the pod: `written` is then its parent.
bool is_missing(const Workload& pod) { return pod.own.node().is_missing(); }

/// Pods of which a manifest only describes the container.
bool has_no_placement_fields(const Workload& pod) {
  if (pod.object->kind == "InferenceGraph") return true;
  return is_seldon_deployment(*pod.object) &&
         (pod.component.ends_with(", svc-orch") || pod.component.ends_with(", explainer"));
}

// Containers.

/// The block that is the model server of a predictor.
const Node& block_of(const Workload& pod, const PodPlace& place) {
  if (!is_inference_service(*pod.object)) return yaml::missing_node();
  return kserve::framework_block(*place.node);
}

/// Whether it is a controller's helper container, which serves no model.
bool is_helper(const Workload& pod, std::string_view container) {
  if (is_seldon_deployment(*pod.object)) return container == seldon::kOrchestrator;
  const bool is_seldon_server = pod.object->kind == "Server" || pod.object->kind == "ServerConfig";
  return is_seldon_server && (container == "agent" || container == "rclone");
}

/// The names of the containers from the objects that the pod is based on.
std::vector<std::string_view> inherited_containers(const Workload& pod) {
  std::vector<std::string_view> names;
  if (pod.object->kind == "Server") {
    names = seldon::shipped_containers(pod.object->spec()["serverConfig"].text());
  }
  for (const k8s::Container& container : pod.pod.containers()) {
    if (!is_one_of(container.name(), names)) names.push_back(container.name());
  }
  return names;
}

/// The controller's name for the model server if the manifest does not list it; empty if unknown.
std::string_view unlisted_server(const Workload& pod) {
  const std::string_view kind = pod.object->kind;
  if (kind == "LLMInferenceService" || kind == "LLMInferenceServiceConfig") {
    return pod.component == "tokenizer" ? "tokenizer" : "main";
  }
  if (is_inference_service(*pod.object)) {
    return pod.component == "worker" ? kserve::kWorkerContainer : std::string_view();
  }
  std::vector<std::string_view> names = inherited_containers(pod);
  std::erase_if(names, [&](std::string_view name) { return is_helper(pod, name); });
  return names.size() == 1 ? names.front() : std::string_view();
}

ContainerPlace new_container(const PodPlace& place, std::string_view name) {
  return {item_of(below(place.path, {"containers"}), kNewItem), &yaml::missing_node(),
          std::string(name)};
}

/// "name it with --container ('a' and 'b')".
std::string container_hint(const std::vector<ContainerPlace>& containers) {
  std::vector<std::string> names;
  for (const ContainerPlace& container : containers) names.push_back(container.name);
  return names.empty() ? "choose one with --container"
                       : fmt::format("choose one with --container ({})", quoted_names(names));
}

Result<ContainerPlace> container_named(const Workload& pod, const PodPlace& place,
                                       const std::vector<ContainerPlace>& own,
                                       std::string_view name) {
  const auto found = std::ranges::find(own, name, &ContainerPlace::name);
  if (found != own.end()) return *found;
  const std::vector<std::string_view> inherited = inherited_containers(pod);
  if (is_one_of(name, inherited) || name == unlisted_server(pod)) {
    return new_container(place, name);
  }
  std::vector<std::string_view> known = inherited;
  for (const ContainerPlace& container : own) {
    if (!is_one_of(container.name, known)) known.push_back(container.name);
  }
  return Error{fmt::format(
      "has no container '{}'{}{}", printable(name), did_you_mean(name, known),
      known.empty() ? ""
                    : fmt::format(" (it has {})", quoted_names({known.begin(), known.end()})))};
}

const Node& next(const Node& node, const PathStep& step) {
  return step.index ? node.at(*step.index) : node.under(step.key);
}

std::string described(const Node& node) {
  return node.key() == nullptr ? "the document"
                               : fmt::format("'{}'", printable(node.key()->text()));
}

/// `value` within new mappings and lists for the steps of `path`.
const Node& wrapped(std::span<const PathStep> path, const Node& value, Arena& arena) {
  if (path.empty()) return value;
  const Node& inner = wrapped(path.subspan(1), value, arena);
  if (path.front().index) return yaml::sequence_like(arena, yaml::nowhere(), {&inner});
  return yaml::with(arena, yaml::nowhere(), path.front().key, inner);
}

/// The change in the document with this root. Nothing if there is nothing to erase.
Result<std::vector<yaml::Change>> change_to(const Node& root, std::span<const PathStep> path,
                                            const Node* value, Arena& arena) {
  using Changes = std::vector<yaml::Change>;
  const Node* node = &root;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const PathStep& step = path[i];
    const bool is_alias = node->anchored() != nullptr;
    const Node& child = next(*node, step);
    if (!is_alias && !child.is_missing()) {
      node = &child;
      continue;
    }
    if (!is_alias && value == nullptr) return Changes();
    const bool fits = node->is_null() || (step.index ? node->is_sequence() : node->is_mapping());
    if (!fits) {
      return Error{fmt::format("{} must be {}, but is {}", described(*node),
                               step.index ? "a list" : "a mapping", yaml::describe(*node))};
    }
    if (is_alias) return Error{fmt::format("{} is an alias", described(*node))};
    const Node& added = wrapped(path.subspan(i + 1), *value, arena);
    if (step.index) return Changes{yaml::to_add_item(*node, added)};
    return Changes{yaml::to_add_entry(*node, step.key, added)};
  }
  return Changes{value == nullptr ? yaml::to_erase(*node) : yaml::to_set(*node, *value)};
}

}  // namespace

Result<std::vector<const Workload*>> pods_to_pin(const Workspace& workspace,
                                                 const std::vector<std::string>& components) {
  std::vector<const Workload*> all;
  for (const Workload* pod : all_workloads(workspace)) {
    if (pod->scope->is_linted(*pod->object)) all.push_back(pod);
  }
  std::vector<const Workload*> chosen;
  std::set<const Workload*> known;
  std::vector<std::string> unknown;
  for (const std::string& name : components) {
    bool is_known = false;
    for (const Workload* pod : all) {
      if (!is_named(*pod, name)) continue;
      is_known = true;
      if (known.insert(pod).second) chosen.push_back(pod);
    }
    if (!is_known) unknown.push_back(name);
  }
  if (!unknown.empty()) return unknown_components(all, unknown);
  if (components.empty()) chosen = pods_requesting_accelerator(all);
  if (chosen.empty()) return no_accelerator(all);
  sort_for_pinning(chosen);
  return chosen;
}

Result<PodPlace> place_of(const Workload& pod) {
  if (has_no_placement_fields(pod))
    return Error{"has no scheduling fields: choose other components with --component"};
  if (is_missing(pod)) return missing_place_of(pod);
  return PodPlace{path_to(*pod.written), pod.written};
}

std::vector<ContainerPlace> containers_of(const Workload& pod, const PodPlace& place) {
  std::vector<ContainerPlace> containers;
  const Node& block = block_of(pod, place);
  if (block) containers.push_back({path_to(block), &block, std::string(kserve::kServingContainer)});
  for (const Node* item : (*place.node)["containers"].items()) {
    containers.push_back({path_to(*item), item, std::string((*item)["name"].text())});
  }
  return containers;
}

Result<ContainerPlace> model_server_of(const Workload& pod, const PodPlace& place,
                                       std::string_view name) {
  const std::vector<ContainerPlace> own = containers_of(pod, place);
  if (!name.empty()) return container_named(pod, place, own, name);
  if (block_of(pod, place)) return own.front();
  std::vector<ContainerPlace> servers = own;
  std::erase_if(servers, [&](const ContainerPlace& c) { return is_helper(pod, c.name); });
  if (servers.size() == 1) return servers.front();
  const std::string_view unlisted = unlisted_server(pod);
  for (const std::string_view usual : {unlisted, kserve::kServingContainer}) {
    const auto found = std::ranges::find(servers, usual, &ContainerPlace::name);
    if (!usual.empty() && found != servers.end()) return *found;
  }
  if (servers.empty() && !unlisted.empty()) return new_container(place, unlisted);
  return Error{"has no container that is known to be the model server: " + container_hint(own)};
}

std::string description_of(const Workload& pod) {
  const std::string object =
      fmt::format("{} '{}'", printable(pod.object->kind), printable(pod.object->name));
  return pod.component.empty() ? object : fmt::format("{}, {}", object, printable(pod.component));
}

Path path_to(const Node& node) {
  Path path;
  for (const Node* at = &node; at->parent() != nullptr; at = at->parent()) {
    if (at->parent()->is_mapping()) {
      path.push_back({std::string(at->key()->text())});
    } else {
      const auto items = at->parent()->items();
      path.push_back({{}, static_cast<std::size_t>(std::ranges::find(items, at) - items.begin())});
    }
  }
  std::ranges::reverse(path);
  return path;
}

Path below(Path path, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) path.push_back({key});
  return path;
}

Path item_of(Path path, std::size_t index) {
  path.push_back({{}, index});
  return path;
}

Result<std::string> with_value(const std::string& document, const Path& path, const Node* value) {
  const SourceFile file(0, "", document);
  const yaml::Document parsed = yaml::parse(file, file.whole());
  Arena arena;
  const auto changes = change_to(*parsed.root, path, value, arena);
  if (!changes) return changes.error();
  const auto edits = yaml::edits_for(file, parsed, *changes);
  if (!edits) return edits.error();
  return cnsched::apply(document, *edits);
}

}  // namespace cnsched::templates

#include "rules/policy/policy_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/yaml/node.h"

namespace cnsched::rules {

namespace {

constexpr std::size_t kMaxPathSteps = 32;

constexpr std::array kFields = {
    NamedField{FieldId::node_selector, "nodeSelector", FieldKind::text, true, false,
               "the value of a label in the pod's nodeSelector"},
    NamedField{FieldId::node_labels, "nodeLabels", FieldKind::text, true, true,
               "the values of a label that nodeSelector and required node affinity allow; any "
               "value for the operators Exists, Gt and Lt; absent if the pod may run on nodes "
               "without the label"},
    NamedField{FieldId::tolerations, "tolerations", FieldKind::items, false, true,
               "the pod's tolerations, with `key`, `operator`, `value`, `effect` and "
               "`tolerationSeconds`"},
    NamedField{FieldId::accelerator_count, "accelerators.count", FieldKind::number, false, false,
               "the accelerators that the pod's containers request together; 0 if none"},
    NamedField{FieldId::accelerator_total, "accelerators.total", FieldKind::number, false, false,
               "the accelerators of all pods of the object, with their minimal replicas"},
    NamedField{FieldId::accelerator_product, "accelerators.product", FieldKind::product, false,
               true,
               "the accelerators that the selected node labels name, compared under any of their "
               "names: `nvidia-a100-80gb`, `NVIDIA-A100-SXM4-80GB`"},
    NamedField{FieldId::accelerator_memory, "accelerators.memory", FieldKind::number, false, true,
               "the memory of one accelerator, as the selected node labels say: `80Gi`"},
    NamedField{FieldId::accelerator_resource, "accelerators.resource", FieldKind::text, false, true,
               "the names of the requested accelerators: `nvidia.com/gpu`"},
    NamedField{FieldId::limits, "resources.limits", FieldKind::number, true, false,
               "the pod's limit of a resource: the sum of its containers. A limit of cpu, memory "
               "or ephemeral-storage is absent unless every container has one"},
    NamedField{FieldId::requests, "resources.requests", FieldKind::number, true, false,
               "the same for requests; a container without a request requests its limit"},
    NamedField{FieldId::containers, "containers", FieldKind::items, false, true,
               "the containers, with the fields that Kubernetes gives them"},
    NamedField{FieldId::init_containers, "initContainers", FieldKind::items, false, true,
               "the init containers"},
    NamedField{FieldId::image, "image", FieldKind::text, false, true,
               "the images of containers and init containers"},
    NamedField{FieldId::priority_class, "priorityClassName", FieldKind::text, false, false,
               "the pod's priority class"},
    NamedField{FieldId::runtime_class, "runtimeClassName", FieldKind::text, false, false,
               "the pod's runtime class"},
    NamedField{FieldId::scheduler, "schedulerName", FieldKind::text, false, false,
               "the scheduler that places the pod; `default-scheduler` if the pod names none"},
    NamedField{FieldId::service_account, "serviceAccountName", FieldKind::text, false, false,
               "the pod's service account"},
    NamedField{FieldId::replicas, "replicas", FieldKind::number, false, false,
               "the minimal number of pods; absent for a DaemonSet"},
    NamedField{FieldId::mode, "mode", FieldKind::text, false, false,
               "how KServe runs the pod: `Knative` (Serverless), `Standard` (RawDeployment) or "
               "`ModelMesh`; absent for other pods"},
    NamedField{FieldId::labels, "labels", FieldKind::text, true, false, "a label of the pod"},
    NamedField{FieldId::annotations, "annotations", FieldKind::text, true, false,
               "an annotation of the pod"},
    NamedField{FieldId::object_labels, "object.labels", FieldKind::text, true, false,
               "a label of the object that asks for the pod"},
    NamedField{FieldId::object_annotations, "object.annotations", FieldKind::text, true, false,
               "an annotation of the object that asks for the pod"},
};

constexpr NamedField kPodPointer{FieldId::pod_pointer,          "/", FieldKind::any, false, false,
                                 "JSON Pointer into the v1/Pod"};
constexpr NamedField kObjectPointer{
    FieldId::object_pointer,       "object/", FieldKind::any, false, false,
    "JSON Pointer into the object"};
constexpr NamedField kItemPath{FieldId::item_path,   "", FieldKind::any, false, false,
                               "a field of the item"};

/// The steps of "a.b['c/d'].e"; nothing if it is not such a path.
std::optional<std::vector<std::string>> steps_of(std::string_view text) {
  std::vector<std::string> steps;
  while (!text.empty() && steps.size() <= kMaxPathSteps) {
    if (text.front() == '[') {
      if (text.size() < 2 || (text[1] != '\'' && text[1] != '"')) return std::nullopt;
      const std::size_t end = text.find(std::string(1, text[1]) + "]", 2);
      if (end == std::string_view::npos) return std::nullopt;
      steps.emplace_back(text.substr(2, end - 2));
      text.remove_prefix(end + 2);
      if (text.starts_with('.')) text.remove_prefix(1);
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(".["), text.size());
    if (end == 0) return std::nullopt;
    steps.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
    if (text.starts_with('.')) {
      text.remove_prefix(1);
      if (text.empty()) return std::nullopt;
    }
  }
  if (steps.empty() || steps.size() > kMaxPathSteps) return std::nullopt;
  return steps;
}

/// Numbers texts in the order in which they are first seen.
std::optional<std::size_t> number_of(const std::string& text) {
  constexpr std::size_t kMaxNumbers = 2000;  // an editor reads policies again and again
  static std::mutex mutex;
  static std::unordered_map<std::string, std::size_t> numbers;
  const std::lock_guard lock(mutex);
  const auto known = numbers.find(text);
  if (known != numbers.end()) return known->second;
  if (numbers.size() == kMaxNumbers) return std::nullopt;
  return numbers.emplace(text, numbers.size()).first->second;
}

ParsedField parsed(FieldRef field) {
  if (field.id != FieldId::item_path) field.number = number_of(field.text);
  return {std::move(field), {}};
}

ParsedField pointer(std::string_view text, std::string_view steps, FieldId id) {
  FieldRef field{.id = id, .text = std::string(text)};
  for (const std::string_view step : split(steps.substr(1), '/')) {
    field.path.push_back(yaml::name_of_step(step));
  }
  if (field.path.size() > kMaxPathSteps) {
    return {{}, fmt::format("the JSON Pointer has more than {} steps", kMaxPathSteps)};
  }
  return parsed(std::move(field));
}

/// How a field of the table is written.
std::string spelling_of(const NamedField& field) {
  return field.has_key ? fmt::format("{}['KEY']", field.name) : std::string(field.name);
}

std::string no_such_field(std::string_view text) {
  std::vector<std::string_view> names;
  for (const NamedField& each : kFields) names.push_back(each.name);
  const std::string_view name = text.substr(0, text.find('['));
  std::string suggestion = did_you_mean(name, names);
  if (suggestion.empty()) {
    suggestion =
        ": name a field of docs/policies.md, or a JSON Pointer such as '/spec/hostNetwork'";
  }
  return fmt::format("unknown field '{}'{}", text, suggestion);
}

}  // namespace

std::span<const NamedField> named_fields() { return kFields; }

const NamedField& field_of(FieldId id) {
  if (id == FieldId::pod_pointer) return kPodPointer;
  if (id == FieldId::object_pointer) return kObjectPointer;
  const auto* found = std::ranges::find(kFields, id, &NamedField::id);
  return found == kFields.end() ? kItemPath : *found;
}

ParsedField parse_field(std::string_view text, bool in_item) {
  constexpr std::string_view kObject = "object/";
  constexpr std::size_t kMaxLength = 500;
  if (text.size() > kMaxLength) return {{}, "the name of the field is too long"};
  if (in_item) {
    if (text.starts_with('/')) return pointer(text, text, FieldId::item_path);
    auto steps = steps_of(text);
    if (!steps) return {{}, fmt::format("'{}' is not a field of an item", text)};
    return parsed({.id = FieldId::item_path, .path = *std::move(steps), .text = std::string(text)});
  }
  if (text.starts_with('/')) return pointer(text, text, FieldId::pod_pointer);
  if (text.starts_with(kObject)) {
    return pointer(text, text.substr(kObject.size() - 1), FieldId::object_pointer);
  }
  for (const NamedField& each : kFields) {
    if (!text.starts_with(each.name)) continue;
    const std::string_view rest = text.substr(each.name.size());
    if (!each.has_key && rest.empty()) return parsed({.id = each.id, .text = std::string(text)});
    if (!each.has_key) continue;
    if (rest.empty()) {
      return {{}, fmt::format("'{}' needs a key: write {}", text, spelling_of(each))};
    }
    if (rest.front() != '[' && rest.front() != '.') continue;
    const auto steps = steps_of(rest.front() == '.' ? rest.substr(1) : rest);
    if (!steps || steps->size() != 1) {
      return {{},
              fmt::format("'{}' has no valid key: write {}, with quotes around a key that has "
                          "dots",
                          text, spelling_of(each))};
    }
    if (steps->front().find('*') != std::string::npos) {
      return {{}, fmt::format("the key in '{}' is not a pattern: name one key", text)};
    }
    return parsed({.id = each.id, .key = steps->front(), .text = std::string(text)});
  }
  return {{}, no_such_field(text)};
}

}  // namespace cnsched::rules

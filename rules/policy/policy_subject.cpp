#include "rules/policy/policy_subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/accelerators/card.h"
#include "core/accelerators/node_trait.h"
#include "core/base/text.h"
#include "core/source/path.h"
#include "core/yaml/scalar.h"

namespace cnsched::rules {

namespace {

using accelerators::LabelMeaning;
using yaml::Node;

/// What all policies together may spend on one object: far above what real ones need.
constexpr std::size_t kMaxSteps = 5'000'000;

bool may_add_fields(const k8s::Unknown& unknown) {
  return unknown.adds_fields() && unknown.kind != k8s::Unknown::Kind::image;
}

/// Resources that every container consumes, whether or not it states an amount.
bool is_used_by_all(std::string_view resource) {
  static constexpr std::array<std::string_view, 3> kNames = {"cpu", "memory", "ephemeral-storage"};
  return is_one_of(resource, kNames);
}

/// The amount that the container requests; a request defaults to the limit.
const Node& amount_in(const Node& container, const std::string& resource, bool limits) {
  const Node& resources = container["resources"];
  const Node& limit = resources["limits"].under(resource);
  if (limits) return limit;
  const Node& request = resources["requests"].under(resource);
  return request && !request.is_null() ? request : limit;
}

std::optional<Quantity> quantity_in(const Node& node) {
  const auto quantity =
      Quantity::parse(yaml::json_literal(node).value_or(std::string(node.text())));
  if (!quantity) return std::nullopt;
  return *quantity;
}

FieldValue computed(const Node& node, const Quantity& number) {
  return {.node = &node, .number = number};
}

FieldValue counted(const Node& node, std::int64_t number) {
  return {.node = &node, .number = *Quantity::parse(std::to_string(number))};
}

/// A label that nodes must have, and a value of it.
struct Wanted {
  std::string_view key;
  const Node* value = nullptr;
};

/// Calls `visit` with the labels of nodeSelector, then with the values of `In` in required
/// affinity.
template <typename Visit>
void each_wanted_label(const k8s::PodSpec& pod, Visit visit) {
  for (const k8s::Requirement& requirement : pod.required_labels()) {
    if (requirement.op != "In") continue;
    for (const Node* value : requirement.values) visit(Wanted{requirement.key, value});
  }
}

void collect(const Node& node, std::span<const std::string> path, FieldValues& found) {
  constexpr std::size_t kMaxValues = 10'000;
  if (found.values.size() >= kMaxValues) return;
  if (path.empty()) {
    if (k8s::is_configured_image(node)) {
      found.is_open = true;
    } else if (!node.is_missing() && !node.is_null()) {
      found.values.push_back({.node = &node});
    }
    return;
  }
  if (path.front() == "*") {
    for (const Node* item : node.items()) collect(*item, path.subspan(1), found);
    for (const yaml::Entry& entry : node.entries()) {
      if (!entry.overridden) collect(*entry.value, path.subspan(1), found);
    }
    return;
  }
  if (node.is_sequence()) {
    const auto index = whole_number(path.front());
    return collect(index ? node.at(*index) : yaml::missing_node(), path.subspan(1), found);
  }
  collect(node.under(path.front()), path.subspan(1), found);
}

/// Whether what is unknown may add to the values at the path.
bool may_grow(const FieldValues& found, std::span<const std::string> path) {
  return found.values.empty() || is_one_of("*", path) ||
         (found.values.size() == 1 && !found.values.front().node->is_scalar());
}

/// The values at a path below `node`; a step `*` is every item or entry.
FieldValues values_at(const Node& node, std::span<const std::string> path) {
  FieldValues found;
  collect(node, path, found);
  return found;
}

}  // namespace

std::string_view text_of(const FieldValue& value, std::string& storage) {
  if (!value.text.empty()) return value.text;
  if (!value.number && value.node->type == yaml::ScalarType::string) return value.node->text();
  storage = value.number
                ? value.number->canonical()
                : yaml::json_literal(*value.node).value_or(std::string(value.node->text()));
  return storage;
}

PolicySubject::PolicySubject(const ClusterScope& scope, const k8s::Object& object,
                             const Workload* pod)
    : scope_(&scope),
      object_(&object),
      pod_(pod),
      is_patch_(scope.is_patch(object)),
      is_open_(is_patch_ || (pod != nullptr && std::ranges::any_of(pod->unknown, may_add_fields))),
      left_(kMaxSteps) {}

std::vector<std::string> PolicySubject::unknowns() const {
  std::vector<std::string> names;
  if (pod_ == nullptr) return names;
  for (const k8s::Unknown& unknown : pod_->unknown) {
    if (unknown.kind != k8s::Unknown::Kind::creation) names.push_back(unknown.what);
  }
  for (const k8s::Container& container : pod_->pod.all_containers()) {
    if (!names.empty() || !k8s::is_configured_image((*container.node)["image"])) continue;
    names.push_back(fmt::format("the image of '{}'", (*container.node)["name"].text()));
  }
  return names;
}

const std::string& PolicySubject::qualified_kind() const {
  if (qualified_kind_.empty()) {
    qualified_kind_ = fmt::format("{}/{}", object_->group(), object_->kind);
  }
  return qualified_kind_;
}

const std::string& PolicySubject::real_path() const {
  if (real_path_.empty()) {
    real_path_ = cnsched::real_path(scope_->file_of(object_->root->span).path());
  }
  return real_path_;
}

const std::vector<accelerators::DeviceRequest>& PolicySubject::devices() const {
  if (!devices_) {
    devices_ = pod_ == nullptr ? std::vector<accelerators::DeviceRequest>()
                               : accelerators::device_requests(pod_->pod);
  }
  return *devices_;
}

FieldValues PolicySubject::scalar(const Node& node) const {
  FieldValues result;
  if (node && !node.is_null()) {
    result.values.push_back({.node = &node});
  } else {
    result.is_open = is_open_;
  }
  return result;
}

FieldValues PolicySubject::items(const Node& list) const {
  FieldValues result{.is_open = is_open_, .near = &list};
  for (const Node* item : list.items()) result.values.push_back({.node = item});
  return result;
}

FieldValues PolicySubject::pod_scalar(std::string_view name) const {
  return pod_ == nullptr ? FieldValues() : scalar(pod_->pod.node().under(name));
}

FieldValues PolicySubject::label(const Node& labels, const std::string& key, bool is_open) const {
  FieldValues result = scalar(labels.under(key));
  result.is_open = result.values.empty() && is_open;
  if (labels) result.near = &labels;
  return result;
}

FieldValues PolicySubject::count() const {
  FieldValues result{.is_lower_bound = is_open_};
  std::int64_t sum = 0;
  const Node* node = &yaml::missing_node();
  for (const accelerators::DeviceRequest& device : devices()) {
    sum += device.amount;
    if (!*node) node = device.node;
  }
  result.values.push_back(counted(*node, sum));
  return result;
}

FieldValues PolicySubject::total() const {
  FieldValues result{.is_lower_bound = is_open_};
  std::int64_t sum = 0;
  const Node* node = &yaml::missing_node();
  for (const Workload* pod : scope_->workloads_of(*object_)) {
    if (pod->fragment || !pod->is_built()) continue;
    if (!pod->replicas || std::ranges::any_of(pod->unknown, may_add_fields)) {
      result.is_lower_bound = true;
    }
    const auto requests = pod == pod_ ? devices() : accelerators::device_requests(pod->pod);
    for (const accelerators::DeviceRequest& device : requests) {
      constexpr std::int64_t kMaxReplicas = 1'000'000;
      sum += device.amount * std::clamp<std::int64_t>(pod->replicas.value_or(1), 0, kMaxReplicas);
      if (!*node) node = device.node;
    }
  }
  result.values.push_back(counted(*node, sum));
  return result;
}

FieldValues PolicySubject::resources() const {
  FieldValues result{.is_open = is_open_};
  for (const accelerators::DeviceRequest& device : devices()) {
    const Node* key = device.node->key();
    result.values.push_back({.node = key == nullptr ? device.node : key});
  }
  return result;
}

FieldValues PolicySubject::node_labels(std::string_view key) const {
  FieldValues result{.is_open = is_open_};
  if (pod_ == nullptr) return result;
  const Node& selected = pod_->pod["nodeSelector"].under(key);
  if (selected && !selected.is_null()) return scalar(selected);
  for (const k8s::NodeSelectorTerm& term : pod_->pod.required_terms()) {
    const Node* present = nullptr;  // a requirement that any value fulfils
    bool is_bound = false;
    for (const k8s::Requirement& requirement : term.expressions) {
      if (requirement.key != key) continue;
      if (requirement.op == "In") {
        is_bound = true;
        for (const Node* value : requirement.values) result.values.push_back({.node = value});
      } else if (requirement.requires_label()) {
        present = requirement.node;
      }
    }
    if (!is_bound && present == nullptr) return {.is_open = is_open_, .near = term.node};
    if (!is_bound) result.values.push_back({.node = present, .is_any = true});
  }
  if (!result.values.empty()) result.is_open = false;
  return result;
}

FieldValues PolicySubject::products() const {
  FieldValues result{.is_open = is_open_};
  if (pod_ == nullptr) return result;
  each_wanted_label(pod_->pod, [&](const Wanted& wanted) {
    const accelerators::NodeLabel* known = accelerators::find_label(wanted.key);
    if (known == nullptr || known->meaning != LabelMeaning::product) return;
    const auto product = accelerators::find_accelerator(wanted.value->text());
    result.values.push_back({.node = wanted.value, .product = product ? *product : nullptr});
  });
  if (!result.values.empty()) result.is_open = false;
  return result;
}

FieldValues PolicySubject::memory() const {
  FieldValues result{.is_open = is_open_};
  if (pod_ == nullptr) return result;
  bool is_uncertain = false;
  each_wanted_label(pod_->pod, [&](const Wanted& wanted) {
    if (accelerators::counts_mebibytes(wanted.key)) {
      const auto amount = Quantity::parse(std::string(wanted.value->text()) + "Mi");
      if (amount) result.values.push_back(computed(*wanted.value, *amount));
      return;
    }
    const auto card = accelerators::card_from_label(wanted.key, wanted.value->text());
    if (!card) return;
    const unsigned gigabytes = accelerators::with_only_size(*card).gigabytes;
    if (gigabytes == 0) {
      is_uncertain = true;
      return;
    }
    result.values.push_back(
        computed(*wanted.value, *Quantity::parse(std::to_string(gigabytes) + "Gi")));
  });
  result.is_open = result.values.empty() ? is_open_ || is_uncertain : is_uncertain;
  return result;
}

/// The scheduler's sum: containers and sidecars together, or the largest init container with the
/// sidecars before it.
FieldValues PolicySubject::amount(const std::string& resource, bool limits) const {
  if (pod_ == nullptr) return {};
  const Node& whole = pod_->pod["resources"].under(limits ? "limits" : "requests").under(resource);
  if (whole && !whole.is_null()) return scalar(whole);
  FieldValues result{.is_lower_bound = is_open_};
  struct Parts {
    Quantity sum;
    std::vector<FieldValues::Summand> summands;
  };
  Quantity largest;
  const Node* node = nullptr;
  const auto add = [&](const k8s::Container& container, bool is_released, Parts& parts) {
    const Node& written = amount_in(*container.node, resource, limits);
    const auto quantity = written ? quantity_in(written) : std::nullopt;
    if (!quantity) {
      if (!is_released && is_used_by_all(resource)) result.near = &(*container.node)["name"];
      return;
    }
    if (node == nullptr || *quantity > largest) {
      node = &written;
      largest = *quantity;
    }
    parts.summands.push_back({container.node, &written});
    add_to(parts.sum, *quantity);
  };
  Parts together;
  Parts sidecars;
  Parts peak;  // of an init container, and of the sidecars before it
  std::size_t sidecars_of_peak = 0;
  for (const k8s::Container& container : pod_->pod.containers()) add(container, false, together);
  for (const k8s::Container& container : pod_->pod.init_containers()) {
    if (container.is_sidecar()) {
      add(container, false, together);
      add(container, false, sidecars);
      continue;
    }
    Parts now{.sum = sidecars.sum};
    add(container, true, now);
    if (now.sum <= peak.sum) continue;
    peak = std::move(now);
    sidecars_of_peak = sidecars.summands.size();
  }
  if (peak.sum > together.sum) {
    const auto before = std::span(sidecars.summands).first(sidecars_of_peak);
    peak.summands.insert(peak.summands.begin(), before.begin(), before.end());
    together = std::move(peak);
  }
  if (node == nullptr || result.near != nullptr) {
    result.is_open = is_open_;
    return result;
  }
  result.values.push_back(computed(*node, together.sum));
  result.summands = std::move(together.summands);
  return result;
}

FieldValues PolicySubject::images() const {
  FieldValues result{.is_open = is_open_};
  if (pod_ == nullptr) return result;
  if (pod_->has_unknown(k8s::Unknown::Kind::image)) result.is_open = true;
  for (const k8s::Container& container : pod_->pod.all_containers()) {
    collect((*container.node)["image"], {}, result);
  }
  return result;
}

FieldValues PolicySubject::scheduler() const {
  FieldValues result = pod_scalar("schedulerName");
  if (result.values.empty() && !result.is_open && pod_ != nullptr) {
    result.values.push_back({.node = &yaml::missing_node(), .text = "default-scheduler"});
  }
  return result;
}

FieldValues PolicySubject::replicas() const {
  FieldValues result;
  if (pod_ == nullptr || !pod_->replicas) return result;
  const Node& spec = object_->spec();
  const Node* node = &spec["replicas"];
  for (const Node* each :
       {&spec.under(pod_->component)["minReplicas"], &spec["predictor"]["minReplicas"]}) {
    if (!*node && pod_->component != "worker") node = each;
  }
  result.values.push_back(counted(*node, *pod_->replicas));
  return result;
}

FieldValues PolicySubject::mode() const {
  FieldValues result;
  const bool has_mode = object_->is("serving.kserve.io", "InferenceService") ||
                        object_->is("serving.kserve.io", "InferenceGraph");
  if (pod_ == nullptr || !has_mode) return result;
  const Node& node = pod_->mode.node == nullptr ? yaml::missing_node() : *pod_->mode.node;
  const kserve::DeploymentMode mode = pod_->mode.mode;
  result.is_open = mode == kserve::DeploymentMode::unknown;
  if (!result.is_open) {
    result.values.push_back({.node = &node, .text = kserve::name_of(mode)});
  }
  return result;
}

FieldValues PolicySubject::pod_pointer(const std::vector<std::string>& path) const {
  const std::span<const std::string> steps(path);
  if (pod_ == nullptr) return values_at(*object_->root, steps);
  FieldValues result;
  if (steps.front() == "spec") {
    result = values_at(pod_->pod.node(), steps.subspan(1));
  } else if (steps.front() == "metadata" && steps.size() > 1 && steps[1] == "labels") {
    result = values_at(*pod_->labels, steps.subspan(2));
  } else if (steps.front() == "metadata" && steps.size() > 1 && steps[1] == "annotations") {
    result = values_at(*pod_->annotations, steps.subspan(2));
  } else if (steps.front() == "metadata") {
    result = values_at(*object_->root, steps);
  }
  if (is_open_ && may_grow(result, path)) result.is_open = true;
  return result;
}

/// A runtime or a preset that is unknown is merged into containers; a runtime has no init ones.
FieldValues PolicySubject::item_values(const Node& item, std::span<const std::string> path) const {
  FieldValues result = values_at(item, path);
  const bool lacks_image =
      path.front() == "image" && pod_ != nullptr && pod_->has_unknown(k8s::Unknown::Kind::image);
  if (pod_ == nullptr || !(is_open_ || lacks_image) || !may_grow(result, path)) return result;
  const auto merged =
      object_->kind == "InferenceService" ? pod_->pod.containers() : pod_->pod.all_containers();
  result.is_open |= std::ranges::find(merged, &item, &k8s::Container::node) != merged.end();
  return result;
}

const FieldValues& PolicySubject::values(const FieldRef& field, FieldValues& storage) const {
  constexpr std::size_t kMaxKept = 100;  // of a field; a hostile pod has thousands
  if (const FieldValues* kept = known(field)) return *kept;
  storage = computed_values(field);
  if (!field.number || storage.values.size() > kMaxKept) return storage;
  if (known_.size() <= *field.number) known_.resize(*field.number + 1);
  known_[*field.number] = std::make_unique<const FieldValues>(std::move(storage));
  return *known_[*field.number];
}

FieldValues PolicySubject::computed_values(const FieldRef& field) const {
  const Node& spec = pod_ == nullptr ? yaml::missing_node() : pod_->pod.node();
  switch (field.id) {
    case FieldId::node_selector:
      return label(spec["nodeSelector"], field.key, is_open_);
    case FieldId::node_labels:
      return node_labels(field.key);
    case FieldId::tolerations:
      return items(spec["tolerations"]);
    case FieldId::accelerator_count:
      return count();
    case FieldId::accelerator_total:
      return total();
    case FieldId::accelerator_product:
      return products();
    case FieldId::accelerator_memory:
      return memory();
    case FieldId::accelerator_resource:
      return resources();
    case FieldId::limits:
      return amount(field.key, true);
    case FieldId::requests:
      return amount(field.key, false);
    case FieldId::containers:
      return items(spec["containers"]);
    case FieldId::init_containers:
      return items(spec["initContainers"]);
    case FieldId::image:
      return images();
    case FieldId::priority_class:
      return pod_scalar("priorityClassName");
    case FieldId::runtime_class:
      return pod_scalar("runtimeClassName");
    case FieldId::scheduler:
      return scheduler();
    case FieldId::service_account:
      return pod_scalar("serviceAccountName");
    case FieldId::replicas:
      return replicas();
    case FieldId::mode:
      return mode();
    case FieldId::labels:
      return label(pod_ == nullptr ? object_->labels() : *pod_->labels, field.key,
                   is_open_ || (pod_ != nullptr && pod_->has_unknown(k8s::Unknown::Kind::mode)));
    case FieldId::annotations:
      return label(pod_ == nullptr ? object_->annotations() : *pod_->annotations, field.key,
                   is_open_ || (pod_ != nullptr && pod_->has_unknown(k8s::Unknown::Kind::mode)));
    case FieldId::object_labels:
      return label(object_->labels(), field.key, is_patch_);
    case FieldId::object_annotations:
      return label(object_->annotations(), field.key, is_patch_);
    case FieldId::pod_pointer:
      return pod_pointer(field.path);
    case FieldId::object_pointer: {
      FieldValues result = values_at(*object_->root, field.path);
      result.is_open = result.values.empty() && is_patch_;
      return result;
    }
    case FieldId::item_path:
    case FieldId::item:
      break;
  }
  return {};
}

}  // namespace cnsched::rules

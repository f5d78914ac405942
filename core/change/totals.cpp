#include "core/change/totals.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/accelerators/card.h"
#include "core/accelerators/machine_type.h"
#include "core/accelerators/node_trait.h"
#include "core/accelerators/product.h"
#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/yaml/scalar.h"

namespace cnsched::change {

namespace {

constexpr double kMilli = 1000;

void add(AmountRange& sum, double amount, const Replicas& replicas) {
  sum.min += amount * static_cast<double>(replicas.min);
  sum.max += amount * static_cast<double>(replicas.max);
}

double amount_of(const sim::Simulated& pod, std::string_view resource) {
  const k8s::Request* request = pod.pod.request(resource);
  return request == nullptr ? 0 : static_cast<double>(request->amount);
}

/// Whether both name one product: "NVIDIA-L4" and "nvidia-l4".
bool is_same_product(std::string_view a, std::string_view b) {
  if (equals_ignoring_case(a, b)) return true;
  const accelerators::Product* product = accelerators::product_named(a);
  return product != nullptr && product == accelerators::product_named(b);
}

std::optional<double> price_of(const AcceleratorKind& kind, const Prices& prices) {
  const auto of_resource = prices.find(kind.resource);
  if (of_resource == prices.end()) return std::nullopt;
  for (const auto& [product, price] : of_resource->second) {
    if (is_same_product(product, kind.product)) return price;
  }
  return std::nullopt;
}

}  // namespace

double Totals::accelerators_of(std::string_view resource) const {
  double sum = 0;
  for (const auto& [kind, range] : accelerators) {
    if (kind.resource == resource) sum += range.max;
  }
  return sum;
}

Totals totals_of(const sim::Simulation& simulation, Verdicts& verdicts) {
  Totals totals;
  for (std::size_t i = 0; i < simulation.workloads().size(); ++i) {
    const sim::Simulated& pod = simulation.workloads()[i];
    if (pod.workload->never_created) continue;
    const Replicas replicas = replicas_of(pod);
    add(totals.pods, 1, replicas);
    add(totals.cpu, amount_of(pod, "cpu") / kMilli, replicas);
    add(totals.memory, amount_of(pod, "memory"), replicas);
    for (const Devices& devices : verdicts.devices_of(i)) {
      const bool is_one = devices.products.size() == 1;
      AcceleratorKind kind{std::string(devices.resource),
                           is_one ? *devices.products.begin() : std::string(),
                           std::string(devices.pool)};
      add(totals.accelerators[std::move(kind)], static_cast<double>(devices.count), replicas);
    }
  }
  return totals;
}

std::optional<Cost> cost_of(const Totals& totals, const Prices& prices) {
  if (prices.empty()) return std::nullopt;
  Cost cost;
  for (const auto& [kind, range] : totals.accelerators) {
    if (const auto price = price_of(kind, prices)) {
      cost.per_hour.min += range.min * *price;
      cost.per_hour.max += range.max * *price;
    } else {
      cost.unpriced.push_back(kind);
    }
  }
  return cost;
}

namespace {

using accelerators::Card;
using accelerators::LabelMeaning;

std::string name_of_card(Card card, std::string_view value) {
  if (card.model->sizes.size() == 1) card.gigabytes = card.model->sizes.front().gigabytes;
  const std::size_t mig = value.find("-MIG-");
  const std::string_view profile =
      mig == std::string_view::npos
          ? std::string_view()
          : accelerators::mig_profile_in(value.substr(mig + std::string_view("-MIG-").size()));
  if (const auto* known = accelerators::any_card(card, profile)) return known->product.name;
  const std::string name = accelerators::product_name(accelerators::records(), card);
  return profile.empty() ? name : fmt::format("{}-mig-{}", name, profile);
}

/// The accelerator that a node label names, as `cnsched generate` calls it ("nvidia-l4"), or in the
/// label's own word. Empty if the label names none.
std::string product_in(std::string_view label, std::string_view value) {
  const accelerators::NodeLabel* known = accelerators::find_label(label);
  if (known == nullptr || known->meaning != LabelMeaning::product || value.empty()) return {};
  if (const auto card = accelerators::card_from_label(label, value)) {
    return name_of_card(*card, value);
  }
  const accelerators::Product* product = accelerators::product_named(value);
  return product == nullptr ? std::string(value) : product->name;
}

/// The products that a requirement admits; nothing if it does not name any.
std::set<std::string> products_in(const k8s::Requirement& r) {
  std::set<std::string> products;
  if (r.op != "In") return products;
  for (const yaml::Node* value : r.values) {
    std::string product = product_in(r.key, value->text());
    if (product.empty()) return {};
    products.insert(std::move(product));
  }
  return products;
}

}  // namespace

std::string product_of(const facts::NodePool& node) {
  for (const k8s::Label& label : node.labels) {
    std::string product = product_in(label.key, label.value);
    if (!product.empty()) return product;
  }
  for (const k8s::Label& label : node.labels) {
    if (k8s::is_instance_type_label(label.key)) return product_of_type(label.value);
  }
  const auto& types = node.scaling.instance_types;
  return types.size() == 1 ? product_of_type(types.front()) : std::string();
}

std::string product_of_type(std::string_view type) {
  const accelerators::MachineType* known = accelerators::find_machine_type(type);
  return known == nullptr ? std::string() : known->accelerators->accelerator;
}

std::set<std::string> products_required_by(const sim::Pod& pod) {
  for (const k8s::Requirement& r : pod.requirements.selector) {
    if (auto of_label = products_in(r); !of_label.empty()) return of_label;
  }
  std::set<std::string> products;
  for (const k8s::NodeSelectorTerm& term : pod.spec.required_terms()) {
    const std::size_t before = products.size();
    bool is_named = false;
    for (const k8s::Requirement& r : term.expressions) {
      std::set<std::string> of_term = products_in(r);
      is_named = is_named || !of_term.empty();
      products.merge(of_term);
      if (is_named) break;
    }
    if (!is_named && products.size() == before) return {};
  }
  return products;
}

std::string_view pool_of(const facts::NodePool& node) {
  for (const std::string_view key : k8s::kPoolLabels) {
    const auto label = std::ranges::find(node.labels, key, &k8s::Label::key);
    if (label != node.labels.end() && !label->value.empty()) return label->value;
  }
  return node.is_node() ? std::string_view() : std::string_view(node.name);
}

// Workload::replicas is the minimum. What scales it up is written beside it: in the component of
// an InferenceService, in an hpaSpec or kedaSpec of Seldon Core, in `scaling` of an
// LLMInferenceService. The fields are searched from the pod's own fields outwards.

namespace {

using yaml::Node;

/// Above any real cluster, and small enough for sums.
constexpr std::int64_t kMaxCount = 1'000'000;

struct Field {
  std::string_view holder;  ///< empty: the mapping itself
  std::string_view name;
};

constexpr auto kMinFields = std::to_array<Field>({{"hpaSpec", "minReplicas"},
                                                  {"kedaSpec", "minReplicaCount"},
                                                  {"scaling", "minReplicas"},
                                                  {"", "minReplicas"},
                                                  {"", "replicas"},
                                                  {"", "parallelism"}});
constexpr auto kMaxFields = std::to_array<Field>({{"hpaSpec", "maxReplicas"},
                                                  {"kedaSpec", "maxReplicaCount"},
                                                  {"scaling", "maxReplicas"},
                                                  {"", "maxReplicas"}});

const Node* find_number(const Node& mapping, std::span<const Field> fields) {
  for (const auto& [holder, name] : fields) {
    const Node& found = holder.empty() ? mapping.under(name) : mapping.under(holder).under(name);
    if (yaml::integer_of(found)) return &found;
  }
  return nullptr;
}

/// Of the innermost mapping around the pod's fields that has one.
const Node* number_around(const Workload& workload, std::span<const Field> fields) {
  const Node* at = workload.written;
  for (; at != nullptr; at = at->parent()) {
    if (!at->is_mapping()) continue;
    if (const Node* found = find_number(*at, fields)) return found;
    if (at == workload.object->root) return nullptr;
  }
  return find_number(workload.object->spec(), fields);
}

}  // namespace

Replicas replicas_of(const sim::Simulated& pod) {
  const Workload& workload = *pod.workload;
  Replicas result;
  result.is_known = workload.replicas.has_value();
  result.min = result.max = std::clamp<std::int64_t>(workload.replicas.value_or(1), 0, kMaxCount);
  if (workload.object->kind == "DaemonSet") {
    if (pod.cluster->size() > 0) {
      const std::size_t fitting = pod.diagnosis ? pod.diagnosis->feasible().count() : 0;
      const auto nodes = static_cast<std::int64_t>(fitting);
      result.min = result.max = nodes;
    }
    return result;
  }
  if (workload.object->kind == "Pod") return result;
  result.min_node = number_around(workload, kMinFields);
  result.max_node = number_around(workload, kMaxFields);
  if (result.max_node == nullptr) return result;
  const std::int64_t most = std::min(*yaml::integer_of(*result.max_node), kMaxCount);
  // A replica of a group has several workers.
  const std::int64_t least = result.min_node == nullptr
                                 ? 1
                                 : std::max<std::int64_t>(*yaml::integer_of(*result.min_node), 1);
  const bool is_worker = workload.component.ends_with("worker");
  result.max = std::max(result.min, is_worker ? result.min / least * most : most);
  if (result.max == result.min) result.max_node = nullptr;
  return result;
}

}  // namespace cnsched::change

#include "core/change/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "core/accelerators/card.h"
#include "core/accelerators/resource_name.h"
#include "core/base/text.h"
#include "core/change/totals.h"
#include "core/sim/conclusion.h"

namespace cnsched::change {

namespace {

using Kind = PodVerdict::Kind;
using sim::Simulated;

std::uint64_t hash_of_texts(std::string_view a, std::string_view b) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;
  const std::hash<std::string_view> hash;
  return (hash(a) * kFactor) ^ (hash(b) + kFactor);
}

std::string described_option(const sim::PoolOutlook& of) {
  const std::string pool = described(*of.pool);
  return of.type.empty() ? pool : fmt::format("{} (type {})", pool, printable(of.type));
}

/// The nodes that the pod selects, as far as that is known.
sim::NodeSet selected_nodes(const Simulated& pod) {
  sim::NodeSet nodes = pod.cluster->all();
  for (const sim::Rejection& rejection : pod.diagnosis->rejections()) {
    const bool is_selection = rejection.plugin == &sim::node_affinity ||
                              rejection.plugin == &sim::node_affinity_pre_filter ||
                              rejection.plugin == &sim::node_name;
    if (is_selection && rejection.is_certain) nodes -= rejection.nodes;
  }
  return nodes;
}

/// Of these nodes, those that fitted on the other side; all of them if none did.
sim::NodeSet fitted_before(sim::NodeSet nodes, const Simulated& pod, const Simulated* other) {
  if (other == nullptr || !other->diagnosis) return nodes;
  constexpr std::size_t kMaxLookups = 16;
  std::size_t lookups = 0;
  sim::NodeSet fitted = pod.cluster->none();
  other->diagnosis->feasible().each([&](std::size_t node) {
    if (lookups++ >= kMaxLookups) return;
    const auto here = pod.cluster->find_any(other->cluster->node(node).name);
    if (here && nodes.contains(*here)) fitted.insert(*here);
  });
  return fitted.empty() ? nodes : fitted;
}

/// Of the nodes that the pod selects, one with the fewest rejections.
std::optional<std::size_t> node_to_explain(const Simulated& pod, const Simulated* other) {
  std::vector<std::size_t> rejections(pod.cluster->size());
  for (const sim::Rejection& rejection : pod.diagnosis->rejections()) {
    if (rejection.is_certain) rejection.nodes.each([&](std::size_t node) { ++rejections[node]; });
  }
  sim::NodeSet candidates = selected_nodes(pod) - pod.diagnosis->feasible();
  if (candidates.empty()) candidates = pod.cluster->all() - pod.diagnosis->feasible();
  std::optional<std::size_t> best;
  fitted_before(std::move(candidates), pod, other).each([&](std::size_t node) {
    if (!best || rejections[node] < rejections[*best]) best = node;
  });
  return best;
}

/// Why the pod fits nowhere, in cnsched's words.
std::string why_nowhere(const Simulated& pod, const Simulated* other) {
  const sim::Diagnosis& diagnosis = *pod.diagnosis;
  const bool is_whole = !pod.pod.not_created.event.empty() || !diagnosis.failure().empty() ||
                        diagnosis.of_pod() != nullptr;
  if (is_whole) return printable(diagnosis.event());
  const auto node = node_to_explain(pod, other);
  if (!node) return printable(diagnosis.summary());
  std::vector<std::string> causes;
  for (const sim::Cause& cause : sim::causes_on(*node, pod.pod, *pod.cluster)) {
    if (!is_one_of(cause.text, causes)) causes.push_back(cause.text);
  }
  constexpr std::size_t kMaxCauses = 2;
  if (causes.empty()) return printable(diagnosis.summary());
  const std::size_t more = causes.size() > kMaxCauses ? causes.size() - kMaxCauses : 0;
  causes.resize(causes.size() - more);
  return fmt::format("{}{} ({})", fmt::join(causes, "; "),
                     more > 0 ? fmt::format(" and {} more", more) : "",
                     described(pod.cluster->node(*node)));
}

std::string why_unknown(const Simulated& pod) {
  if (pod.diagnosis->fits_nowhere() && sim::may_be_changed(*pod.workload)) {
    return "an overlay that is not built may change where the pod fits";
  }
  for (const sim::Rejection& rejection : pod.diagnosis->rejections()) {
    const bool is_reason =
        !rejection.is_certain && !(rejection.nodes & pod.diagnosis->unknown()).empty();
    if (is_reason) return printable(rejection.reason);
  }
  return printable(pod.diagnosis->summary());
}

std::string first_refusal(const sim::Outlook& outlook) {
  for (const sim::PoolOutlook& of : outlook.pools) {
    if (!of.reasons.empty()) return fmt::format("{}: {}", described(*of.pool), of.reasons.front());
  }
  return "no pool gets a node for it";
}

/// The nodes that fit or, if none does, those that the pod selects and that have the resource or
/// accelerators.
sim::NodeSet nodes_wanted(const Simulated& pod, std::string_view resource,
                          sim::NodeSet with_resource) {
  if (!pod.diagnosis->feasible().empty()) return pod.diagnosis->feasible();
  if (const sim::ResourceColumn* column = pod.cluster->resource(resource)) {
    for (const auto& amount : column->amounts()) {
      if (amount.allocatable > 0) with_resource.insert(amount.node);
    }
  }
  return with_resource & selected_nodes(pod);
}

}  // namespace

ClusterNodes::ClusterNodes(const sim::Cluster& cluster) : without_product_(cluster.none()) {
  constexpr std::size_t kMaxProducts = 64;
  for (std::size_t i = 0; i < cluster.size(); ++i) {
    const facts::NodePool& node = cluster.node(i);
    const std::string product = product_of(node);
    hashes_.push_back(hash_of_texts(node.name, product));
    pools_.push_back(change::pool_of(node));
    const bool is_known =
        !product.empty() && (by_product_.size() < kMaxProducts || by_product_.contains(product));
    if (is_known) {
      by_product_.try_emplace(product, cluster.none()).first->second.insert(i);
    } else {
      without_product_.insert(i);
    }
  }
}

std::uint64_t ClusterNodes::hash_of(const sim::NodeSet& nodes) const {
  std::uint64_t sum = 0;
  nodes.each([&](std::size_t node) { sum += hashes_[node]; });
  return sum;
}

std::set<std::string> ClusterNodes::products_of(const sim::NodeSet& nodes) const {
  std::set<std::string> products;
  if (!(nodes & without_product_).empty()) return products;
  for (const auto& [product, with] : by_product_) {
    if (!(nodes & with).empty()) products.insert(product);
  }
  return products;
}

sim::NodeSet ClusterNodes::with_product() const {
  return sim::NodeSet::all(without_product_.cluster_size()) - without_product_;
}

std::string_view ClusterNodes::pool_of(const sim::NodeSet& nodes) const {
  std::optional<std::string_view> pool;
  bool is_one = true;
  nodes.each([&](std::size_t node) {
    is_one = is_one && (!pool || *pool == pools_[node]);
    pool = pools_[node];
  });
  return is_one && pool ? *pool : std::string_view();
}

std::string_view name_of(Kind kind) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"none", "fits", "evicts", "addsNode", "unknown", "nowhere", "neverCreated"});
  return kNames[static_cast<std::size_t>(kind)];
}

std::string to_string(const PodVerdict& verdict) {
  std::string text;
  switch (verdict.kind) {
    case Kind::none:
      text = "no node is known";
      break;
    case Kind::fits:
      text = fmt::format("fits {} of {}{}", verdict.fitting, count_of(verdict.nodes, "node"),
                         verdict.has_pools ? " and pools" : "");
      break;
    case Kind::evicts:
      text = "fits only after eviction of other pods";
      break;
    case Kind::added:
      text = "gets a new node";
      break;
    case Kind::unknown:
      text = "unknown";
      break;
    case Kind::nowhere:
      text = "fits nowhere";
      break;
    case Kind::never:
      text = "no pod is created";
      break;
  }
  if (!verdict.reason.empty()) text += ": " + verdict.reason;
  if (verdict.placed) {
    text += fmt::format("; {} of {} placed", *verdict.placed,
                        count_of(static_cast<std::size_t>(verdict.replicas), "replica"));
  } else if (verdict.replicas > 0) {
    text += "; unknown how many replicas are placed";
  }
  return text;
}

std::string to_string(const Devices& devices) {
  std::vector<std::string> products;
  for (const std::string& product : devices.products) products.push_back(printable(product));
  const std::string_view mig = devices.resource.starts_with(accelerators::kMigResource)
                                   ? devices.resource.substr(accelerators::kMigResource.size())
                                   : std::string_view();
  const bool is_slice = !mig.empty() && !products.empty();
  return fmt::format("{}{} ×{}",
                     products.empty() ? printable(devices.resource) : join_words(products, "or"),
                     is_slice ? " " + printable(mig) : "", devices.count);
}

Verdicts::Verdicts(const sim::Simulation& simulation, const sim::Placements* placements)
    : simulation_(simulation), placements_(placements), autoscalers_(simulation) {}

const ClusterNodes& Verdicts::nodes_of(const sim::Cluster& cluster) {
  return clusters_.try_emplace(&cluster, cluster).first->second;
}

const sim::Outlook* Verdicts::outlook_of(std::size_t index) {
  const auto [known, is_new] = outlooks_.try_emplace(index);
  if (is_new) known->second = autoscalers_.outlook(simulation_.workloads()[index]);
  return known->second ? &*known->second : nullptr;
}

PodVerdict Verdicts::of(std::size_t index) {
  const Simulated& pod = simulation_.workloads()[index];
  PodVerdict verdict;
  if (!pod.diagnosis) {
    verdict.kind = Kind::never;
    return verdict;
  }
  verdict.nodes = pod.cluster->size();
  if (verdict.nodes == 0) return verdict;
  verdict.has_pools = !pod.cluster->autoscaled().empty();
  if (placements_ != nullptr) {
    const sim::Placement& placement = placements_->of_workload[index];
    if (!placement.is_unknown()) {
      verdict.placed = static_cast<std::int64_t>(placement.nodes.size());
    }
    verdict.replicas = placement.replicas;
  }
  const sim::Outlook* outlook = verdict.has_pools ? outlook_of(index) : nullptr;
  const sim::PoolOutlook* choice = outlook == nullptr ? nullptr : outlook->choice();
  const sim::Conclusion conclusion = sim::conclusion_on(pod, outlook, nullptr);
  if (conclusion == sim::Conclusion::fits) {
    const sim::NodeSet& feasible = pod.diagnosis->feasible();
    verdict.kind = Kind::fits;
    verdict.fitting = feasible.count();
    verdict.nodes_hash = nodes_of(*pod.cluster).hash_of(feasible);
  } else if (conclusion == sim::Conclusion::preempts) {
    verdict.kind = Kind::evicts;
  } else if (choice != nullptr) {
    verdict.kind = choice->verdict == Truth::yes ? Kind::added : Kind::unknown;
    verdict.nodes_hash = hash_of_texts(choice->pool->name, choice->type);
  } else {
    verdict.kind = sim::is_failure(conclusion) ? Kind::nowhere : Kind::unknown;
  }
  return verdict;
}

void Verdicts::explain(std::size_t index, const Simulated* other, PodVerdict& verdict) {
  const Simulated& pod = simulation_.workloads()[index];
  const sim::Outlook* outlook =
      verdict.has_pools && !verdict.has_node() ? outlook_of(index) : nullptr;
  switch (verdict.kind) {
    case Kind::never:
      verdict.reason = printable(pod.why_no_pod());
      break;
    case Kind::added:
      verdict.reason = described_option(*outlook_of(index)->choice());
      break;
    case Kind::nowhere:
      verdict.reason = pod.diagnosis->fits_nowhere() || outlook == nullptr
                           ? why_nowhere(pod, other)
                           : printable(first_refusal(*outlook));
      break;
    case Kind::unknown:
      verdict.reason = why_unknown(pod);
      break;
    case Kind::none:
    case Kind::fits:
    case Kind::evicts:
      break;
  }
}

std::vector<Devices> Verdicts::devices_of(std::size_t index) {
  const Simulated& pod = simulation_.workloads()[index];
  std::vector<Devices> all;
  for (const accelerators::DeviceRequest& request : accelerators::device_requests(pod.pod.spec)) {
    Devices devices{.resource = request.name, .count = request.amount};
    if (pod.diagnosis) add_nodes(index, devices);
    if (devices.products.empty()) devices.products = products_required_by(pod.pod);
    all.push_back(std::move(devices));
  }
  return all;
}

void Verdicts::add_nodes(std::size_t index, Devices& devices) {
  const Simulated& pod = simulation_.workloads()[index];
  const bool may_add_node = pod.diagnosis->feasible().empty() && !pod.cluster->autoscaled().empty();
  const sim::Outlook* outlook = may_add_node ? outlook_of(index) : nullptr;
  if (const sim::PoolOutlook* choice = outlook != nullptr ? outlook->choice() : nullptr) {
    std::string product = product_of_type(choice->type);
    if (product.empty()) product = product_of(*choice->pool);
    if (!product.empty()) devices.products = {std::move(product)};
    devices.pool = change::pool_of(*choice->pool);
    return;
  }
  const ClusterNodes& nodes = nodes_of(*pod.cluster);
  const sim::NodeSet wanted = nodes_wanted(pod, devices.resource, nodes.with_product());
  devices.products = nodes.products_of(wanted);
  devices.pool = nodes.pool_of(wanted);
}

}  // namespace cnsched::change

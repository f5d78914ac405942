// All nodes start in one class. The node set of each rejection splits the classes that it contains
// only in part. Verdicts and reasons follow from the rejections, so all nodes of a remaining class
// have the same ones.

#include "cli/output/simulation_html.h"

namespace cnsched::cli {

namespace {

using sim::NodeSet;

class Classes {
 public:
  explicit Classes(std::size_t nodes) : class_of_(nodes), sizes_{nodes} {}

  void split(const NodeSet& set) {
    std::vector<std::size_t> inside(sizes_.size());
    set.each([&](std::size_t node) { ++inside[class_of_[node]]; });
    std::vector<std::size_t> new_class(inside.size());
    for (std::size_t i = 0; i < inside.size(); ++i) {
      if (inside[i] == 0 || inside[i] == sizes_[i]) continue;
      new_class[i] = sizes_.size();
      sizes_[i] -= inside[i];
      sizes_.push_back(inside[i]);
    }
    set.each([&](std::size_t node) {
      const std::size_t other = new_class[class_of_[node]];
      if (other != 0) class_of_[node] = other;
    });
  }

  std::vector<NodeColumn> groups(std::size_t max_columns) const {
    constexpr std::size_t kNone = ~std::size_t{0};
    std::vector<NodeColumn> groups;
    std::vector<std::size_t> group_of(sizes_.size(), kNone);
    for (std::size_t node = 0; node < class_of_.size(); ++node) {
      std::size_t& group = group_of[class_of_[node]];
      if (group == kNone) {
        group = groups.size() < max_columns ? groups.size() : max_columns - 1;
        if (group < groups.size()) groups[group].is_uniform = false;
        if (group == groups.size()) groups.emplace_back();
      }
      groups[group].nodes.push_back(node);
    }
    return groups;
  }

 private:
  std::vector<std::size_t> class_of_;
  std::vector<std::size_t> sizes_;
};

}  // namespace

std::vector<NodeColumn> node_columns(const std::vector<const sim::Simulated*>& workloads,
                                     const sim::Cluster& cluster, std::size_t max_columns) {
  Classes classes(cluster.size());
  for (const sim::Simulated* workload : workloads) {
    if (!workload->diagnosis) continue;
    for (const sim::Rejection& rejection : workload->diagnosis->rejections()) {
      classes.split(rejection.nodes);
    }
  }
  return classes.groups(max_columns);
}

}  // namespace cnsched::cli

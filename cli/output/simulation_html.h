#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output/simulation.h"

// The parts of the HTML page.
namespace cnsched::cli {

constexpr std::size_t kMaxNameLength = 48;
constexpr std::size_t kMaxTextLength = 300;

/// The result for a workload on all nodes.
enum class WorkloadStatus : unsigned char { fits, preempts, nowhere, unknown, no_pod };
constexpr std::size_t kWorkloadStatuses = 5;

WorkloadStatus status_of(const sim::Simulated& simulated);
/// "fits nowhere".
std::string_view words_of(WorkloadStatus status);
/// "2 fit nowhere".
std::string counted(std::size_t n, WorkloadStatus status);
/// "does not fit".
std::string_view words_of(sim::Verdict verdict);

/// The CSS class with the sign and the colours.
std::string_view class_of(WorkloadStatus status);
std::string_view class_of(sim::Verdict verdict);

/// Printable text; a longer one loses its middle, because names differ at their ends.
std::string shortened(std::string_view raw, std::size_t max_length = kMaxNameLength);
/// Printable text; a longer one loses its end.
std::string cut(std::string_view raw, std::size_t max_length = kMaxTextLength);
/// Lines of HTML. Their number and length are limited.
class Lines {
 public:
  void add(std::string_view text);
  /// Adds a line that may be longer.
  void add_long(std::string_view text);
  template <typename Texts, typename TextOf>
  void add_all(std::string_view before, const Texts& texts, TextOf text_of) {
    constexpr std::size_t kMaxLines = 12;
    std::size_t left = std::size(texts);
    for (std::size_t i = 0; i < kMaxLines && left > 0; ++i, --left) {
      add(std::string(before) + std::string(text_of(texts[i])));
    }
    if (left > 0) add(std::string(before) + std::to_string(left) + " more");
  }
  bool empty() const { return lines_.empty(); }
  std::string html() const;

 private:
  std::vector<std::string> lines_;
};

/// The content of the panel while its parent element has the pointer or the focus.
std::string panel(std::string_view heading, const Lines& lines);

/// Nodes of a cluster that share a column of the table.
struct NodeColumn {
  std::vector<std::size_t> nodes;  ///< their indices, in order; never empty
  /// Whether every workload has the same verdict and reasons for all of them.
  bool is_uniform = true;
};

/// All nodes of the cluster, grouped if all `workloads` have the same verdict and reasons for them,
/// in the order of the first nodes. From the group number `max_columns` on, the nodes share the
/// last column.
std::vector<NodeColumn> node_columns(const std::vector<const sim::Simulated*>& workloads,
                                     const sim::Cluster& cluster, std::size_t max_columns);

/// The table of the workloads with these indices and of the nodes of their cluster.
void write_simulation_map(const SimulationOutcome& outcome,
                          const std::vector<std::size_t>& workloads, std::ostream& out);

extern const std::string_view kSimulationStyle;  ///< the style sheet

}  // namespace cnsched::cli

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output/json.h"
#include "core/source/discover.h"
#include "core/workspace/workload.h"

namespace cnsched::cli {

/// What is unknown about pods, and how to state it: "3 pods depend on the deployment mode: …". The
/// facts that most pods depend on come first.
class UnknownFacts {
 public:
  void add(const Workload& workload);
  /// Requirements of a pod that simulate does not evaluate.
  void add_unevaluated(const std::vector<std::string>& requirements);

  std::vector<std::string> lines() const;

 private:
  struct Count {
    std::string fact;
    std::string advice;
    std::size_t pods = 0;
  };
  void count(std::vector<std::size_t>& counted, std::string fact, std::string advice);

  std::vector<Count> counts_;
};

/// Lines for the summary of `command`: what was not followed, and the flag or the command that
/// includes it. At most one line for each tool.
std::vector<std::string> describe(std::span<const Unfollowed> unfollowed, std::string_view command);

/// The `skipped` list of the JSON report.
Json json_of(std::span<const Unfollowed> unfollowed);

}  // namespace cnsched::cli

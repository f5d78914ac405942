#pragma once

#include <string>
#include <vector>

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

}  // namespace cnsched::cli

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/accelerators/platform.h"
#include "core/base/result.h"
#include "core/k8s/selector.h"
#include "core/workspace/workload.h"
#include "templates/facts.h"
#include "templates/pin_target.h"

namespace cnsched::templates {

/// The placement of a pod on an accelerator.
struct Pin {
  const Values& values;          ///< of the parameters, with the facts of the catalogue
  bool sets_gpus = false;        ///< the user set the number; else it is the pod's own
  std::string_view container{};  ///< of the accelerator; empty: the model server's
  bool replaces = false;         ///< whether a conflicting placement is replaced
};

/// Changes the value at a path of a document, after the changes before it; erases it if it is null.
/// `where`: the position for an error message.
using Put = std::function<void(const Path& path, const yaml::Node* value, Span where)>;

/// The number of accelerators that the pod requests, of the first kind; 1 if none.
std::int64_t accelerators_of(const Workload& pod);

/// Puts what pins the pod into its manifest; nothing if the pod, as its controller creates it, has
/// the placement. Returns why that would contradict the pod's placement, or nothing. Both this and
/// the error follow the pod's name.
Result<std::string> plan_for(const Workload& pod, const Pin& pin, const Put& put);

/// The labels that the nodes of a pin have.
class PinDemands {
 public:
  /// `values`: of the parameters, with the facts of the catalogue.
  explicit PinDemands(const Values& values);

  /// Whether no node of the pin satisfies the requirement: it demands another value of a label,
  /// another card, vendor or provider, or a label of another accelerator of the platform.
  bool exclude(const k8s::Requirement& own) const;
  /// Whether the pin sets the label to one of certain values.
  bool set(std::string_view key) const;

 private:
  accelerators::Platform platform_;
  std::vector<k8s::Requirement> all_;
};

}  // namespace cnsched::templates

#pragma once

#include <string_view>
#include <vector>

#include "core/accelerators/platform.h"
#include "core/k8s/selector.h"
#include "templates/facts.h"

namespace cnsched::templates {

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

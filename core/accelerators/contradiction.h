#pragma once

#include <optional>
#include <vector>

#include "core/accelerators/clash.h"
#include "core/accelerators/evidence.h"

namespace cnsched::accelerators {

/// Demands of one pod that no node meets together.
struct Contradiction {
  std::vector<k8s::Requirement> demands;  ///< two, or more about one label; the last completes it
  std::optional<Difference> difference;   ///< without: all are about one label
};

/// What a contradiction may be about.
enum class About : unsigned char {
  labels,  ///< the values of one label, and the cards and vendors that labels tell
  clouds,  ///< labels that only one provider's nodes have
};

struct Contradictions {
  bool in_selector = false;          ///< nodeSelector contradicts itself
  bool leaves_nothing = false;       ///< no node is left: of ORed terms each is contradictory
  std::vector<Contradiction> found;  ///< the selector's, or one for each term that never matches
};

/// Where selector and required affinity contradict themselves or each other. Labels that tell
/// different things do not where a node has both.
Contradictions contradictions_in(const k8s::PodSpec& pod, About about,
                                 const Evidence& evidence = {});

}  // namespace cnsched::accelerators

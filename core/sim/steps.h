#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace cnsched::sim {

/// The flag that sets how many steps a run has, for messages.
inline constexpr const char* kStepsFlag = "--max-steps";

/// The steps that all simulations of a run take together, because a small manifest may ask for any
/// amount of work. A step is a node or a running pod that is looked at for a pod or for one of its
/// terms: 10 to 20 ns. What is not judged before they are used up is unknown. Replicas may use a
/// part of them.
class Steps {
 public:
  explicit Steps(std::uint64_t most) : most_(most), left_(most) {}

  /// Returns whether any are left.
  bool spend(std::uint64_t steps) {
    left_ -= std::min(steps, left_);
    were_spent_ = were_spent_ || left_ == 0;
    return left_ > 0;
  }
  void add(std::uint64_t steps) { left_ += steps; }
  std::uint64_t left() const { return left_; }
  bool are_spent() const { return left_ == 0; }
  /// Whether any verdict may be unknown for that.
  bool were_spent() const { return were_spent_; }
  /// Why verdicts are unknown after that.
  std::string text() const {
    return fmt::format("the {} steps of the run do not suffice ({} permits more)", most_,
                       kStepsFlag);
  }

 private:
  std::uint64_t most_;
  std::uint64_t left_;
  bool were_spent_ = false;
};

}  // namespace cnsched::sim

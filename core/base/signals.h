#pragma once

#include <csignal>

namespace cnsched {

/// While it lives, the signals by which people end a program wait: for this thread, and for good
/// for the threads that it starts.
class HeldSignals {
 public:
  HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals();

 private:
  sigset_t before_{};
};

}  // namespace cnsched

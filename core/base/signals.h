#pragma once

#include <csignal>

namespace cnsched {

/// Blocks the signals that end a program, such as SIGINT, during its lifetime: for this thread, and
/// permanently for the threads that it starts.
class BlockedSignals {
 public:
  BlockedSignals();
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals();

 private:
  sigset_t before_{};
};

}  // namespace cnsched

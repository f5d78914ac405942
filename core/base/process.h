#pragma once

#include <chrono>
#include <csignal>
#include <cstddef>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/sandbox.h"

namespace cnsched {

/// A program to run. No shell interprets anything.
struct ProgramCall {
  std::string program;  ///< its path; PATH is not searched
  std::vector<std::string> arguments{};
  std::vector<std::string> environment{};  ///< "NAME=VALUE"; nothing else is inherited
  std::string input{};                     ///< what it reads from standard input
  std::string directory{};                 ///< where it runs; empty: here
  std::chrono::milliseconds timeout{};
  std::size_t max_output = 0;        ///< bytes that it may write to standard output
  std::size_t max_memory = 0;        ///< bytes of data that each process may have; 0: no limit
  const Sandbox* sandbox = nullptr;  ///< that it runs in; null: as this process
};

/// How a program ended, and what it wrote.
struct ProgramEnd {
  enum class By : unsigned char { exit, signal, timeout, output_limit };
  By by = By::exit;
  int status = 0;      ///< the exit code or the number of the signal
  std::string output;  ///< on standard output
  std::string errors;  ///< the first 64 KiB on standard error

  bool is_success() const { return by == By::exit && status == 0; }
};

/// Runs the program and waits for its end. At the timeout or the limit
/// of its output, and when it ends, it and all that it started in its process group are killed, and
/// also when a signal ends this process. The error says why it cannot be started.
Result<ProgramEnd> run_process(const ProgramCall& call);

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

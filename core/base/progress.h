#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace cnsched {

/// What the process is at, in this order; fixes make it start over with `reading`.
enum class Step : std::uint8_t { looking, reading, merging, checking };

/// How far a step is.
struct HowFar {
  Step step = Step::looking;
  std::size_t done = 0;      ///< files found, files read, objects given their pods, objects checked
  std::size_t all = 0;       ///< of these; 0: nobody knows
  std::size_t findings = 0;  ///< so far
  bool again = false;        ///< after fixes
};

/// How far the process is. Those who work count, on any thread; somebody may look on from another.
/// There is one of it, as there is one terminal; nothing is ever decided by it.
class Progress {
 public:
  void begin(Step step, std::size_t all);
  void count() { ++done_; }
  void count_findings(std::size_t more) { findings_ += more; }
  /// What follows looks once more at what fixes have changed.
  void begin_again() { again_ = true; }

  HowFar how_far() const;

 private:
  mutable std::mutex mutex_;  ///< of what `begin` changes together
  Step step_ = Step::looking;
  std::size_t all_ = 0;
  std::atomic<std::size_t> done_ = 0;
  std::atomic<std::size_t> findings_ = 0;
  std::atomic<bool> again_ = false;
};

Progress& progress();

}  // namespace cnsched

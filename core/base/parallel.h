#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>

namespace cnsched {

/// Runs `work(0)` … `work(count - 1)`, each once, on at most `jobs` threads (0: one per core).
/// The calls must be independent. The first exception of a call is rethrown at the end.
/// Each thread gets at least `min_calls` calls.
void parallel_for(std::size_t count, std::size_t jobs, const std::function<void(std::size_t)>& work,
                  std::size_t min_calls = 1);

/// Runs `work(i)`, which returns a weight, on at most `jobs` threads, and then `take(i)` on the
/// calling thread, in order, until the weights taken exceed `bound`. The result does not depend on
/// the number of threads. Returns whether all were taken; `work` may also run for others.
bool parallel_shares(std::size_t count, std::size_t jobs, std::size_t bound,
                     const std::function<std::size_t(std::size_t)>& work,
                     const std::function<void(std::size_t)>& take);

/// The steps in order. After fixes, they start again with `reading`.
enum class Step : std::uint8_t { discovering, reading, merging, checking };

/// The progress of a step.
struct ProgressSample {
  Step step = Step::discovering;
  std::size_t done = 0;      ///< files found, files read, objects with their pods, objects checked
  std::size_t all = 0;       ///< the total of these; 0: unknown
  std::size_t findings = 0;  ///< so far
  bool again = false;        ///< after fixes
};

/// The progress of the process, for display only. Workers increment the counters from any thread; a
/// reader may sample them concurrently. There is one instance.
class Progress {
 public:
  void begin(Step step, std::size_t all);
  void count() { ++done_; }
  void count_findings(std::size_t more) { findings_ += more; }
  /// The following steps check the fixed files again.
  void begin_again() { again_ = true; }

  ProgressSample sample() const;

 private:
  mutable std::mutex mutex_;  ///< guards the members that `begin` sets together
  Step step_ = Step::discovering;
  std::size_t all_ = 0;
  std::atomic<std::size_t> done_ = 0;
  std::atomic<std::size_t> findings_ = 0;
  std::atomic<bool> again_ = false;
};

Progress& progress();

}  // namespace cnsched

#include "core/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/base/portability.h"

namespace cnsched {

void parallel_for(std::size_t count, std::size_t jobs, const std::function<void(std::size_t)>& work,
                  std::size_t min_calls) {
  if (jobs == 0) jobs = std::max(1U, std::thread::hardware_concurrency());
  jobs = std::min(jobs, count / min_calls);

  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto run = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<JoiningThread> threads;
    for (std::size_t i = 1; i < jobs; ++i) threads.emplace_back(run);
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

bool parallel_shares(std::size_t count, std::size_t jobs, std::size_t bound,
                     const std::function<std::size_t(std::size_t)>& work,
                     const std::function<void(std::size_t)>& take) {
  std::vector<std::optional<std::size_t>> weights(count);
  std::atomic<std::size_t> weight_of_all = 0;
  parallel_for(count, jobs, [&](std::size_t i) {
    // The weight may include later shares: the loop below then computes this one.
    if (weight_of_all > bound) return;
    weights[i] = work(i);
    weight_of_all += *weights[i];
  });
  std::size_t taken = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (taken > bound) return false;
    if (!weights[i]) weights[i] = work(i);
    taken += *weights[i];
    take(i);
  }
  return true;
}

void Progress::begin(Step step, std::size_t all) {
  const std::lock_guard lock(mutex_);
  step_ = step;
  all_ = all;
  done_ = 0;
  if (step == Step::checking) findings_ = 0;
}

ProgressSample Progress::sample() const {
  const std::lock_guard lock(mutex_);
  return {step_, done_, all_, findings_, again_};
}

Progress& progress() {
  static constinit Progress instance;
  return instance;
}

}  // namespace cnsched

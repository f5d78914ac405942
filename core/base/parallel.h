#pragma once

#include <cstddef>
#include <functional>

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

}  // namespace cnsched

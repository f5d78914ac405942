#pragma once

#include <cstddef>
#include <functional>

namespace cnsched {

/// Runs `work(0)` … `work(count - 1)`, each once, on at most `jobs` threads (0: one per core).
/// The calls must not depend on each other. An exception of one of them is thrown here, at the end.
/// No thread is begun for less than `worth` calls.
void parallel_for(std::size_t count, std::size_t jobs, const std::function<void(std::size_t)>& work,
                  std::size_t worth = 1);

}  // namespace cnsched

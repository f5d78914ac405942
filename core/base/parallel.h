#pragma once

#include <cstddef>
#include <functional>

namespace cnsched {

/// Runs `work(0)` … `work(count - 1)`, each once, on at most `jobs` threads (0: one per core).
/// The calls must not depend on each other. An exception of one of them is thrown here, at the end.
/// No thread is begun for less than `worth` calls.
void parallel_for(std::size_t count, std::size_t jobs, const std::function<void(std::size_t)>& work,
                  std::size_t worth = 1);

/// Does work in shares on at most `jobs` threads, and takes what they come to in their order, until
/// what is taken weighs more than `bound`: the threads do not show in it. `work(i)` says how much
/// share i weighs, `take(i)` is called here. Whether all were taken; of the others some may have
/// been worked on in vain.
bool parallel_shares(std::size_t count, std::size_t jobs, std::size_t bound,
                     const std::function<std::size_t(std::size_t)>& work,
                     const std::function<void(std::size_t)>& take);

}  // namespace cnsched

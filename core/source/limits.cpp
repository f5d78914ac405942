#include "core/source/limits.h"

#include <fmt/format.h>

namespace cnsched {

std::string text_of_size(std::size_t bytes) {
  constexpr std::size_t kKibi = 1024;
  constexpr std::size_t kMebi = kKibi * kKibi;
  if (bytes != 0 && bytes % kMebi == 0) return fmt::format("{} MiB", bytes / kMebi);
  if (bytes != 0 && bytes % kKibi == 0) return fmt::format("{} KiB", bytes / kKibi);
  return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

}  // namespace cnsched

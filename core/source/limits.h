#pragma once

#include <cstddef>
#include <string>

namespace cnsched {

/// What a run takes on before it says no: a manifest must not be able to fill the memory, or the
/// day, of whoever checks it. More is allowed by flags alone; a configuration comes with what is
/// checked, so it has no say. What no honest document needs is bounded by constants (the nesting
/// and the aliases of a document: core/yaml/parse.h).
struct Limits {
  std::size_t file_size = std::size_t{16} << 20U;   ///< bytes
  std::size_t documents = 200'000;                  ///< of one file
  std::size_t line_length = std::size_t{4} << 20U;  ///< bytes
};

/// The flags that set them, for messages.
inline constexpr const char* kFileSizeFlag = "--max-file-size";
inline constexpr const char* kDocumentsFlag = "--max-documents";
inline constexpr const char* kLineLengthFlag = "--max-line-length";

/// No flag allows more than this of a file: places in it are counted in 32 bits.
inline constexpr std::size_t kLargestFile = std::size_t{1} << 30U;

/// What is not a manifest (configurations, kustomizations, lists of ignored files) is not larger.
inline constexpr std::size_t kFileSizeLimit = Limits().file_size;

/// "16 MiB", "100 KiB", "1000 bytes": exact.
std::string text_of_size(std::size_t bytes);

}  // namespace cnsched

#pragma once

#include <cstddef>
#include <string>

namespace cnsched {

/// Limits, so that a manifest cannot exhaust memory or time. Only flags raise them: a
/// configuration file comes from the same source as the manifests. Limits that no valid manifest
/// reaches are constants (nesting and aliases: core/yaml/parse.h).
struct Limits {
  std::size_t file_size = std::size_t{16} << 20U;   ///< bytes
  std::size_t documents = 200'000;                  ///< of one file
  std::size_t line_length = std::size_t{4} << 20U;  ///< bytes
};

/// The flags that set the limits, for messages.
inline constexpr const char* kFileSizeFlag = "--max-file-size";
inline constexpr const char* kDocumentsFlag = "--max-documents";
inline constexpr const char* kLineLengthFlag = "--max-line-length";

/// The largest file that a flag can allow: positions have 32 bits.
inline constexpr std::size_t kMaxFileSize = std::size_t{1} << 30U;

/// The limit for files other than manifests (configurations, kustomizations, ignore files).
inline constexpr std::size_t kFileSizeLimit = Limits().file_size;

/// The exact size: "16 MiB", "100 KiB", "1000 bytes".
std::string text_of_size(std::size_t bytes);

}  // namespace cnsched

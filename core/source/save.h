#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace cnsched {

struct SaveOptions {
  bool overwrite = false;  ///< a file that says something else is replaced
  /// If given, the file is to say this still, or it is left alone.
  std::optional<std::string_view> instead_of{};
};

/// What became of the file.
enum class Saved : std::uint8_t { created, replaced, unchanged };

/// Writes a whole file, or leaves all as it was: a new file beside it takes its place once it is on
/// the disk. A file that exists keeps its mode, and its owner if we may give files away. One that
/// says the same already is not touched; anything but a regular file, a symbolic link included, is
/// refused. Ctrl-C waits until it is done. Fails in words such as "'x.yaml' exists and differs".
Result<Saved> save(const std::string& path, std::string_view bytes, SaveOptions options = {});

}  // namespace cnsched

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace cnsched {

struct SaveOptions {
  bool overwrite = false;  ///< replace a file with other content
  /// If given, the file is replaced only if this is still its content.
  std::optional<std::string_view> expected_content{};
};

/// What `save` did with the file.
enum class Saved : std::uint8_t { created, replaced, unchanged };

/// Writes a file atomically: a new file in the same directory replaces it once it is on the disk.
/// An existing file keeps its mode, and its owner if the process may set it. A file with the same
/// content is not written. Fails for anything but a regular file, symbolic links included, and if a
/// directory on the way to it is a link: one in the repository (the outermost that holds the file)
/// or in the working directory, as the path names it. Signals such as Ctrl-C are deferred until it
/// is done. Error: "'x.yaml' exists and differs".
Result<Saved> save(const std::string& path, std::string_view bytes, SaveOptions options = {});

/// Writes a file of a copy, whose directory exists: `size` bytes, of which `bytes` are the first.
/// False, with errno, if it cannot, also if there is something of that name.
bool write_new(const std::string& path, std::string_view bytes, std::size_t size);

}  // namespace cnsched
